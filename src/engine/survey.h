/* Surveys: everybody's record at the solver's theta, once for whoever needs it. */
#ifndef SPRINT_ENGINE_SURVEY_H
#define SPRINT_ENGINE_SURVEY_H

#include "engine/engine.h"

/* Whether the newest survey is of the solver's theta on D(theta), as a new one would be. */
bool sprint__survey_is_fresh(const struct sprint__engine *engine);

/* The survey that the solver wants now, under the newest deployment; a row's is taken over where it is fresh. */
sprint_status sprint__survey_for_solver(struct sprint__engine *engine);

/* p_c of the solver's theta, at a moment; and whether those of the newest deployment are numbers. */
sprint_status sprint__engine_strata(struct sprint__engine *engine, enum sprint__moment moment, double *ret_p);
bool sprint__engine_is_finite(const struct sprint__engine *engine);

#endif
