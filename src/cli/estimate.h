/* How long runs will take, measured before they begin. */
#ifndef SPRINT_CLI_ESTIMATE_H
#define SPRINT_CLI_ESTIMATE_H

#include "cli.h"

/* Seconds of an epoch by method, ret_seconds (n_methods), at the first point and seed; 0 where it could not be
 * measured. The measurements run as the jobs will: n_parallel children at a time, n_threads each. Where a step is a lot
 * of arithmetic, gradients alone are timed, and what simulating the shift costs is left out; otherwise an epoch is
 * timed, or its first second. */
void cli_estimate(sprint_context *context, sprint_experiment *experiment, size_t n_parallel, int n_threads,
                  double *ret_seconds);

#endif
