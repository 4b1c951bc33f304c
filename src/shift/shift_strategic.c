/* Strategic response, docs/math.md section 2 and docs/people.md: x_S' = x_S + alpha grad_{x_S} f(x), f the deployed
 * model's score of the good outcome, as far as limits let people go (limits.h). Stateless: always from the base x.
 * Accumulating: whoever is drawn keeps the features they answered with and moves on from there, within limits that are
 * counted from the base x; snapshots and evaluations leave no mark. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fast.h"
#include "base/lanes.h"
#include "base/vector.h"
#include "config/text.h"
#include "shift/limits.h"

struct strategic {
  struct sprint__score score;
  struct sprint__limits limits;
  size_t piece;      /* rows whose score gradients are held at once */
  sprint_real *dx;   /* (piece, d) */
  sprint_real *base; /* (piece, d) where limits are counted from other records than people stand at; or NULL */
  sprint_real *u;    /* (piece, d) of `pull`, or NULL */
  double reach;      /* of the differences that `pull` takes */
};

/* state (n, columns) := the base features. */
static sprint_status remember_base(sprint_shift *shift) {
  struct strategic *s = shift->impl;
  const sprint_population *population = shift->population;
  size_t k_columns = s->limits.n;
  shift->keeps_records = true;
  shift->n_state = population->n * k_columns;
  shift->state = sprint__arena_take(&shift->arena, population->n, k_columns * sizeof *shift->state);
  if (!s->limits.even) s->base = sprint__arena_take(&shift->arena, s->piece, population->d * sizeof *s->base);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  for (uint32_t i = 0; i < population->n; i++) {
    sprint__population_gather(population, &i, 0, 1, s->dx);
    for (size_t k = 0; k < k_columns; k++) shift->state[i * k_columns + k] = s->dx[s->limits.columns[k]];
  }
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

static sprint_status describe(sprint_shift *shift) {
  const struct strategic *s = shift->impl;
  struct sprint__text text = {.context = shift->context};
  sprint__wish_say(shift, &s->score, &text);
  sprint__text_add(&text, "; they can change ");
  sprint__limits_say(&s->limits, &text);
  if (shift->state) sprint__text_add(&text, "; whoever was asked goes on from their answer");
  return sprint__shift_say(shift, sprint__text_take(&text));
}

static sprint_status strategic_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct strategic *s = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *s);
  size_t d = shift->population->d;
  if (!s) return SPRINT_ERROR_MEMORY;
  if (!shift->model->ops->score_gradient)
    return sprint__refuse(section, "kind", "'strategic' needs a model with a score; this one has none");
  shift->takes_bounds = true;
  SPRINT__TRY(sprint__wish_read(shift, section, &s->score));
  SPRINT__TRY(sprint__limits_read(shift, section, &s->limits));
  s->piece = sprint__piece_rows(d);
  s->dx = sprint__arena_take(&shift->arena, s->piece, d * sizeof *s->dx);
  s->reach = reach_of(shift);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  if (strcmp(sprint__get_text(section, "memory"), "accumulating") == 0) {
    SPRINT__TRY(remember_base(shift));
    return describe(shift);
  }
  shift->pulls = shift->model->ops->score_sums != NULL && s->limits.smooth;
  if (shift->pulls) s->u = sprint__arena_take(&shift->arena, s->piece, d * sizeof *s->u);
  return describe(shift);
}

/* Where each individual stands now. */
static void recall(const sprint_shift *shift, const uint32_t *who, size_t n, sprint_real *x) {
  const struct sprint__limits *limits = &((const struct strategic *)shift->impl)->limits;
  size_t d = shift->population->d;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < limits->n; k++) x[i * d + limits->columns[k]] = shift->state[who[i] * limits->n + k];
}

struct moving {
  const struct strategic *s;
  size_t d;
  sprint_real *x; /* (rows, d) */
};

/* Moves the features that people can change along dx, where nothing keeps them from it. */
SPRINT__FAST static void move_rows(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct moving *of = user;
  const struct sprint__limits *limits = &of->s->limits;
  const sprint_real *restrict dx = of->s->dx, alpha = (sprint_real)limits->most_alpha;
  const size_t *columns = limits->columns, n_columns = limits->n, d = of->d;
  sprint_real *restrict x = of->x;
  if (n_columns == d) {
    for (size_t i = start * d; i < end * d; i++) x[i] += alpha * dx[i];
    return;
  }
  for (size_t i = start; i < end; i++)
    for (size_t k = 0; k < n_columns; k++) x[i * d + columns[k]] += alpha * dx[i * d + columns[k]];
}

static void move(const sprint_shift *shift, size_t n, sprint_real *x) {
  enum { COST = 10 }; /* of a number, which the response has just left in a cache */
  size_t d = shift->population->d;
  struct moving of = {shift->impl, d, x};
  sprint__lanes_run(shift->context, n, sprint__lanes_for(n, COST * (double)d, 0), move_rows, &of);
}

/* A piece of rows; who NULL: from outside, where nobody has answered before. */
static void respond_rows(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who, size_t n,
                         sprint_real *x) {
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  bool recalls = shift->state && who;
  if (recalls && s->base) memcpy(s->base, x, n * d * sizeof *x);
  if (recalls) recall(shift, who, n, x);
  sprint__model_score_gradient(shift->model, deployed, x, n, &s->score, s->dx);
  if (s->limits.even)
    move(shift, n, x);
  else
    sprint__limits_move(&s->limits, shift->context, n, d, recalls ? s->base : x, s->dx, x);
}

static sprint_status strategic_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                       const sprint_real *y, size_t n, sprint_real *x) {
  (void)y;
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  shift->evals += n;
  for (size_t start = 0; start < n; start += s->piece) {
    size_t rows = n - start < s->piece ? n - start : s->piece;
    respond_rows(shift, deployed, who ? who + start : NULL, rows, x + start * d);
  }
  return SPRINT_OK;
}

/* The longest of the rows. */
static double longest(const sprint_real *u, size_t n, size_t d) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, sprint__norm_sq(u + i * d, d));
  return sqrt(most);
}

/* Adds weight times the sum over rows of grad_theta f(x + h u). */
static void pull_from(sprint_shift *shift, const sprint_real *deployed, size_t n, const sprint_real *x, double h,
                      double weight, double *ret_sum) {
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  for (size_t i = 0; i < n * d; i++) s->dx[i] = x[i] + (sprint_real)(h * (double)s->u[i]);
  struct sprint__total total = {ret_sum, weight, true};
  sprint__model_score_sums_to(shift->model, deployed, s->dx, n, &s->score, &total);
}

/* Where the move is free, (dx_i/dtheta)^T u_i = grad_theta [v . grad_x f(x)] = d/dt grad_theta f(x + t v) at t = 0 with
 * v = (alpha/cost) u_S, by a central difference, for all rows of a piece at once. Where a limit binds, a small change
 * of theta moves nobody. */
static void strategic_pull(sprint_shift *shift, const sprint_real *deployed, const sprint_real *y, size_t n,
                           const sprint_real *x, const sprint_real *u, double *ret_sum) {
  (void)y;
  const struct strategic *s = shift->impl;
  size_t d = shift->population->d;
  shift->evals += (s->limits.even ? 2 : 3) * n;
  for (size_t start = 0; start < n; start += s->piece) {
    size_t rows = n - start < s->piece ? n - start : s->piece, at = start * d;
    if (!s->limits.even) sprint__model_score_gradient(shift->model, deployed, x + at, rows, &s->score, s->dx);
    sprint__limits_pull(&s->limits, rows, d, x + at, s->dx, u + at, s->u);
    double length = longest(s->u, rows, d), h = s->reach / length;
    if (length == 0) continue;
    pull_from(shift, deployed, rows, x + at, h, 1 / (2 * h), ret_sum);
    pull_from(shift, deployed, rows, x + at, -h, -1 / (2 * h), ret_sum);
  }
}

static sprint_status strategic_drawn(sprint_shift *shift, const sprint_real *deployed,
                                     const struct sprint__drawn *drawn) {
  (void)deployed;
  const struct sprint__limits *limits = &((const struct strategic *)shift->impl)->limits;
  size_t d = shift->population->d;
  for (size_t i = 0; shift->state && drawn->who && i < drawn->n; i++)
    for (size_t k = 0; k < limits->n; k++)
      shift->state[drawn->who[i] * limits->n + k] = drawn->x[i * d + limits->columns[k]];
  return SPRINT_OK;
}

static const struct sprint__shift_ops strategic_ops = {
    .setup = strategic_setup,
    .resumes = true,
    .respond = strategic_respond,
    .pull = strategic_pull,
    .drawn = strategic_drawn,
};

static const sprint_param strategic_params[] = {
    SPRINT__TEXT("good", "", SPRINT__GOOD_HELP "; of a model of values, higher or lower"),
    SPRINT__LIMITS_PARAMS,
    SPRINT__CHOICE("score", "logit", "logit|probability",
                   "what people want higher: the log-odds of the good class, or its probability"),
    SPRINT__CHOICE("sign", "+", "+|-|plus|minus", "-, or minus: people move away from what is good"),
    SPRINT__CHOICE("memory", "stateless", "stateless|accumulating",
                   "stateless: always from the base record; accumulating: whoever is drawn keeps the answer"),
};

const sprint_kind sprint__shift_strategic = {"strategic", "people move features along the gradient of the score",
                                             strategic_params, SPRINT__COUNT(strategic_params), &strategic_ops};
