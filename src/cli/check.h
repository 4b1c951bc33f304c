/* sprint check: what its files share. */
#ifndef SPRINT_CLI_CHECK_H
#define SPRINT_CLI_CHECK_H

#include "cli.h"

enum cli_check_level {
  CHECK_SAFE,    /* twice the step stays too */
  CHECK_THIN,    /* it stays, but not twice it */
  CHECK_UNSAFE,  /* a start left */
  CHECK_NO_STEP, /* the method does not go by steps */
};

/* One method at one point of the grid. */
struct cli_checked {
  size_t point, method;
  sprint_step_check step;
  sprint_problem problem;
  enum cli_check_level level;
};

/* What can be seen of the data without a model. */
struct cli_data_look {
  size_t n_looked;              /* rows */
  double majority;              /* share of the largest class; NaN: there are no classes */
  const char *largest, *rarest; /* classes; lent */
  double minority;              /* share of the rarest class */
  size_t n_constant, constant;  /* features that never change, and the first of them */
};

struct cli_check {
  const sprint_experiment *experiment;
  struct cli_checked *checked; /* (n) by point, then method */
  size_t n;
  struct cli_data_look data;
  sprint_advice advice; /* for the first of them */
  double seconds;       /* that a run of every method, point and seed takes, one after the other; NaN: not known */
  double memory;        /* bytes that were in use at most */
};

const char *cli_check_word(enum cli_check_level level);

/* check_words.c: what to change, a sentence each, to be freed; NULL from the first that is not needed on. */
enum { CHECK_MAX_HINTS = 5 };
void cli_check_hints(const struct cli_checked *checked, char *ret_hints[CHECK_MAX_HINTS]);

/* A step with one digit that is 1, 2 or 5, at most as large. */
double cli_check_round(double step);

void cli_check_print(const struct cli_check *check);
void cli_check_print_json(const struct cli_check *check);

#endif
