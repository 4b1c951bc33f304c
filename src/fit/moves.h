/* Kinds that move features: where person i stands in a log k of time t_k is, in every column by itself,
 *
 *     x_ik = x_i + P . u_ik + b t_k + noise,
 *
 * x_i the base record, u what the model in force asks for (q numbers; 0 without a model), b the steady drift. P and b
 * are found by least squares of differences within people or, where these are not known, of differences of the logs'
 * means. Columns are measured in their standard deviations. */
#ifndef SPRINT_FIT_MOVES_H
#define SPRINT_FIT_MOVES_H

#include "fit/fit.h"

struct sprint__moves {
  sprint_fit *fit;
  size_t m, q, r; /* columns; numbers of u; of them and the drift, where there is one */
  bool paired;
  bool shared;  /* P is the same in all columns; q is 1 */
  bool varying; /* u is by record, (n_records, m), and q is 1; else by log, (n_logs, m, q) */
  double *u;
  double *z;        /* (n_records, m) x in standard deviations */
  double *weight;   /* (m) of columns, where P is shared */
  double *beta;     /* (m, r) P and b */
  double *coupling; /* (m r, m r) how u, by the base records, depends on beta; NULL: it does not */
  bool *known;      /* (m) whether P can be told */
  /* Works u out again, at beta; NULL: it stays. */
  sprint_status (*update)(struct sprint__moves *moves);
  void *user;
};

/* S (m, r, r), v (m, r), yy (m): S beta = v are the equations of least squares, yy what there is to explain. */
struct sprint__normal {
  double *s, *v, *yy;
};

/* Makes room, and z; u is yours to fill. */
sprint_status sprint__moves_start(sprint_fit *fit, size_t q, bool shared, bool varying,
                                  struct sprint__moves *ret_moves);

/* moves_equations.c: the numbers of a person that are added up, `width` of them: in each column S, v and yy about the
 * person's own means; unpaired z, and u where it varies. And the equations from sums (n_groups, width). room (2 r). */
size_t sprint__moves_width(const struct sprint__moves *moves);
void sprint__moves_rows(const struct sprint__moves *moves, double *room, double *ret_rows);
void sprint__moves_equations(const struct sprint__moves *moves, const double *sums, double *room,
                             const struct sprint__normal *ret);

/* moves.c: finds beta; then the bootstrap's values of it, ret_values (resamples, m r), of the fit's arena. */
sprint_status sprint__moves_solve(struct sprint__moves *moves);
sprint_status sprint__moves_resample(struct sprint__moves *moves, double **ret_values);

sprint_status sprint__moves_normal(const struct sprint__moves *moves, struct sprint__arena *arena,
                                   struct sprint__normal *ret_normal);

/* moved.c: the tests, the columns of the result, how well it fits. `which` (p): where the parameters are in beta. */
sprint_status sprint__moves_judge(struct sprint__moves *moves, const double *values, const size_t *which, size_t p);

/* Parameter number i of the fit: its value and error are those of beta[at], times `unit`; `values` the resamples. */
sprint_status sprint__moves_report(const struct sprint__moves *moves, const double *values, size_t i, size_t at,
                                   double unit, const char *name, const char *column);

/* What P u comes to for a record, in column j. */
static inline double sprint__moves_of(const struct sprint__moves *moves, size_t record, size_t j) {
  const double *beta = moves->beta + j * moves->r;
  if (moves->varying) return beta[0] * moves->u[record * moves->m + j];
  const double *u = moves->u + (moves->fit->people.log[record] * moves->m + j) * moves->q;
  double sum = 0;
  for (size_t k = 0; k < moves->q; k++) sum += beta[k] * u[k];
  return sum;
}

/* distance.c: how far the logs are apart, of z less the drift, and of that mapped back; with permutations. */
sprint_status sprint__moves_distance(struct sprint__moves *moves);

#endif
