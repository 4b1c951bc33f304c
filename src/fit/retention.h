/* The likelihood of class frequencies under retention: see fit_retention.c. */
#ifndef SPRINT_FIT_RETENTION_H
#define SPRINT_FIT_RETENTION_H

#include "fit/fit.h"

struct sprint__retention {
  sprint_fit *fit;
  size_t n_classes, n_logs; /* logs under models */
  size_t *log;              /* (n_logs) number of each */
  size_t n_params;          /* alpha, then mu and b of all classes but the first, where they are there */
  bool own;                 /* mu is there */
  bool from_base;           /* losses are of records without a model; else of all */
  bool still;               /* alpha is held at 0 */
};

/* Class probabilities (n_classes) of log k; returns the log-likelihood of counts (n_classes). losses (n_models,
 * n_classes) are means, params (n_params); room (n_params). */
double sprint__retention_p(const struct sprint__retention *r, const double *losses, size_t k, const double *params,
                           const double *counts, double *room, double *ret_p);

/* The log-likelihood of counts (n_logs, n_classes). room (n_params + n_classes). */
double sprint__retention_likelihood(const struct sprint__retention *r, const double *losses, const double *counts,
                                    const double *params, double *room);

/* The most likely parameters, given counts (n_logs, n_classes). False: there are none. room: so many doubles. */
size_t sprint__retention_room(const struct sprint__retention *r);
bool sprint__retention_maximise(const struct sprint__retention *r, const double *losses, const double *counts,
                                double *room, double *ret_params);

/* The standard error of alpha at the most likely parameters, by the information there; NaN: there is none. */
double sprint__retention_error(const struct sprint__retention *r, const double *losses, const double *counts,
                               double *room, const double *params);

#endif
