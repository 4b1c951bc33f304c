/* Groups: as many numbers as one instruction works on. All of it is inlined into functions marked SPRINT__FAST, and so
 * compiled for the processor that they are compiled for. A file that works on each number by itself may ask for groups
 * of 64 bytes, by SPRINT__GROUP_SIZE; it must be compiled for AVX-512 then. */
#ifndef SPRINT_BASE_GROUP_H
#define SPRINT_BASE_GROUP_H

#include <string.h>

#include "base/fast.h"

#define SPRINT__INLINE static inline __attribute__((always_inline))

#ifndef SPRINT__GROUP_SIZE
#define SPRINT__GROUP_SIZE 32
#endif
typedef sprint_real group __attribute__((vector_size(SPRINT__GROUP_SIZE), aligned(4), may_alias));
#ifdef SPRINT_DOUBLE
typedef int64_t group_mask __attribute__((vector_size(SPRINT__GROUP_SIZE)));
#else
typedef int32_t group_mask __attribute__((vector_size(SPRINT__GROUP_SIZE)));
#endif
enum { G = SPRINT__GROUP_SIZE / sizeof(sprint_real) };

SPRINT__INLINE group load(const sprint_real *at) {
  group value;
  memcpy(&value, at, sizeof value);
  return value;
}

SPRINT__INLINE void store(sprint_real *at, group value) { memcpy(at, &value, sizeof value); }

/* Makes gcc forget how an address was worked out: it then counts from there, and does not keep one for every group. */
#define SPRINT__FORGET(pointer) __asm__("" : "+r"(pointer))

/* A macro: gcc makes one broadcast of it in place, and a dozen instructions of an inlined function. */
#define SPRINT__ALL(value) ((value) - (group){0})

/* a where the mask is set, b elsewhere. */
SPRINT__INLINE group blend(group_mask mask, group a, group b) {
  return (group)(((group_mask)a & mask) | ((group_mask)b & ~mask));
}

/* The value where `where` is above 0 or NaN, else 0: a relu's slope times it. */
SPRINT__INLINE group masked(group value, group where) {
  group_mask drop = where <= 0;
  return (group)((group_mask)value & ~drop);
}

/* max(value, 0); a NaN stays one. */
SPRINT__INLINE group positive(group value) { return masked(value, value); }

/* The value, or, where `adds`, its sum with what is there, goes to `at`. */
SPRINT__INLINE void put(sprint_real *at, group value, bool adds) {
  if (adds) value += load(at);
  store(at, value);
}

/* The same for a group of a row's columns at .. at+G, of which those before `first` are another group's, and stay. */
SPRINT__INLINE void put_rest(sprint_real *row, size_t at, size_t first, group value, bool adds) {
  if (at == first) {
    put(row + at, value, adds);
    return;
  }
  for (size_t g = first - at; g < G; g++) row[at + g] = value[g] + (adds ? row[at + g] : 0);
}

#if SPRINT__GROUP_SIZE == 32
/* Of a row of n >= G numbers, the last group begins at n - G: those of its numbers that no group before it has. */
SPRINT__INLINE group_mask own_last(size_t n) {
#ifdef SPRINT_DOUBLE
  group_mask number = {0, 1, 2, 3};
  return number >= (int64_t)((G - n % G) % G);
#else
  group_mask number = {0, 1, 2, 3, 4, 5, 6, 7};
  return number >= (int32_t)((G - n % G) % G);
#endif
}

/* The value where the mask is set, else 0. */
SPRINT__INLINE group only(group_mask mask, group value) { return (group)((group_mask)value & mask); }

/* Its numbers added up: neighbours, then pairs, then fours. */
SPRINT__INLINE sprint_real total(group value) {
#ifdef SPRINT_DOUBLE
  value += __builtin_shufflevector(value, value, 1, 0, 3, 2);
  return value[0] + value[2];
#else
  value += __builtin_shufflevector(value, value, 1, 0, 3, 2, 5, 4, 7, 6);
  value += __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5);
  return value[0] + value[4];
#endif
}

/* The totals of G groups, as a group; each as total() has it. */
SPRINT__INLINE group totals(const group rows[G]) {
#ifdef SPRINT_DOUBLE
  group a =
      __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6) + __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
  group b =
      __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6) + __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
#else
  group pairs[4], fours[2];
  for (int k = 0; k < 4; k++)
    pairs[k] = __builtin_shufflevector(rows[2 * k], rows[2 * k + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(rows[2 * k], rows[2 * k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  for (int k = 0; k < 2; k++)
    fours[k] = __builtin_shufflevector(pairs[2 * k], pairs[2 * k + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(pairs[2 * k], pairs[2 * k + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  return __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
#endif
}

/* Which numbers of two groups go to the first and to the second of them, where those `step` apart change places. */
#ifdef SPRINT_DOUBLE
#define SPRINT__FIRST_2  0, 1, 4, 5
#define SPRINT__SECOND_2 2, 3, 6, 7
#define SPRINT__FIRST_1  0, 4, 2, 6
#define SPRINT__SECOND_1 1, 5, 3, 7
#else
#define SPRINT__FIRST_4  0, 1, 2, 3, 8, 9, 10, 11
#define SPRINT__SECOND_4 4, 5, 6, 7, 12, 13, 14, 15
#define SPRINT__FIRST_2  0, 1, 8, 9, 4, 5, 12, 13
#define SPRINT__SECOND_2 2, 3, 10, 11, 6, 7, 14, 15
#define SPRINT__FIRST_1  0, 8, 2, 10, 4, 12, 6, 14
#define SPRINT__SECOND_1 1, 9, 3, 11, 5, 13, 7, 15
#endif
#define SPRINT__EXCHANGE(STEP)                                             \
  _Pragma("GCC unroll 8") for (size_t r = 0; r < G; r++) {                 \
    if (r & STEP) continue;                                                \
    group a = rows[r], b = rows[r + STEP];                                 \
    rows[r] = __builtin_shufflevector(a, b, SPRINT__FIRST_##STEP);         \
    rows[r + STEP] = __builtin_shufflevector(a, b, SPRINT__SECOND_##STEP); \
  }

/* Turns a square of G rows round: number k of row r becomes number r of row k. */
SPRINT__INLINE void turn_square(group rows[G]) {
#ifndef SPRINT_DOUBLE
  SPRINT__EXCHANGE(4)
#endif
  SPRINT__EXCHANGE(2)
  SPRINT__EXCHANGE(1)
}
#endif

#endif
