/* Scoring a population: see scores.h. */
#include "assess/scores.h"

#include <math.h>

#include "population/weights.h"

/* Room for one piece. */
struct piece {
  size_t room, n;
  uint32_t *who;
  sprint_real *x, *y, *outputs;
  double *people, *scores;
};

static struct piece piece_new(struct sprint__arena *arena, const struct sprint__scoring *scoring) {
  const sprint_model *model = scoring->shift->model;
  size_t d = scoring->population->d, rows = sprint__piece_rows(d), k = model->classifies ? model->n_classes : 1;
  return (struct piece){
      .room = rows,
      .who = sprint__arena_take(arena, rows, sizeof(uint32_t)),
      .x = sprint__arena_take(arena, rows, d * sizeof(sprint_real)),
      .y = sprint__arena_take(arena, rows, sizeof(sprint_real)),
      .outputs = sprint__arena_take(arena, rows, model->n_outputs * sizeof(sprint_real)),
      .people = sprint__arena_take(arena, rows, sizeof(double)),
      .scores = sprint__arena_take(arena, rows, k * sizeof(double)),
  };
}

/* The probability of all strata that the population has: a held-out part may lack some. */
static double share_of_present(const struct sprint__scoring *scoring) {
  double share = 0;
  for (size_t c = 0; c < scoring->population->n_strata; c++)
    if (scoring->population->stratum_size[c] > 0) share += scoring->p[c];
  return share;
}

/* The records start .. of the population, and what each counts for. */
static sprint_status fetch(const struct sprint__scoring *scoring, size_t start, double share, struct piece *piece) {
  const sprint_population *population = scoring->population;
  size_t left = population->n - start;
  piece->n = left < piece->room ? left : piece->room;
  for (size_t i = 0; i < piece->n; i++) {
    size_t who = start + i, c = sprint__population_stratum(population, who);
    double often = scoring->p ? scoring->p[c] / share * population->n_people / population->stratum_size[c] : 1;
    piece->who[i] = (uint32_t)who;
    piece->y[i] = population->y[who];
    piece->people[i] = often * sprint__weight_of(population, who);
  }
  sprint__population_gather(population, NULL, start, piece->n, piece->x);
  if (!scoring->reacts) return SPRINT_OK;
  return sprint__shift_respond(scoring->shift, scoring->theta,
                               population == scoring->shift->population ? piece->who : NULL, piece->y, piece->n,
                               piece->x);
}

static sprint_status score_all(const struct sprint__scoring *scoring, struct piece *piece,
                               struct sprint__tester *tester, double *ret_loss) {
  sprint_model *model = scoring->shift->model;
  double share = scoring->p ? share_of_present(scoring) : 1, loss = 0, people = 0;
  for (size_t start = 0; start < scoring->population->n; start += piece->n) {
    SPRINT__TRY(fetch(scoring, start, share, piece));
    struct sprint__rows rows = {.n = piece->n, .x = piece->x, .y = piece->y, .weight = piece->people};
    struct sprint__sums sums = {0, 0, NULL};
    sprint__model_sums(model, scoring->theta, &rows, &sums, NULL);
    loss += sums.loss;
    for (size_t i = 0; i < piece->n; i++) people += piece->people[i];
    if (!model->ops->outputs) continue;
    SPRINT__TRY(sprint_model_outputs(model, scoring->theta, piece->x, piece->n, piece->outputs));
    SPRINT__TRY(sprint__network_scores(model, piece->outputs, piece->n, piece->scores));
    sprint__tester_add(tester, piece->scores, piece->y, piece->people, piece->n);
  }
  *ret_loss = loss / people + sprint__model_penalty(model, scoring->theta);
  return SPRINT_OK;
}

sprint_status sprint__assess(struct sprint__arena *arena, const struct sprint__scoring *scoring,
                             sprint_metrics *ret_metrics) {
  SPRINT__SCRATCH(room, arena->context);
  const sprint_model *model = scoring->shift->model;
  uint64_t evals = scoring->shift->evals;
  struct sprint__tester tester;
  struct piece piece = piece_new(&room, scoring);
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(sprint__tester_new(arena, &room, scoring->population->n, model->classifies ? model->n_classes : 0,
                                 scoring->positive, scoring->threshold, &tester));
  double loss = NAN;
  sprint_status status = score_all(scoring, &piece, &tester, &loss);
  scoring->shift->evals = evals;
  SPRINT__TRY(status);
  *ret_metrics = sprint__tester_metrics(&tester);
  ret_metrics->n = scoring->population->n;
  ret_metrics->loss = loss;
  return SPRINT_OK;
}
