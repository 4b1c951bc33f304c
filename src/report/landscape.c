/* The landscape of the risk around a model: see tier 9 of sprint.h. */
#include "report/landscape.h"

#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "shift/shift.h"

/* Values of t and w; of them at least; gradients that the second direction comes from; turns of the power method;
 * halvings of the last search. */
enum { GRID = 41, LEAST_GRID = 5, MOST_GRID = 1001, N_GRADIENTS = 9, N_TURNS = 300, N_HALVINGS = 6 };

static const double before = 0.75, behind = 1.25; /* the range of t, which the path may widen */
static const double half_width = 0.5;             /* of w, the same */
static const double room = 0.1;                   /* beyond the path, of its width */
static const double least_part = 1e-4; /* of gradients beside the first direction, where they make a second one */

struct survey {
  sprint_landscape_options options;
  sprint_landscape *it;
  size_t d;
  double *first, *second;            /* (d) unit vectors; second NULL: there is none */
  sprint_real *evaluated, *deployed; /* (d) */
  double *gradient;                  /* (d) */
  size_t n_done, n_all;              /* passes over the population */
};

static double dot(const double *a, const double *b, size_t d) {
  double sum = 0;
  for (size_t i = 0; i < d; i++) sum += a[i] * b[i];
  return sum;
}

/* theta + length (t first + w second) */
static void place(const struct survey *survey, double t, double w, sprint_real *ret_theta) {
  double length = survey->it->length;
  for (size_t i = 0; i < survey->d; i++)
    ret_theta[i] = (sprint_real)((double)survey->options.theta[i] +
                                 length * (t * survey->first[i] + (survey->second ? w * survey->second[i] : 0)));
}

static sprint_status told(struct survey *survey) {
  const sprint_landscape_options *options = &survey->options;
  survey->n_done++;
  if (!options->progress || options->progress(options->user, fmin(1, (double)survey->n_done / (double)survey->n_all)))
    return SPRINT_OK;
  return sprint_fail(survey->it->context, SPRINT_ERROR_CALLBACK,
                     "the landscape was not finished: it was asked to stop");
}

/* J and its slopes along both directions at equal arguments. */
static sprint_status look(struct survey *survey, double t, double w, double *ret_risk, double *ret_slopes) {
  double *gradient = ret_slopes ? survey->gradient : NULL;
  place(survey, t, w, survey->evaluated);
  SPRINT__TRY(sprint_risk(survey->options.shift, survey->evaluated, survey->evaluated, ret_risk, NULL, gradient));
  if (ret_slopes) ret_slopes[0] = dot(gradient, survey->first, survey->d);
  if (ret_slopes) ret_slopes[1] = survey->second ? dot(gradient, survey->second, survey->d) : 0;
  return told(survey);
}

/* The vector to `to`, its length, and its direction in ret_unit. */
static double direction(const sprint_real *from, const sprint_real *to, size_t d, double *ret_unit) {
  for (size_t i = 0; i < d; i++) ret_unit[i] = (double)to[i] - (double)from[i];
  double length = sqrt(dot(ret_unit, ret_unit, d));
  for (size_t i = 0; length > 0 && i < d; i++) ret_unit[i] /= length;
  return length;
}

/* Takes the first direction out of a vector; false where nearly nothing is left of it. */
static bool set_across(const struct survey *survey, double *vector) {
  double all = sqrt(dot(vector, vector, survey->d)), along = dot(vector, survey->first, survey->d);
  for (size_t i = 0; i < survey->d; i++) vector[i] -= along * survey->first[i];
  return sqrt(dot(vector, vector, survey->d)) > least_part * all;
}

/* weights (n): the eigenvector of the largest eigenvalue of products (n, n). */
static void top_weights(const double *products, size_t n, double *weights) {
  for (size_t i = 0; i < n; i++) weights[i] = 1 + 0.1 * (double)i; /* at right angles to none that is likely */
  for (int turn = 0; turn < N_TURNS; turn++) {
    double next[N_GRADIENTS] = {0}, size = 0;
    for (size_t i = 0; i < n; i++) next[i] = dot(&products[i * n], weights, n);
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(next[i]));
    for (size_t i = 0; size > 0 && i < n; i++) weights[i] = next[i] / size;
  }
}

/* The top direction of gradients (N_GRADIENTS, d) beside the first: the principal one, with the way down from
 * `towards` on the side of w > 0. */
static bool top_direction(struct survey *survey, double *gradients, double *ret_unit) {
  double products[N_GRADIENTS * N_GRADIENTS], weights[N_GRADIENTS];
  size_t d = survey->d, last = N_GRADIENTS - 1;
  bool any = false;
  for (size_t k = 0; k < N_GRADIENTS; k++) any = set_across(survey, &gradients[k * d]) || any;
  for (size_t i = 0; i < N_GRADIENTS; i++)
    for (size_t k = 0; k < N_GRADIENTS; k++)
      products[i * N_GRADIENTS + k] = dot(&gradients[i * d], &gradients[k * d], d);
  top_weights(products, N_GRADIENTS, weights);
  memset(ret_unit, 0, d * sizeof *ret_unit);
  for (size_t k = 0; k < N_GRADIENTS; k++)
    for (size_t i = 0; i < d; i++) ret_unit[i] += weights[k] * gradients[k * d + i];
  double length = sqrt(dot(ret_unit, ret_unit, d));
  if (!any || !(length > 0)) return false;
  if (dot(ret_unit, &gradients[last * d], d) > 0) length = -length;
  for (size_t i = 0; i < d; i++) ret_unit[i] /= length;
  return true;
}

static sprint_status find_second(struct survey *survey, struct sprint__arena *arena) {
  size_t d = survey->d;
  double *unit = sprint__arena_take(arena, d, sizeof *unit);
  double *gradients = sprint__arena_take(arena, survey->options.second ? 0 : N_GRADIENTS * d, sizeof *gradients);
  SPRINT__TRY(sprint__arena_status(arena));
  if (survey->options.second) {
    double length = direction(survey->options.theta, survey->options.second, d, unit);
    if (!(length > 0) || !set_across(survey, unit))
      return sprint_fail(survey->it->context, SPRINT_ERROR_INPUT,
                         "the second direction is the first one: they make no plane");
    double across = sqrt(dot(unit, unit, d));
    for (size_t i = 0; i < d; i++) unit[i] /= across;
    survey->second = unit;
    return SPRINT_OK;
  }
  for (size_t k = 0; d > 1 && k < N_GRADIENTS; k++) {
    double slopes[2], risk;
    SPRINT__TRY(look(survey, (double)k / (N_GRADIENTS - 1), 0, &risk, slopes));
    memcpy(&gradients[k * d], survey->gradient, d * sizeof *gradients);
  }
  if (d > 1 && top_direction(survey, gradients, unit)) survey->second = unit;
  return SPRINT_OK;
}

/* The path in the plane, and the ranges of t and w that hold it. */
static sprint_status lay_out(struct survey *survey, double *ret_t, double *ret_w) {
  sprint_landscape *it = survey->it;
  const sprint_landscape_options *options = &survey->options;
  size_t d = survey->d;
  double low = -before, high = behind, w = half_width;
  it->n_path = options->path ? options->n_path : 0;
  it->path = sprint__arena_take(&it->arena, 2 * it->n_path, sizeof *it->path);
  SPRINT__TRY(sprint__arena_status(&it->arena));
  for (size_t k = 0; k < it->n_path; k++) {
    double t_w[2] = {0, 0};
    for (size_t i = 0; i < d; i++) {
      double away = (double)options->path[k * d + i] - (double)options->theta[i];
      t_w[0] += away * survey->first[i] / it->length;
      if (survey->second) t_w[1] += away * survey->second[i] / it->length;
    }
    memcpy(&it->path[2 * k], t_w, sizeof t_w);
    if (!isfinite(t_w[0] + t_w[1])) continue;
    low = fmin(low, t_w[0] - room);
    high = fmax(high, t_w[0] + room);
    w = fmax(w, fabs(t_w[1]) * (1 + room));
  }
  for (size_t k = 0; k < it->n; k++) {
    double share = (double)k / (double)(it->n - 1);
    ret_t[k] = low + share * (high - low);
    ret_w[k] = -w + share * 2 * w;
  }
  return SPRINT_OK;
}

static sprint_status survey_line(struct survey *survey) {
  sprint_landscape *it = survey->it;
  double slopes[2];
  for (size_t i = 0; i < it->n; i++) {
    place(survey, it->t[i], 0, survey->deployed);
    for (size_t j = 0; j < it->n; j++) {
      double *risk = &it->line[i * it->n + j];
      if (i == j) {
        SPRINT__TRY(look(survey, it->t[i], 0, risk, slopes));
        it->slope[i] = slopes[0];
        continue;
      }
      place(survey, it->t[j], 0, survey->evaluated);
      SPRINT__TRY(sprint_risk(survey->options.shift, survey->evaluated, survey->deployed, risk, NULL, NULL));
      SPRINT__TRY(told(survey));
    }
  }
  return SPRINT_OK;
}

static sprint_status survey_plane(struct survey *survey) {
  sprint_landscape *it = survey->it;
  for (size_t i = 0; i < it->n; i++)
    for (size_t j = 0; j < it->n; j++) {
      size_t k = i * it->n + j;
      SPRINT__TRY(look(survey, it->t[j], it->w[i], &it->plane[k], &it->slopes[2 * k]));
    }
  return SPRINT_OK;
}

/* The optimum is where V is least of what was seen: the parabola's vertex, the grid value next to it, the stable point;
 * and then of steps around it that halve from half a cell on. A step counts where it gains more than rounding may. */
static sprint_status settle_optimum(struct survey *survey, const struct sprint__mark *stable, double cell_t,
                                    double cell_w, struct sprint__mark *mark) {
  struct sprint__mark node = *mark;
  const sprint_landscape *it = survey->it;
  double risk, gain = 1e-9;
  if (!mark->there) return SPRINT_OK;
  node.t = it->t[0] + round((mark->t - it->t[0]) / cell_t) * cell_t;
  if (cell_w > 0) node.w = it->w[0] + round((mark->w - it->w[0]) / cell_w) * cell_w;
  SPRINT__TRY(look(survey, node.t, node.w, &node.risk, NULL));
  if (node.risk < mark->risk - gain * fabs(mark->risk)) *mark = node;
  if (stable->there && stable->risk < mark->risk - gain * fabs(mark->risk)) *mark = *stable;
  double step = 0.5;
  for (int i = 0; i < N_HALVINGS; i++, step /= 2)
    for (int side = 0; side < (cell_w > 0 ? 4 : 2); side++) {
      double t = mark->t + (side == 0 ? step : side == 1 ? -step : 0) * cell_t;
      double w = mark->w + (side == 2 ? step : side == 3 ? -step : 0) * cell_w;
      SPRINT__TRY(look(survey, t, w, &risk, NULL));
      if (risk < mark->risk - gain * fabs(mark->risk)) *mark = (struct sprint__mark){true, t, w, risk};
    }
  return SPRINT_OK;
}

static sprint_status settle_marks(struct survey *survey, struct sprint__mark *marks, double cell_w) {
  const sprint_landscape *it = survey->it;
  for (int m = 0; m < 2; m++)
    if (marks[m].there) SPRINT__TRY(look(survey, marks[m].t, marks[m].w, &marks[m].risk, NULL));
  return settle_optimum(survey, &marks[SPRINT_MARK_STABLE], it->t[1] - it->t[0], cell_w, &marks[SPRINT_MARK_OPTIMUM]);
}

static sprint_status make(struct survey *survey, struct sprint__arena *arena) {
  sprint_landscape *it = survey->it;
  size_t n = it->n, d = survey->d;
  survey->first = sprint__arena_take(arena, d, sizeof *survey->first);
  survey->evaluated = sprint__arena_take(arena, d, sizeof *survey->evaluated);
  survey->deployed = sprint__arena_take(arena, d, sizeof *survey->deployed);
  survey->gradient = sprint__arena_take(arena, d, sizeof *survey->gradient);
  it->t = sprint__arena_take(&it->arena, n, sizeof *it->t);
  it->w = sprint__arena_take(&it->arena, n, sizeof *it->w);
  it->line = sprint__arena_take(&it->arena, n * n, sizeof *it->line);
  it->slope = sprint__arena_take(&it->arena, n, sizeof *it->slope);
  SPRINT__TRY(sprint__arena_status(arena));
  SPRINT__TRY(sprint__arena_status(&it->arena));
  it->length = direction(survey->options.theta, survey->options.towards, d, survey->first);
  if (!(it->length > 0) || !isfinite(it->length))
    return sprint_fail(it->context, SPRINT_ERROR_INPUT, "%s",
                       it->length == 0 ? "the model is where the line goes to: there is no direction"
                                       : "a parameter is not finite: there is no landscape");
  survey->n_all = (d > 1 ? 2 : 1) * n * n + N_GRADIENTS;
  SPRINT__TRY(find_second(survey, arena));
  if (!survey->second) survey->n_all = n * n + N_GRADIENTS;
  SPRINT__TRY(lay_out(survey, it->t, it->w));
  SPRINT__TRY(survey_line(survey));
  if (!survey->second) return SPRINT_OK;
  it->plane = sprint__arena_take(&it->arena, n * n, sizeof *it->plane);
  it->slopes = sprint__arena_take(&it->arena, 2 * n * n, sizeof *it->slopes);
  SPRINT__TRY(sprint__arena_status(&it->arena));
  return survey_plane(survey);
}

sprint_status sprint_landscape_new(sprint_context *context, const sprint_landscape_options *options,
                                   sprint_landscape **ret_landscape) {
  SPRINT__REQUIRE(context, options, ret_landscape);
  SPRINT__SCRATCH(arena, context);
  struct survey survey = {0};
  SPRINT__SIZED_TAKE(context, sprint_landscape_options, options, &survey.options);
  SPRINT__REQUIRE(context, survey.options.shift, survey.options.theta, survey.options.towards);
  size_t n = survey.options.grid ? survey.options.grid : GRID;
  if (n < LEAST_GRID || n > MOST_GRID)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "the grid is %zu; %d .. %d values were expected", n, LEAST_GRID,
                       MOST_GRID);
  SPRINT__SCOPED(sprint_landscape_free) sprint_landscape *it = sprint__alloc(context, 1, sizeof *it);
  if (!it) return SPRINT_ERROR_MEMORY;
  it->context = it->arena.context = context;
  it->n = n;
  survey.it = it;
  survey.d = survey.options.shift->model->n_params;
  SPRINT__TRY(make(&survey, &arena));
  sprint__landscape_find(it);
  SPRINT__TRY(settle_marks(&survey, it->line_marks, 0));
  if (it->plane) SPRINT__TRY(settle_marks(&survey, it->plane_marks, it->w[1] - it->w[0]));
  *ret_landscape = sprint__give(&it);
  return SPRINT_OK;
}

void sprint_landscape_free(sprint_landscape *landscape) {
  if (!landscape) return;
  sprint__arena_free(&landscape->arena);
  sprint__free(landscape);
}

bool sprint_landscape_mark(const sprint_landscape *landscape, sprint_mark mark, bool plane, double *ret_t,
                           double *ret_w, double *ret_risk) {
  if (!landscape || (unsigned)mark > SPRINT_MARK_OPTIMUM || !ret_t || !ret_w || !ret_risk) return false;
  const struct sprint__mark *found = plane ? &landscape->plane_marks[mark] : &landscape->line_marks[mark];
  if (!found->there) return false;
  *ret_t = found->t;
  *ret_w = found->w;
  *ret_risk = found->risk;
  return true;
}

bool sprint_landscape_has_plane(const sprint_landscape *landscape) { return landscape && landscape->plane; }
double sprint_landscape_length(const sprint_landscape *landscape) { return landscape ? landscape->length : NAN; }

void sprint_landscape_range(const sprint_landscape *landscape, double *ret_first, double *ret_last) {
  if (!landscape || !ret_first || !ret_last) return;
  *ret_first = landscape->t[0];
  *ret_last = landscape->t[landscape->n - 1];
}
