/* OpenBLAS's choice of kernels, where it is a poor one: see sprint_blas_better_core in sprint.h. */
#include <cblas.h>
#include <stddef.h>
#include <string.h>

#include "sprint.h"

/* What OpenBLAS falls back to for a processor that is younger than it is: vectors of 16 bytes. Where it has been asked
 * for, by OPENBLAS_CORETYPE, its name is the same. */
#define FALLBACK "Prescott"

const char *sprint_blas_better_core(void) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SPRINT_PORTABLE)
  if (strcmp(openblas_get_corename(), FALLBACK) != 0) return NULL;
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512cd");
  if (avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return NULL;
}
