/* Quantiles of numbers that count for more or less people. */
#ifndef SPRINT_BASE_QUANTILE_H
#define SPRINT_BASE_QUANTILE_H

#include <stddef.h>

struct sprint__counted {
  double value, people;
};

/* The least value that at least `share` of the people do not exceed; where just that share does not, halfway to the
 * next value: the usual median, where everybody counts once. items (n > 0) are put into another order; NaN: nobody
 * counts. */
double sprint__quantile(struct sprint__counted *items, size_t n, double share);

/* Puts items into the order of their values. */
void sprint__counted_sort(struct sprint__counted *items, size_t n);

/* Between the values of sorted items (n > 0), some of which count: people stand in a row, each as long as they count,
 * and a window as long as one person (as the item that counts least, where that is less) is at `share` of its way; the
 * mean of who is in it. Where everybody counts once this is linear interpolation at share (n - 1), and a whole number
 * of people is as many items. */
double sprint__quantile_between(const struct sprint__counted *items, size_t n, double share);

#endif
