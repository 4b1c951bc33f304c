/* What shifts around another shift share: the shift within, calling it, and everybody's response to it. */
#ifndef SPRINT_SHIFT_WRAP_H
#define SPRINT_SHIFT_WRAP_H

#include "shift/shift.h"

/* Calls part->ops->OP and counts the evaluations of the part as the shift's. */
#define SPRINT__CALL_PART(SHIFT, PART, OP, ...)        \
  do {                                                 \
    uint64_t before__ = (PART)->evals;                 \
    SPRINT__TRY((PART)->ops->OP((PART), __VA_ARGS__)); \
    (SHIFT)->evals += (PART)->evals - before__;        \
  } while (0)

struct sprint__wrap {
  sprint_shift *shift, *inner;
  size_t piece;   /* rows */
  uint32_t *who;  /* (piece) */
  sprint_real *x; /* (piece, d) */
};

/* The shift within is that of the section's `of`, and the only part. One whose people remember where they stand is
 * refused: they would stand in two places. */
sprint_status sprint__wrap_new(sprint_shift *shift, const struct sprint__section *section,
                               struct sprint__wrap *ret_wrap);

/* Works out everybody's response to theta by the shift within, and hands it over piece by piece: n individuals from
 * number `start` on, x (n, d), which may be written over. */
typedef void (*sprint__wrap_take)(void *user, size_t start, size_t n, sprint_real *x);
sprint_status sprint__wrap_everybody(const struct sprint__wrap *wrap, const sprint_real *theta, sprint__wrap_take take,
                                     void *user);

#endif
