/* Stable and optimal points of a landscape, between the values of its grid: zeros of slopes that are linear between
 * neighbours, minima of parabolas through them. Both are exact where the risk is quadratic. */
#include <math.h>

#include "report/landscape.h"

/* Where a parabola through (-1, a), (0, b), (1, c) is least, in -1 .. 1; b is the least of the three. */
static double vertex(double a, double b, double c) {
  double curvature = a - 2 * b + c;
  return curvature > 0 ? (a - c) / (2 * curvature) : 0;
}

static double grid_at(const double *axis, size_t n, double index) {
  return axis[0] + index * (axis[n - 1] - axis[0]) / (double)(n - 1);
}

static struct sprint__mark line_optimum(const sprint_landscape *it) {
  size_t best = 0, n = it->n, stride = n + 1; /* along the diagonal */
  for (size_t i = 1; i < n; i++)
    if (it->line[i * stride] < it->line[best * stride]) best = i;
  if (best == 0 || best == n - 1) return (struct sprint__mark){0};
  const double *v = it->line;
  double x = vertex(v[(best - 1) * stride], v[best * stride], v[(best + 1) * stride]);
  return (struct sprint__mark){true, grid_at(it->t, n, (double)best + x), 0, NAN};
}

/* The crossing from below 0 to above that is nearest to t = 0. */
static struct sprint__mark line_stable(const sprint_landscape *it) {
  struct sprint__mark mark = {0};
  for (size_t i = 0; i + 1 < it->n; i++) {
    double a = it->slope[i], b = it->slope[i + 1];
    if (!(a < 0 && b >= 0)) continue;
    double x = a / (a - b), t = grid_at(it->t, it->n, (double)i + x);
    if (mark.there && fabs(mark.t) <= fabs(t)) continue;
    mark = (struct sprint__mark){true, t, 0, NAN};
  }
  return mark;
}

/* Solves (a b; c d) (x y) = -(p q). False: the field that it is the derivative of does not attract there. */
static bool solve(double a, double b, double c, double d, double p, double q, double *ret_x, double *ret_y) {
  double determinant = a * d - b * c;
  if (!(determinant > 0) || !(a + d > 0)) return false;
  *ret_x = (b * q - d * p) / determinant;
  *ret_y = (c * p - a * q) / determinant;
  return true;
}

static struct sprint__mark plane_mark(const sprint_landscape *it, size_t i, size_t j, double x, double y) {
  return (struct sprint__mark){true, grid_at(it->t, it->n, (double)j + x), grid_at(it->w, it->n, (double)i + y), NAN};
}

static bool is_inside(const sprint_landscape *it, size_t i, size_t j) {
  return i > 0 && j > 0 && i + 1 < it->n && j + 1 < it->n;
}

static struct sprint__mark plane_optimum(const sprint_landscape *it) {
  size_t n = it->n, best = 0;
  for (size_t k = 1; k < n * n; k++)
    if (it->plane[k] < it->plane[best]) best = k;
  size_t i = best / n, j = best % n;
  if (!is_inside(it, i, j)) return (struct sprint__mark){0};
  const double *v = &it->plane[best];
  ptrdiff_t up = (ptrdiff_t)n;
  double cross = (v[up + 1] - v[up - 1] - v[1 - up] + v[-1 - up]) / 4, x, y;
  if (!solve(v[1] - 2 * v[0] + v[-1], cross, cross, v[up] - 2 * v[0] + v[-up], (v[1] - v[-1]) / 2, (v[up] - v[-up]) / 2,
             &x, &y) ||
      fabs(x) > 1 || fabs(y) > 1)
    x = y = 0;
  return plane_mark(it, i, j, x, y);
}

/* A zero of the slopes nearer to this grid value than to any other, by their differences between its neighbours. */
static bool stable_near(const sprint_landscape *it, size_t i, size_t j, double *ret_x, double *ret_y) {
  const double *g = &it->slopes[2 * (i * it->n + j)];
  ptrdiff_t right = 2, up = 2 * (ptrdiff_t)it->n;
  double per_t = 2 * (it->t[1] - it->t[0]), per_w = 2 * (it->w[1] - it->w[0]), t, w;
  if (!solve((g[right] - g[-right]) / per_t, (g[up] - g[-up]) / per_w, (g[right + 1] - g[-right + 1]) / per_t,
             (g[up + 1] - g[-up + 1]) / per_w, g[0], g[1], &t, &w))
    return false;
  *ret_x = 2 * t / per_t;
  *ret_y = 2 * w / per_w;
  return fabs(*ret_x) <= 0.5 && fabs(*ret_y) <= 0.5;
}

static struct sprint__mark plane_stable(const sprint_landscape *it) {
  struct sprint__mark mark = {0};
  double x, y;
  for (size_t i = 1; i + 1 < it->n; i++)
    for (size_t j = 1; j + 1 < it->n; j++) {
      if (!stable_near(it, i, j, &x, &y)) continue;
      struct sprint__mark found = plane_mark(it, i, j, x, y);
      if (!mark.there || hypot(found.t, found.w) < hypot(mark.t, mark.w)) mark = found;
    }
  return mark;
}

void sprint__landscape_find(sprint_landscape *landscape) {
  landscape->line_marks[SPRINT_MARK_STABLE] = line_stable(landscape);
  landscape->line_marks[SPRINT_MARK_OPTIMUM] = line_optimum(landscape);
  if (!landscape->plane) return;
  landscape->plane_marks[SPRINT_MARK_STABLE] = plane_stable(landscape);
  landscape->plane_marks[SPRINT_MARK_OPTIMUM] = plane_optimum(landscape);
}
