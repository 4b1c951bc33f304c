/* sprint theory: step sizes with a guarantee, and what it is worth, from constants that are given or estimated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "theory.h"

/* An option that is a number: where it goes, and what it may be. */
struct number {
  const char *name;
  double least;
  bool open, whole; /* the least value itself is refused; fractions are */
  double *to;
};

static int take_numbers(const struct cli_command *command, const struct cli_options *options,
                        const struct number *numbers, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct number *it = &numbers[i];
    const char *text = cli_value(options, it->name);
    if (!text) continue;
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value < it->least || (it->open && value == it->least) ||
        (it->whole && (value != floor(value) || value > 1e15)))
      return cli_misused(command, "--%s: '%s' is not a %s %s %g", it->name, text, it->whole ? "whole number" : "number",
                         it->open ? "above" : "of at least", it->least);
    *it->to = value;
  }
  return CLI_OK;
}

struct request {
  struct theory theory;
  double L0, epsilon, sample, probes;
};

static int take_request(const struct cli_command *command, const struct cli_options *options, struct request *it) {
  sprint_constants *a = &it->theory.constants;
  *a = (sprint_constants){sizeof *a, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  it->L0 = it->epsilon = NAN;
  const struct number numbers[] = {
      {"L", 0, true, false, &a->L},
      {"kappa", 0, false, false, &a->kappa},
      {"L0", 0, false, false, &it->L0},
      {"epsilon", 0, false, false, &it->epsilon},
      {"m", 1, false, true, &a->m},
      {"n", 1, false, true, &a->n},
      {"batch", 1, false, true, &a->batch},
      {"delta0", 0, false, false, &a->delta_0},
      {"sigma0", 0, false, false, &a->sigma_0},
      {"sigma1", 0, false, false, &a->sigma_1},
      {"delta", 0, true, false, &it->theory.delta},
      {"gamma", 0, true, false, &it->theory.gamma},
      {"beta", 0, true, false, &it->theory.beta},
      {"rounds", 1, false, true, &it->theory.rounds},
      {"sample", 1, false, true, &it->sample},
      {"probes", 1, false, true, &it->probes},
  };
  int code = take_numbers(command, options, numbers, sizeof numbers / sizeof numbers[0]);
  if (code != CLI_OK) return code;
  if (!isnan(a->kappa) && (!isnan(it->L0) || !isnan(it->epsilon)))
    return cli_misused(command, "--kappa stands for --L0 times --epsilon; one of the two was expected");
  if (isnan(it->L0) != isnan(it->epsilon)) return cli_misused(command, "--L0 and --epsilon are needed together");
  if (!isnan(it->L0)) a->kappa = it->L0 * it->epsilon;
  if (it->theory.beta > 0 && it->theory.gamma == 0) return cli_misused(command, "--beta is nothing without --gamma");
  it->theory.origin = "--gamma";
  return CLI_OK;
}

static int needs(const struct cli_command *command, const struct cli_options *options, const sprint_constants *a) {
  const struct {
    const char *name;
    double value;
  } needed[] = {
      {"L", a->L}, {"kappa (or --L0 and --epsilon)", a->kappa}, {"m", a->m}, {"n", a->n}, {"delta0", a->delta_0}};
  static const char *const of_config[] = {"model", "check", "sample", "probes"};
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (isnan(needed[i].value)) return cli_misused(command, "without a CONFIG, --%s is needed", needed[i].name);
  for (size_t i = 0; i < sizeof of_config / sizeof of_config[0]; i++)
    if (cli_value(options, of_config[i])) return cli_misused(command, "--%s is nothing without a CONFIG", of_config[i]);
  if (options->n_sets) return cli_misused(command, "--set is nothing without a CONFIG");
  return CLI_OK;
}

static void print_given(const struct request *it) {
  const sprint_constants *a = &it->theory.constants;
  printf("L %.4g, kappa %.4g", a->L, a->kappa);
  if (!isnan(it->L0)) printf(" = L0 x epsilon = %.4g x %.4g", it->L0, it->epsilon);
  printf(", m %.10g, n %.10g, batch %.10g, Delta_0 %.4g, sigma_0 %.4g, sigma_1 %.4g\n", a->m, a->n, a->batch,
         a->delta_0, a->sigma_0, a->sigma_1);
}

/* What the run measured beside what was promised. */
static sprint_status print_check(sprint_context *context, const char *folder, double promise) {
  sprint_trace_row row = {.size = sizeof row};
  sprint_stop stop;
  sprint_status status = sprint_saved_final(context, folder, &row, &stop);
  if (status != SPRINT_OK) return status;
  cli_print(stdout, "\ncheck of %s (%s after %llu steps)\n", folder, sprint_stop_word(stop),
            (unsigned long long)row.cost.steps);
  printf("  mean |grad J|^2 over its trace  %.4g\n", row.gradient_sq_mean);
  if (isnan(promise))
    printf("  bound                           none: its step size has no guarantee\n");
  else
    cli_print(stdout, "  bound                           %.4g: %s\n", promise,
              row.gradient_sq_mean <= promise ? "kept" : "NOT KEPT");
  printf(
      "  the mean is over rows of the trace, the bound is over all steps and of an expectation; its constants are\n"
      "  local estimates from below, so that a bound that is kept confirms no theorem, and one that is not, refutes "
      "none\n");
  return SPRINT_OK;
}

static int finish(sprint_context *context, const struct cli_options *options, struct request *it) {
  const char *folder = cli_value(options, "check");
  double promise = NAN;
  print_given(it);
  int code = theory_print(context, &it->theory, &promise);
  sprint_certificate step = {.size = sizeof step};
  if (folder && print_check(context, folder, promise) != SPRINT_OK) return cli_failed(context);
  if (!options->out) return code;
  if (theory_step(context, &it->theory, &step) != SPRINT_OK ||
      sprint_theory_draw(context, &it->theory.constants, &step, options->out) != SPRINT_OK)
    return cli_failed(context);
  cli_print(stdout, "\nfigure in %s\n", options->out);
  return code;
}

/* m, n, batch, gamma and T are the config's where they are not given. */
static void take_plan(struct request *it, const sprint_theory_plan *plan) {
  sprint_constants *a = &it->theory.constants;
  if (isnan(a->m)) a->m = plan->m;
  if (isnan(a->n)) a->n = plan->n;
  if (isnan(a->batch)) a->batch = plan->batch;
  if (it->theory.gamma == 0) {
    it->theory.gamma = plan->gamma;
    it->theory.origin = "the config's gamma";
  }
  if (it->theory.rounds == 0) it->theory.rounds = plan->steps;
}

/* A population without end has no n; T of a run that is checked is what it made, whatever its stop rules allowed. */
static sprint_status settle_plan(sprint_context *context, const struct cli_options *options, struct request *it,
                                 const sprint_theory_plan *plan) {
  const char *folder = cli_value(options, "check");
  sprint_trace_row row = {.size = sizeof row};
  sprint_stop stop;
  if (isnan(it->theory.constants.n) && plan->n == 0)
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "%s: a population without end has no n; --n, the records that a snapshot takes, was expected",
                       options->arguments[0]);
  if (folder && it->theory.rounds == 0) {
    sprint_status status = sprint_saved_final(context, folder, &row, &stop);
    if (status != SPRINT_OK) return status;
    it->theory.rounds = (double)row.cost.steps;
  }
  take_plan(it, plan);
  return SPRINT_OK;
}

static int from_config(sprint_context *context, const struct cli_options *options, struct request *it) {
  struct theory_problem problem = {0};
  sprint_status status = theory_problem_load(context, options, &problem);
  if (status == SPRINT_OK) status = settle_plan(context, options, it, &problem.plan);
  if (status == SPRINT_OK) status = theory_estimate(context, options, &problem, it->sample, it->probes, &it->theory);
  int code = status == SPRINT_OK ? finish(context, options, it) : cli_failed(context);
  theory_problem_clear(&problem);
  return code;
}

static int theory_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  struct request it = {.theory = {.origin = ""}};
  sprint_context_protect_inputs(context);
  int code = take_request(command, options, &it);
  if (code != CLI_OK) return code;
  if (options->n_arguments) return from_config(context, options, &it);
  sprint_constants *a = &it.theory.constants;
  if (isnan(a->batch)) a->batch = 1;
  if (isnan(a->sigma_0)) a->sigma_0 = 0;
  if (isnan(a->sigma_1)) a->sigma_1 = 0;
  code = needs(command, options, a);
  return code == CLI_OK ? finish(context, options, &it) : code;
}

const struct cli_command cli_theory = {
    "theory",
    "which step sizes have a guarantee, what it says and costs; constants are given, or estimated on a config's "
    "problem",
    theory_run,
    {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    0,
};
