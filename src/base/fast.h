/* Hot loops are compiled twice, for AVX2 with FMA and for any x86-64, and picked when the program is loaded. */
#ifndef SPRINT_BASE_FAST_H
#define SPRINT_BASE_FAST_H

#include "sprint.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SPRINT__FAST __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SPRINT__FAST
#endif

/* A group of numbers that one instruction works on, where the machine has such instructions. */
enum { SPRINT__GROUP = 32 / sizeof(sprint_real) };
typedef sprint_real sprint__group __attribute__((vector_size(32), aligned(4), may_alias));

#endif
