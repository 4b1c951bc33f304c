/* Hot loops are compiled twice, for AVX2 with FMA and for any x86-64, and picked when the program is loaded; by
 * SPRINT_PORTABLE, under AddressSanitizer and by clang once, as everything else is. */
#ifndef SPRINT_BASE_FAST_H
#define SPRINT_BASE_FAST_H

#include "sprint.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(SPRINT_PORTABLE)
#define SPRINT__FAST  __attribute__((target_clones("arch=x86-64-v3", "default")))
#define SPRINT__TWICE 1
#else
#define SPRINT__FAST
#define SPRINT__TWICE 0
#endif

/* Numbers of a group, which one instruction works on where the machine has such instructions: see group.h. */
enum { SPRINT__GROUP = 32 / sizeof(sprint_real) };

#endif
