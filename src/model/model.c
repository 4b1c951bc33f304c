/* The lane driver: sums, means, penalties and pairs of gradients over the rows of a batch. */
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/group.h"
#include "base/sized.h"
#include "base/vector.h"

/* One stretch of all parameters. */
static void stretch(sprint_model *model) {
  enum { STEP = 64 };
  struct sprint__stretch *all = sprint__arena_take(&model->arena, 1, sizeof *all);
  if (all) *all = (struct sprint__stretch){model->n_params, STEP, model->n_params / STEP};
  model->stretches = (struct sprint__stretches){model->n_params, 1, all};
}

sprint_status sprint__model_finish(sprint_model *model) {
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) {
    struct sprint__lane *l = &model->lanes[lane];
    l->scratch = sprint__arena_take(&model->arena, model->scratch_size, sizeof(sprint_real));
    l->gradient = sprint__arena_take(&model->arena, model->n_params, sizeof(sprint_real));
  }
  if (!model->ops->difference) model->other = sprint__arena_take(&model->arena, model->n_params, sizeof(sprint_real));
  if (!model->tensors) {
    model->tensors = sprint__arena_take(&model->arena, 1, sizeof *model->tensors);
    model->n_tensors = 1;
    if (model->tensors) *model->tensors = (struct sprint__tensor_view){"theta", 0, 1, {model->n_params}, false};
  }
  if (!model->stretches.all) stretch(model);
  return sprint__arena_status(&model->arena);
}

void sprint_model_free(sprint_model *model) {
  if (!model) return;
  sprint__arena_free(&model->arena);
  sprint__free(model);
}

size_t sprint_model_n_params(const sprint_model *model) { return model ? model->n_params : 0; }
size_t sprint_model_n_features(const sprint_model *model) { return model ? model->n_features : 0; }
double sprint_model_cost_per_row(const sprint_model *model) { return model ? model->cost_per_row : NAN; }
size_t sprint_model_n_outputs(const sprint_model *model) { return model ? model->n_outputs : 0; }

size_t sprint_model_place(const sprint_model *model, size_t i) {
  if (!model || i >= model->n_params) return SIZE_MAX;
  size_t t = model->n_tensors;
  while (t-- > 1 && model->tensors[t].offset > i) continue;
  return sprint__tensor_at(&model->tensors[t], i - model->tensors[t].offset);
}

sprint_status sprint_model_start(sprint_model *model, uint64_t seed, sprint_real *ret_theta) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, ret_theta);
  model->ops->start(model, seed, ret_theta);
  return SPRINT_OK;
}

/* What it costs to have a lane with gradients, in floating-point operations: clearing and adding up n_params numbers,
 * which come from memory where they are many. */
static double lane_cost(size_t n_params) {
  enum { MANY = 1 << 16 };
  return (n_params < MANY ? 100.0 : 300.0) * (double)n_params;
}

/* Rows that a lane with gradients has at least: fewer move the weights more often than they multiply by them. And those
 * of two lanes together, which may have fewer each. */
enum { LANE_ROWS = 16, FEWEST_OF_TWO = 16 };

/* Lanes of fewer rows than these, where large layers are late, leave out some of what a product of many rows gains; two
 * there are all the same. Weights that no cache has are copied by each lane at more than its products gain. */
static size_t late_lane_rows(const sprint_model *model) {
  enum { HUGE_PARAMS = 1 << 20 };
  return model->n_params > HUGE_PARAMS ? 128 : 64;
}

/* Where the gradient of some rows goes, and which rows: start .. end. */
struct turn {
  sprint_model *model;
  const struct sprint__sum_work *sum;
  size_t start, end;
  bool wanted; /* the gradient is */
  bool large;  /* rows are cut as they are where some of it is left for later, */
  bool late;   /* and it is */
  bool adds;   /* to the gradient of the turns before */
  int n_lanes;
  sprint_real *gradient; /* (n_params), or NULL: it goes to: */
  const struct sprint__total *total;
};

static void run_lane(void *user, int lane, size_t start, size_t end) {
  const struct turn *turn = user;
  struct sprint__lane *l = &turn->model->lanes[lane];
  struct sprint__sums sums = {0, 0, turn->wanted ? l->gradient : NULL};
  l->late = turn->late;
  l->row = start;
  turn->sum->body(turn->sum->user, l, turn->start + start, turn->start + end, &sums);
  l->late = false; /* whoever else works in the lane */
  l->loss = sums.loss;
  l->correct = sums.correct;
}

/* Rows that each of two lanes has at least: LANE_ROWS where a row takes six operations for each parameter, as dense
 * layers do; fewer where it takes more, as convolutions do, which use their weights again and again. */
static size_t least_rows(const sprint_model *model) {
  double rows = LANE_ROWS * 6.0 * (double)model->n_params / model->cost_per_row;
  return rows < LANE_ROWS ? (size_t)rows + 1 : LANE_ROWS;
}

/* Rows from which on there may be two lanes, and large layers are late, as a product over so many rows pays. */
static size_t rows_of_two(const sprint_model *model) {
  size_t two = 2 * least_rows(model);
  return two < FEWEST_OF_TWO ? two : FEWEST_OF_TWO;
}

void sprint__model_stretches(const sprint_model *model, size_t n, struct sprint__stretch *ret_all) {
  bool few = n < rows_of_two(model);
  for (size_t s = 0; s < model->stretches.n_stretches; s++) {
    ret_all[s] = model->stretches.all[s];
    if (few && !(model->ops->shares && model->ops->shares(model, s))) ret_all[s].n_steps = 0;
  }
}

/* As many of the lanes as have so many rows each: two of them `least`, more `many`. */
static int lanes_of_rows(int n_lanes, size_t n, size_t least, size_t many) {
  while (n_lanes > 1 && n < (size_t)n_lanes * (n_lanes > 2 ? many : least)) n_lanes /= 2;
  return n_lanes;
}

/* Whether two lanes pay that have fewer rows than LANE_ROWS each: a second thread then gains more than it costs to read
 * all weights twice and to add two gradients up, which is one sweep. */
static bool two_pay(size_t n, double cost_per_row, size_t params) {
  const double worth_two = 1e6, part = 0.4; /* floating-point operations; of what a lane among more costs */
  if (n < FEWEST_OF_TWO || (double)n * cost_per_row < worth_two) return false;
  return sprint__lanes_for(n, cost_per_row, part * lane_cost(params)) > 1;
}

/* Whether most of the work on rows that are one lane is shared by threads all the same, layer by layer. */
static bool shares_layers(const sprint_model *model) {
  enum { MANY = 1 << 15 }; /* parameters */
  size_t shared = 0;
  for (size_t s = 0; model->ops->shares && s < model->stretches.n_stretches; s++)
    if (model->ops->shares(model, s)) shared += model->stretches.all[s].n;
  return shared >= MANY;
}

/* How many lanes the rows are cut into where `params` parameters have a gradient. */
static int lanes_of(const struct turn *turn, size_t params) {
  size_t n = turn->end - turn->start, least = turn->sum->begin ? least_rows(turn->model) : LANE_ROWS;
  size_t many = turn->large && least == LANE_ROWS ? late_lane_rows(turn->model) : LANE_ROWS;
  size_t added = turn->large ? 0 : params; /* up, lane by lane */
  double cost = turn->sum->cost_per_row;
  int n_lanes = sprint__lanes_for(n, cost, lane_cost(added));
  if (params) n_lanes = lanes_of_rows(n_lanes, n, least, many);
  return n_lanes == 1 && params && two_pay(n, cost, added) && !shares_layers(turn->model) ? 2 : n_lanes;
}

static void run_lanes(const struct turn *turn, struct sprint__sums *sums) {
  sprint_model *model = turn->model;
  if (turn->late) turn->sum->begin(turn->sum->user, turn->start, turn->end);
  sprint__lanes_run(model->context, turn->end - turn->start, turn->n_lanes, run_lane, (void *)turn);
  for (int lane = 0; lane < turn->n_lanes; lane++) {
    sums->loss += model->lanes[lane].loss;
    sums->correct += model->lanes[lane].correct;
  }
}

enum { CHUNK = 256 }; /* parameters */

/* n <= CHUNK sums go where the gradient does. */
SPRINT__INLINE void put_sums(const struct turn *turn, size_t at, size_t n, const double *sums) {
  const struct sprint__total *total = turn->total;
  if (turn->gradient)
    for (size_t i = 0; i < n; i++)
      turn->gradient[at + i] = (sprint_real)(sums[i] + (turn->adds ? (double)turn->gradient[at + i] : 0));
  else
    for (size_t i = 0; i < n; i++)
      total->gradient[at + i] = (turn->adds || total->adds ? total->gradient[at + i] : 0) + total->weight * sums[i];
}

/* Whether the first lane works where the gradient goes. */
static bool is_in_place(const struct turn *turn) { return turn->gradient && !turn->late; }

/* In the order of the lanes, in double, whichever thread does it. */
SPRINT__FAST static void combine_chunk(const struct turn *turn, size_t at, size_t n) {
  double sums[CHUNK];
  const sprint_real *first = turn->model->lanes[0].gradient + at;
  for (size_t i = 0; i < n; i++) sums[i] = (double)first[i];
  for (int lane = 1; lane < turn->n_lanes; lane++) {
    const sprint_real *part = turn->model->lanes[lane].gradient + at;
    for (size_t i = 0; i < n; i++) sums[i] += (double)part[i];
  }
  put_sums(turn, at, n, sums);
}

/* Two lanes, of which the first is in place: the same to the bit in single precision, which has fewer than half as many
 * digits as double. */
static void add_second(const struct turn *turn, size_t first, size_t end) {
  sprint__add_to(turn->gradient + first, turn->model->lanes[1].gradient + first, end - first);
}

static void combine_range(const struct turn *turn, size_t first, size_t end) {
  if (turn->n_lanes == 2 && is_in_place(turn)) {
    add_second(turn, first, end);
    return;
  }
  for (size_t at = first; at < end; at += CHUNK) combine_chunk(turn, at, end - at < CHUNK ? end - at : CHUNK);
}

static void combine_part(void *user, int lane, size_t first, size_t end) {
  (void)lane;
  const struct turn *turn = user;
  if (end > turn->sum->first) combine_range(turn, first > turn->sum->first ? first : turn->sum->first, end);
}

/* The gradients of all lanes are put together. A double read, added and written costs about what ten multiplications of
 * a product do. */
static void combine(const struct turn *turn) {
  double share = 1 - (double)turn->sum->first / (double)turn->model->n_params;
  sprint__long_run(turn->model->context, &turn->model->stretches, 10.0 * share * turn->n_lanes, combine_part,
                   (void *)turn);
}

SPRINT__FAST static void put_part(const struct turn *turn, size_t first, size_t n, const sprint_real *part) {
  double sums[CHUNK];
  for (size_t at = 0; at < n; at += CHUNK) {
    size_t some = n - at < CHUNK ? n - at : CHUNK;
    for (size_t i = 0; i < some; i++) sums[i] = (double)part[at + i];
    put_sums(turn, first + at, some, sums);
  }
}

static void do_parts(void *user, int thread, size_t start, size_t end) {
  const struct turn *turn = user;
  const sprint_model *model = turn->model;
  for (size_t p = start; p < end; p++) {
    const struct sprint__part *part = &model->late.parts[p];
    sprint_real *room = model->lanes[thread].scratch;
    if (!part->late) {
      combine_range(turn, part->first, part->first + part->n);
    } else if (turn->gradient) {
      model->ops->late_part(model, part, turn->adds, turn->gradient + part->first);
    } else {
      model->ops->late_part(model, part, false, room);
      put_part(turn, part->first, part->n, room);
    }
  }
}

/* The same, where large layers come late. */
static void finish_late(const struct turn *turn) {
  enum { MOST_TASKS = 128 };
  size_t parts = turn->model->late.n_parts;
  sprint__tasks_run(turn->model->context, parts, parts < MOST_TASKS ? (int)parts : MOST_TASKS, do_parts, (void *)turn);
}

/* One turn after the other; there are several only where layers are large. Rows are cut as for gradients of so many
 * parameters, whether or not they are wanted. The first lane writes the gradient where it is wanted. */
static void sum_turns(struct turn *turn, size_t params, struct sprint__sums *ret_sums) {
  sprint_model *model = turn->model;
  size_t n = turn->sum->n_rows;
  turn->large = params && turn->sum->begin && model->late.n_parts && n >= rows_of_two(model);
  turn->late = turn->large && turn->wanted;
  size_t rows = turn->large && n > model->late.rows ? model->late.rows : n;
  ret_sums->loss = ret_sums->correct = 0;
  do {
    sprint_real *own = model->lanes[0].gradient;
    turn->end = n - turn->start < rows ? n : turn->start + rows;
    turn->n_lanes = lanes_of(turn, params);
    bool direct = is_in_place(turn);
    assert(!direct || !turn->adds); /* several turns are late ones, or for losses alone */
    if (direct) model->lanes[0].gradient = turn->gradient;
    run_lanes(turn, ret_sums);
    if (turn->late)
      finish_late(turn);
    else if (turn->wanted && (turn->n_lanes > 1 || !direct))
      combine(turn);
    model->lanes[0].gradient = own;
    turn->start = turn->end;
    turn->adds = true;
  } while (turn->start < n);
}

void sprint__model_sum(sprint_model *model, const struct sprint__sum_work *work, struct sprint__sums *ret_sums) {
  struct turn turn = {
      .model = model, .sum = work, .wanted = ret_sums->gradient != NULL, .gradient = ret_sums->gradient};
  sum_turns(&turn, turn.wanted ? model->n_params - work->first : 0, ret_sums);
}

void sprint__model_sum_to(sprint_model *model, const struct sprint__sum_work *work, const struct sprint__total *total,
                          struct sprint__sums *ret_sums) {
  struct turn turn = {.model = model, .sum = work, .wanted = total->gradient != NULL, .total = total};
  ret_sums->gradient = NULL;
  sum_turns(&turn, model->n_params - work->first, ret_sums);
}

/* Sums at theta on rows and, unless theta_b is NULL, minus those at theta_b on x_b. */
struct rows_sum {
  const sprint_model *model;
  const struct sprint__rows *rows;
  const sprint_real *theta, *theta_b, *x_b;
  sprint_real *gradient_x;
};

static void rows_body(void *user, struct sprint__lane *lane, size_t start, size_t end, struct sprint__sums *sums) {
  const struct rows_sum *work = user;
  const sprint_model *model = work->model;
  size_t d = model->n_features;
  struct sprint__rows rows = sprint__rows_part(work->rows, d, start, end);
  if (work->theta_b)
    model->ops->difference(model, lane, work->theta, work->theta_b, &rows, work->x_b ? work->x_b + start * d : NULL,
                           sums);
  else
    model->ops->sums(model, lane, work->theta, &rows, sums, work->gradient_x ? work->gradient_x + start * d : NULL);
}

static void rows_begin(void *user, size_t start, size_t end) {
  const struct rows_sum *work = user;
  size_t d = work->model->n_features;
  struct sprint__rows rows = sprint__rows_part(work->rows, d, start, end);
  work->model->ops->late_begin(work->model, &rows, work->theta_b != NULL, work->x_b ? work->x_b + start * d : NULL);
}

static struct sprint__sum_work sum_of(struct rows_sum *work) {
  double cost = work->model->cost_per_row * (work->theta_b ? 2 : 1);
  return (struct sprint__sum_work){.n_rows = work->rows->n,
                                   .cost_per_row = cost,
                                   .body = rows_body,
                                   .begin = work->model->ops->late_begin ? rows_begin : NULL,
                                   .user = work};
}

void sprint__model_sums(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                        struct sprint__sums *ret_sums, sprint_real *gradient_x) {
  struct rows_sum work = {model, rows, theta, NULL, NULL, gradient_x};
  struct sprint__sum_work sum = sum_of(&work);
  sprint__model_sum(model, &sum, ret_sums);
}

void sprint__model_sums_to(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                           const struct sprint__total *total, struct sprint__sums *ret_sums) {
  struct rows_sum work = {model, rows, theta, NULL, NULL, NULL};
  struct sprint__sum_work sum = sum_of(&work);
  sprint__model_sum_to(model, &sum, total, ret_sums);
}

static void difference_of_sums(sprint_model *model, const sprint_real *theta, const sprint_real *theta_b,
                               const struct sprint__rows *rows, const sprint_real *x_b, struct sprint__sums *ret_sums) {
  struct sprint__rows rows_b = *rows;
  struct sprint__sums sums_b = {0, 0, model->other};
  if (x_b) rows_b.x = x_b;
  rows_b.losses = NULL;
  sprint__model_sums(model, theta, rows, ret_sums, NULL);
  sprint__model_sums(model, theta_b, &rows_b, &sums_b, NULL);
  for (size_t i = 0; i < model->n_params; i++) ret_sums->gradient[i] -= model->other[i];
}

void sprint__model_difference(sprint_model *model, const sprint_real *theta, const sprint_real *theta_b,
                              const struct sprint__rows *rows, const sprint_real *x_b, struct sprint__sums *ret_sums) {
  struct rows_sum work = {model, rows, theta, theta_b, x_b, NULL};
  struct sprint__sum_work sum = sum_of(&work);
  if (model->ops->difference)
    sprint__model_sum(model, &sum, ret_sums);
  else
    difference_of_sums(model, theta, theta_b, rows, x_b, ret_sums);
}

double sprint__model_penalty(const sprint_model *model, const sprint_real *theta) {
  if (model->l2 == 0) return 0;
  double sum = 0;
  for (size_t i = 0; i < model->n_params; i++) sum += sprint__model_decay(model, theta, i) * (double)theta[i];
  return sum / 2;
}

void sprint__model_add_decay(const sprint_model *model, const sprint_real *theta, double weight,
                             sprint_real *gradient) {
  if (model->l2 == 0) return;
  for (size_t i = 0; i < model->n_params; i++)
    gradient[i] += (sprint_real)(weight * sprint__model_decay(model, theta, i));
}

/* gradient := gradient / n + the penalty's. */
static void mean_gradient(const sprint_model *model, const sprint_real *theta, size_t n, sprint_real *gradient) {
  sprint_real scale = (sprint_real)(1.0 / (double)n);
  for (size_t i = 0; i < model->n_params; i++) gradient[i] *= scale;
  sprint__model_add_decay(model, theta, 1, gradient);
}

/* Whether y is a class number, of k classes. */
SPRINT__INLINE bool is_class(sprint_real y, sprint_real k) {
  return (y >= 0) & (y < k) & (floor((double)y) == (double)y);
}

/* All at once: no row is likely to be wrong. */
SPRINT__FAST static bool are_classes(const sprint_real *y, size_t n, sprint_real k) {
  int wrong = 0;
  for (size_t i = 0; i < n; i++) wrong |= !is_class(y[i], k);
  return !wrong;
}

sprint_status sprint__model_check_labels(const sprint_model *model, const sprint_real *y, size_t n) {
  sprint_real k = (sprint_real)model->n_classes;
  if (!model->classifies || are_classes(y, n, k)) return SPRINT_OK;
  size_t i = 0;
  while (is_class(y[i], k)) i++;
  return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "row %zu: the label %g is not a class number 0 .. %zu", i,
                     (double)y[i], model->n_classes - 1);
}

static sprint_status check_batch(const sprint_model *model, const sprint_batch *batch) {
  if (batch->n == 0 || !batch->x || !batch->y)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "the batch is empty: at least one row was expected");
  return sprint__model_check_labels(model, batch->y, batch->n);
}

sprint_status sprint_model_gradient(sprint_model *model, const sprint_real *theta, const sprint_batch *given,
                                    double *ret_loss, size_t *ret_correct, sprint_real *ret_gradient,
                                    sprint_real *ret_gradient_x) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, theta);
  sprint_batch own, *batch = &own;
  SPRINT__SIZED_TAKE(model->context, sprint_batch, given, batch);
  SPRINT__TRY(check_batch(model, batch));
  if (ret_gradient_x && !model->ops->gives_gradient_x)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT,
                       "this model's callbacks give no gradient in the features");
  struct sprint__sums sums = {0, 0, ret_gradient};
  struct sprint__rows rows = sprint__rows_of(batch);
  sprint__model_sums(model, theta, &rows, &sums, ret_gradient_x);
  if (ret_gradient) mean_gradient(model, theta, batch->n, ret_gradient);
  if (ret_loss) *ret_loss = sums.loss / (double)batch->n + sprint__model_penalty(model, theta);
  if (ret_correct) *ret_correct = (size_t)sums.correct;
  return SPRINT_OK;
}

sprint_status sprint_model_gradient_pair(sprint_model *model, const sprint_batch *batch, const sprint_real *theta_a,
                                         const sprint_real *theta_b, const sprint_real *x_b, double *ret_loss_a,
                                         sprint_real *ret_gradient_a, sprint_real *ret_gradient_b) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, batch, theta_a, theta_b);
  sprint_batch other;
  SPRINT__SIZED_TAKE(model->context, sprint_batch, batch, &other);
  if (x_b) other.x = x_b;
  SPRINT__TRY(sprint_model_gradient(model, theta_a, batch, ret_loss_a, NULL, ret_gradient_a, NULL));
  return sprint_model_gradient(model, theta_b, &other, NULL, NULL, ret_gradient_b, NULL);
}

/* How many lanes rows are cut into where no gradient is summed: fewer where layers are large, whose weights all threads
 * share instead. */
static int rows_lanes(const sprint_model *model, size_t n) {
  int n_lanes = sprint__lanes_for(n, model->cost_per_row, 0);
  size_t least = least_rows(model), many = least == LANE_ROWS ? late_lane_rows(model) : LANE_ROWS;
  return model->late.n_parts ? lanes_of_rows(n_lanes, n, least, many) : n_lanes;
}

struct rows_work {
  sprint_model *model;
  const sprint_real *theta, *x;
  const struct sprint__score *score; /* NULL: outputs */
  sprint_real *ret;
};

static void rows_lane(void *user, int lane, size_t start, size_t end) {
  const struct rows_work *work = user;
  const sprint_model *model = work->model;
  struct sprint__lane *l = &work->model->lanes[lane];
  const sprint_real *x = work->x + start * model->n_features;
  if (work->score)
    model->ops->score_gradient(model, l, work->theta, x, end - start, work->score,
                               work->ret + start * model->n_features);
  else
    model->ops->outputs(model, l, work->theta, x, end - start, work->ret + start * model->n_outputs);
}

void sprint__model_score_gradient(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                  const struct sprint__score *score, sprint_real *ret_dx) {
  assert(model->ops->score_gradient);
  struct rows_work work = {model, theta, x, score, ret_dx};
  sprint__lanes_run(model->context, n, rows_lanes(model, n), rows_lane, &work);
}

static void score_body(void *user, struct sprint__lane *lane, size_t start, size_t end, struct sprint__sums *sums) {
  const struct rows_work *work = user;
  const sprint_model *model = work->model;
  model->ops->score_sums(model, lane, work->theta, work->x + start * model->n_features, end - start, work->score,
                         sums->gradient);
}

void sprint__model_score_sums_to(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                 const struct sprint__score *score, const struct sprint__total *total) {
  assert(model->ops->score_sums);
  struct rows_work work = {model, theta, x, score, NULL};
  struct sprint__sum_work sum = {.n_rows = n, .cost_per_row = model->cost_per_row, .body = score_body, .user = &work};
  struct sprint__sums sums;
  sprint__model_sum_to(model, &sum, total, &sums);
}

sprint_status sprint_model_outputs(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                   sprint_real *ret_outputs) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, theta, x, ret_outputs);
  if (!model->ops->outputs)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "this model has no outputs: a network was expected");
  struct rows_work work = {model, theta, x, NULL, ret_outputs};
  sprint__lanes_run(model->context, n, rows_lanes(model, n), rows_lane, &work);
  return SPRINT_OK;
}
