/* Plans: runs of an experiment as jobs, without those that are saved already. */
#ifndef SPRINT_CLI_PLAN_H
#define SPRINT_CLI_PLAN_H

#include "jobs.h"

/* Start with the first fields; the others are filled by the functions. */
struct cli_plan {
  sprint_context *context;
  sprint_experiment *experiment; /* lent */
  const char *out;               /* lent */
  const size_t *chosen;          /* (n_chosen) numbers of the runs that are wanted, rising; NULL: all; lent */
  size_t n_chosen;
  bool compact;      /* folders without what all runs share: OUT itself for a single one, no POINT where there is one */
  FILE *talk;        /* where it says what it is about to do */
  double checkpoint; /* seconds between two; 0: as it fits */

  sprint_lock *lock; /* on OUT */
  int n_threads;     /* of a job */
  size_t n_todo;
  size_t *todo;         /* (n_todo) numbers of the runs */
  double *weights;      /* (n_todo) operations planned; 0: unknown */
  double cost;          /* operations of the longest epoch */
  bool timed;           /* a run goes by the clock, and must not share the machine unless that is asked for */
  struct cli_jobs jobs; /* (n_todo) */
};

/* Operations of an epoch from which on runs go one at a time, with all threads: half a minute or more of one core. */
#define CLI_PLAN_LARGE 1e12

/* Finds out what is left to do, and how much work it is. */
sprint_status cli_plan_fill(struct cli_plan *plan);
void cli_plan_clear(struct cli_plan *plan);

size_t cli_plan_n_runs(const struct cli_plan *plan); /* wanted, done or not */

/* Makes the jobs ready: small problems side by side on a thread each, large ones one after the other on all of them,
 * unless n_jobs says otherwise. */
void cli_plan_share(struct cli_plan *plan, int n_threads, int n_jobs);

/* Says how many run at a time, ending the line. */
void cli_plan_print_sharing(const struct cli_plan *plan);

/* OUT/POINT/METHOD/seed-S, or `compact`; to be freed. It does not depend on which runs are chosen, so that it is found
 * again. */
char *cli_plan_folder(const struct cli_plan *plan, size_t run);

/* What is saved of a run. */
struct cli_saved {
  sprint_trace_row row; /* the last one */
  sprint_stop stop;
  sprint_assessment *assessment;
};

/* Calls `take` with every wanted run that is saved, by its number; the assessment is the taker's to free. */
typedef void (*cli_plan_taker)(void *user, size_t run, struct cli_saved saved);
sprint_status cli_plan_results(const struct cli_plan *plan, cli_plan_taker take, void *user);

#endif
