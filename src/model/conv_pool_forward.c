/* Forward kernel of conv_pool.h: the four outputs of a window for two groups of filters at a time, in registers, from
 * the convolution to the largest of them. */
#include "model/conv_pool.h"

/* sums[g][q] = bias + window q . filter, for `groups` (1 or 2) groups of filters. */
SPRINT__INLINE void convolve(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *weights,
                             const sprint_real *bias, int groups, group sums[2][SPRINT__POOLED]) {
  group a[SPRINT__POOLED], b[SPRINT__POOLED];
  for (int q = 0; q < SPRINT__POOLED; q++) {
    a[q] = load(bias);
    b[q] = groups > 1 ? load(bias + G) : a[q];
  }
  for (size_t ky = 0; ky < of->kernel_rows; ky++, x += of->line) {
    const sprint_real *corners[SPRINT__POOLED] = {x, x + of->channels, x + of->line, x + of->line + of->channels};
    for (size_t j = 0; j < of->run; j++, weights += groups * G) {
      group w = load(weights), v = groups > 1 ? load(weights + G) : w;
#pragma GCC unroll 4
      for (int q = 0; q < SPRINT__POOLED; q++) {
        group factor = SPRINT__ALL(corners[q][j]);
        a[q] += factor * w;
        if (groups > 1) b[q] += factor * v;
      }
    }
  }
  for (int q = 0; q < SPRINT__POOLED; q++) {
    sums[0][q] = a[q];
    sums[1][q] = b[q];
  }
}

/* The filters outside, so that those of two groups stay in cache for all of the image. */
SPRINT__FAST void sprint__conv_pool_forward(const struct sprint__conv_pool *of, const sprint_real *x,
                                            const sprint_real *weights, const sprint_real *bias, sprint_real *ret_y,
                                            unsigned char *ret_codes) {
  for (size_t f = 0; f < of->lanes; f += 2 * G)
    for (size_t r = 0; r < of->rows; r++)
      for (size_t c = 0; c < of->columns; c++) {
        const sprint_real *at = x + sprint__window_at(of, r, c, 0);
        size_t to = (r * of->columns + c) * of->lanes + f;
        const sprint_real *panel = weights + f * of->kernel_rows * of->run;
        group sums[2][SPRINT__POOLED];
        if (of->lanes - f > G)
          convolve(of, at, panel, bias + f, 2, sums);
        else
          convolve(of, at, panel, bias + f, 1, sums);
        sprint__pool(sums[0], ret_y + to, ret_codes + to);
        if (of->lanes - f > G) sprint__pool(sums[1], ret_y + to + G, ret_codes + to + G);
      }
}
