/* Activations by groups of 32 bytes: see activation.h. */
#include "base/fast.h"

#define SWEEP_FAST SPRINT__FAST
#define SWEEPS     sprint__sweeps
#include "model/activation_sweep.h"
