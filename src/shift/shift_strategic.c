/* Strategic response, docs/math.md section 2: x_S' = x_S + alpha grad_{x_S} f(x), f the deployed model's score of the
 * good outcome. Stateless: always from the base x. Accumulating: whoever is drawn keeps the features they answered with
 * and moves on from there; snapshots and evaluations leave no mark. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fast.h"
#include "shift/shift.h"

/* Rows whose score gradients are held at once: all threads have enough to do, and few megabytes hold them. */
enum { MOST_ROWS = 8192, LEAST_ROWS = 256, MOST_REALS = 1 << 20 };

struct strategic {
  double alpha;
  struct sprint__score score;
  size_t n_columns, *columns;
  size_t piece;    /* rows */
  sprint_real *dx; /* (piece, d) */
  double reach;    /* of the differences that `pull` takes */
};

/* state (n, n_columns) := the base features. */
static sprint_status remember_base(sprint_shift *shift) {
  const struct strategic *s = shift->impl;
  const sprint_population *population = shift->population;
  shift->keeps_records = true;
  shift->n_state = population->n * s->n_columns;
  shift->state = sprint__arena_take(&shift->arena, population->n, s->n_columns * sizeof *shift->state);
  if (!shift->state) return SPRINT_ERROR_MEMORY;
  for (uint32_t i = 0; i < population->n; i++) {
    sprint__population_gather(population, &i, 0, 1, s->dx);
    for (size_t k = 0; k < s->n_columns; k++) shift->state[i * s->n_columns + k] = s->dx[s->columns[k]];
  }
  return SPRINT_OK;
}

static sprint_status strategic_score(sprint_shift *shift, const struct sprint__section *section) {
  struct strategic *s = shift->impl;
  s->score.probability = strcmp(sprint__get_text(section, "score"), "probability") == 0;
  s->score.sign = strcmp(sprint__get_text(section, "sign"), "-") == 0 ? -1 : 1;
  if (!shift->model->ops->score_gradient)
    return sprint__refuse(section, "kind", "'strategic' needs a model with a score; this one has none");
  if (shift->model->classifies) return sprint__shift_class(section, "good", shift->population, &s->score.good);
  if (s->score.probability)
    return sprint__refuse(section, "score", "'probability' needs a loss of classes; this model has none");
  if (sprint__get(section, "good")->given)
    return sprint__refuse(section, "good",
                          "the good class needs a loss of classes; this model has none, and people want its output "
                          "higher, or with `sign: -` lower");
  return SPRINT_OK;
}

/* How far rows are moved apart for a difference. The gradient in theta of a linear score is linear in x: there, any
 * distance is exact. Otherwise the cube root of the precision balances the two errors of a central difference, that of
 * the third derivative and that of rounding: for features of order one each is about the square of it, 2e-5 of the
 * largest term in single precision, 4e-11 in double. */
static double reach_of(const sprint_shift *shift) {
  const struct strategic *s = shift->impl;
  bool linear = shift->model->linear && shift->model->n_outputs == 1 && !s->score.probability;
  return linear ? 1 : cbrt(sizeof(sprint_real) == 8 ? DBL_EPSILON : (double)FLT_EPSILON);
}

static sprint_status strategic_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct strategic *s = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->alpha = sprint__get_real(section, "alpha");
  SPRINT__TRY(strategic_score(shift, section));
  SPRINT__TRY(sprint__shift_columns(shift, section, &s->columns, &s->n_columns));
  s->piece = MOST_REALS / shift->population->d;
  if (s->piece > MOST_ROWS) s->piece = MOST_ROWS;
  if (s->piece < LEAST_ROWS) s->piece = LEAST_ROWS;
  s->dx = sprint__arena_take(&shift->arena, s->piece, shift->population->d * sizeof *s->dx);
  if (!s->dx) return SPRINT_ERROR_MEMORY;
  if (strcmp(sprint__get_text(section, "memory"), "accumulating") == 0) return remember_base(shift);
  s->reach = reach_of(shift);
  shift->pulls = shift->model->ops->score_sums != NULL;
  return SPRINT_OK;
}

/* Where each individual stands now. */
static void recall(const sprint_shift *shift, const uint32_t *who, size_t n, sprint_real *x) {
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < s->n_columns; k++) x[i * d + s->columns[k]] = shift->state[who[i] * s->n_columns + k];
}

/* Moves the section's features of n rows along dx. */
SPRINT__FAST static void move(const struct strategic *s, size_t n, size_t d, sprint_real *restrict x) {
  const sprint_real *restrict dx = s->dx, alpha = (sprint_real)s->alpha;
  if (s->n_columns == d) {
    for (size_t i = 0; i < n * d; i++) x[i] += alpha * dx[i];
    return;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < s->n_columns; k++) x[i * d + s->columns[k]] += alpha * dx[i * d + s->columns[k]];
}

static sprint_status strategic_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                       const sprint_real *y, size_t n, sprint_real *x) {
  (void)y;
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  if (shift->state && who) recall(shift, who, n, x);
  shift->evals += n;
  for (size_t start = 0; start < n; start += s->piece) {
    size_t rows = n - start < s->piece ? n - start : s->piece;
    sprint_real *piece = x + start * d;
    sprint__model_score_gradient(shift->model, deployed, piece, rows, &s->score, s->dx);
    move(s, rows, d, piece);
  }
  return SPRINT_OK;
}

/* The longest of the rows, of the features that people can change. */
static double longest(const struct strategic *s, const sprint_real *u, size_t n, size_t d) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double square = 0;
    for (size_t k = 0; k < s->n_columns; k++) {
      double value = (double)u[i * d + s->columns[k]];
      square += value * value;
    }
    most = fmax(most, square);
  }
  return sqrt(most);
}

/* Adds weight times the sum over rows of grad_theta f(x + h u_S). */
static void pull_from(sprint_shift *shift, const sprint_real *deployed, size_t n, const sprint_real *x,
                      const sprint_real *u, double h, double weight, double *ret_sum) {
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  memcpy(s->dx, x, n * d * sizeof *x);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < s->n_columns; k++)
      s->dx[i * d + s->columns[k]] += (sprint_real)(h * (double)u[i * d + s->columns[k]]);
  struct sprint__total total = {ret_sum, weight, true};
  sprint__model_score_sums_to(shift->model, deployed, s->dx, n, &s->score, &total);
}

/* (dx_i/dtheta)^T u_i = alpha grad_theta [u_S . grad_{x_S} f(x)] = alpha d/dt grad_theta f(x + t u_S) at t = 0, by a
 * central difference, for all rows of a piece at once. */
static void strategic_pull(sprint_shift *shift, const sprint_real *deployed, const sprint_real *y, size_t n,
                           const sprint_real *x, const sprint_real *u, double *ret_sum) {
  (void)y;
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  shift->evals += 2 * n;
  for (size_t start = 0; start < n; start += s->piece) {
    size_t rows = n - start < s->piece ? n - start : s->piece, at = start * d;
    double length = longest(s, u + at, rows, d), h = s->reach / length;
    if (length == 0) continue;
    pull_from(shift, deployed, rows, x + at, u + at, h, s->alpha / (2 * h), ret_sum);
    pull_from(shift, deployed, rows, x + at, u + at, -h, -s->alpha / (2 * h), ret_sum);
  }
}

static sprint_status strategic_drawn(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, const sprint_real *x) {
  (void)deployed;
  (void)y;
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  for (size_t i = 0; shift->state && who && i < n; i++)
    for (size_t k = 0; k < s->n_columns; k++) shift->state[who[i] * s->n_columns + k] = x[i * d + s->columns[k]];
  return SPRINT_OK;
}

static const struct sprint__shift_ops strategic_ops = {
    .setup = strategic_setup,
    .respond = strategic_respond,
    .pull = strategic_pull,
    .drawn = strategic_drawn,
};

static const sprint_param strategic_params[] = {
    SPRINT__REAL("alpha", "0.2", 0, 1e6, "how far people move along the score's gradient"),
    SPRINT__CHOICE("score", "logit", "logit|probability",
                   "what people want higher: the log-odds of the good class, or its probability"),
    SPRINT__TEXT("good", "0", "the class that people want to be in, by its name in the data"),
    SPRINT__CHOICE("sign", "+", "+|-", "-: people move away from the good class"),
    SPRINT__TEXTS("columns", "", "the features that people can change, by name; default all"),
    SPRINT__CHOICE("memory", "stateless", "stateless|accumulating",
                   "stateless: always from the base record; accumulating: whoever is drawn keeps the answer"),
};

const sprint_kind sprint__shift_strategic = {"strategic", "people move features along the gradient of the score",
                                             strategic_params, SPRINT__COUNT(strategic_params), &strategic_ops};
