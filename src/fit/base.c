/* Where people started: see base.h. */
#include "fit/base.h"

#include <math.h>
#include <string.h>

enum { PIECE = 4096, MOST_ROUNDS = 60, DAMPED_FROM = 15 };

struct sprint__base {
  double *base;        /* (n, m) in standard deviations from the first record, as z; at time 0 */
  bool *seen;          /* (n) a record without a model is there */
  size_t *by_model;    /* (n_records) records under models, model by model */
  size_t *start;       /* (n_models + 1) into by_model */
  sprint_real *x, *dx; /* (PIECE, d) */
  double lost;
};

static size_t sort_by_model(const sprint_fit *fit, struct sprint__base *base) {
  size_t at = 0;
  for (size_t k = 0; k < fit->n_models; k++) {
    base->start[k] = at;
    for (size_t o = 0; o < fit->people.n_records; o++)
      if (fit->logs[fit->people.log[o]].model == (ptrdiff_t)k) base->by_model[at++] = o;
  }
  return base->start[fit->n_models] = at;
}

sprint_status sprint__base_new(struct sprint__moves *moves) {
  sprint_fit *fit = moves->fit;
  const struct sprint__fit_people *people = &fit->people;
  struct sprint__arena *arena = &fit->arena;
  struct sprint__base *base = moves->user = sprint__arena_take(arena, 1, sizeof *base);
  SPRINT__TRY(sprint__arena_status(arena));
  base->base = sprint__arena_take(arena, people->n, moves->m * sizeof *base->base);
  base->seen = sprint__arena_take(arena, people->n, sizeof *base->seen);
  base->by_model = sprint__arena_take(arena, people->n_records, sizeof *base->by_model);
  base->start = sprint__arena_take(arena, fit->n_models + 1, sizeof *base->start);
  base->x = sprint__arena_take(arena, PIECE, fit->d * sizeof *base->x);
  base->dx = sprint__arena_take(arena, PIECE, fit->d * sizeof *base->dx);
  SPRINT__TRY(sprint__arena_status(arena));
  sort_by_model(fit, base);
  for (size_t i = 0; i < people->n; i++)
    for (size_t o = people->start[i]; o < people->start[i + 1]; o++)
      base->seen[i] = base->seen[i] || fit->logs[people->log[o]].model == SPRINT__FIT_NO_MODEL;
  return SPRINT_OK;
}

static bool has_linear_scores(const sprint_fit *fit) {
  for (size_t k = 0; k < fit->n_models; k++) {
    const sprint_model *model = sprint__predictor_model(fit->models[k].predictor);
    if (!model->linear || model->n_outputs != 1 || fit->score.probability) return false;
  }
  return true;
}

bool sprint__base_depends(const struct sprint__moves *moves) {
  const struct sprint__base *base = moves->user;
  const struct sprint__fit_people *people = &moves->fit->people;
  if (has_linear_scores(moves->fit)) return false;
  for (size_t i = 0; i < people->n; i++)
    for (size_t o = people->start[i]; !base->seen[i] && o < people->start[i + 1]; o++)
      if (moves->fit->logs[people->log[o]].model != SPRINT__FIT_NO_MODEL) return true;
  return false;
}

double sprint__base_lost(const struct sprint__moves *moves) { return ((const struct sprint__base *)moves->user)->lost; }

static double drift_of(const struct sprint__moves *moves, size_t record, size_t j) {
  if (moves->r == moves->q) return 0;
  return moves->beta[j * moves->r + 1] * moves->fit->logs[moves->fit->people.log[record]].time;
}

/* Features of a record as a model takes them: those that people can change as they were before they did. */
static void fill_row(const struct sprint__moves *moves, const struct sprint__fit_model *model, size_t record,
                     size_t person, sprint_real *ret_x) {
  const sprint_fit *fit = moves->fit;
  const struct sprint__base *base = moves->user;
  const double *raw = fit->people.x + record * fit->d;
  for (size_t j = 0; j < fit->d; j++)
    ret_x[model->feature[j]] =
        sprint__column_feature(sprint__predictor_column(model->predictor, model->feature[j]), raw[j]);
  for (size_t j = 0; j < moves->m; j++) {
    size_t column = fit->columns[j], own = model->feature[column];
    double before = base->base[person * moves->m + j] + drift_of(moves, record, j);
    ret_x[own] = sprint__column_feature(sprint__predictor_column(model->predictor, own),
                                        fit->people.x[column] + before * fit->spread[column]);
  }
}

/* u of the records under a model, at the base as it is. `person` says whose record each is. */
static void work_out_u(struct sprint__moves *moves, size_t number, const uint32_t *person) {
  const sprint_fit *fit = moves->fit;
  const struct sprint__base *base = moves->user;
  const struct sprint__fit_model *model = &fit->models[number];
  for (size_t start = base->start[number], end; start < base->start[number + 1]; start = end) {
    end = base->start[number + 1] - start < PIECE ? base->start[number + 1] : start + PIECE;
    for (size_t i = start; i < end; i++)
      fill_row(moves, model, base->by_model[i], person[base->by_model[i]], base->x + (i - start) * fit->d);
    sprint__model_score_gradient(sprint__predictor_model(model->predictor), sprint__predictor_theta(model->predictor),
                                 base->x, end - start, &fit->score, base->dx);
    for (size_t i = start; i < end; i++)
      for (size_t j = 0; j < moves->m; j++) {
        size_t column = fit->columns[j], own = model->feature[column];
        double raw =
            (double)base->dx[(i - start) * fit->d + own] / sprint__predictor_column(model->predictor, own)->scale;
        moves->u[base->by_model[i] * moves->m + j] = raw * fit->spread[column];
      }
  }
}

/* Where a person started, by their records: of those without a model, if there are any. */
static double start_of(const struct sprint__moves *moves, size_t person, size_t j) {
  const sprint_fit *fit = moves->fit;
  const struct sprint__fit_people *people = &fit->people;
  const struct sprint__base *base = moves->user;
  double sum = 0, n = 0;
  for (size_t o = people->start[person]; o < people->start[person + 1]; o++) {
    if (base->seen[person] && fit->logs[people->log[o]].model != SPRINT__FIT_NO_MODEL) continue;
    sum += moves->z[o * moves->m + j] - sprint__moves_of(moves, o, j) - drift_of(moves, o, j);
    n++;
  }
  return sum / n;
}

/* One round: everybody's base from u as it is, a part of the way. Returns the share of people who still move. */
static double step(struct sprint__moves *moves, double part) {
  const struct sprint__fit_people *people = &moves->fit->people;
  struct sprint__base *base = moves->user;
  size_t moving = 0;
  for (size_t i = 0; i < people->n; i++) {
    double most = 0;
    for (size_t j = 0; j < moves->m; j++) {
      double *at = &base->base[i * moves->m + j], to = start_of(moves, i, j);
      most = fmax(most, fabs(to - *at));
      *at += part * (to - *at);
    }
    if (!(most < 20 * sprint__fit_rounding())) moving++;
  }
  return (double)moving / (double)people->n;
}

sprint_status sprint__base_update(struct sprint__moves *moves) {
  SPRINT__SCRATCH(room, moves->fit->context);
  const struct sprint__fit_people *people = &moves->fit->people;
  struct sprint__base *base = moves->user;
  uint32_t *person = sprint__arena_take(&room, people->n_records, sizeof *person);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < people->n; i++)
    for (size_t o = people->start[i]; o < people->start[i + 1]; o++) person[o] = (uint32_t)i;
  base->lost = 1;
  for (int round = 0; round < MOST_ROUNDS && base->lost > 0.0005; round++) {
    base->lost = step(moves, round < DAMPED_FROM ? 1 : 0.5);
    for (size_t k = 0; k < moves->fit->n_models; k++) work_out_u(moves, k, person);
  }
  return SPRINT_OK;
}
