/* A pass: everybody's record under one deployment, piece by piece. Snapshots and evaluations are both passes. */
#ifndef SPRINT_RUN_PASS_H
#define SPRINT_RUN_PASS_H

#include "shift/shift.h"

/* A deployment: the parameters that the population reacts to, and how often each stratum shows up. */
struct sprint__deployment {
  sprint_real *theta; /* (n_params); not kept where the shift forgets it */
  double *p;          /* (n_strata) */
};

sprint_status sprint__deployment_new(const sprint_shift *shift, struct sprint__deployment *ret_deployment);
void sprint__deployment_clear(struct sprint__deployment *deployment);
sprint_status sprint__deployment_set(struct sprint__deployment *deployment, sprint_shift *shift,
                                     const sprint_real *theta, enum sprint__moment moment);
/* False where the strata probabilities are no numbers any more: theta has diverged. */
bool sprint__deployment_finite(const struct sprint__deployment *deployment, const sprint_shift *shift);
void sprint__deployment_copy(struct sprint__deployment *deployment, const sprint_shift *shift,
                             const struct sprint__deployment *from);

/* Room for one piece. */
struct sprint__pass {
  sprint_shift *shift;
  size_t room;    /* rows of a piece, at most */
  sprint_real *x; /* (room, d); NULL where records never have to be copied */
  sprint_real *y;
  uint32_t *who;
  sprint_real *base; /* (d) one base record */
};

sprint_status sprint__pass_new(sprint_shift *shift, struct sprint__pass *ret_pass);
void sprint__pass_clear(struct sprint__pass *pass);

/* A piece: n individuals, all of one stratum where the shift reweights. */
struct sprint__piece {
  size_t n;
  const uint32_t *who;
  const sprint_real *x, *y; /* under the deployment; x NULL: base records, which are images kept as bytes */
  size_t stratum;
  double weight; /* of one row in J: p_c / n_c, or 1 / n */
  bool last;
};

struct sprint__rows sprint__piece_rows(const struct sprint__pass *pass, const struct sprint__piece *piece);

typedef sprint_status (*sprint__visit)(void *user, const struct sprint__piece *piece);

/* deployment NULL: the base records, at base frequencies. Otherwise strata are weighted by weights->p where the shift
 * reweights; the two differ only where a bias is worked out. */
sprint_status sprint__pass_over(struct sprint__pass *pass, const struct sprint__deployment *deployment,
                                const struct sprint__deployment *weights, sprint__visit visit, void *user);

/* J(theta; deployment) and what belongs to it, from one pass. */
struct sprint__risk {
  double loss, accuracy;           /* accuracy NaN where the model does not classify */
  double displacement;             /* mean |x(deployment) - x| */
  double loss_base, accuracy_base; /* the same at base frequencies; of base records, where features do not move */
  double *gradient;                /* (n_params), or NULL: not wanted */
};

sprint_status sprint__risk_of(struct sprint__pass *pass, const sprint_real *theta,
                              const struct sprint__deployment *deployment, const struct sprint__deployment *weights,
                              struct sprint__risk *ret_risk);

/* Loss and accuracy of theta on a held-out population under the deployment. */
sprint_status sprint__risk_heldout(struct sprint__pass *pass, const sprint_population *heldout,
                                   const sprint_real *theta, const struct sprint__deployment *deployment,
                                   struct sprint__risk *ret_risk);

#endif
