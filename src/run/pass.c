/* Passes over the population: see pass.h. */
#include "run/pass.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

sprint_status sprint__deployment_new(const sprint_shift *shift, struct sprint__deployment *ret_deployment) {
  struct sprint__deployment deployment = {
      sprint__alloc(shift->context, shift->model->n_params, sizeof(sprint_real)),
      sprint__alloc(shift->context, shift->population->n_strata, sizeof(double)),
  };
  if (!deployment.theta || !deployment.p) {
    sprint__deployment_clear(&deployment);
    return SPRINT_ERROR_MEMORY;
  }
  *ret_deployment = deployment;
  return SPRINT_OK;
}

void sprint__deployment_clear(struct sprint__deployment *deployment) {
  sprint__free(deployment->theta);
  sprint__free(deployment->p);
  *deployment = (struct sprint__deployment){NULL, NULL};
}

sprint_status sprint__deployment_set(struct sprint__deployment *deployment, sprint_shift *shift,
                                     const sprint_real *theta, enum sprint__moment moment) {
  if (!shift->forgets_theta) memcpy(deployment->theta, theta, shift->model->n_params * sizeof *theta);
  return sprint__shift_strata(shift, theta, moment, deployment->p);
}

bool sprint__deployment_finite(const struct sprint__deployment *deployment, const sprint_shift *shift) {
  for (size_t c = 0; c < shift->population->n_strata; c++)
    if (!isfinite(deployment->p[c])) return false;
  return true;
}

void sprint__deployment_copy(struct sprint__deployment *deployment, const sprint_shift *shift,
                             const struct sprint__deployment *from) {
  memcpy(deployment->theta, from->theta, shift->model->n_params * sizeof *from->theta);
  memcpy(deployment->p, from->p, shift->population->n_strata * sizeof *from->p);
}

/* A piece is large enough for all threads to be busy, and what is copied of it takes some megabytes. */
enum { MOST_ROWS = 16384, LEAST_ROWS = 512, COPIED_REALS = 1 << 20 };

static bool refers(const sprint_shift *shift) { return sprint__shift_refers(shift) && !sprint__shift_moves(shift); }

static size_t room_for(const sprint_shift *shift) {
  size_t rows = COPIED_REALS / shift->population->d;
  return refers(shift) || rows > MOST_ROWS ? MOST_ROWS : rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

sprint_status sprint__pass_new(sprint_shift *shift, struct sprint__pass *ret_pass) {
  sprint_context *context = shift->context;
  size_t room = room_for(shift), d = shift->population->d;
  struct sprint__pass pass = {
      shift,
      room,
      refers(shift) ? NULL : sprint__alloc(context, room, d * sizeof(sprint_real)),
      sprint__alloc(context, room, sizeof(sprint_real)),
      sprint__alloc(context, room, sizeof(uint32_t)),
      sprint__alloc(context, d, sizeof(sprint_real)),
  };
  if ((!pass.x && !refers(shift)) || !pass.y || !pass.who || !pass.base) {
    sprint__pass_clear(&pass);
    return SPRINT_ERROR_MEMORY;
  }
  *ret_pass = pass;
  return SPRINT_OK;
}

void sprint__pass_clear(struct sprint__pass *pass) {
  sprint__free(pass->x);
  sprint__free(pass->y);
  sprint__free(pass->who);
  sprint__free(pass->base);
  *pass = (struct sprint__pass){0};
}

struct sprint__rows sprint__piece_rows(const struct sprint__pass *pass, const struct sprint__piece *piece) {
  return (struct sprint__rows){
      .n = piece->n, .x = piece->x, .y = piece->y, .pixels = &pass->shift->population->pixels, .who = piece->who};
}

/* Fills piece->x and y with the records of piece->who. */
static sprint_status fill_piece(struct sprint__pass *pass, const struct sprint__deployment *deployment,
                                struct sprint__piece *piece) {
  bool in_a_row = piece->who == pass->who;
  const sprint_population *population = pass->shift->population;
  for (size_t i = 0; i < piece->n; i++) pass->y[i] = population->y[piece->who[i]];
  piece->x = pass->x;
  piece->y = pass->y;
  if (refers(pass->shift)) return SPRINT_OK;
  sprint__population_gather(population, in_a_row ? NULL : piece->who, piece->who[0], piece->n, pass->x);
  if (!deployment) return SPRINT_OK;
  return sprint__shift_respond(pass->shift, deployment->theta, piece->who, pass->y, piece->n, pass->x);
}

/* In the population's own order, every row of the same weight. */
static sprint_status over_rows(struct sprint__pass *pass, const struct sprint__deployment *deployment,
                               sprint__visit visit, void *user) {
  const sprint_population *population = pass->shift->population;
  bool copies = !population->x || (deployment && sprint__shift_moves(pass->shift));
  for (size_t start = 0; start < population->n; start += pass->room) {
    size_t n = population->n - start < pass->room ? population->n - start : pass->room;
    for (size_t i = 0; i < n; i++) pass->who[i] = (uint32_t)(start + i);
    struct sprint__piece piece = {.n = n,
                                  .who = pass->who,
                                  .x = copies ? NULL : population->x + start * population->d,
                                  .y = population->y + start,
                                  .weight = 1.0 / (double)population->n,
                                  .last = start + n == population->n};
    if (copies) SPRINT__TRY(fill_piece(pass, deployment, &piece));
    SPRINT__TRY(visit(user, &piece));
  }
  return SPRINT_OK;
}

/* Stratum by stratum, weighted by the strata probabilities. */
static sprint_status over_strata(struct sprint__pass *pass, const struct sprint__deployment *deployment,
                                 const double *p, sprint__visit visit, void *user) {
  const sprint_population *population = pass->shift->population;
  for (size_t c = 0; c < population->n_strata; c++) {
    size_t first = population->stratum_start[c], end = population->stratum_start[c + 1];
    for (size_t start = first; start < end; start += pass->room) {
      size_t n = end - start < pass->room ? end - start : pass->room;
      struct sprint__piece piece = {.n = n,
                                    .who = population->by_stratum + start,
                                    .stratum = c,
                                    .weight = p[c] / (double)(end - first),
                                    .last = start + n == population->n};
      SPRINT__TRY(fill_piece(pass, deployment, &piece));
      SPRINT__TRY(visit(user, &piece));
    }
  }
  return SPRINT_OK;
}

sprint_status sprint__pass_over(struct sprint__pass *pass, const struct sprint__deployment *deployment,
                                const struct sprint__deployment *weights, sprint__visit visit, void *user) {
  if (!weights || !sprint__shift_reweights(pass->shift)) return over_rows(pass, deployment, visit, user);
  return over_strata(pass, deployment, weights->p, visit, user);
}

struct risk_work {
  struct sprint__pass *pass;
  const sprint_real *theta;
  bool displaced;
  struct sprint__risk *risk;
};

/* The sum over rows of |x - base x|. */
static double displacement(struct sprint__pass *pass, const struct sprint__piece *piece) {
  double sum = 0;
  size_t d = pass->shift->population->d;
  for (size_t i = 0; i < piece->n; i++) {
    sprint__population_gather(pass->shift->population, &piece->who[i], 0, 1, pass->base);
    sum += sprint__distance(piece->x + i * d, pass->base, d);
  }
  return sum;
}

static sprint_status risk_visit(void *user, const struct sprint__piece *piece) {
  struct risk_work *work = user;
  const sprint_shift *shift = work->pass->shift;
  struct sprint__risk *risk = work->risk;
  struct sprint__rows rows = sprint__piece_rows(work->pass, piece);
  struct sprint__sums sums;
  double base_weight = 1.0 / (double)shift->population->n;
  sprint__model_add_sums(shift->model, work->theta, &rows, piece->weight, true, risk->gradient, &sums);
  risk->loss += piece->weight * sums.loss;
  risk->accuracy += piece->weight * (double)sums.correct;
  risk->loss_base += base_weight * sums.loss;
  risk->accuracy_base += base_weight * (double)sums.correct;
  if (work->displaced) risk->displacement += displacement(work->pass, piece) / (double)shift->population->n;
  return SPRINT_OK;
}

sprint_status sprint__risk_of(struct sprint__pass *pass, const sprint_real *theta,
                              const struct sprint__deployment *deployment, const struct sprint__deployment *weights,
                              struct sprint__risk *ret_risk) {
  sprint_model *model = pass->shift->model;
  struct risk_work work = {pass, theta, deployment && sprint__shift_moves(pass->shift), ret_risk};
  ret_risk->loss = ret_risk->loss_base = sprint__model_penalty(model, theta);
  ret_risk->accuracy = ret_risk->accuracy_base = ret_risk->displacement = 0;
  for (size_t i = 0; ret_risk->gradient && i < model->n_params; i++)
    ret_risk->gradient[i] = sprint__model_decay(model, theta, i);
  SPRINT__TRY(sprint__pass_over(pass, deployment, weights, risk_visit, &work));
  if (!model->classifies) ret_risk->accuracy = ret_risk->accuracy_base = NAN;
  return SPRINT_OK;
}

/* The probability that the deployment gives a held-out stratum, per row; strata without rows are left out. */
static double heldout_weight(const sprint_shift *shift, const sprint_population *heldout,
                             const struct sprint__deployment *deployment, uint32_t stratum) {
  if (!sprint__shift_reweights(shift)) return 1.0 / (double)heldout->n;
  double present = 0;
  for (size_t c = 0; c < heldout->n_strata; c++)
    if (heldout->stratum_start[c + 1] > heldout->stratum_start[c]) present += deployment->p[c];
  size_t n = heldout->stratum_start[stratum + 1] - heldout->stratum_start[stratum];
  return present > 0 ? deployment->p[stratum] / present / (double)n : 0;
}

sprint_status sprint__risk_heldout(struct sprint__pass *pass, const sprint_population *heldout,
                                   const sprint_real *theta, const struct sprint__deployment *deployment,
                                   struct sprint__risk *ret_risk) {
  sprint_shift *shift = pass->shift;
  sprint_model *model = shift->model;
  ret_risk->loss = sprint__model_penalty(model, theta);
  ret_risk->accuracy = 0;
  for (size_t start = 0, end; start < heldout->n; start = end) {
    uint32_t stratum = sprint__population_stratum(heldout, heldout->by_stratum[start]);
    end = heldout->stratum_start[stratum + 1] < start + pass->room ? heldout->stratum_start[stratum + 1]
                                                                   : start + pass->room;
    const uint32_t *who = heldout->by_stratum + start;
    size_t n = end - start;
    for (size_t i = 0; i < n; i++) pass->y[i] = heldout->y[who[i]];
    if (pass->x) {
      sprint__population_gather(heldout, who, 0, n, pass->x);
      SPRINT__TRY(sprint__shift_respond(shift, deployment->theta, NULL, pass->y, n, pass->x));
    }
    struct sprint__rows rows = {.n = n, .x = pass->x, .y = pass->y, .pixels = &heldout->pixels, .who = who};
    struct sprint__sums sums = {0, 0, NULL};
    sprint__model_sums(model, theta, &rows, &sums, NULL);
    double weight = heldout_weight(shift, heldout, deployment, stratum);
    ret_risk->loss += weight * sums.loss;
    ret_risk->accuracy += weight * (double)sums.correct;
  }
  if (!model->classifies) ret_risk->accuracy = NAN;
  return SPRINT_OK;
}

static sprint_status risk_with(struct sprint__pass *pass, struct sprint__deployment *deployment,
                               const sprint_real *theta, const sprint_real *deployed, struct sprint__risk *risk) {
  sprint_shift *shift = pass->shift;
  SPRINT__TRY(sprint__pass_new(shift, pass));
  SPRINT__TRY(sprint__deployment_new(shift, deployment));
  SPRINT__TRY(sprint__deployment_set(deployment, shift, deployed, SPRINT__LOOKING));
  return sprint__risk_of(pass, theta, deployment, deployment, risk);
}

sprint_status sprint_risk(sprint_shift *shift, const sprint_real *theta, const sprint_real *deployed, double *ret_loss,
                          double *ret_accuracy, double *ret_gradient) {
  struct sprint__pass pass = {.shift = shift};
  struct sprint__deployment deployment = {NULL, NULL};
  double *gradient = NULL;
  if (ret_gradient) {
    gradient = sprint__alloc(shift->context, shift->model->n_params, sizeof *gradient);
    if (!gradient) return SPRINT_ERROR_MEMORY;
  }
  struct sprint__risk risk = {.gradient = gradient};
  sprint_status status = risk_with(&pass, &deployment, theta, deployed, &risk);
  if (status == SPRINT_OK) {
    if (ret_loss) *ret_loss = risk.loss;
    if (ret_accuracy) *ret_accuracy = risk.accuracy;
    if (ret_gradient) memcpy(ret_gradient, gradient, shift->model->n_params * sizeof *gradient);
  }
  sprint__free(gradient);
  sprint__deployment_clear(&deployment);
  sprint__pass_clear(&pass);
  return status;
}
