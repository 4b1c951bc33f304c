/* summary.csv and summary.json: see summary.h. Seconds are in the latter alone, so that the former can be compared byte
 * by byte. */
#include <math.h>
#include <stdlib.h>

#include "files.h"
#include "metrics.h"
#include "summary.h"

static const char *method_name(const struct cli_summary *summary, size_t method) {
  return sprint_experiment_method_name(summary->experiment, method);
}

static unsigned long long seed_of(const struct cli_summary *summary, size_t seed) {
  return (unsigned long long)sprint_experiment_seed(summary->experiment, seed);
}

static double mean_of(const struct cli_moments *moments) { return moments->n > 0 ? moments->mean : NAN; }

/* ,1 2 3: the seeds of the runs, or why each stopped. */
static void print_each(const struct cli_summary *summary, size_t point, size_t method, bool stops, FILE *stream) {
  const char *before = ",";
  for (size_t s = 0; s < summary->n_seeds; s++) {
    const struct cli_saved *run = cli_summary_run(summary, point, method, s);
    if (run && stops) fprintf(stream, "%s%s", before, sprint_stop_word(run->stop));
    if (run && !stops) fprintf(stream, "%s%llu", before, seed_of(summary, s));
    if (run) before = " ";
  }
}

/* How many runs of a method have the i-th verdict or warning, and its word; false: there is no such. */
static bool count_of(const struct cli_summary *summary, size_t point, size_t method, bool warnings, unsigned i,
                     const char **ret_word, size_t *ret_n) {
  size_t seed;
  *ret_word = warnings ? sprint_warning_word((sprint_warning_kind)i) : sprint_verdict_word((sprint_verdict)i);
  if (!*ret_word) return false;
  *ret_n = warnings ? cli_summary_n_warned(summary, point, method, (sprint_warning_kind)i, &seed)
                    : cli_summary_n_judged(summary, point, method, (sprint_verdict)i);
  return true;
}

/* ,near 2 moving 1 */
static void print_counts(const struct cli_summary *summary, size_t point, size_t method, bool warnings, FILE *stream) {
  const char *word, *before = ",";
  size_t n, any = 0;
  for (unsigned i = 0; count_of(summary, point, method, warnings, i, &word, &n); i++) {
    if (n) fprintf(stream, "%s%s %zu", before, word, n);
    if (n) before = " ";
    any += n;
  }
  if (!any) fputc(',', stream);
}

static void print_row(const struct cli_summary *summary, size_t point, size_t method, FILE *stream) {
  struct cli_tally tally = cli_summary_tally(summary, point, method);
  if (tally.n == 0) return;
  cli_csv_first(stream, sprint_experiment_point_name(summary->experiment, point));
  cli_csv_text(stream, method_name(summary, method));
  fprintf(stream, ",%zu,%zu,%zu", tally.n, tally.n_counted, tally.n_diverged);
  print_each(summary, point, method, false, stream);
  print_each(summary, point, method, true, stream);
  print_counts(summary, point, method, false, stream);
  print_counts(summary, point, method, true, stream);
  for (size_t i = 0; i < cli_n_measures(); i++) {
    struct cli_moments moments = cli_summary_moments(summary, point, method, i);
    cli_csv_real(stream, mean_of(&moments));
    cli_csv_real(stream, cli_moments_error(&moments));
  }
  fputc('\n', stream);
}

static void print_csv(const void *user, FILE *stream) {
  const struct cli_summary *summary = user;
  fputs("point,method,runs,counted,diverged,seeds,stops,verdicts,warnings", stream);
  for (size_t i = 0; i < cli_n_measures(); i++)
    fprintf(stream, ",%s,%s_error", cli_measure_name(i).text, cli_measure_name(i).text);
  fputc('\n', stream);
  for (size_t i = 0; i < summary->n_points * summary->n_methods; i++)
    print_row(summary, i / summary->n_methods, i % summary->n_methods, stream);
}

static json_t *warnings_json(const sprint_assessment *assessment) {
  json_t *json = json_object();
  for (sprint_warning_kind k = 0; k < SPRINT_N_WARNINGS; k++) {
    const char *sentence = sprint_assessment_warning(assessment, k);
    if (sentence) json_object_set_new(json, sprint_warning_word(k), json_string(sentence));
  }
  return json;
}

/* By column, in the units of the data. */
static json_t *moves_json(const sprint_assessment *assessment) {
  json_t *json = json_array();
  for (size_t i = 0; i < sprint_assessment_n_moves(assessment); i++) {
    const sprint_column_move *move = sprint_assessment_move(assessment, i);
    json_array_append_new(
        json, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "column", move->name, "moved",
                        cli_json_real(move->moved), "median", cli_json_real(move->median), "q95",
                        cli_json_real(move->q95), "median_before", cli_json_real(move->median_before), "median_after",
                        cli_json_real(move->median_after), "least", cli_json_real(move->least), "greatest",
                        cli_json_real(move->greatest), "observed_least", cli_json_real(move->observed_least),
                        "observed_greatest", cli_json_real(move->observed_greatest), "left", cli_json_real(move->left),
                        "people_left", cli_json_real(move->people_left)));
  }
  return json;
}

static json_t *run_json(const struct cli_summary *summary, const struct cli_saved *run, size_t seed) {
  json_t *json = json_object(), *sets = json_object();
  const char *sentence = NULL;
  sprint_verdict verdict = sprint_assessment_verdict(run->assessment, &sentence);
  for (sprint_set set = 0; set < SPRINT_N_SETS; set++) {
    const sprint_metrics *metrics = sprint_assessment_metrics(run->assessment, set);
    if (metrics) json_object_set_new(sets, sprint_set_word(set), cli_metrics_json(metrics));
  }
  json_object_set_new(json, "seed", json_integer((json_int_t)seed_of(summary, seed)));
  json_object_set_new(json, "stop", json_string(sprint_stop_word(run->stop)));
  json_object_set_new(json, "stop_reason", json_string(sprint_stop_text(run->stop)));
  json_object_set_new(json, "verdict", json_string(sprint_verdict_word(verdict)));
  json_object_set_new(json, "sentence", json_string(sentence));
  json_object_set_new(json, "warnings", warnings_json(run->assessment));
  json_object_set_new(json, "seconds", cli_json_real(run->row.seconds));
  for (size_t i = 0; i < cli_n_measures(); i++)
    json_object_set_new(json, cli_measure_name(i).text, cli_json_real(cli_measure_of(i, run)));
  json_object_set_new(json, "sets", sets);
  json_object_set_new(json, "moves", moves_json(run->assessment));
  return json;
}

/* Of a method: {"near": 2}, {"biased": 1}. */
static json_t *counts_json(const struct cli_summary *summary, size_t point, size_t method, bool warnings) {
  json_t *json = json_object();
  const char *word;
  size_t n;
  for (unsigned i = 0; count_of(summary, point, method, warnings, i, &word, &n); i++)
    if (n) json_object_set_new(json, word, json_integer((json_int_t)n));
  return json;
}

static json_t *method_json(const struct cli_summary *summary, size_t point, size_t method) {
  struct cli_tally tally = cli_summary_tally(summary, point, method);
  json_t *json = json_object(), *means = json_object(), *errors = json_object(), *runs = json_array();
  for (size_t i = 0; i < cli_n_measures(); i++) {
    struct cli_moments moments = cli_summary_moments(summary, point, method, i);
    json_object_set_new(means, cli_measure_name(i).text, cli_json_real(mean_of(&moments)));
    json_object_set_new(errors, cli_measure_name(i).text, cli_json_real(cli_moments_error(&moments)));
  }
  for (size_t s = 0; s < summary->n_seeds; s++) {
    const struct cli_saved *run = cli_summary_run(summary, point, method, s);
    if (run) json_array_append_new(runs, run_json(summary, run, s));
  }
  json_object_set_new(json, "method", json_string(method_name(summary, method)));
  json_object_set_new(json, "kind", json_string(sprint_experiment_method_kind(summary->experiment, method)->name));
  json_object_set_new(json, "counted", json_integer((json_int_t)tally.n_counted));
  json_object_set_new(json, "diverged", json_integer((json_int_t)tally.n_diverged));
  json_object_set_new(json, "verdicts", counts_json(summary, point, method, false));
  json_object_set_new(json, "warnings", counts_json(summary, point, method, true));
  json_object_set_new(json, "mean", means);
  json_object_set_new(json, "standard_error", errors);
  json_object_set_new(json, "runs", runs);
  return json;
}

static json_t *point_json(const struct cli_summary *summary, size_t point) {
  json_t *json = json_object(), *methods = json_array();
  for (size_t m = 0; m < summary->n_methods; m++)
    if (cli_summary_tally(summary, point, m).n > 0) json_array_append_new(methods, method_json(summary, point, m));
  json_object_set_new(json, "point", json_string(sprint_experiment_point_name(summary->experiment, point)));
  json_object_set_new(json, "methods", methods);
  return json;
}

/* What recall, precision and calibration are about. */
static void add_classes(const struct cli_summary *summary, json_t *json) {
  const sprint_population *population = sprint_experiment_population(summary->experiment);
  const sprint_metrics *metrics = cli_summary_metrics(summary);
  json_t *classes = json_array();
  for (size_t c = 0; c < sprint_population_n_classes(population); c++)
    json_array_append_new(classes, json_string(sprint_population_class_name(population, c)));
  json_object_set_new(json, "classes", classes);
  bool two = metrics && metrics->n_classes == 2;
  json_object_set_new(json, "positive",
                      two ? json_string(sprint_population_class_name(population, metrics->positive)) : json_null());
  json_object_set_new(json, "threshold", two ? cli_json_real(metrics->threshold) : json_null());
}

void cli_summary_print_json(const void *user, FILE *stream) {
  const struct cli_summary *summary = user;
  json_t *json = json_object(), *points = json_array();
  json_object_set_new(json, "sprint", json_string(SPRINT_VERSION));
  json_object_set_new(json, "precision", json_string(sprint_precision()));
  json_object_set_new(json, "name", json_string(sprint_experiment_name(summary->experiment)));
  add_classes(summary, json);
  for (size_t p = 0; p < summary->n_points; p++) json_array_append_new(points, point_json(summary, p));
  json_object_set_new(json, "points", points);
  cli_json_print(json, stream);
}

sprint_status cli_summary_save(const struct cli_summary *summary, sprint_context *context, const char *out) {
  sprint_status status = cli_write_file(context, out, "summary.csv", print_csv, summary);
  return status == SPRINT_OK ? cli_write_file(context, out, "summary.json", cli_summary_print_json, summary) : status;
}
