/* Strategic response, docs/math.md section 2: x_S' = x_S + alpha grad_{x_S} f(x), f the deployed model's score of the
 * good outcome. Stateless: always from the base x. Accumulating: whoever is drawn keeps the features they answered with
 * and moves on from there; snapshots and evaluations leave no mark. */
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
  return SPRINT_OK;
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
  return strcmp(sprint__get_text(section, "memory"), "accumulating") == 0 ? remember_base(shift) : SPRINT_OK;
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

static sprint_status strategic_drawn(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, const sprint_real *x) {
  (void)deployed;
  (void)y;
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  for (size_t i = 0; shift->state && i < n; i++)
    for (size_t k = 0; k < s->n_columns; k++) shift->state[who[i] * s->n_columns + k] = x[i * d + s->columns[k]];
  return SPRINT_OK;
}

static const struct sprint__shift_ops strategic_ops = {
    .setup = strategic_setup,
    .respond = strategic_respond,
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
