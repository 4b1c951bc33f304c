/* See conv_pool_wide.h. */
#include "base/fast.h"

#if SPRINT__TWICE
#pragma GCC target("avx512f,avx512vl,fma")
#define SPRINT__GROUP_SIZE 64
#include "model/conv_pool_strips.h"
#include "model/conv_pool_wide.h"

/* A panel is one group here; two of them at a time. */
size_t sprint__wide_pool_forward(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *weights,
                                 const sprint_real *bias, sprint_real *ret_y, unsigned char *ret_codes) {
  size_t f = 0, panel = of->kernel_rows * of->run * G;
  for (; f + 2 * G <= of->lanes; f += 2 * G) pool_image(of, x, weights, panel, G, bias, f, 2, ret_y, ret_codes);
  for (; f + G <= of->lanes; f += G) pool_image(of, x, weights, 0, G, bias, f, 1, ret_y, ret_codes);
  return f;
}

void sprint__wide_add_hits(const struct sprint__conv_pool *of, const struct sprint__hits *hits, size_t n,
                           const sprint_real *x, sprint_real *dw) {
  add_hits(of, hits, n, x, dw);
}

void sprint__wide_add_row(const struct sprint__conv_pool *of, const sprint_real *dy, const uint64_t *bits,
                          const sprint_real *w, sprint_real *dx) {
  add_row(of, dy, bits, w, dx);
}

#else /* nobody asks for them */
#include "model/conv_pool_wide.h"

size_t sprint__wide_pool_forward(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *weights,
                                 const sprint_real *bias, sprint_real *ret_y, unsigned char *ret_codes) {
  (void)of, (void)x, (void)weights, (void)bias, (void)ret_y, (void)ret_codes;
  return 0;
}

void sprint__wide_add_hits(const struct sprint__conv_pool *of, const struct sprint__hits *hits, size_t n,
                           const sprint_real *x, sprint_real *dw) {
  (void)of, (void)hits, (void)n, (void)x, (void)dw;
}

void sprint__wide_add_row(const struct sprint__conv_pool *of, const sprint_real *dy, const uint64_t *bits,
                          const sprint_real *w, sprint_real *dx) {
  (void)of, (void)dy, (void)bits, (void)w, (void)dx;
}

#endif
