/* The enumeration identities of docs/math.md section 6 on a real network whose population both moves and is reweighted:
 * over all one-sample batches, E[v] - grad J(theta; theta) is what the correction's row of the table says,
 *
 *     sum_c p_c(A) g_c(theta~; theta~)  -  grad at theta~ of the records under B, weighted by p(theta),
 *
 * A = theta where stratified, else theta~; B = theta~ where coupled, else theta. Zero for `unbiased`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "population/weights.h"
#include "run/verify.h"

enum { PEOPLE = 24 };

/* A shift that moves people strategically and lets the worse-off stratum leave. */
struct both {
  sprint_shift *strategic;
};

static sprint_status both_respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                                  size_t n, sprint_real *x) {
  const struct both *both = user;
  return sprint__shift_respond(both->strategic, deployed, who, y, n, x);
}

static sprint_status both_strata(void *user, const sprint_real *deployed, double *ret_p) {
  (void)user;
  double pull = 1 / (1 + exp(-2 * (double)deployed[0] - (double)deployed[1]));
  ret_p[0] = 0.2 + 0.6 * pull;
  ret_p[1] = 1 - ret_p[0];
  return SPRINT_OK;
}

struct scene {
  sprint_context *context;
  struct sprint__arena arena;
  sprint_population *population;
  sprint_model *model;
  struct both both;
  sprint_shift *shift;
  struct sprint__deployment anchor, here; /* of theta~ and of theta */
  sprint_real *scratch;
  double *mean, *gradient, *expected, *other; /* (n_params) */
};

static void scene_clear(struct scene *s) {
  sprint_shift_free(s->shift);
  sprint_shift_free(s->both.strategic);
  sprint_model_free(s->model);
  sprint_population_free(s->population);
  sprint__arena_free(&s->arena);
}

static sprint_status scene_fill(struct scene *s) {
  sprint_context *context = s->context;
  SPRINT__TRY(
      sprint_population_load(context, "{kind: lending, n: 2000, select: balanced, size: 24}", &s->population, NULL));
  SPRINT__TRY(sprint_model_new(context, "{layers: 'dense 6, tanh, dense 1', loss: logistic, l2: 0.01}", s->population,
                               &s->model));
  SPRINT__TRY(
      sprint_shift_new(context, "{kind: strategic, good: 0, alpha: 0.4}", s->model, s->population, &s->both.strategic));
  sprint_shift_callbacks callbacks = {sizeof callbacks, &s->both, both_respond, both_strata, NULL};
  SPRINT__TRY(sprint_shift_new_custom(context, &callbacks, s->model, s->population, &s->shift));
  size_t n = s->model->n_params, n_strata = s->population->n_strata;
  s->scratch = sprint__arena_take(&s->arena, n, sizeof *s->scratch);
  struct sprint__deployment *const deployments[] = {&s->anchor, &s->here};
  for (size_t i = 0; i < SPRINT__COUNT(deployments); i++) {
    deployments[i]->theta = sprint__arena_take(&s->arena, n, sizeof(sprint_real));
    deployments[i]->p = sprint__arena_take(&s->arena, n_strata, sizeof(double));
  }
  double **const vectors[] = {&s->mean, &s->gradient, &s->expected, &s->other};
  for (size_t i = 0; i < SPRINT__COUNT(vectors); i++) *vectors[i] = sprint__arena_take(&s->arena, n, sizeof(double));
  return sprint__arena_status(&s->arena);
}

/* Everybody's record under a deployment, told in one piece. */
static sprint_status tell_everybody(struct scene *s, sprint_solver *solver,
                                    const struct sprint__deployment *deployment) {
  sprint_real x[PEOPLE * 10];
  uint32_t who[PEOPLE], stratum[PEOPLE];
  for (uint32_t i = 0; i < PEOPLE; i++) {
    who[i] = i;
    stratum[i] = sprint__population_stratum(s->population, i);
  }
  SPRINT__TRY(sprint_shift_respond(s->shift, deployment->theta, who, PEOPLE, x));
  sprint_records records = {.size = sizeof records,
                            .n = PEOPLE,
                            .x = x,
                            .y = s->population->y,
                            .stratum = stratum,
                            .p = deployment->p,
                            .last = true,
                            .weight = s->population->weight};
  return sprint_solver_tell(solver, &records);
}

static sprint_status tell_one(struct scene *s, sprint_solver *solver, uint32_t who) {
  sprint_real x[10], x_reference[10];
  SPRINT__TRY(sprint_shift_respond(s->shift, s->here.theta, &who, 1, x));
  SPRINT__TRY(sprint_shift_respond(s->shift, s->anchor.theta, &who, 1, x_reference));
  sprint_records records = {
      .size = sizeof records, .n = 1, .x = x, .y = s->population->y + who, .x_reference = x_reference, .p = s->here.p};
  return sprint_solver_tell(solver, &records);
}

static sprint_status deploy(struct scene *s, const sprint_real *theta, struct sprint__deployment *deployment) {
  memcpy(deployment->theta, theta, s->model->n_params * sizeof *theta);
  return sprint_shift_strata(s->shift, theta, deployment->p);
}

/* A snapshot, two steps to get away from it, then individual `who` alone: v is in the solver's direction. */
static sprint_status drive(struct scene *s, sprint_solver *solver, uint32_t who) {
  const uint32_t batches[] = {3, 17, who};
  sprint_want want = {.size = sizeof want};
  SPRINT__TRY(sprint_solver_ask(solver, &want));
  SPRINT__TRY(deploy(s, want.theta, &s->anchor));
  SPRINT__TRY(tell_everybody(s, solver, &s->anchor));
  for (size_t k = 0; k < SPRINT__COUNT(batches); k++) {
    SPRINT__TRY(sprint_solver_ask(solver, &want));
    SPRINT__TRY(deploy(s, want.theta, &s->here));
    SPRINT__TRY(tell_one(s, solver, batches[k]));
  }
  return SPRINT_OK;
}

static sprint_status enumerate(struct scene *s, const char *correction) {
  char spec[160];
  snprintf(spec, sizeof spec,
           "{method: {kind: sprint, correction: %s, batch: 1, inner: 8}, step: {size: 0.5}, stop: {epochs: 1}}",
           correction);
  SPRINT__TRY(sprint_model_start(s->model, 11, s->scratch));
  memset(s->mean, 0, s->model->n_params * sizeof *s->mean);
  for (uint32_t i = 0; i < PEOPLE; i++) {
    sprint_solver_options options = {
        .size = sizeof options, .spec = spec, .model = s->model, .n = PEOPLE, .n_strata = 2, .theta = s->scratch};
    SPRINT__SCOPED(sprint_solver_free) sprint_solver *solver = NULL;
    SPRINT__TRY(sprint_solver_new(s->context, &options, &solver));
    SPRINT__TRY(drive(s, solver, i));
    uint32_t c = sprint__population_stratum(s->population, i);
    double often = s->here.p[c] * sprint__weight_of(s->population, i) / s->population->stratum_size[c];
    for (size_t k = 0; k < s->model->n_params; k++) s->mean[k] += often * (double)sprint_solver_direction(solver)[k];
  }
  return SPRINT_OK;
}

/* expected := the bias that the correction's row of the table says. */
static sprint_status expect(struct scene *s, bool coupled, bool stratified) {
  const sprint_real *theta = s->anchor.theta;
  SPRINT__TRY(sprint__risk_at(s->shift, theta, theta, stratified ? s->here.p : s->anchor.p, NULL, NULL, s->expected));
  SPRINT__TRY(sprint__risk_at(s->shift, theta, coupled ? theta : s->here.theta, s->here.p, NULL, NULL, s->other));
  for (size_t k = 0; k < s->model->n_params; k++) s->expected[k] -= s->other[k];
  return SPRINT_OK;
}

static sprint_status verify_correction(struct sprint__verify *verify, struct scene *s, const char *correction) {
  bool unbiased = strcmp(correction, "unbiased") == 0;
  SPRINT__TRY(enumerate(s, correction));
  SPRINT__TRY(
      expect(s, unbiased || strcmp(correction, "coupled") == 0, unbiased || strcmp(correction, "stratified") == 0));
  SPRINT__TRY(sprint_risk(s->shift, s->here.theta, s->here.theta, NULL, NULL, s->gradient));
  double bias = 0, predicted = 0, apart = 0;
  for (size_t k = 0; k < s->model->n_params; k++) {
    double difference = s->mean[k] - s->gradient[k];
    bias += difference * difference;
    predicted += s->expected[k] * s->expected[k];
    apart = fmax(apart, fabs(difference - s->expected[k]));
  }
  char name[96];
  const char *people = s->population->weight ? "weighted " : "";
  snprintf(name, sizeof name, "%senumeration: %s, |E[v] - grad J|", people, correction);
  sprint__verify_compare(verify, name, unbiased ? 0 : sqrt(predicted), sqrt(bias));
  snprintf(name, sizeof name, "%senumeration: %s, largest error of E[v]", people, correction);
  sprint__verify_compare(verify, name, 0, apart);
  return SPRINT_OK;
}

/* People who stand for 0.5 to 2.5 each. */
static sprint_status weigh(struct scene *s) {
  double weights[PEOPLE];
  for (size_t i = 0; i < PEOPLE; i++) weights[i] = 0.5 * (double)(1 + i * 7 % 5);
  return sprint_population_weigh(s->population, weights);
}

static sprint_status verify_scene(struct sprint__verify *verify, bool weighted) {
  static const char *const corrections[] = {"paper", "coupled", "stratified", "unbiased"};
  SPRINT__CLEARED(scene_clear) struct scene s = {.context = verify->context, .arena = {.context = verify->context}};
  SPRINT__TRY(scene_fill(&s));
  if (weighted) SPRINT__TRY(weigh(&s));
  for (size_t i = 0; i < SPRINT__COUNT(corrections); i++) SPRINT__TRY(verify_correction(verify, &s, corrections[i]));
  return SPRINT_OK;
}

sprint_status sprint__verify_enumeration(struct sprint__verify *verify) {
  SPRINT__TRY(verify_scene(verify, false));
  return verify_scene(verify, true);
}
