/* What a certificate looks like on a terminal: docs/theory.md explains every line. */
#include <math.h>
#include <stdlib.h>

#include "theory.h"

enum { EPOCHS = 100, CHART_MOST = 1000000 }; /* of a bound where no length is given; steps that are charted, at most */

static void print_step(const char *name, const sprint_certificate *step) {
  if (step->gamma > 0)
    cli_print(stdout, "  %-26s  %-11.4g  %-11.4g  %-11.4g  %-11.4g  %s\n", name, step->gamma, step->beta, step->c_0,
              step->Gamma, step->valid ? "yes" : "NO");
}

sprint_status theory_step(sprint_context *context, const struct theory *theory, sprint_certificate *ret_step) {
  if (theory->gamma > 0) return sprint_theory_check(context, &theory->constants, theory->gamma, theory->beta, ret_step);
  return sprint_theory_best(context, &theory->constants, 0, ret_step);
}

static sprint_status print_steps(sprint_context *context, const struct theory *theory) {
  const sprint_constants *a = &theory->constants;
  sprint_certificate closed = {.size = sizeof closed}, largest = {.size = sizeof largest}, best = {.size = sizeof best};
  sprint_certificate given = {.size = sizeof given};
  sprint_status status = sprint_theory_closed_form(context, a, &closed);
  if (status == SPRINT_OK) status = sprint_theory_largest(context, a, &largest);
  if (status == SPRINT_OK) status = sprint_theory_best(context, a, 0, &best);
  if (status == SPRINT_OK && theory->gamma > 0) status = theory_step(context, theory, &given);
  if (status != SPRINT_OK) return status;
  cli_print(stdout, "\n%-28s  %-11s  %-11s  %-11s  %-11s  %s\n", "step size", "gamma", "beta", "c_0", "Gamma",
            "Gamma > 0");
  print_step("closed form", &closed);
  if (closed.gamma == 0) printf("  closed form: none, as kappa < 6 L fails: %.4g >= %.4g\n", a->kappa, 6 * a->L);
  print_step("largest Gamma", &best);
  print_step("largest gamma (the edge)", &largest);
  if (theory->gamma > 0) print_step(theory->origin, &given);
  return SPRINT_OK;
}

/* The bound, term by term. */
static double print_bound(const struct theory *theory, const sprint_certificate *step, const char *which) {
  const sprint_constants *a = &theory->constants;
  double T = theory->rounds > 0 ? theory->rounds : EPOCHS * a->m, first = a->delta_0 / (T * step->Gamma);
  cli_print(stdout, "\nbound at %s = %.4g after T = %.10g steps%s\n", which, step->gamma, T,
            theory->rounds > 0 ? "" : " (100 epochs; --rounds)");
  cli_print(stdout, "  %-59s  %.4g\n", "Delta_0 / (T Gamma)", first);
  cli_print(stdout, "  %-59s  %.4g", "Delta_1 = (kappa^4 + 2 kappa^2 L^2 + 2 kappa^2) gamma/Gamma", step->remaining);
  printf("   (at least %.4g at any step size)\n", sprint_theory_floor(a));
  cli_print(stdout, "  %-59s  %.4g\n", "mean |grad J|^2 is at most", first + step->remaining);
  return first + step->remaining;
}

static void print_cost(const char *name, const sprint_theory_cost *cost) {
  cli_print(stdout, "  %-8s  %-15.6g  %-14.6g  %-12.4g  %-14.6g  %.6g\n", name, cost->steps, cost->ifo, cost->remaining,
            cost->all_steps, cost->all_ifo);
}

static void print_cheaper(const char *when, double sprint, double sgd) {
  if (isinf(sprint) && isinf(sgd))
    cli_print(stdout, "  %s: neither gets there\n", when);
  else if (isinf(sprint) || isinf(sgd))
    cli_print(stdout, "  %s: %s alone gets there\n", when, isinf(sgd) ? "SPRINT" : "SGD-GD");
  else
    cli_print(stdout, "  %s: %s is cheaper, by %.4g in IFO\n", when, sprint <= sgd ? "SPRINT" : "SGD-GD",
              sprint <= sgd ? sgd / sprint : sprint / sgd);
}

/* The same by the formulas as the paper prints them, where that differs. */
static void print_literal(const sprint_constants *a, double delta, const sprint_theory_cost *sprint) {
  double top = a->delta_0 + a->L * a->sigma_0 * a->sigma_0 / 2;
  printf("  as the paper prints them: SGD-GD (Delta_0 + L sigma_0^2/2)^2/delta^2 = %.6g, a factor 16 short",
         ceil(top * top / (delta * delta)));
  if (a->batch != 1) printf("; SPRINT T (2 + n/m) = %.6g, which is for batch 1", sprint->steps * (2 + a->n / a->m));
  printf("\n");
}

static sprint_status print_costs(sprint_context *context, const struct theory *theory, const sprint_certificate *step) {
  const sprint_constants *a = &theory->constants;
  sprint_theory_cost sprint = {.size = sizeof sprint}, sgd = {.size = sizeof sgd}, whole = {.size = sizeof whole};
  sprint_certificate aimed = {.size = sizeof aimed};
  sprint_status status = sprint_theory_cost_sprint(context, a, step, theory->delta, &sprint);
  if (status == SPRINT_OK) status = sprint_theory_cost_sgd(context, a, theory->delta, &sgd);
  if (status == SPRINT_OK) status = sprint_theory_best(context, a, theory->delta, &aimed);
  if (status == SPRINT_OK && theory->gamma == 0 && aimed.valid) { /* the whole bound has a best step of its own */
    status = sprint_theory_cost_sprint(context, a, &aimed, theory->delta, &whole);
    sprint.all_steps = whole.all_steps;
    sprint.all_ifo = whole.all_ifo;
  }
  if (status != SPRINT_OK) return status;
  cli_print(stdout, "\nuntil delta = %.4g\n  %-8s  %-15s  %-14s  %-12s  %-14s  %s\n", theory->delta, "",
            "steps: 1st term", "IFO", "what remains", "steps: all", "IFO");
  print_cost("SPRINT", &sprint);
  print_cost("SGD-GD", &sgd);
  print_cheaper("1st term", sprint.ifo, sgd.ifo);
  print_cheaper("all", sprint.all_ifo, sgd.all_ifo);
  print_literal(a, theory->delta, &sprint);
  return SPRINT_OK;
}

/* m = n^alpha, each with the closed form and with the largest Gamma. */
static sprint_status print_schedule(sprint_context *context, const struct theory *theory) {
  static const struct {
    const char *name;
    double alpha;
  } rows[] = {{"0", 0}, {"1/3", 1.0 / 3}, {"1/2", 0.5}, {"2/3", 2.0 / 3}, {"1", 1}};
  double delta = theory->delta > 0 ? theory->delta : 1;
  cli_print(stdout, "\nschedule m = n^alpha%s\n  %-6s  %-9s  %-14s  %-11s  %-11s  %-15s  %s\n",
            theory->delta > 0 ? "" : " (steps and IFO times delta)", "alpha", "m", "closed gamma", "gamma", "Gamma",
            "steps: 1st term", "IFO");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    sprint_constants a = theory->constants;
    sprint_certificate closed = {.size = sizeof closed}, best = {.size = sizeof best};
    sprint_theory_cost cost = {.size = sizeof cost};
    a.m = floor(pow(a.n, rows[i].alpha) * (1 + 1e-12)); /* 1000^(1/3) is 10 */
    sprint_status status = sprint_theory_closed_form(context, &a, &closed);
    if (status == SPRINT_OK) status = sprint_theory_best(context, &a, 0, &best);
    if (status == SPRINT_OK) status = sprint_theory_cost_sprint(context, &a, &best, delta, &cost);
    if (status != SPRINT_OK) return status;
    double steps = theory->delta > 0 ? cost.steps : a.delta_0 / best.Gamma;
    cli_print(stdout, "  %-6s  %-9.10g  %-14.4g  %-11.4g  %-11.4g  %-15.6g  %.6g\n", rows[i].name, a.m, closed.gamma,
              best.gamma, best.Gamma, steps, steps * (2 * a.batch + a.n / a.m));
  }
  return SPRINT_OK;
}

static sprint_status print_charts(sprint_context *context, const struct theory *theory,
                                  const sprint_certificate *step) {
  char title[128];
  size_t m = (size_t)fmin(theory->constants.m, 1e9);
  if (m < 2 || m > CHART_MOST) return SPRINT_OK;
  double *c = calloc(m + 1, sizeof *c), *Gamma = calloc(m, sizeof *Gamma);
  sprint_status status = SPRINT_ERROR_MEMORY;
  if (c && Gamma)
    status = sprint_theory_epoch(context, &theory->constants, step->gamma, step->beta, c, Gamma);
  else
    sprint_fail(context, status, "out of memory for %zu steps", m);
  if (status == SPRINT_OK) {
    snprintf(title, sizeof title, "\nc_k at gamma = %.4g, from c_m = 0 backwards", step->gamma);
    theory_chart(title, c, m, NAN);
    theory_chart("Gamma_k, and gamma/4 (-), which it must stay above", Gamma, m, step->gamma / 4);
  }
  free(c);
  free(Gamma);
  return status;
}

/* One sentence for what is not guaranteed. */
static int refuse(const struct theory *theory, const sprint_certificate *step, bool reachable) {
  const sprint_constants *a = &theory->constants;
  if (!step->valid)
    fprintf(stderr,
            "sprint: no guarantee at gamma = %.4g: Gamma > 0 fails, Gamma = Gamma_0 - gamma/4 = %.4g at beta = %.4g "
            "(L = %.4g, kappa = %.4g, m = %.10g)\n",
            step->gamma, step->Gamma, step->beta, a->L, a->kappa, a->m);
  else if (!reachable && theory->delta <= sprint_theory_floor(a))
    fprintf(stderr,
            "sprint: no guarantee of a mean |grad J|^2 of %.4g: delta > 4/3 (kappa^4 + 2 kappa^2 L^2 + 2 kappa^2) = "
            "%.4g fails, at any step size (L = %.4g, kappa = %.4g)\n",
            theory->delta, sprint_theory_floor(a), a->L, a->kappa);
  else if (!reachable)
    fprintf(stderr, "sprint: no guarantee of a mean |grad J|^2 of %.4g at gamma = %.4g: delta > Delta_1 = %.4g fails\n",
            theory->delta, step->gamma, step->remaining);
  return step->valid && reachable ? CLI_OK : CLI_FAILED;
}

/* Bound, costs, schedule and charts are of the given step; where that has no guarantee, of the best one. */
static sprint_status print_all(sprint_context *context, const struct theory *theory, const sprint_certificate *step,
                               double *ret_promise) {
  sprint_certificate best = {.size = sizeof best}, used = *step;
  sprint_status status = sprint_theory_best(context, &theory->constants, 0, &best);
  if (status != SPRINT_OK) return status;
  if (!step->valid) used = best;
  double promise =
      print_bound(theory, &used, theory->gamma > 0 && step->valid ? theory->origin : "the largest Gamma's gamma");
  *ret_promise = step->valid ? promise : NAN;
  if (theory->delta > 0) status = print_costs(context, theory, &used);
  if (status == SPRINT_OK) status = print_schedule(context, theory);
  return status == SPRINT_OK ? print_charts(context, theory, &used) : status;
}

int theory_print(sprint_context *context, struct theory *theory, double *ret_promise) {
  sprint_certificate step = {.size = sizeof step}, aimed = {.size = sizeof aimed};
  bool reachable = true;
  sprint_status status = print_steps(context, theory);
  if (status == SPRINT_OK) status = theory_step(context, theory, &step);
  if (status == SPRINT_OK) status = print_all(context, theory, &step, ret_promise);
  if (status == SPRINT_OK && theory->delta > 0) {
    status = sprint_theory_best(context, &theory->constants, theory->delta, &aimed);
    reachable = theory->gamma > 0 ? step.valid && step.remaining < theory->delta : aimed.valid;
  }
  if (status != SPRINT_OK) return cli_failed(context);
  fflush(stdout);
  return refuse(theory, &step, reachable);
}
