/* A constant seen again and again: see estimate.h. */
#include <math.h>

#include "theory/estimate.h"

void sprint__tally_add(struct sprint__tally *tally, double value) {
  if (tally->n == 0 || value < tally->least) tally->least = value;
  if (tally->n == 0 || value > tally->greatest) tally->greatest = value;
  tally->sum += value;
  tally->squares += value * value;
  tally->n++;
}

sprint_estimate sprint__tally_estimate(const struct sprint__tally *tally, const struct sprint__tally *beyond) {
  sprint_estimate none = {NAN, NAN, NAN, NAN, NAN, 0};
  if (tally->n == 0) return none;
  double n = (double)tally->n, mean = tally->sum / n;
  double variance = n > 1 ? (tally->squares - n * mean * mean) / (n - 1) : 0;
  sprint_estimate it = {tally->greatest, mean, sqrt(fmax(0, variance)), tally->least, tally->greatest, tally->n};
  if (beyond && beyond->n) {
    it.value = it.greatest = fmax(it.greatest, beyond->greatest);
    it.least = fmin(it.least, beyond->least);
    it.n_probes += beyond->n;
  }
  return it;
}
