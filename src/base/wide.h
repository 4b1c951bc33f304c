/* Vectors of 64 bytes, twice a group, on processors with AVX-512, whose kernels are picked at one door each by
 * sprint__has_wide(); everything here is for functions marked SPRINT__FOR_WIDE. */
#ifndef SPRINT_BASE_WIDE_H
#define SPRINT_BASE_WIDE_H

#include "base/fast.h"

#if SPRINT__TWICE
static inline bool sprint__has_wide(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
}
#else
static inline bool sprint__has_wide(void) { return false; }
#endif

#if SPRINT__TWICE
#include <immintrin.h>

#define SPRINT__FOR_WIDE    __attribute__((target("avx512f,avx512vl,fma")))
#define SPRINT__WIDE_INLINE static inline __attribute__((always_inline, target("avx512f,avx512vl,fma")))

enum { WIDE = 64 / sizeof(sprint_real) };

#ifdef SPRINT_DOUBLE
typedef __m512d wide;
typedef __mmask8 wide_mask;
typedef __m256d half;
#define WIDE_OP(NAME) _mm512_##NAME##_pd
#define HALF_OP(NAME) _mm256_##NAME##_pd
#define WIDE_ABOVE(a) _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NLE_UQ)
#define HALF_ABOVE(a) _mm256_cmp_pd_mask(a, _mm256_setzero_pd(), _CMP_NLE_UQ)
#else
typedef __m512 wide;
typedef __mmask16 wide_mask;
typedef __m256 half;
#define WIDE_OP(NAME) _mm512_##NAME##_ps
#define HALF_OP(NAME) _mm256_##NAME##_ps
#define WIDE_ABOVE(a) _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_NLE_UQ)
#define HALF_ABOVE(a) _mm256_cmp_ps_mask(a, _mm256_setzero_ps(), _CMP_NLE_UQ)
#endif

/* The first n numbers of a vector, n <= WIDE. */
SPRINT__WIDE_INLINE wide_mask wide_first(size_t n) { return (wide_mask)((1u << n) - 1); }

/* Numbers that are not there are zero, and nothing is read or written of them. */
SPRINT__WIDE_INLINE wide wide_load(const sprint_real *at, wide_mask there) { return WIDE_OP(maskz_loadu)(there, at); }
SPRINT__WIDE_INLINE void wide_store(sprint_real *at, wide_mask there, wide value) {
  WIDE_OP(mask_storeu)(at, there, value);
}

/* The value where `where` is above 0 or NaN, else 0; and of all that are below 0, as group.h has them. */
SPRINT__WIDE_INLINE wide wide_masked(wide value, wide where) { return WIDE_OP(maskz_mov)(WIDE_ABOVE(where), value); }
SPRINT__WIDE_INLINE wide wide_positive(wide value) { return wide_masked(value, value); }

/* The same for half of a vector, where the other half would not be used: some processors take half the time for it. */
SPRINT__WIDE_INLINE half half_load(const sprint_real *at, __mmask8 there) { return HALF_OP(maskz_loadu)(there, at); }
SPRINT__WIDE_INLINE void half_store(sprint_real *at, __mmask8 there, half value) {
  HALF_OP(mask_storeu)(at, there, value);
}
SPRINT__WIDE_INLINE half half_masked(half value, half where) { return HALF_OP(maskz_mov)(HALF_ABOVE(where), value); }
SPRINT__WIDE_INLINE half half_positive(half value) { return half_masked(value, value); }
#endif

#endif
