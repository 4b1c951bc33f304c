/* Activations by groups of 64 bytes, for processors with AVX-512: see activation.h. */
#include "base/fast.h"

#define SWEEPS sprint__wide_sweeps
#if SPRINT__TWICE
#pragma GCC target("avx512f")
#define SPRINT__GROUP_SIZE 64
#define SWEEP_FAST
#include "model/activation_sweep.h"
#else /* nobody asks for them */
#include "model/activation.h"
const struct sprint__sweep SWEEPS[SPRINT__N_ACTIVATIONS];
#endif
