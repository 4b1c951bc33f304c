/* sprint theory CONFIG: the constants of a problem, found by looking at it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "theory.h"

void theory_problem_clear(struct theory_problem *problem) {
  free(problem->theta);
  sprint_shift_free(problem->shift);
  sprint_model_free(problem->model);
  sprint_experiment_free(problem->experiment);
}

/* The run of the experiment that the folder holds. */
static sprint_status find_run(sprint_context *context, sprint_experiment *experiment, const char *folder,
                              struct cli_number *ret_number) {
  for (size_t i = 0; i < cli_n_runs(experiment); i++) {
    struct cli_number number = cli_run_number(experiment, i);
    sprint_run *run = NULL;
    sprint_status status = sprint_experiment_start(experiment, number.point, number.method, number.seed, &run);
    if (status != SPRINT_OK) return status;
    bool found = sprint_run_is_saved(run, folder);
    sprint_run_free(run);
    *ret_number = number;
    if (found) return SPRINT_OK;
  }
  sprint_trace_row row = {.size = sizeof row};
  sprint_stop stop;
  sprint_status status = sprint_saved_final(context, folder, &row, &stop);
  if (status != SPRINT_OK) return status;
  return sprint_fail(context, SPRINT_ERROR_INPUT,
                     "%s: is no finished run of this config: settings, population, version or precision differ",
                     folder);
}

/* The first method that the theory is about; the first of all where none is. */
static sprint_status find_method(sprint_experiment *experiment, struct cli_number *ret_number) {
  for (size_t i = 0; i < sprint_experiment_n_methods(experiment); i++) {
    sprint_theory_plan plan = {.size = sizeof plan};
    sprint_status status = sprint_theory_plan_of(experiment, 0, i, &plan);
    if (status != SPRINT_OK) return status;
    ret_number->method = i;
    if (strcmp(plan.method, "sprint") == 0) return SPRINT_OK;
  }
  ret_number->method = 0;
  return SPRINT_OK;
}

static sprint_status load_theta(sprint_context *context, const struct cli_options *options,
                                struct theory_problem *problem) {
  const char *file = cli_value(options, "model");
  problem->theta = calloc(sprint_model_n_params(problem->model), sizeof *problem->theta);
  if (!problem->theta) return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory for theta");
  if (file) return sprint_model_read_theta(problem->model, file, problem->theta);
  uint64_t seed = sprint_experiment_seed(problem->experiment, problem->number.seed);
  return sprint_model_start(problem->model, seed, problem->theta);
}

sprint_status theory_problem_load(sprint_context *context, const struct cli_options *options,
                                  struct theory_problem *problem) {
  const char *folder = cli_value(options, "check");
  sprint_status status = (folder ? cli_load : cli_load_point)(context, options, &problem->experiment);
  if (status != SPRINT_OK) return status;
  sprint_experiment *experiment = problem->experiment;
  status = folder ? find_run(context, experiment, folder, &problem->number) : find_method(experiment, &problem->number);
  if (status != SPRINT_OK) return status;
  struct cli_number number = problem->number;
  problem->plan.size = sizeof problem->plan;
  status = sprint_theory_plan_of(experiment, number.point, number.method, &problem->plan);
  if (status == SPRINT_OK)
    status = sprint_experiment_parts(experiment, number.point, number.method, &problem->model, &problem->shift);
  return status == SPRINT_OK ? load_theta(context, options, problem) : status;
}

static void print_estimate(const char *name, const sprint_estimate *it, const char *how) {
  char spread[48] = "";
  if (isnan(it->value)) return;
  if (it->n_probes > 1) snprintf(spread, sizeof spread, "%.4g +- %.2g (%zu)", it->mean, it->deviation, it->n_probes);
  cli_print(stdout, "  %-14s  %-11.4g  %-26s  %s\n", name, it->value, spread, how);
}

static void print_estimates(const sprint_estimates *e) {
  cli_print(stdout, "  %-14s  %-11s  %-26s  %s\n", "constant", "estimate", "mean +- deviation (probes)", "how");
  print_estimate("L", &e->L, "single records: power iteration on differences of gradients; the largest");
  print_estimate("L of J", &e->L_risk, "the same of J(theta; theta)");
  print_estimate("L_0", &e->L_0, "slope of single records' losses in their features; the largest");
  print_estimate("epsilon (W1)", &e->epsilon, "mean |x_i(theta') - x_i(theta'')| / |theta' - theta''|; the largest");
  print_estimate("epsilon sliced", &e->epsilon_sliced, "mean 1-d W1 over random projections, over the same distance");
  print_estimate("epsilon (TV)", &e->epsilon_tv, "total variation of the strata probabilities, over the distance");
  print_estimate("loss range", &e->loss_range, "between the mean losses of the strata");
  print_estimate("kappa_l", &e->kappa_l, "|J(theta; theta') - J(theta; theta'')|, over the distance; the largest");
  print_estimate("kappa_g", &e->kappa_g, "|grad J(theta; theta') - grad J(theta; theta'')|, over the distance");
  cli_print(stdout, "  %-14s  %-11.4g  %-26s  %s\n", "kappa", e->kappa, "",
            "the largest of L_0 epsilon (+ range TV), kappa_l, kappa_g");
  char fit[48];
  snprintf(fit, sizeof fit, "fit %.4g (%zu)", e->sigma_0_fit, e->n_sigma);
  cli_print(stdout, "  %-14s  %-11.4g  %-26s  %s\n", "sigma_0", e->sigma_0, fit,
            "variance of gradients against |grad J|^2: the line, lifted above all points");
  snprintf(fit, sizeof fit, "fit %.4g, residual %.2g", e->sigma_1_fit, e->sigma_residual);
  cli_print(stdout, "  %-14s  %-11.4g  %-26s  %s\n", "sigma_1", e->sigma_1, fit, "its slope");
  cli_print(stdout, "  %-14s  %-11.4g  %-26s  %s\n", "V(theta)", e->risk, "",
            "J(theta; theta) over the whole population");
}

static void print_head(const struct cli_options *options, const struct theory_problem *problem,
                       const sprint_estimates *found) {
  const sprint_experiment *experiment = problem->experiment;
  const char *model = cli_value(options, "model"),
             *point = sprint_experiment_point_name(experiment, problem->number.point);
  const sprint_population *population = sprint_experiment_population(experiment);
  cli_print(stdout, "%s%s%s, method %s, at %s, from %zu of %zu individuals%s\n", sprint_experiment_name(experiment),
            *point ? ", " : "", point, sprint_experiment_method_name(experiment, problem->number.method),
            model ? model : "the start", found->sample, sprint_population_n(population),
            sprint_population_is_endless(population) ? ", the window of a population without end" : "");
  print_estimates(found);
  printf("  these are what was seen near theta, from below: no proof, as the theory's constants hold everywhere\n");
  if (found->sampled_losses) printf("  class losses, which the shift goes by, were those of the sample\n");
  if (found->remembers) printf("  the shift remembers: it was looked at in the state that it starts from\n");
  if (strcmp(problem->plan.method, "sprint") != 0)
    cli_print(stdout, "  the method is %s: what follows is about SPRINT with its m and batch\n", problem->plan.method);
  if (!problem->plan.plain) printf("  the step rule turns v: what follows is about steps against v itself\n");
  if (!problem->plan.constant) printf("  the step size changes: what follows is for that of the first step\n");
}

sprint_status theory_estimate(sprint_context *context, const struct cli_options *options,
                              const struct theory_problem *problem, double sample, double probes,
                              struct theory *theory) {
  sprint_estimates found = {.size = sizeof found};
  sprint_estimate_options how = {.size = sizeof how, .shift = problem->shift, .theta = problem->theta};
  how.sample = (size_t)sample;
  how.probes = (size_t)probes;
  how.seed = sprint_experiment_seed(problem->experiment, problem->number.seed);
  sprint_status status = sprint_theory_estimate(context, &how, &found);
  if (status != SPRINT_OK) return status;
  print_head(options, problem, &found);
  sprint_constants *a = &theory->constants;
  if (isnan(a->L)) a->L = found.L.value;
  if (isnan(a->kappa)) a->kappa = found.kappa;
  if (isnan(a->sigma_0)) a->sigma_0 = found.sigma_0;
  if (isnan(a->sigma_1)) a->sigma_1 = found.sigma_1;
  if (isnan(a->delta_0) && found.below_zero)
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "Delta_0 is not known: losses below 0 were seen, so that 0 is no lower bound; --delta0 was "
                       "expected");
  if (isnan(a->delta_0)) a->delta_0 = found.risk;
  return SPRINT_OK;
}
