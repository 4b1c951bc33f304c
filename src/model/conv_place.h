/* The outputs of a convolution one after the other, for kernels that work on a few of them at a time. */
#ifndef SPRINT_MODEL_CONV_PLACE_H
#define SPRINT_MODEL_CONV_PLACE_H

#include "model/conv.h"

/* An output and where its window is. */
struct place {
  size_t column, top; /* top: the line of the image that its window begins with */
  const sprint_real *x, *row_x;
  sprint_real *y, *row_y;
};

/* `places` further, which is at most to the end of the row. */
SPRINT__INLINE void next_place(const struct sprint__conv *of, struct place *at, size_t places) {
  at->x += places * of->across;
  at->y += places * of->to_across;
  if ((at->column += places) < of->columns) return;
  at->column = 0;
  at->top += of->lines_down;
  at->x = at->row_x += of->down;
  at->y = at->row_y += of->to_down;
}

/* See take_tile. The line that the last place's window begins with. */
SPRINT__INLINE size_t take_places(const struct sprint__conv *of, struct place *at, size_t used, size_t places,
                                  const sprint_real **x, sprint_real **y) {
  size_t top = at->top;
  if (used == places && at->column + places <= of->columns) { /* which is usual, and quicker */
    for (size_t p = 0; p < places; p++) {
      x[p] = at->x + p * of->across;
      y[p] = at->y + p * of->to_across;
    }
    next_place(of, at, places);
    return top;
  }
  for (size_t p = 0; p < places; p++) {
    x[p] = p < used ? at->x : x[p - 1];
    y[p] = p < used ? at->y : y[p - 1];
    if (p >= used) continue;
    top = at->top;
    next_place(of, at, 1);
  }
  return top;
}

/* The first `used` of as many places as a tile has, and on to those behind them; the rest are the last one again. Rows
 * of their windows from *ret_ky up to what is returned are not zeros for all of them. */
SPRINT__INLINE size_t take_tile(const struct sprint__conv *of, struct place *at, size_t used, size_t places,
                                const sprint_real **x, sprint_real **y, size_t *ret_ky) {
  size_t end = of->end > at->top ? of->end - at->top : 0, top = take_places(of, at, used, places, x, y);
  *ret_ky = of->blank > top ? of->blank - top : 0;
  return end < of->kernel_rows ? end : of->kernel_rows;
}

/* Where the numbers k, k + 1, .. of a window are in the first output's, `used` of as many as a tile has; the rest are
 * the last one again. A number takes `size` reals. */
SPRINT__INLINE void take_numbers(const struct sprint__conv *of, const sprint_real *x, size_t k, size_t used,
                                 size_t places, size_t size, const sprint_real **from) {
  size_t row = k * size / of->run, at = k * size % of->run;
  for (size_t p = 0; p < places; p++) {
    from[p] = x + row * of->line + at;
    if (p + 1 >= used || (at += size) < of->run) continue;
    row++;
    at = 0;
  }
}

#endif
