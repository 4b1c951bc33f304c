/* Folders of results as data: every run that is found below, with its trace by columns. What cannot be read is said in
 * a sentence of the run's own, and what can be is there: a trace that is still being written (in the folder
 * `unfinished` within the run's own), one whose last line is cut, columns that another version has or has not. Nothing
 * but memory and a folder that is not there is a failure. */
#ifndef SPRINT_REPORT_RUNS_H
#define SPRINT_REPORT_RUNS_H

#include <jansson.h>

#include "base/arena.h"

enum sprint__result_state {
  SPRINT__RESULT_FINISHED,
  SPRINT__RESULT_PARTIAL,     /* still going on, or killed: no run.json, or a trace that ends before it says */
  SPRINT__RESULT_DIVERGED,    /* left out of means */
  SPRINT__RESULT_INTERRUPTED, /* somebody stopped it */
  SPRINT__RESULT_CORRUPT,     /* a file says what it cannot; rows above the place are there */
  SPRINT__N_RESULT_STATES,
};

const char *sprint__result_state_word(enum sprint__result_state state); /* "finished", ... */

struct sprint__result_column {
  const char *name;
  const double *values; /* (n_rows); NaN where there is none */
};

struct sprint__result {
  const char *point;      /* of the grid, "alpha-0.2"; "" where there is one point */
  const char *method;     /* its name in the config */
  const char *kind;       /* of the method, "sprint"; "" where nobody says */
  const char *correction; /* of the method; "" where it has none, or nobody says */
  uint64_t seed;
  bool seeded;        /* it is in METHOD/seed-S/, which is what it is called by; else run.json has the names */
  const char *folder; /* as it was found, from the working folder */
  const char *origin; /* of the folders asked for, the one that it is in */
  enum sprint__result_state state;
  size_t n_rows, n_columns;
  const struct sprint__result_column *columns; /* those of trace.csv, and `seconds` where timing.csv has them */
  const json_t *json;                          /* run.json, an object; NULL: not there, or not readable */
  int64_t modified;                            /* when the trace was written to last, seconds since 1970; 0: never */
  const char *complaint;                       /* a sentence with the file's path; NULL: nothing to complain of */
};

/* In the order of points, methods and seeds; numbers in names count as numbers. */
struct sprint__results {
  sprint_context *context;
  struct sprint__arena arena;
  size_t n_runs;
  struct sprint__result *runs;
};

/* Reads all runs in these folders: DIR/[POINT/]METHOD/seed-S/, or the folder of one run itself. Of several folders, one
 * that holds several methods or points has its name in front of its points; others may share a point, and where they
 * then have a method and seed in common, the folder's name is behind the method's. Refused: a path that is no folder,
 * and folders in which there is no run at all. */
sprint_status sprint__results_read(sprint_context *context, const char *const *folders, size_t n_folders,
                                   struct sprint__results **ret_results);
void sprint__results_free(struct sprint__results *results);
SPRINT__FREE_AT(sprint__results_free, struct sprint__results)

/* A column's values (n_rows), or NULL: the run has no such column. */
const double *sprint__result_column(const struct sprint__result *run, const char *name);

/* run_files.c: fills in what the files of run->folder say; the rest of `run` is there already. */
sprint_status sprint__result_load(struct sprint__arena *arena, struct sprint__result *run);

/* Where the run's files are: its folder, or where that has no trace, `complete` (about to be moved) or `unfinished`
 * within it. The context's memory; NULL: there is none left. */
char *sprint__result_place(sprint_context *context, const char *folder);

/* Strings in the order that people expect: "alpha-5" before "alpha-20". As strcmp. */
int sprint__compare_names(const char *a, const char *b);

#endif
