/* Where people started: base records found by taking moves back, and the score's gradients there. */
#ifndef SPRINT_FIT_BASE_H
#define SPRINT_FIT_BASE_H

#include "fit/moves.h"

struct sprint__base;
/* For moves that vary, of the arena; set as moves->user. */
sprint_status sprint__base_new(struct sprint__moves *moves);

/* Whether where people started, or what it does to the gradient, depends on the response that is to be found. */
bool sprint__base_depends(const struct sprint__moves *moves);

/* u at moves->beta: a person's base record is the one that was seen without a model or, where none was, the solution of
 * x = mean over the person's records of (x_k - alpha grad f_k(x) - b t_k), found by repeating that. */
sprint_status sprint__base_update(struct sprint__moves *moves);

/* The share of people of whom no such solution was found. */
double sprint__base_lost(const struct sprint__moves *moves);

#endif
