/* See conv_abreast.h: records side by side in groups of 32 bytes, and which of the two it is. */
#include "base/wide.h"

#define ABREAST_FAST      SPRINT__FAST static
#define ABREAST_MULTIPLY  multiply
#define ABREAST_CORRELATE correlate
#include "model/conv_abreast_sweep.h"

size_t sprint__abreast_most(void) { return sprint__has_wide() ? SPRINT__ABREAST_WIDE : SPRINT__GROUP; }

size_t sprint__abreast_side(size_t n) { return n > SPRINT__GROUP ? sprint__abreast_most() : SPRINT__GROUP; }

bool sprint__abreast_saves(const struct sprint__conv *of, size_t n, size_t cost) {
  size_t records = n < G ? n : G, lines = of->rows * of->lines_down + of->kernel_rows;
  if (lines * of->line + of->rows * of->to_down > SPRINT__ABREAST_MOST) return false;
  bool alone = sprint__conv_lanes(of->filters) == G && sprint__abreast_side(n) > G;
  return (alone ? (size_t)12 : 8) * records * sprint__conv_lanes(of->filters) > cost * of->filters * G;
}

struct sprint__conv sprint__conv_abreast(const struct sprint__conv *of, size_t side) {
  struct sprint__conv all = *of;
  all.down *= side;
  all.across *= side;
  all.run *= side;
  all.line *= side;
  all.to_down *= side;
  all.to_across *= side;
  return all;
}

void sprint__abreast_multiply(const struct sprint__conv *of, size_t side, const sprint_real *x,
                              const sprint_real *weights, const sprint_real *bias, bool relu, sprint_real *y) {
  if (side == SPRINT__ABREAST_WIDE)
    sprint__wide_abreast_multiply(of, x, weights, bias, relu, y);
  else
    multiply(of, x, weights, bias, relu, y);
}

void sprint__abreast_correlate(const struct sprint__conv *of, size_t side, const sprint_real *x, const sprint_real *dy,
                               sprint_real *dw, sprint_real *db) {
  if (side == SPRINT__ABREAST_WIDE)
    sprint__wide_abreast_correlate(of, x, dy, dw, db);
  else
    correlate(of, x, dy, dw, db);
}

SPRINT__FAST void sprint__abreast_total(sprint_real *groups, size_t side, size_t n, sprint_real *ret_sums) {
  for (size_t i = 0; side > G && i < n; i++)
    store(groups + i * G, load(groups + i * side) + load(groups + i * side + G));
  for (size_t i = 0; i < n; i += G) {
    group rows[G];
    for (size_t r = 0; r < G; r++) rows[r] = load(groups + (i + r) * G);
    store(ret_sums + i, totals(rows));
  }
}

void sprint__abreast_place(const struct sprint__shape *shape, bool last, const sprint_real *x, size_t apart, size_t n,
                           size_t side, size_t line, sprint_real *to) {
  size_t channels = shape->channels, width = shape->width, plane = shape->height * width;
  for (size_t r = 0; r < shape->height; r++, to += line * side)
    for (size_t c = 0; c < (last ? 1 : channels); c++)
      if (last)
        sprint__transpose(x + r * width * channels, n, width * channels, apart, side, to);
      else
        sprint__transpose(x + c * plane + r * width, n, width, apart, channels * side, to + c * side);
}

void sprint__abreast_take(const struct sprint__shape *shape, bool last, const sprint_real *from, size_t n, size_t side,
                          size_t apart, sprint_real *x) {
  size_t channels = shape->channels, plane = shape->height * shape->width;
  if (last) sprint__transpose(from, plane * channels, n, side, apart, x);
  for (size_t c = 0; !last && c < channels; c++)
    sprint__transpose(from + c * side, plane, n, channels * side, apart, x + c * plane);
}
