/* What makes a run, or a solver, this one and no other: whoever goes on with its state must be made alike. */
#ifndef SPRINT_RUN_IDENTITY_H
#define SPRINT_RUN_IDENTITY_H

#include <jansson.h>

#include "run/run.h"

/* JSON texts, yours to free; NULL, with the error set: memory ran out. Of a run that has not begun: version, precision,
 * engine, seed, starting point, population, model, shift, plugins and all settings. Of a solver the same, but for data
 * and start, which are told. */
char *sprint__run_identity(const sprint_run *run);
char *sprint__solver_identity(const sprint_solver *solver);

/* Takes out of a config's settings what is about the experiment as a whole: it leaves a run the same. */
void sprint__keep_own_settings(json_t *settings);

#endif
