/* Snapshots: who an estimator looks at where it wants the gradient of all: everybody, or a sample of so many. */
#ifndef SPRINT_SOLVER_SNAPSHOT_H
#define SPRINT_SOLVER_SNAPSHOT_H

#include "config/section.h"
#include "solver/strata.h"

enum sprint__snapshot_kind {
  SPRINT__SNAPSHOT_FULL,
  SPRINT__SNAPSHOT_FIXED,
  SPRINT__SNAPSHOT_GROWING,
  SPRINT__SNAPSHOT_ADAPTIVE
};

struct sprint__snapshot {
  enum sprint__snapshot_kind kind;
  double sample, growth, most; /* records: B, B_0 a^s, never more than */
  double fraction;
  uint64_t taken; /* snapshots so far, s */

  /* Of the one that is being taken, where it goes by its own variance: */
  struct sprint__strata_sums sums; /* of all its pieces */
  size_t pieces;
  double squares; /* the sum over pieces of |mean gradient|^2 */
};

/* Keys of a method that takes snapshots. */
#define SPRINT__SNAPSHOT_PARAMS                                                                              \
  SPRINT__CHOICE(                                                                                            \
      "snapshot", "full", "full|fixed|growing|adaptive",                                                     \
      "who a snapshot looks at: everybody; `sample` records; sample * growth^s of them in epoch s; so many " \
      "that the variance of its gradient is below `fraction` of its square"),                                \
      SPRINT__INTEGER("sample", "1000", 2, 1e9,                                                              \
                      "records of a sampled snapshot, B; of a growing one the first, B_0; "                  \
                      "of an adaptive one, those of a piece"),                                               \
      SPRINT__REAL("growth", "2", 1, 1e3, "of growing snapshots: how many times as many each time, a"),      \
      SPRINT__REAL("fraction", "0.1", 1e-9, 1e9, "of adaptive snapshots"),                                   \
      SPRINT__INTEGER("most", "1000000", 2, 1e9,                                                             \
                      "records of a sampled snapshot, at most; where the population ends, "                  \
                      "never more than there are people")

/* Reads the section of the solver's method. */
sprint_status sprint__snapshot_setup(sprint_solver *solver, const struct sprint__section *section,
                                     struct sprint__snapshot *ret_snapshot);

/* What the snapshot wants next: kind and n. */
void sprint__snapshot_want(const sprint_solver *solver, const struct sprint__snapshot *snapshot, sprint_want *ret_want);

/* What was told is part of it. Returns its sums once it is whole; NULL: it wants more. */
const struct sprint__strata_sums *sprint__snapshot_tell(sprint_solver *solver, struct sprint__snapshot *snapshot,
                                                        const struct sprint__strata_sums *told);

/* What goes on: how many there were, and of the one that is being taken what it has. */
void sprint__snapshot_state(struct sprint__snapshot *snapshot, struct sprint__state *state);

#endif
