/* The files of a comparison. Times are in a file of their own, so that the others can be compared byte by byte. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "files.h"

/* What a file is printed from. */
struct pages {
  const struct cli_comparison *all;
  const struct cli_match *matches; /* (n_budgets) */
};

/* budget,amount,point: what every row of every file begins with. */
static void print_place(const struct cli_match *match, size_t point, FILE *stream) {
  fprintf(stream, "%s,%s", match->budget->key, match->budget->amount);
  cli_csv_text(stream, sprint_experiment_point_name(match->experiment, point));
}

/* One run: its place, method, step size, seed. */
struct line {
  const struct cli_match *match;
  size_t point, method, size, seed;
};

static void print_run(const struct line *line, FILE *stream) {
  const struct cli_comparison *all = line->match->all;
  print_place(line->match, line->point, stream);
  cli_csv_text(stream, all->names[line->method]);
  if (all->n_sizes)
    fprintf(stream, ",%.9g", all->sizes[line->size]);
  else
    fputc(',', stream);
  fprintf(stream, ",%llu", (unsigned long long)all->seeds[line->seed]);
}

static void print_final(const struct line *line, FILE *stream) {
  const struct cli_result *result = cli_match_result(line->match, line->point, line->method, line->size, line->seed);
  const sprint_trace_row *row = &result->row;
  const uint64_t counts[] = {row->cost.steps, row->cost.ifo, row->cost.samples, row->cost.deployments,
                             row->cost.shift_evals};
  const double reals[] = {row->loss,          row->accuracy,         row->loss_base,
                          row->accuracy_base, row->loss_heldout,     row->accuracy_heldout,
                          row->gradient_sq,   row->gradient_sq_mean, row->distance};
  print_run(line, stream);
  fprintf(stream, ",%s", sprint_stop_word(result->stop));
  cli_csv_real(stream, row->epoch);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) fprintf(stream, ",%llu", (unsigned long long)counts[i]);
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) cli_csv_real(stream, reals[i]);
  fputc('\n', stream);
}

static void print_seconds(const struct line *line, FILE *stream) {
  print_run(line, stream);
  const struct cli_result *result = cli_match_result(line->match, line->point, line->method, line->size, line->seed);
  fprintf(stream, ",%.9g\n", result->row.seconds);
}

/* Every run of the ranking, or of the tuning. */
static void print_runs(const struct pages *pages, bool tuning, void (*print)(const struct line *, FILE *),
                       FILE *stream) {
  const struct cli_comparison *all = pages->all;
  size_t n_sizes = tuning ? all->n_sizes : 1, n_seeds = tuning ? all->n_tuning : all->n_seeds;
  for (size_t b = 0; b < all->n_budgets; b++)
    for (size_t i = 0; i < all->n_points * all->n_methods * n_sizes * n_seeds; i++) {
      size_t variant = i / n_seeds, cell = variant / n_sizes;
      struct line line = {&pages->matches[b], cell / all->n_methods, cell % all->n_methods, variant % n_sizes,
                          i % n_seeds + (tuning ? all->n_seeds : 0)};
      if (!tuning) line.size = line.match->picks[cell];
      print(&line, stream);
    }
}

#define RUN_HEADER "budget,amount,point,method,step_size,seed,"
#define FINAL_HEADER                                                                                        \
  RUN_HEADER                                                                                                \
  "stop,epoch,step,ifo,samples,deployments,shift_evals,loss,accuracy,loss_base,accuracy_base,loss_heldout," \
  "accuracy_heldout,gradient_sq,gradient_sq_mean,distance\n"

static void print_compare(const void *user, FILE *stream) {
  const struct pages *pages = user;
  fputs(FINAL_HEADER, stream);
  print_runs(pages, false, print_final, stream);
}

static void print_tune(const void *user, FILE *stream) {
  const struct pages *pages = user;
  fputs(FINAL_HEADER, stream);
  print_runs(pages, true, print_final, stream);
}

static void print_timing(const void *user, FILE *stream) {
  const struct pages *pages = user;
  fputs(RUN_HEADER "seconds\n", stream);
  print_runs(pages, false, print_seconds, stream);
}

static const char *scale_of(const struct cli_match *match, size_t point) {
  return match->logarithmic[point] ? "log10" : "linear";
}

static void print_standing(const struct cli_match *match, size_t point, size_t place, FILE *stream) {
  const struct cli_comparison *all = match->all;
  const struct cli_standing *standing = &match->standings[point * all->n_methods + place];
  print_place(match, point, stream);
  fprintf(stream, ",%zu", place + 1);
  cli_csv_text(stream, all->names[standing->method]);
  fprintf(stream, ",%s,%s,%s,%zu,%zu", cli_match_size(match, point, standing->method).text, all->by->word,
          scale_of(match, point), all->n_seeds, standing->n_diverged);
  bool any = standing->plain.n > 0;
  const double reals[] = {any ? standing->plain.mean : NAN,
                          cli_moments_error(&standing->plain),
                          any ? standing->compared.mean : NAN,
                          cli_moments_error(&standing->compared),
                          standing->to_best.mean,
                          standing->to_best.low,
                          standing->to_best.high};
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) cli_csv_real(stream, reals[i]);
  fprintf(stream, ",%zu,%zu,%s\n", standing->wins, standing->losses, cli_verdict_word(standing->verdict));
}

static void print_ranking(const void *user, FILE *stream) {
  const struct pages *pages = user;
  fputs(
      "budget,amount,point,rank,method,step_size,criterion,scale,seeds,diverged,mean,standard_error,compared_mean,"
      "compared_error,difference,low,high,wins,losses,verdict\n",
      stream);
  for (size_t b = 0; b < pages->all->n_budgets; b++)
    for (size_t i = 0; i < pages->all->n_points * pages->all->n_methods; i++)
      print_standing(&pages->matches[b], i / pages->all->n_methods, i % pages->all->n_methods, stream);
}

static json_t *seeds_json(const uint64_t *seeds, size_t n) {
  json_t *json = json_array();
  for (size_t i = 0; i < n; i++) json_array_append_new(json, json_integer((json_int_t)seeds[i]));
  return json;
}

static json_t *diverged_json(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  json_t *json = json_array();
  for (size_t s = 0; s < all->n_seeds; s++)
    if (!isfinite(cli_match_value(match, point, method, match->picks[point * all->n_methods + method], s)))
      json_array_append_new(json, json_integer((json_int_t)all->seeds[s]));
  return json;
}

static json_t *standing_json(const struct cli_match *match, size_t point, size_t place) {
  const struct cli_comparison *all = match->all;
  const struct cli_standing *standing = &match->standings[point * all->n_methods + place];
  bool any = standing->plain.n > 0;
  json_t *json = json_object();
  json_object_set_new(json, "rank", json_integer((json_int_t)place + 1));
  json_object_set_new(json, "method", json_string(all->names[standing->method]));
  if (all->n_sizes)
    json_object_set_new(json, "step_size",
                        json_real(all->sizes[match->picks[point * all->n_methods + standing->method]]));
  json_object_set_new(json, "verdict", json_string(cli_verdict_word(standing->verdict)));
  json_object_set_new(json, "diverged", diverged_json(match, point, standing->method));
  json_object_set_new(json, "mean", cli_json_real(any ? standing->plain.mean : NAN));
  json_object_set_new(json, "standard_error", cli_json_real(cli_moments_error(&standing->plain)));
  json_object_set_new(json, "compared_mean", cli_json_real(any ? standing->compared.mean : NAN));
  json_object_set_new(json, "compared_error", cli_json_real(cli_moments_error(&standing->compared)));
  json_object_set_new(json, "difference", cli_json_real(standing->to_best.mean));
  json_object_set_new(json, "low", cli_json_real(standing->to_best.low));
  json_object_set_new(json, "high", cli_json_real(standing->to_best.high));
  json_object_set_new(json, "wins", json_integer((json_int_t)standing->wins));
  json_object_set_new(json, "losses", json_integer((json_int_t)standing->losses));
  return json;
}

static json_t *point_json(const struct cli_match *match, size_t point) {
  json_t *standings = json_array(), *json = json_object();
  for (size_t i = 0; i < match->all->n_methods; i++) json_array_append_new(standings, standing_json(match, point, i));
  json_object_set_new(json, "budget", json_string(match->budget->key));
  json_object_set_new(json, "amount", json_real(strtod(match->budget->amount, NULL)));
  json_object_set_new(json, "point", json_string(sprint_experiment_point_name(match->experiment, point)));
  json_object_set_new(json, "scale", json_string(scale_of(match, point)));
  json_object_set_new(json, "standings", standings);
  return json;
}

static void print_json(const void *user, FILE *stream) {
  const struct pages *pages = user;
  const struct cli_comparison *all = pages->all;
  json_t *rankings = json_array(), *json = json_object();
  for (size_t i = 0; i < all->n_budgets * all->n_points; i++)
    json_array_append_new(rankings, point_json(&pages->matches[i / all->n_points], i % all->n_points));
  json_object_set_new(json, "sprint", json_string(SPRINT_VERSION));
  json_object_set_new(json, "criterion", json_string(all->by->word));
  json_object_set_new(json, "larger_is_better", json_boolean(all->by->larger_wins));
  json_object_set_new(json, "level", json_real(CLI_LEVEL));
  json_object_set_new(json, "seeds", seeds_json(all->seeds, all->n_seeds));
  json_object_set_new(json, "tuning_seeds", seeds_json(all->seeds + all->n_seeds, all->n_tuning));
  json_object_set_new(json, "rankings", rankings);
  cli_json_print(json, stream);
}

sprint_status cli_compare_save(const struct cli_comparison *comparison, const struct cli_match *matches) {
  static const struct {
    const char *name;
    cli_printer print;
    bool tuned; /* of a tuned comparison alone */
  } files[] = {{"compare.csv", print_compare, false},
               {"tune.csv", print_tune, true},
               {"timing.csv", print_timing, false},
               {"ranking.csv", print_ranking, false},
               {"ranking.json", print_json, false}};
  struct pages pages = {comparison, matches};
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < sizeof files / sizeof files[0] && status == SPRINT_OK; i++)
    if (!files[i].tuned || comparison->n_sizes)
      status = cli_write_file(comparison->context, comparison->out, files[i].name, files[i].print, &pages);
  return status;
}
