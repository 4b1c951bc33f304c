/* A pass: everybody's record under one deployment, piece by piece, summed by stratum. Snapshots and evaluations are
 * both passes. */
#ifndef SPRINT_ENGINE_PASS_H
#define SPRINT_ENGINE_PASS_H

#include "shift/shift.h"
#include "solver/strata.h"

/* Who is passed over, and room for one piece of them. */
struct sprint__pass {
  sprint_shift *shift;
  const sprint_population *population; /* the shift's, or one from outside it, which has no state */
  bool by_stratum;                     /* pieces are of one stratum each; otherwise in the population's own order */
  size_t room;                         /* rows of a piece, at most */
  sprint_real *x;                      /* (room, d); NULL where records never have to be copied */
  sprint_real *y;                      /* (room) */
  uint32_t *who;                       /* (room) */
  double *weight;                      /* (room); NULL where nobody has one */
  sprint_real *base;                   /* (SPRINT__MAX_LANES, d) base records */
};

/* Its room is the arena's, which is for the caller to check. */
void sprint__pass_new(struct sprint__arena *arena, sprint_shift *shift, const sprint_population *population,
                      struct sprint__pass *ret_pass);

/* How a pass goes. */
struct sprint__pass_options {
  const sprint_real *theta;    /* that is evaluated */
  const sprint_real *deployed; /* that made the records; NULL: base records */
  sprint__sum_rows sum;        /* NULL: the model's own way */
  void *user;                  /* of sum */
  sprint_real *ret_x;          /* (n, d) everybody's record goes here, or NULL; of shifts that move features */
  double *ret_displacement;    /* the mean over everybody of |x - base x| goes here, or NULL; as ret_x */
  double *ret_seconds;         /* what that took is added to this */
};

/* Overwrites the sums; those of the gradient are left out where they have no room for them. Strata that the pass does
 * not tell apart are all stratum 0. */
sprint_status sprint__pass_over(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                                struct sprint__strata_sums *ret_sums);

/* Adds individuals `who` (n <= room), who were drawn, all of one stratum. */
sprint_status sprint__pass_add(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                               const uint32_t *who, size_t n, size_t stratum, struct sprint__strata_sums *sums);

/* Adds n new people, all of one stratum, from their base records x (n, d), which become those under the deployment, and
 * labels y (n). */
sprint_status sprint__pass_add_new(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                                   sprint_real *x, const sprint_real *y, size_t n, size_t stratum,
                                   struct sprint__strata_sums *sums);

/* What follows from such sums at strata probabilities p; p NULL: as often as in the population. The penalty is part of
 * the loss. accuracy NaN where the model does not classify. */
void sprint__pass_risk(const struct sprint__pass *pass, const sprint_real *theta,
                       const struct sprint__strata_sums *sums, const double *p, double *ret_loss, double *ret_accuracy);

/* risk.c: sprint_risk of the records under `deployed` with strata weighted by p (NULL: by those of `deployed`). */
sprint_status sprint__risk_at(sprint_shift *shift, const sprint_real *theta, const sprint_real *deployed,
                              const double *p, double *ret_loss, double *ret_accuracy, double *ret_gradient);

#endif
