/* Records side by side in groups of 64 bytes, for processors with AVX-512: see conv_abreast.h. */
#include "base/fast.h"

#if SPRINT__TWICE
#pragma GCC target("avx512f,avx512vl,fma")
#define SPRINT__GROUP_SIZE 64
#define ABREAST_FAST
#define ABREAST_MULTIPLY  sprint__wide_abreast_multiply
#define ABREAST_CORRELATE sprint__wide_abreast_correlate
#include "model/conv_abreast_sweep.h"

#else /* nobody asks for them */
#include "model/conv_abreast.h"

void sprint__wide_abreast_multiply(const struct sprint__conv *of, const sprint_real *x, const sprint_real *weights,
                                   const sprint_real *bias, bool relu, sprint_real *y) {
  (void)of, (void)x, (void)weights, (void)bias, (void)relu, (void)y;
}

void sprint__wide_abreast_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                    sprint_real *dw, sprint_real *db) {
  (void)of, (void)x, (void)dy, (void)dw, (void)db;
}

#endif
