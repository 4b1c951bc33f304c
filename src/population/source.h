/* Sources: where the records of a population without end come from. What such a population holds itself is its window:
 * its first records, which give shape, names, frequencies and scales, and on which it is evaluated. They are not handed
 * out again. */
#ifndef SPRINT_POPULATION_SOURCE_H
#define SPRINT_POPULATION_SOURCE_H

#include "base/random.h"
#include "population/build.h"

struct sprint__tap;

struct sprint__source_ops {
  /* A run's own way to the records. Nothing is read yet. */
  sprint_status (*open)(struct sprint__tap *tap);
  void (*close)(struct sprint__tap *tap);
  /* The next n base records, ready to be used: ret_x (n, d), ret_y (n). A generator makes those that `draws` names; a
   * stream goes on. *ret_n < n: there are no more, and tap->ending says why. */
  sprint_status (*read)(struct sprint__tap *tap, const struct sprint__draws *draws, size_t n, sprint_real *ret_x,
                        sprint_real *ret_y, size_t *ret_n);
  void (*free)(struct sprint__source *source);
  bool again; /* the same records can be had again, by any number of runs, for ever */
};

struct sprint__source {
  const struct sprint__source_ops *ops;
  sprint_context *context;
  const sprint_population *population; /* whose it is: how raw columns become features */
  void *impl;
  bool once; /* a single run can read it */
};

/* Called while a stream waits; false: do not wait any longer. */
struct sprint__idle {
  bool (*go_on)(void *user);
  void *user;
};

struct sprint__tap {
  struct sprint__source *source;
  void *impl;
  uint64_t n_read; /* records that came out of it */
  sprint_stop ending;
  struct sprint__idle idle;
};

sprint_status sprint__tap_open(struct sprint__source *source, struct sprint__tap **ret_tap);
void sprint__tap_close(struct sprint__tap *tap);
sprint_status sprint__tap_read(struct sprint__tap *tap, const struct sprint__draws *draws, size_t n, sprint_real *ret_x,
                               sprint_real *ret_y, size_t *ret_n);

void sprint__source_free(struct sprint__source *source);
SPRINT__FREE_AT(sprint__source_free, struct sprint__source)

/* The source that makes rows by `make` of `state`, which is the source's from now on, even on failure. A run's draws
 * are of the rows of all numbers below 2^63. */
sprint_status sprint__source_made(sprint_context *context, sprint__make_row make, void *state,
                                  struct sprint__source **ret_source);

/* The keys of generators, and what they say of the table: how many rows it has, whether they are a window. */
#define SPRINT__ENDLESS                                                                        \
  SPRINT__FLAG("endless", "false", "a population without end: every draw is of somebody new"), \
      SPRINT__INTEGER("window", "10000", 10, 1e8,                                              \
                      "with endless: the records that are evaluated, and that give frequencies and scales")
sprint_status sprint__table_size(const struct sprint__section *section, struct sprint__table *table);

#endif
