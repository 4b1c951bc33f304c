/* sprint theory: what its files share. */
#ifndef SPRINT_CLI_THEORY_H
#define SPRINT_CLI_THEORY_H

#include "cli.h"

/* What a certificate is asked for. */
struct theory {
  sprint_constants constants;
  double gamma, beta; /* to be checked; gamma 0: none was given, beta 0: the best */
  double delta;       /* 0: none was given */
  double rounds;      /* 0: none was given */
  const char *origin; /* of gamma: "--gamma", or "the config's step" */
};

/* Prints all about the constants. *ret_promise: what the bound is at theory->gamma, or the best step, after `rounds`
 * steps; NaN without a guarantee. CLI_FAILED, with one sentence on stderr: there is none for what was asked. */
int theory_print(sprint_context *context, struct theory *theory, double *ret_promise);

/* The step that figures and bounds are of: the given one, else that of the largest Gamma. */
sprint_status theory_step(sprint_context *context, const struct theory *theory, sprint_certificate *ret_step);

/* theory_chart.c: a chart of values (n) over their number, on a terminal; `line`, unless it is NaN, across it. */
void theory_chart(const char *title, const double *values, size_t n, double line);

/* theory_estimate.c: the constants of a config, where they are not given; prints how they were found. */
struct theory_problem {
  sprint_experiment *experiment;
  sprint_model *model;
  sprint_shift *shift;
  sprint_real *theta;
  struct cli_number number;
  sprint_theory_plan plan;
};
sprint_status theory_problem_load(sprint_context *context, const struct cli_options *options,
                                  struct theory_problem *problem);
void theory_problem_clear(struct theory_problem *problem);
sprint_status theory_estimate(sprint_context *context, const struct cli_options *options,
                              const struct theory_problem *problem, double sample, double probes,
                              struct theory *theory);

#endif
