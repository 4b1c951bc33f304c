/* What people can do: how far a slope of the score moves them, and the limits that they keep to. docs/people.md has the
 * model behind it: everybody maximises
 *
 *     g . m - sum_j cost_j m_j^2 / (2 alpha_j),     g the slope of the score, m the move in features,
 *
 * over the moves that are allowed: within bounds, to one side, whole numbers, within a budget. */
#ifndef SPRINT_SHIFT_LIMITS_H
#define SPRINT_SHIFT_LIMITS_H

#include "shift/shift.h"

/* Of one column that people can change, in features. */
struct sprint__limit {
  const struct sprint__column *column;
  double alpha;                /* per unit of cost */
  double cost;                 /* relative to other columns */
  double low, high;            /* raw bounds; infinite where there are none */
  sprint_real floor, ceiling;  /* the features that are within them, of all that round either way */
  sprint_real lowest, highest; /* the features of low and high themselves: whoever is beyond was so before */
  bool up, down;               /* one side alone */
  bool whole;                  /* raw values are whole numbers */
};

struct sprint__limits {
  size_t n, *columns;          /* (n) the features that people can change */
  struct sprint__limit *items; /* (n) */
  double budget;               /* the most that sqrt(sum cost m^2) may be; infinite: there is none */
  double most_alpha;           /* of all columns */
  bool even;                   /* one alpha and cost for all, no limits: a move is alpha g */
  bool smooth; /* the move has a derivative but where a limit begins to bind: no whole numbers, no budget */
};

/* By the section's keys alpha, alpha_raw, cost, bounds, integers, only_up, only_down, budget and columns; memory is the
 * shift's arena's. */
sprint_status sprint__limits_read(sprint_shift *shift, const struct sprint__section *section,
                                  struct sprint__limits *ret_limits);

/* Moves rows x (n, d) along the slopes g (n, d). base (n, d): the records that limits are counted from, which may be x
 * itself. */
void sprint__limits_move(const struct sprint__limits *limits, sprint_context *context, size_t n, size_t d,
                         const sprint_real *base, const sprint_real *g, sprint_real *x);

/* ret_u (n, d) := for every feature alpha / cost times u where the move from the base record x along g is free, 0 where
 * a limit binds or people cannot change it: what the derivative of a smooth move is multiplied by. */
void sprint__limits_pull(const struct sprint__limits *limits, size_t n, size_t d, const sprint_real *x,
                         const sprint_real *g, const sprint_real *u, sprint_real *ret_u);

/* "income (only up), debt (0 to 1); by at most 2 standard deviations in all" */
void sprint__limits_say(const struct sprint__limits *limits, struct sprint__text *text);

#define SPRINT__LIMITS_PARAMS                                                                                          \
  SPRINT__REAL("alpha", "0.2", 0, 1e6,                                                                                 \
               "how far people move, in standard deviations of a column, where one more raises the score by 1"),       \
      SPRINT__NUMBERS("alpha_raw", "", 0, 1e300, NULL,                                                                 \
                      "the same of some columns in raw units: where one unit more raises the score by s, people move " \
                      "by alpha_raw s units"),                                                                         \
      SPRINT__TEXTS("columns", "", "the features that people can change, by name; default all that are numbers"),      \
      SPRINT__RANGES("bounds", "", "observed",                                                                         \
                     "raw values that people stay within; observed: those that the data has. Whoever is beyond at "    \
                     "the start may stay, but goes no further"),                                                       \
      SPRINT__TEXTS("integers", "", "columns whose raw values stay whole numbers"),                                    \
      SPRINT__TEXTS("only_up", "", "columns that people can only raise"),                                              \
      SPRINT__TEXTS("only_down", "", "columns that people can only lower"),                                            \
      SPRINT__NUMBERS("cost", "", 1e-9, 1e9, NULL,                                                                     \
                      "how hard a column is to change: 4 makes people move a quarter as far; 1 where not said"),       \
      SPRINT__REAL("budget", "", 0, 1e6,                                                                               \
                   "the most that people move in all, in standard deviations: the root of the sum of cost times "      \
                   "squared moves; default no bound")

#endif
