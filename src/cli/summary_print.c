/* A summary on the screen: see summary.h. */
#include <math.h>

#include "summary.h"
#include "table.h"

/* What is shown of a run, and how. */
enum form { PLAIN, PERCENT, SHARE, COUNT, SIGNED };
enum group { QUALITY, PEOPLE, COST };

#define MANY 1e12 /* a count from which on digits do not fit their column */

static const struct {
  const char *measure, *title;
  enum group group;
  enum form form;
  bool of_two;   /* of two classes alone */
  bool of_many;  /* of more than two */
  bool of_shift; /* left out where it is 0 for all: nobody can react so */
  bool settled;  /* no matter of chance: said without an error */
} columns[] = {
    {.measure = "loss", .title = "loss on D(theta)", .group = QUALITY},
    {.measure = "loss_heldout", .title = "held-out loss", .group = QUALITY},
    {.measure = "accuracy", .title = "accuracy, %", .group = QUALITY, .form = PERCENT},
    {.measure = "majority", .title = "majority, %", .group = QUALITY, .form = PERCENT, .settled = true},
    {.measure = "auc", .title = "AUC", .group = QUALITY, .form = SHARE},
    {.measure = "recall", .title = "recall, %", .group = QUALITY, .form = PERCENT, .of_two = true},
    {.measure = "precision", .title = "precision, %", .group = QUALITY, .form = PERCENT, .of_two = true},
    {.measure = "rmse", .title = "RMSE", .group = QUALITY},
    {.measure = "r2", .title = "R^2", .group = QUALITY},
    {.measure = "gradient_sq", .title = "|grad J|^2", .group = PEOPLE},
    {.measure = "gradient_sq_mean_after_start", .title = "its mean", .group = PEOPLE},
    {.measure = "displacement", .title = "people moved", .group = PEOPLE, .of_shift = true},
    {.measure = "shift_cost", .title = "shift costs", .group = PEOPLE, .form = SIGNED, .of_shift = true},
    {.measure = "effective_classes", .title = "classes left", .group = PEOPLE, .of_many = true},
    {.measure = "ifo", .title = "IFO", .group = COST, .form = COUNT, .settled = true},
    {.measure = "samples", .title = "samples", .group = COST, .form = COUNT, .settled = true},
    {.measure = "deployments", .title = "deployments", .group = COST, .form = COUNT, .settled = true},
};

/* "0.4565 ± 0.0015"; without an error where there is one run. */
static void put_cell(struct cli_table *table, size_t row, const struct cli_moments *moments, enum form form,
                     bool settled) {
  double scale = form == PERCENT ? 100 : 1, mean = scale * moments->mean, error = scale * cli_moments_error(moments);
  const char *format = form == PERCENT                ? "%.2f"
                       : form == SHARE                ? "%.4f"
                       : form == SIGNED               ? "%+.4g"
                       : form == COUNT && mean < MANY ? "%.0f"
                                                      : "%.4g";
  char text[64], spread[32] = "";
  if (moments->n == 0) return;
  snprintf(text, sizeof text, format, mean);
  if (!settled && !isnan(error))
    snprintf(spread, sizeof spread, form == PERCENT || form == SHARE ? " ± %.1g" : " ± %.2g", error);
  cli_table_cell(table, row, "%s%s", text, spread);
}

static bool all_zero(const struct cli_summary *summary, size_t point, size_t measure) {
  for (size_t m = 0; m < summary->n_methods; m++)
    if (cli_summary_moments(summary, point, m, measure).mean != 0) return false;
  return true;
}

static void put_column(const struct cli_summary *summary, size_t point, size_t column, struct cli_table *table) {
  size_t measure = cli_measure(columns[column].measure);
  size_t n_classes = sprint_population_n_classes(sprint_experiment_population(summary->experiment));
  cli_table_column(table, (int)columns[column].group, columns[column].title);
  if ((columns[column].of_two && n_classes != 2) || (columns[column].of_many && n_classes <= 2) ||
      (columns[column].of_shift && all_zero(summary, point, measure)))
    return;
  for (size_t m = 0; m < summary->n_methods; m++) {
    struct cli_moments moments = cli_summary_moments(summary, point, m, measure);
    put_cell(table, m, &moments, columns[column].form, columns[column].settled);
    if (columns[column].of_two && moments.n == 0 && cli_summary_tally(summary, point, m).n_counted > 0)
      cli_table_cell(table, m, "-"); /* a precision where nobody was said to be of the class */
  }
}

static void put_seconds(const struct cli_summary *summary, size_t point, struct cli_table *table) {
  cli_table_column(table, COST, "seconds");
  for (size_t m = 0; m < summary->n_methods; m++) {
    struct cli_moments seconds = {0};
    for (size_t s = 0; s < summary->n_seeds; s++) {
      const struct cli_saved *run = cli_summary_run(summary, point, m, s);
      if (run) cli_moments_add(&seconds, run->row.seconds);
    }
    if (seconds.n) cli_table_cell(table, m, seconds.mean < 1e6 ? "%.2f" : "%.4g", seconds.mean);
  }
}

static void print_table(const struct cli_summary *summary, size_t point, FILE *stream) {
  struct cli_table *table = cli_table_new("method", summary->n_methods);
  for (size_t m = 0; m < summary->n_methods; m++)
    cli_table_name(table, m, sprint_experiment_method_name(summary->experiment, m));
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) put_column(summary, point, c, table);
  put_seconds(summary, point, table);
  cli_table_print(table, stream);
  cli_table_free(table);
  fputc('\n', stream);
}

/* "sgd: 2 of 3 diverged, left out": what the means are not of. */
static void print_left_out(const struct cli_summary *summary, size_t point, size_t method, FILE *stream) {
  struct cli_tally tally = cli_summary_tally(summary, point, method);
  const char *name = sprint_experiment_method_name(summary->experiment, method);
  if (tally.n_diverged) cli_print(stream, "%s: %zu of %zu diverged, left out\n", name, tally.n_diverged, tally.n);
}

/* One run is judged by its own sentence, several are counted. */
static void print_verdict(const struct cli_summary *summary, size_t point, size_t method, FILE *stream) {
  struct cli_tally tally = cli_summary_tally(summary, point, method);
  const char *name = sprint_experiment_method_name(summary->experiment, method), *sentence = NULL, *before = "";
  if (tally.n == 0) return;
  cli_print(stream, "%s: ", name);
  if (tally.n == 1) {
    sprint_assessment_verdict(cli_summary_run(summary, point, method, tally.first_seed)->assessment, &sentence);
    cli_print(stream, "%s\n", sentence);
    return;
  }
  for (sprint_verdict v = 0; sprint_verdict_word(v); v++) {
    size_t n = cli_summary_n_judged(summary, point, method, v);
    if (!n) continue;
    cli_print(stream, "%s%s in %zu of %zu runs", before, sprint_verdict_text(v), n, tally.n);
    before = ", ";
  }
  fputc('\n', stream);
}

static void print_warnings(const struct cli_summary *summary, size_t point, size_t method, FILE *stream) {
  size_t n_runs = cli_summary_tally(summary, point, method).n;
  const char *name = sprint_experiment_method_name(summary->experiment, method);
  for (sprint_warning_kind k = 0; k < SPRINT_N_WARNINGS; k++) {
    size_t seed = 0, n = cli_summary_n_warned(summary, point, method, k, &seed);
    if (!n) continue;
    const char *sentence = sprint_assessment_warning(cli_summary_run(summary, point, method, seed)->assessment, k);
    if (n_runs == 1)
      cli_print(stream, "warning: %s: %s\n", name, sentence);
    else
      cli_print(stream, "warning: %s, %zu of %zu runs: %s (seed %llu)\n", name, n, n_runs, sentence,
                (unsigned long long)sprint_experiment_seed(summary->experiment, seed));
  }
}

static bool has_runs(const struct cli_summary *summary, size_t point) {
  for (size_t m = 0; m < summary->n_methods; m++)
    if (cli_summary_tally(summary, point, m).n > 0) return true;
  return false;
}

static void print_point(const struct cli_summary *summary, size_t point, FILE *stream) {
  const char *name = sprint_experiment_point_name(summary->experiment, point);
  fputc('\n', stream);
  if (*name) cli_print(stream, "%s\n", name);
  print_table(summary, point, stream);
  cli_summary_print_moves(summary, point, stream);
  for (size_t m = 0; m < summary->n_methods; m++) print_left_out(summary, point, m, stream);
  for (size_t m = 0; m < summary->n_methods; m++) print_verdict(summary, point, m, stream);
  for (size_t m = 0; m < summary->n_methods; m++) print_warnings(summary, point, m, stream);
}

static bool shift_costs(const struct cli_summary *summary) {
  for (size_t p = 0; p < summary->n_points; p++)
    if (!all_zero(summary, p, cli_measure("shift_cost"))) return true;
  return false;
}

/* What a reader has to know of the columns. */
static void print_legend(const struct cli_summary *summary, FILE *stream) {
  const sprint_population *population = sprint_experiment_population(summary->experiment);
  const sprint_metrics *metrics = cli_summary_metrics(summary);
  fputs("(final values", stream);
  if (summary->n_seeds > 1) fputs(", mean ± standard error over seeds", stream);
  fputs("; the mean of |grad J|^2 is over the trace's rows but the first", stream);
  if (metrics && metrics->n_classes == 2)
    cli_print(stream, ";\n recall and precision are of class '%s', said from a probability of %g on",
              sprint_population_class_name(population, metrics->positive), metrics->threshold);
  if (shift_costs(summary))
    fputs(";\n shift costs: the loss on D(theta) less that of the same model had nobody reacted", stream);
  fputs(")\n\n", stream);
}

void cli_summary_print(const struct cli_summary *summary, FILE *stream) {
  bool any = false;
  for (size_t p = 0; p < summary->n_points; p++) {
    if (!has_runs(summary, p)) continue;
    print_point(summary, p, stream);
    any = true;
  }
  if (any) print_legend(summary, stream);
}
