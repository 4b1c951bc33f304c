/* A solver in a folder: start.safetensors, the model as it began, which says how raw columns become features;
 * solver.json, by which the solver is made; `state`, all that goes on, which alone changes; and models to deploy. */
#ifndef SPRINT_RUN_SESSION_H
#define SPRINT_RUN_SESSION_H

#include <jansson.h>

#include "run/predictor.h"
#include "solver/solver.h"

struct sprint_session {
  sprint_context *context;
  char *folder;
  sprint_lock *lock;
  sprint_predictor *start;
  json_t *metadata; /* of its models */
  sprint_solver *solver;
  char *identity; /* of its state */
  char *model;    /* the path that was told last, or NULL */
  bool unsaved;   /* the solver has gone on, and the folder has not: it could not be written, or a step failed */
};

SPRINT__FREE_AT(sprint_session_free, sprint_session)

/* session_csv.c: tells the solver. */
sprint_status sprint__session_tell_csv(sprint_session *session, const sprint_session_records *options, size_t *ret_n);

#endif
