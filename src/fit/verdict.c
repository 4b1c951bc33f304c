/* Whether estimates are more than chance: Wald's statistic with the bootstrap's covariance. Under 0, and with as many
 * people as there are, it goes by Hotelling's law, T^2 (n - p) / (p (n - 1)) ~ F(p, n - p). */
#include <math.h>

#include "fit/fit.h"

struct sprint__wald sprint__wald(const double *value, double *covariance, size_t p, size_t n_people, double *room) {
  struct sprint__wald wald = {NAN, (double)p, NAN, NAN};
  if (p == 0 || n_people <= p) return wald;
  double *error = room, *x = room + p;
  for (size_t j = 0; j < p; j++) error[j] = sqrt(covariance[j * p + j]);
  for (size_t j = 0; j < p; j++) { /* as correlations, so that units do not matter */
    x[j] = value[j] / error[j];
    for (size_t k = 0; k < p; k++) covariance[j * p + k] /= error[j] * error[k];
  }
  if (!sprint__solve(covariance, x, p, 1e-13)) return wald;
  wald.statistic = 0;
  for (size_t j = 0; j < p; j++) wald.statistic += value[j] / error[j] * x[j];
  wald.df2 = (double)(n_people - p);
  wald.p = sprint__tail_f(wald.statistic * wald.df2 / (wald.df1 * (double)(n_people - 1)), wald.df1, wald.df2);
  return wald;
}
