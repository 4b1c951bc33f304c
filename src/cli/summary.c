/* Means and standard errors over seeds: see summary.h. */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

enum column { LOSS, ACCURACY, GRADIENT, GRADIENT_MEAN, IFO, SAMPLES, DEPLOYMENTS, CLASSES, SECONDS, N_COLUMNS };

#define MANY 1e5 /* a number from which on digits behind the point say nothing, and do not fit their column */

/* The runs of one method at one point. */
struct method {
  size_t n, n_ended, n_stalled, n_diverged, n_collapsed, n_biased;
  uint64_t n_unsolved; /* minimisations that ended short of their tolerance */
  struct cli_moments columns[N_COLUMNS];
};

struct cli_summary {
  const sprint_experiment *experiment;
  size_t n_methods;
  double base_classes;     /* effective number of classes of the base population; 0: it has none */
  bool shows_classes;      /* with two classes the column would say nothing */
  struct method methods[]; /* (n_points, n_methods) */
};

double cli_base_classes(const sprint_experiment *experiment) {
  const sprint_population *population = sprint_experiment_population(experiment);
  size_t n = sprint_population_n(population), n_classes = sprint_population_n_classes(population);
  const sprint_real *y = sprint_population_y(population);
  double entropy = 0, *shares = calloc(n_classes + 1, sizeof *shares);
  if (!shares || n_classes == 0) {
    free(shares);
    return 0;
  }
  for (size_t i = 0; i < n; i++) shares[(size_t)y[i]] += 1.0 / (double)n;
  for (size_t c = 0; c < n_classes; c++) entropy -= shares[c] > 0 ? shares[c] * log(shares[c]) : 0;
  free(shares);
  return exp(entropy);
}

struct cli_summary *cli_summary_new(const sprint_experiment *experiment) {
  size_t n_methods = sprint_experiment_n_methods(experiment), n = sprint_experiment_n_points(experiment) * n_methods;
  struct cli_summary *summary = calloc(1, sizeof *summary + n * sizeof summary->methods[0]);
  if (!summary) return NULL;
  summary->experiment = experiment;
  summary->n_methods = n_methods;
  summary->base_classes = cli_base_classes(experiment);
  summary->shows_classes = sprint_population_n_classes(sprint_experiment_population(experiment)) > 2;
  return summary;
}

void cli_summary_free(struct cli_summary *summary) { free(summary); }

bool cli_collapsed(double base_classes, const sprint_trace_row *row) {
  return base_classes > 1 && row->effective_classes - 1 < (base_classes - 1) / 4;
}

/* Standard errors from which on the drift meter's reading is no noise. */
#define SURE 3

/* Whether the method leans on a snapshot that no longer holds: its bias passes the gradient. */
static bool biased(const sprint_trace_row *row) {
  double drift = row->drift > SURE * row->drift_noise ? row->drift : 0, bias = isnan(row->bias) ? drift : row->bias;
  return bias * bias > row->gradient_sq;
}

void cli_summary_add(struct cli_summary *summary, struct cli_number run, const sprint_trace_row *last,
                     sprint_stop stop) {
  struct method *m = &summary->methods[run.point * summary->n_methods + run.method];
  const double values[N_COLUMNS] = {last->loss,
                                    100 * last->accuracy,
                                    last->gradient_sq,
                                    last->gradient_sq_mean,
                                    (double)last->cost.ifo,
                                    (double)last->cost.samples,
                                    (double)last->cost.deployments,
                                    last->effective_classes,
                                    last->seconds};
  m->n++;
  m->n_ended += stop == SPRINT_STOP_STREAM;
  m->n_stalled += stop == SPRINT_STOP_STALLED;
  m->n_diverged += stop == SPRINT_STOP_DIVERGED;
  m->n_collapsed += cli_collapsed(summary->base_classes, last);
  m->n_biased += biased(last);
  m->n_unsolved += last->cost.unsolved;
  for (size_t c = 0; c < N_COLUMNS; c++) cli_moments_add(&m->columns[c], values[c]);
}

/* "0.5123 ± 0.0012"; without an error where there is one seed, "-" where there is nothing. Counted in characters. */
static void print_cell(const struct method *m, enum column column, const char *format, int width) {
  char mean[32] = "-", text[80];
  double error = cli_moments_error(&m->columns[column]);
  if (fabs(m->columns[column].mean) >= MANY) format = "%.4g";
  if (!isnan(m->columns[column].mean)) snprintf(mean, sizeof mean, format, m->columns[column].mean);
  int n = snprintf(text, sizeof text, "%s", mean);
  if (!isnan(error)) n += snprintf(text + n, sizeof text - (size_t)n, " ± %.2g", error) - 1;
  printf("  %s%*s", text, width > n ? width - n : 0, "");
}

static void print_method(const struct cli_summary *summary, size_t point, size_t method, int name_width) {
  const struct method *m = &summary->methods[point * summary->n_methods + method];
  if (m->n == 0) return;
  printf("%-*s", name_width, sprint_experiment_method_name(summary->experiment, method));
  print_cell(m, LOSS, "%.4f", 18);
  print_cell(m, ACCURACY, "%.2f", 14);
  print_cell(m, GRADIENT, "%.4g", 22);
  print_cell(m, GRADIENT_MEAN, "%.4g", 22);
  printf("  %-10.0f  %-10.0f  %-11.0f", m->columns[IFO].mean, m->columns[SAMPLES].mean, m->columns[DEPLOYMENTS].mean);
  if (summary->shows_classes) printf("  %-7.3g", m->columns[CLASSES].mean);
  printf("  %.2f", m->columns[SECONDS].mean);
  if (m->n_diverged) printf("  %zu of %zu diverged", m->n_diverged, m->n);
  putchar('\n');
}

static void print_collapse(const struct cli_summary *summary, size_t point, size_t method) {
  const struct method *m = &summary->methods[point * summary->n_methods + method];
  if (!m->n_collapsed) return;
  printf("%s: the population collapsed onto few classes in %zu of %zu run(s): %.3g of %zu are left in effect\n",
         sprint_experiment_method_name(summary->experiment, method), m->n_collapsed, m->n, m->columns[CLASSES].mean,
         sprint_population_n_classes(sprint_experiment_population(summary->experiment)));
}

/* What training had by then is kept. */
static void print_end(const struct cli_summary *summary, size_t point, size_t method) {
  const struct method *m = &summary->methods[point * summary->n_methods + method];
  if (!m->n_ended) return;
  printf("%s: %s in %zu of %zu run(s), before any of the bounds under `stop`\n",
         sprint_experiment_method_name(summary->experiment, method), sprint_stop_text(SPRINT_STOP_STREAM), m->n_ended,
         m->n);
}

bool cli_summary_stalled(const struct cli_summary *summary) {
  size_t n = 0;
  for (size_t i = 0; i < sprint_experiment_n_points(summary->experiment) * summary->n_methods; i++)
    n += summary->methods[i].n_stalled;
  if (n > 0)
    fprintf(stderr, "sprint: %s in %zu run(s); what they had trained by then is kept\n",
            sprint_stop_text(SPRINT_STOP_STALLED), n);
  return n > 0;
}

static void print_bias(const struct cli_summary *summary, size_t point, size_t method) {
  const struct method *m = &summary->methods[point * summary->n_methods + method];
  if (!m->n_biased) return;
  printf(
      "%s: its steps are biased beyond the gradient itself in %zu of %zu run(s) (columns bias, gradient_sq of the "
      "trace); `correction: unbiased` with full snapshots has none\n",
      sprint_experiment_method_name(summary->experiment, method), m->n_biased, m->n);
}

static void print_unsolved(const struct cli_summary *summary, size_t point, size_t method) {
  const struct method *m = &summary->methods[point * summary->n_methods + method];
  if (!m->n_unsolved) return;
  printf("%s: %llu minimisation(s) ended short of their tolerance, at the best point found\n",
         sprint_experiment_method_name(summary->experiment, method), (unsigned long long)m->n_unsolved);
}

static bool has_runs(const struct cli_summary *summary, size_t point) {
  size_t n = 0;
  for (size_t i = 0; i < summary->n_methods; i++) n += summary->methods[point * summary->n_methods + i].n;
  return n > 0;
}

static void print_point(const struct cli_summary *summary, size_t point, int name_width) {
  const char *name = sprint_experiment_point_name(summary->experiment, point);
  if (!has_runs(summary, point)) return;
  printf("%s%s\n", *name ? "\n" : "", name);
  printf("%-*s  %-18s  %-14s  %-22s  %-22s  %-10s  %-10s  %-11s%s  %s\n", name_width, "method", "loss on D(theta)",
         "accuracy, %", "|grad J|^2", "its mean over epochs", "IFO", "samples", "deployments",
         summary->shows_classes ? "  classes" : "", "seconds");
  for (size_t i = 0; i < summary->n_methods; i++) print_method(summary, point, i, name_width);
  for (size_t i = 0; i < summary->n_methods; i++) print_end(summary, point, i);
  for (size_t i = 0; i < summary->n_methods; i++) print_collapse(summary, point, i);
  for (size_t i = 0; i < summary->n_methods; i++) print_bias(summary, point, i);
  for (size_t i = 0; i < summary->n_methods; i++) print_unsolved(summary, point, i);
}

void cli_summary_print(const struct cli_summary *summary) {
  int name_width = 6;
  for (size_t i = 0; i < summary->n_methods; i++) {
    int length = (int)strlen(sprint_experiment_method_name(summary->experiment, i));
    if (length > name_width) name_width = length;
  }
  bool any = false;
  for (size_t p = 0; p < sprint_experiment_n_points(summary->experiment); p++) {
    any = any || has_runs(summary, p);
    print_point(summary, p, name_width);
  }
  if (any) puts("(final values, mean ± standard error over seeds)\n");
}
