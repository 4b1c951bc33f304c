/* The machine's sgemm rate: C = A B, 2048 square, by OpenBLAS, the best of a few; prints GFLOP/s for the given threads. */
#define _POSIX_C_SOURCE 199309L
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 2048, TRIES = 7 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  openblas_set_num_threads(argc > 1 ? atoi(argv[1]) : 1);
  const size_t size = (size_t)SIDE * SIDE;
  float *a = malloc(3 * size * sizeof *a);
  if (!a) return 1;
  for (size_t i = 0; i < 3 * size; i++) a[i] = (float)(i % 7) - 3;
  double best = 1e30;
  for (int k = 0; k < TRIES; k++) {
    const double start = now();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, a, SIDE, a + size, SIDE, 0, a + 2 * size,
                SIDE);
    const double seconds = now() - start;
    if (seconds < best) best = seconds;
  }
  printf("%.1f\n", 2.0 * SIDE * SIDE * SIDE / best * 1e-9);
  free(a);
  return 0;
}
