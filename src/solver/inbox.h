/* Records that were told and are not worked on yet: a batch until it is whole, and of a population or sample what does
 * not fill a piece. Rows are worked on in the same pieces whatever the parts that they were told in, so that sums are
 * the same to the bit. */
#ifndef SPRINT_SOLVER_INBOX_H
#define SPRINT_SOLVER_INBOX_H

#include "base/state.h"
#include "population/index.h"

struct sprint__inbox {
  uint64_t request; /* the newest one's number */
  size_t told;      /* records of it */
  unsigned fields;  /* optional arrays that they have, SPRINT__HAS_... */
  struct sprint__index ids;
  uint64_t stale_now, lacking_now; /* among them */
  uint64_t stale, lacking;         /* of requests that are complete */

  /* Rows that wait. Those of a batch whose individuals lack a reference record are at the back of its room, the newest
   * first, so that the others stand together. */
  size_t front, back;
  size_t end;                       /* where the back begins from: rows of the batch, or of a piece */
  size_t room;                      /* rows that there is memory for */
  sprint_real *x, *x_reference, *y; /* (room, d), (room, d), (room) */
  uint32_t *stratum, *who;
  double *weight;
};

enum {
  SPRINT__HAS_REFERENCE = 1,
  SPRINT__HAS_STRATUM = 2,
  SPRINT__HAS_WHO = 4,
  SPRINT__HAS_WEIGHT = 8,
  SPRINT__HAS_ID = 16,
  SPRINT__HAS_ALL = 31
};

/* Of a solver that is told its records. */
sprint_status sprint__inbox_setup(sprint_solver *solver);

/* Refuses a part that has other arrays than those before it. */
sprint_status sprint__inbox_check(const sprint_solver *solver, const sprint_records *records);

/* Room for the rows of a batch, or of a piece, of what is wanted. */
sprint_status sprint__inbox_reserve(sprint_solver *solver);

/* Takes the ids of a part down; refuses, and forgets all of the part, where somebody is there already. */
sprint_status sprint__inbox_add_ids(sprint_solver *solver, const sprint_records *records);

/* Copies the rows start .. start + n, which there is room for. */
void sprint__inbox_hold(sprint_solver *solver, const sprint_records *records, size_t start, size_t n);

/* The rows that wait, lent; of a batch that is whole, the last `back` are those who lack a reference record. */
sprint_records sprint__inbox_records(const sprint_solver *solver);

/* Counts a part as told, and what it has. */
void sprint__inbox_count(sprint_solver *solver, const sprint_records *records);

/* A request is complete; or what was told of it counts for nothing. */
void sprint__inbox_complete(sprint_solver *solver);
void sprint__inbox_clear(sprint_solver *solver);

void sprint__inbox_state(sprint_solver *solver, struct sprint__state *state);

#endif
