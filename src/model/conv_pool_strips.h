/* Inner loops of conv_pool_forward.c and conv_pool_backward.c: text for groups of either size. conv_pool_wide.c has it
 * for 64 bytes. A row of a window is cut into strips whose sums fill the registers. */
#ifndef SPRINT_MODEL_CONV_POOL_STRIPS_H
#define SPRINT_MODEL_CONV_POOL_STRIPS_H

#include "model/conv_pool.h"

/* Two groups of outputs at a time: of one pool and two groups of filters, `apart` numbers from one to the other, or of
 * two pools beside each other; or one. */
enum ways { ONE, TWO_GROUPS, TWO_POOLS };

/* sums[q] = bias + window q . filter; `step`: from the weights of a number of the window to those of the next. */
SPRINT__INLINE void convolve(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *weights,
                             size_t apart, size_t step, const sprint_real *bias, enum ways way,
                             group sums[2][SPRINT__POOLED]) {
  group a[SPRINT__POOLED], b[SPRINT__POOLED];
  for (int q = 0; q < SPRINT__POOLED; q++) {
    a[q] = load(bias);
    b[q] = way == TWO_GROUPS ? load(bias + G) : a[q];
  }
  for (size_t ky = 0; ky < of->kernel_rows; ky++, x += of->line) {
    const sprint_real *corners[SPRINT__POOLED] = {x, x + of->channels, x + of->line, x + of->line + of->channels};
    for (size_t j = 0; j < of->run; j++, weights += step) {
      group w = load(weights), v = way == TWO_GROUPS ? load(weights + apart) : w;
#pragma GCC unroll 4
      for (int q = 0; q < SPRINT__POOLED; q++) {
        group factor = SPRINT__ALL(corners[q][j]);
        a[q] += factor * w;
        if (way == TWO_GROUPS) b[q] += factor * v;
        if (way == TWO_POOLS) b[q] += SPRINT__ALL(corners[q][j + 2 * of->channels]) * w;
      }
    }
  }
  for (int q = 0; q < SPRINT__POOLED; q++) {
    sums[0][q] = a[q];
    sums[1][q] = b[q];
  }
}

/* All pools of an image for the group of filters from f on, or two. */
SPRINT__INLINE void pool_image(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *weights,
                               size_t apart, size_t step, const sprint_real *bias, size_t f, int groups,
                               sprint_real *ret_y, unsigned char *ret_codes) {
  weights += f * of->kernel_rows * of->run;
  for (size_t r = 0; r < of->rows; r++)
    for (size_t c = 0, pools; c < of->columns; c += pools) {
      size_t to = (r * of->columns + c) * of->lanes + f;
      const sprint_real *at = x + sprint__window_at(of, r, c, 0);
      group sums[2][SPRINT__POOLED];
      pools = groups == 1 && c + 1 < of->columns ? 2 : 1;
      if (groups > 1)
        convolve(of, at, weights, apart, step, bias + f, TWO_GROUPS, sums);
      else if (pools > 1)
        convolve(of, at, weights, 0, step, bias + f, TWO_POOLS, sums);
      else
        convolve(of, at, weights, 0, step, bias + f, ONE, sums);
      sprint__pool(sums[0], ret_y + to, ret_codes + to);
      if (groups > 1) sprint__pool(sums[1], ret_y + to + G, ret_codes + to + G);
      if (pools > 1) sprint__pool(sums[1], ret_y + to + of->lanes, ret_codes + to + of->lanes);
    }
}

/* Sums that one strip keeps in registers, beside a factor and what is being loaded. */
enum { STRIP = 12 };

/* to[rows][groups] += sum over n hits of value * window, the window's rows `line` apart. */
SPRINT__INLINE void add_windows(const struct sprint__hits *hits, size_t n, const sprint_real *x, size_t line,
                                sprint_real *to, size_t to_line, size_t rows, size_t groups) {
  group sums[STRIP];
#pragma GCC unroll 12
  for (size_t s = 0; s < rows * groups; s++) sums[s] = load(to + s / groups * to_line + s % groups * G);
  for (size_t i = 0; i < n; i++) {
    const sprint_real *window = x + hits->at[i];
    group factor = SPRINT__ALL(hits->values[i]);
#pragma GCC unroll 3
    for (size_t r = 0; r < rows; r++, window += line) {
      SPRINT__FORGET(window);
#pragma GCC unroll 12
      for (size_t g = 0; g < groups; g++) sums[r * groups + g] += factor * load(window + g * G);
    }
  }
#pragma GCC unroll 12
  for (size_t s = 0; s < rows * groups; s++) store(to + s / groups * to_line + s % groups * G, sums[s]);
}

/* The same for a window of any size. Short rows go three at a time: a few sums alone would wait for themselves. */
SPRINT__INLINE void add_hits(const struct sprint__conv_pool *of, const struct sprint__hits *hits, size_t n,
                             const sprint_real *x, sprint_real *dw) {
  size_t room = of->run_room, line = of->line, ky = 0;
  for (; room <= 4 * G && ky + 3 <= of->kernel_rows; ky += 3, x += 3 * line, dw += 3 * room) {
    if (room == 4 * G)
      add_windows(hits, n, x, line, dw, room, 3, 4);
    else if (room == 3 * G)
      add_windows(hits, n, x, line, dw, room, 3, 3);
    else if (room == 2 * G)
      add_windows(hits, n, x, line, dw, room, 3, 2);
    else
      add_windows(hits, n, x, line, dw, room, 3, 1);
  }
  for (; ky < of->kernel_rows; ky++, x += line, dw += room) {
    size_t at = 0;
    for (; at + STRIP * G <= room; at += STRIP * G) add_windows(hits, n, x + at, line, dw + at, room, 1, STRIP);
    for (; at + 4 * G <= room; at += 4 * G) add_windows(hits, n, x + at, line, dw + at, room, 1, 4);
    for (; at < room; at += G) add_windows(hits, n, x + at, line, dw + at, room, 1, 1);
  }
}

/* to[groups] += sum over the filters in `bits` of dy * weights. */
SPRINT__INLINE void add_filters(uint64_t bits, const sprint_real *dy, const sprint_real *weights, size_t room,
                                sprint_real *to, size_t groups) {
  group sums[STRIP];
#pragma GCC unroll 12
  for (size_t s = 0; s < groups; s++) sums[s] = load(to + s * G);
  for (; bits; bits &= bits - 1) {
    size_t f = (size_t)__builtin_ctzll(bits);
    const sprint_real *w = weights + f * room;
    group factor = SPRINT__ALL(dy[f]);
    SPRINT__FORGET(w);
#pragma GCC unroll 12
    for (size_t s = 0; s < groups; s++) sums[s] += factor * load(w + s * G);
  }
#pragma GCC unroll 12
  for (size_t s = 0; s < groups; s++) store(to + s * G, sums[s]);
}

/* One row of the windows of up to 64 filters, which stays in cache for all of the image. */
SPRINT__INLINE void add_row(const struct sprint__conv_pool *of, const sprint_real *dy, const uint64_t *bits,
                            const sprint_real *w, sprint_real *dx) {
  size_t room = of->run_room;
  for (size_t r = 0; r < of->rows; r++)
    for (size_t c = 0; c < of->columns; c++, dy += of->lanes)
      for (size_t q = 0; q < SPRINT__POOLED; q++, bits++) {
        sprint_real *to = dx + sprint__window_at(of, r, c, q);
        size_t at = 0;
        for (; at + STRIP * G <= room; at += STRIP * G) add_filters(*bits, dy, w + at, room, to + at, STRIP);
        for (; at + 4 * G <= room; at += 4 * G) add_filters(*bits, dy, w + at, room, to + at, 4);
        for (; at + 2 * G <= room; at += 2 * G) add_filters(*bits, dy, w + at, room, to + at, 2);
        for (; at < room; at += G) add_filters(*bits, dy, w + at, room, to + at, 1);
      }
}

#endif
