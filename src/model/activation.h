/* Activations, element by element: what layer_activation.c shares out, and its kernels. */
#ifndef SPRINT_MODEL_ACTIVATION_H
#define SPRINT_MODEL_ACTIVATION_H

#include "base/lanes.h"

/* Numbers and what becomes of them: f(x), or dy f'(x) from x and y = f(x). */
struct sprint__elements {
  const sprint_real *x, *y, *dy;
  size_t n;
  sprint_real *to;
};

enum sprint__activation {
  SPRINT__RELU,
  SPRINT__TANH,
  SPRINT__SIGMOID,
  SPRINT__SOFTPLUS,
  SPRINT__GELU,
  SPRINT__N_ACTIVATIONS
};

/* Both take the elements as `user`, and rows of so many of them, whole groups but for the last. */
enum { SPRINT__CHUNK = 256 };
struct sprint__sweep {
  sprint__lane_work values, slopes;
};

/* By groups of 32 and of 64 bytes; the latter where sprint__has_wide() alone. To the bit the same. */
extern const struct sprint__sweep sprint__sweeps[SPRINT__N_ACTIVATIONS], sprint__wide_sweeps[SPRINT__N_ACTIVATIONS];

#endif
