/* Bytes that may still be on their way: of standard input, a pipe, or a file that somebody is writing. */
#ifndef SPRINT_POPULATION_INFLOW_H
#define SPRINT_POPULATION_INFLOW_H

#include "population/source.h"

struct sprint__inflow {
  sprint_context *context;
  const char *path; /* in messages; lent */
  int file;
  bool given;      /* it is standard input, and not ours to close */
  bool regular;    /* a file, which can be read again */
  int64_t at;      /* bytes of a file so far: processes that share it do not share the place in it */
  bool follow;     /* where it ends, more will be written */
  double patience; /* seconds without anything new that it waits; 0: for ever */
};

/* The name of standard input in messages; its path is "-". */
#define SPRINT__STANDARD_INPUT "standard input"

/* Opens without waiting for a writer. follow and patience are the caller's to set. */
sprint_status sprint__inflow_open(sprint_context *context, const char *path, struct sprint__inflow *ret_inflow);
void sprint__inflow_close(struct sprint__inflow *inflow);

/* Some bytes as soon as there are any, at most `size`. *ret_n is 0 where nothing more comes, and *ret_ending says why:
 * the end, too long a wait, or a caller who did not want to wait. */
sprint_status sprint__inflow_read(struct sprint__inflow *inflow, const struct sprint__idle *idle, char *ret_bytes,
                                  size_t size, size_t *ret_n, sprint_stop *ret_ending);

#endif
