/* sigma_0, sigma_1: at theta and at random points around it, each with its own deployment, the variance V of one
 * record's gradient against G = |grad J|^2. A least-squares line gives what is typical; the theorem needs a line above
 * all points, so the fitted one is lifted until it is. */
#include <math.h>

#include "base/vector.h"
#include "theory/estimate.h"

enum { FIRST_DIRECTION = 1 << 20 }; /* number of this file's first one: others are not to be the same */

struct point {
  double G, V;
};

/* ret_weights (n_strata): p_c over the count of singles in c; strata without any are left out. */
static void weigh(const struct sprint__sample *sample, const struct sprint__seen *seen, double *ret_weights) {
  double present = 0;
  for (size_t c = 0; c < sample->n_strata; c++) {
    size_t n = 0;
    for (size_t k = 0; k < sample->n_singles; k++) {
      size_t i = sprint__sample_single(sample, k);
      n += i >= sample->start[c] && i < sample->start[c + 1];
    }
    ret_weights[c] = n ? seen->p[c] / (double)n : 0;
    present += n ? seen->p[c] : 0;
  }
  for (size_t c = 0; c < sample->n_strata; c++) ret_weights[c] /= present;
}

/* Over the singles. Of a part of the population, V/n of what the mean's square has too much is taken off. */
static struct point look(struct sprint__sample *sample, const sprint_real *theta, const struct sprint__seen *seen,
                         double *mean) {
  size_t n = sample->n_params, c = 0;
  double squares = 0;
  weigh(sample, seen, sample->p);
  for (size_t j = 0; j < n; j++) mean[j] = 0;
  for (size_t k = 0; k < sample->n_singles; k++) {
    size_t i = sprint__sample_single(sample, k);
    while (i >= sample->start[c + 1]) c++;
    sprint__sample_record(sample, theta, seen, i, sample->row);
    double length = sprint__length(sample->row, n), weight = sample->p[c];
    squares += weight * length * length;
    for (size_t j = 0; j < n; j++) mean[j] += weight * sample->row[j];
  }
  double length = sprint__length(mean, n), rows = (double)sample->n_singles;
  struct point at = {length * length, fmax(0, squares - length * length)};
  if (!sample->whole && rows > 1) {
    at.V *= rows / (rows - 1);
    at.G = fmax(0, at.G - at.V / rows);
  }
  return at;
}

/* The line V = intercept + slope G, neither below 0, of the least squares. */
static void fit(const struct point *points, size_t n, double *ret_intercept, double *ret_slope) {
  double G = 0, V = 0, GG = 0, GV = 0, count = (double)n;
  for (size_t i = 0; i < n; i++) {
    G += points[i].G / count;
    V += points[i].V / count;
  }
  for (size_t i = 0; i < n; i++) {
    GG += (points[i].G - G) * (points[i].G - G);
    GV += (points[i].G - G) * (points[i].V - V);
  }
  double slope = GG > 0 ? fmax(0, GV / GG) : 0, intercept = V - slope * G;
  if (intercept < 0) { /* the best line through the origin is then the best one allowed */
    double square = 0, product = 0;
    for (size_t i = 0; i < n; i++) {
      square += points[i].G * points[i].G;
      product += points[i].G * points[i].V;
    }
    slope = square > 0 ? product / square : 0;
    intercept = 0;
  }
  *ret_intercept = intercept;
  *ret_slope = slope;
}

static void conclude(const struct point *points, size_t n, sprint_estimates *ret) {
  double intercept = 0, slope = 0, lifted = 0, squares = 0;
  fit(points, n, &intercept, &slope);
  for (size_t i = 0; i < n; i++) {
    double off = points[i].V - intercept - slope * points[i].G;
    squares += off * off;
    lifted = fmax(lifted, points[i].V - slope * points[i].G);
  }
  ret->sigma_0_fit = sqrt(intercept);
  ret->sigma_1_fit = ret->sigma_1 = sqrt(slope);
  ret->sigma_0 = sqrt(lifted);
  ret->sigma_residual = n > 2 ? sqrt(squares / (double)(n - 2)) : 0;
  ret->n_sigma = n;
}

sprint_status sprint__estimate_noise(struct sprint__sample *sample, const sprint_estimate_options *options,
                                     sprint_estimates *ret) {
  SPRINT__SCRATCH(arena, sample->shift->context);
  size_t n = sample->n_params, n_points = 0;
  double reach = options->spread * fmax(1, sqrt(sprint__norm_sq(options->theta, n)));
  double *direction = sprint__arena_take(&arena, n, sizeof *direction);
  double *mean = sprint__arena_take(&arena, n, sizeof *mean);
  sprint_real *theta = sprint__arena_take(&arena, n, sizeof *theta);
  struct point *points = sprint__arena_take(&arena, options->probes + 1, sizeof *points);
  struct sprint__seen seen = sprint__seen_new(&arena, sample);
  SPRINT__TRY(sprint__arena_status(&arena));
  for (size_t i = 0; i <= options->probes; i++) {
    sprint__random_direction(options->seed, FIRST_DIRECTION + i, n, direction);
    sprint__move(options->theta, reach * (double)i / (double)options->probes, direction, n, theta);
    SPRINT__TRY(sprint__sample_see(sample, theta, &seen));
    struct point at = look(sample, theta, &seen, mean);
    if (isfinite(at.G) && isfinite(at.V)) points[n_points++] = at;
  }
  if (n_points == 0)
    return sprint_fail(sample->shift->context, SPRINT_ERROR_INPUT,
                       "no gradient near theta is finite, so that no constant can be estimated");
  conclude(points, n_points, ret);
  return SPRINT_OK;
}
