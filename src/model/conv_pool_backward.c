/* Backward kernels of conv_pool.h: sums over the outputs that have a gradient, one of a window of four at most. A row
 * of a window is cut into strips whose sums fill the registers. */
#include "model/conv_pool.h"

/* Sums that one strip keeps in registers, beside a factor and what is being loaded. */
enum { STRIP = 12 };

/* Bytes of the padded image that the weights' gradient goes over again and again: of the first cache most. */
enum { BAND_SIZE = 24 * 1024 };

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
SPRINT__INLINE void add_all(const struct sprint__conv_pool *of, const struct sprint__hits *hits, size_t n,
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

/* The hits of SPRINT__LISTED filters within rows first .. end-1 of pools, each list `room` behind the one before. */
SPRINT__INLINE void find_hits(const struct sprint__conv_pool *of, const sprint_real *dy, const unsigned char *codes,
                              size_t first, size_t end, const struct sprint__hits *hits, size_t room, size_t *ret_n) {
  uint32_t shift[SPRINT__POOLED + 1] = {0};
  size_t n[SPRINT__LISTED] = {0}, p = first * of->columns * of->lanes;
  for (size_t q = 0; q < SPRINT__POOLED; q++) shift[q] = (uint32_t)sprint__window_at(of, 0, 0, q);
  for (size_t r = first; r < end; r++)
    for (size_t c = 0; c < of->columns; c++, p += of->lanes) {
      uint32_t window = (uint32_t)sprint__window_at(of, r, c, 0);
#pragma GCC unroll 8
      for (size_t k = 0; k < SPRINT__LISTED; k++) {
        unsigned char code = codes[p + k];
        hits->at[k * room + n[k]] = window + shift[code];
        hits->values[k * room + n[k]] = dy[p + k];
        n[k] += code != SPRINT__DEAD;
      }
    }
  memcpy(ret_n, n, sizeof n);
}

/* The sum of n values, behind which there is room for a group. */
SPRINT__INLINE sprint_real sum_of(sprint_real *values, size_t n) {
  group sums = SPRINT__ALL(0);
  store(values + n, sums);
  for (size_t i = 0; i < n; i += G) sums += load(values + i);
  return total(sums);
}

SPRINT__FAST void sprint__conv_pool_weight(const struct sprint__conv_pool *of, const sprint_real *x,
                                           const sprint_real *dy, const unsigned char *codes,
                                           const struct sprint__hits *hits, sprint_real *dw, sprint_real *db) {
  size_t lines = BAND_SIZE / (of->line * sizeof *x);
  size_t band = lines < of->kernel_rows + 3 ? 1 : (lines - of->kernel_rows + 1) / 2;
  size_t room = of->rows * of->columns + G, n[SPRINT__LISTED];
  for (size_t r = 0; r < of->rows; r += band)
    for (size_t f = 0; f < of->filters; f += SPRINT__LISTED) {
      find_hits(of, dy + f, codes + f, r, r + band < of->rows ? r + band : of->rows, hits, room, n);
      for (size_t k = 0; k < SPRINT__LISTED && f + k < of->filters; k++) {
        struct sprint__hits own = {hits->at + k * room, hits->values + k * room};
        db[f + k] += sum_of(own.values, n[k]);
        add_all(of, &own, n[k], x, dw + (f + k) * of->kernel_rows * of->run_room);
      }
    }
}

/* Which of eight codes, a byte each, are q: one bit for each. */
static inline uint64_t equal_bits(uint64_t codes, uint64_t q) {
  uint64_t differs = (codes ^ q * 0x0101010101010101u) + 0x7f7f7f7f7f7f7f7fu;
  return ((~differs & 0x8080808080808080u) >> 7) * 0x0102040810204080u >> 56;
}

/* Which of 64 filters (or what is left of them) chose output q. */
static inline uint64_t choosers(const unsigned char *codes, size_t n, uint64_t q) {
  uint64_t bits = 0;
  for (size_t f = 0; f < n && f < 64; f += 8) {
    const unsigned char *c = codes + f;
    uint64_t eight = c[0] | (uint64_t)c[1] << 8 | (uint64_t)c[2] << 16 | (uint64_t)c[3] << 24 | (uint64_t)c[4] << 32 |
                     (uint64_t)c[5] << 40 | (uint64_t)c[6] << 48 | (uint64_t)c[7] << 56;
    bits |= equal_bits(eight, q) << f;
  }
  return bits;
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

SPRINT__FAST void sprint__conv_pool_input(const struct sprint__conv_pool *of, const sprint_real *dy,
                                          const unsigned char *codes, const sprint_real *weights, uint64_t *bits,
                                          sprint_real *dx) {
  for (size_t first = 0; first < of->filters; first += 64) {
    for (size_t p = 0; p < of->rows * of->columns; p++)
      for (size_t q = 0; q < SPRINT__POOLED; q++)
        bits[p * SPRINT__POOLED + q] = choosers(codes + p * of->lanes + first, of->lanes - first, q);
    for (size_t ky = 0; ky < of->kernel_rows; ky++)
      add_row(of, dy + first, bits, weights + (ky * of->filters + first) * of->run_room, dx + ky * of->line);
  }
}
