/* Backward kernels of conv_pool.h: sums over the outputs that have a gradient, one of a window of four at most. A row
 * of a window is cut into strips whose sums fill the registers. */
#include "base/wide.h"
#include "model/conv_pool_strips.h"
#include "model/conv_pool_wide.h"

/* Bytes of the padded image that the weights' gradient goes over again and again: of the first cache most. */
enum { BAND_SIZE = 24 * 1024 };

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
  bool has_wide = sprint__pool_is_wide(of);
  for (size_t r = 0; r < of->rows; r += band)
    for (size_t f = 0; f < of->filters; f += SPRINT__LISTED) {
      find_hits(of, dy + f, codes + f, r, r + band < of->rows ? r + band : of->rows, hits, room, n);
      for (size_t k = 0; k < SPRINT__LISTED && f + k < of->filters; k++) {
        struct sprint__hits own = {hits->at + k * room, hits->values + k * room};
        db[f + k] += sum_of(own.values, n[k]);
        sprint_real *to = dw + (f + k) * of->kernel_rows * of->run_room;
        if (has_wide)
          sprint__wide_add_hits(of, &own, n[k], x, to);
        else
          add_hits(of, &own, n[k], x, to);
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

SPRINT__FAST void sprint__conv_pool_input(const struct sprint__conv_pool *of, const sprint_real *dy,
                                          const unsigned char *codes, const sprint_real *weights, uint64_t *bits,
                                          sprint_real *dx) {
  bool has_wide = sprint__pool_is_wide(of);
  for (size_t first = 0; first < of->filters; first += 64) {
    for (size_t p = 0; p < of->rows * of->columns; p++)
      for (size_t q = 0; q < SPRINT__POOLED; q++)
        bits[p * SPRINT__POOLED + q] = choosers(codes + p * of->lanes + first, of->lanes - first, q);
    for (size_t ky = 0; ky < of->kernel_rows; ky++) {
      const sprint_real *w = weights + (ky * of->filters + first) * of->run_room;
      if (has_wide)
        sprint__wide_add_row(of, dy + first, bits, w, dx + ky * of->line);
      else
        add_row(of, dy + first, bits, w, dx + ky * of->line);
    }
  }
}
