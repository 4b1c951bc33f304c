/* What OpenBLAS makes of matrix products: sgemm THREADS [OP:MxNxK ...], OP two of N and T, for C = op(A) op(B), C of M
 * x N. Without products the machine's rate: 2048 square, in GFLOP/s. With products: seconds of each, a line each, the
 * best of a few. THREADS `cpu` is one thread by processor seconds. */
#define _POSIX_C_SOURCE 199309L
#include <cblas.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 2048, TRIES = 4 };
static const double PATIENCE = 0.005; /* seconds for a product, or TRIES of it where that is longer */

struct product {
  char a, b;
  int m, n, k;
};

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec t;
  clock_gettime(clock_used, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best seconds of a product; below 0: no memory. */
static double seconds_of(struct product p) {
  const size_t m = (size_t)p.m, n = (size_t)p.n, k = (size_t)p.k, size = m * k + k * n + m * n;
  float *a = malloc(size * sizeof *a);
  if (!a) return -1;
  for (size_t i = 0; i < size; i++) a[i] = (float)(i % 7) - 3;
  double best = 1e30, end = now() + PATIENCE;
  for (int tries = 0; tries < TRIES || now() < end; tries++) {
    const double start = now();
    cblas_sgemm(CblasRowMajor, p.a == 'T' ? CblasTrans : CblasNoTrans, p.b == 'T' ? CblasTrans : CblasNoTrans, p.m, p.n,
                p.k, 1, a, p.a == 'T' ? p.m : p.k, a + m * k, p.b == 'T' ? p.k : p.n, 0, a + m * k + k * n, p.n);
    const double seconds = now() - start;
    if (seconds < best) best = seconds;
  }
  free(a);
  return best;
}

int main(int argc, char **argv) {
  const bool cpu = argc > 1 && !strcmp(argv[1], "cpu");
  if (cpu) clock_used = CLOCK_PROCESS_CPUTIME_ID;
  openblas_set_num_threads(argc > 1 && !cpu ? atoi(argv[1]) : 1);
  if (argc <= 2)
    printf("%.1f\n", 2.0 * SIDE * SIDE * SIDE * 1e-9 / seconds_of((struct product){'N', 'N', SIDE, SIDE, SIDE}));
  for (int i = 2; i < argc; i++) {
    struct product p;
    if (sscanf(argv[i], "%c%c:%dx%dx%d", &p.a, &p.b, &p.m, &p.n, &p.k) != 5 || p.m < 1 || p.n < 1 || p.k < 1) {
      fprintf(stderr, "sgemm: `%s` is no product such as NT:64x128x784\n", argv[i]);
      return 2;
    }
    printf("%.9f\n", seconds_of(p));
  }
  return 0;
}
