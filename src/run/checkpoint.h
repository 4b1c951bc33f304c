/* Checkpoints: all by which a run goes on, so that a kill costs little. A run that keeps them has a folder within its
 * own, FOLDER/unfinished: the trace as it grows, the newest checkpoint and the one before. */
#ifndef SPRINT_RUN_CHECKPOINT_H
#define SPRINT_RUN_CHECKPOINT_H

#include "run/run.h"

/* A row was taken, which the growing trace shows. */
void sprint__checkpoint_row(sprint_run *run);

/* Between two of the solver's wishes: whether it is time for a checkpoint, and it can be taken; of a run that is to
 * pause it is always time. */
bool sprint__checkpoint_is_due(const sprint_run *run);

/* Takes one. That it could not be written is no failure of the run, which has a note of it. */
void sprint__checkpoint_take(sprint_run *run);

/* The run is saved in the folder: what it kept there goes away. */
sprint_status sprint__checkpoint_done(const sprint_run *run, const char *folder);

/* The folder holds the finished run: what a kill has left of its way there goes away. */
void sprint__checkpoint_sweep(sprint_context *context, const char *folder);

void sprint__checkpoint_free(struct sprint__checkpoints *kept);

#endif
