/* Means and standard errors over seeds: see summary.h. */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { LOSS, ACCURACY, GRADIENT, GRADIENT_MEAN, IFO, DEPLOYMENTS, SECONDS, N_COLUMNS };

/* Running mean and sum of squared deviations (Welford). */
struct moments {
  double mean, squares;
};

struct method {
  size_t n, n_diverged;
  struct moments columns[N_COLUMNS];
};

struct cli_summary {
  size_t n_methods;
  struct method methods[];
};

struct cli_summary *cli_summary_new(const sprint_experiment *experiment) {
  size_t n = sprint_experiment_n_methods(experiment);
  struct cli_summary *summary = calloc(1, sizeof *summary + n * sizeof summary->methods[0]);
  if (summary) summary->n_methods = n;
  return summary;
}

void cli_summary_free(struct cli_summary *summary) { free(summary); }

void cli_summary_add(struct cli_summary *summary, size_t method, const sprint_trace_row *last, sprint_stop stop) {
  struct method *m = &summary->methods[method];
  const double values[N_COLUMNS] = {last->loss,
                                    100 * last->accuracy,
                                    last->gradient_sq,
                                    last->gradient_sq_mean,
                                    (double)last->cost.ifo,
                                    (double)last->cost.deployments,
                                    last->seconds};
  m->n++;
  m->n_diverged += stop == SPRINT_STOP_DIVERGED;
  for (size_t c = 0; c < N_COLUMNS; c++) {
    double away = values[c] - m->columns[c].mean;
    m->columns[c].mean += away / (double)m->n;
    m->columns[c].squares += away * (values[c] - m->columns[c].mean);
  }
}

/* "0.5123 ± 0.0012"; without an error where there is one seed, "-" where there is nothing. Counted in characters. */
static void print_cell(const struct method *m, enum column column, const char *format, int width) {
  char mean[32] = "-", text[80];
  double error = m->n > 1 ? sqrt(m->columns[column].squares / (double)(m->n - 1) / (double)m->n) : NAN;
  if (!isnan(m->columns[column].mean)) snprintf(mean, sizeof mean, format, m->columns[column].mean);
  int n = snprintf(text, sizeof text, "%s", mean);
  if (!isnan(error)) n += snprintf(text + n, sizeof text - (size_t)n, " ± %.2g", error) - 1;
  printf("  %s%*s", text, width > n ? width - n : 0, "");
}

void cli_summary_print(const struct cli_summary *summary, const sprint_experiment *experiment) {
  int name_width = 6;
  for (size_t i = 0; i < summary->n_methods; i++) {
    int length = (int)strlen(sprint_experiment_method_name(experiment, i));
    if (length > name_width) name_width = length;
  }
  printf("\n%-*s  %-18s  %-14s  %-22s  %-22s  %-9s  %-11s  %s\n", name_width, "method", "loss on D(theta)",
         "accuracy, %", "|grad J|^2", "its mean over epochs", "IFO", "deployments", "seconds");
  for (size_t i = 0; i < summary->n_methods; i++) {
    const struct method *m = &summary->methods[i];
    if (m->n == 0) continue;
    printf("%-*s", name_width, sprint_experiment_method_name(experiment, i));
    print_cell(m, LOSS, "%.4f", 18);
    print_cell(m, ACCURACY, "%.2f", 14);
    print_cell(m, GRADIENT, "%.4g", 22);
    print_cell(m, GRADIENT_MEAN, "%.4g", 22);
    printf("  %-9.0f  %-11.0f  %.2f", m->columns[IFO].mean, m->columns[DEPLOYMENTS].mean, m->columns[SECONDS].mean);
    if (m->n_diverged) printf("  %zu of %zu diverged", m->n_diverged, m->n);
    putchar('\n');
  }
  puts("(final values, mean ± standard error over seeds)\n");
}
