/* Quantiles by selection: see quantile.h. */
#include "base/quantile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Of all people: sums of weights in another order differ by less. */
#define ROUNDING 1e-12

static void swap(struct sprint__counted *a, struct sprint__counted *b) {
  struct sprint__counted kept = *a;
  *a = *b;
  *b = kept;
}

static double middle_of(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

/* What lies on the sides of a pivot: items below it come first, then its equals. */
struct parted {
  size_t n_below, n_equal;
  double below, equal; /* people */
};

static struct parted part(struct sprint__counted *items, size_t n, double pivot) {
  struct parted parted = {0};
  size_t i = 0, above = n;
  while (i < above) {
    if (items[i].value < pivot) {
      parted.below += items[i].people;
      swap(&items[i++], &items[parted.n_below++]);
    } else if (items[i].value > pivot) {
      swap(&items[i], &items[--above]);
    } else {
      parted.equal += items[i++].people;
    }
  }
  parted.n_equal = above - parted.n_below;
  return parted;
}

/* The least value up to which there are `wanted` people, or the greatest. */
static double select_value(struct sprint__counted *items, size_t n, double wanted) {
  for (;;) {
    double pivot = middle_of(items[0].value, items[n / 2].value, items[n - 1].value);
    struct parted parted = part(items, n, pivot);
    size_t n_passed = parted.n_below + parted.n_equal;
    if (parted.n_below > 0 && parted.below >= wanted) {
      n = parted.n_below;
    } else if (n_passed == n || parted.below + parted.equal >= wanted) {
      return pivot;
    } else {
      wanted -= parted.below + parted.equal;
      items += n_passed;
      n -= n_passed;
    }
  }
}

double sprint__quantile(struct sprint__counted *items, size_t n, double share) {
  double all = 0, up_to = 0, next = INFINITY;
  for (size_t i = 0; i < n; i++) all += items[i].people;
  if (!(all > 0)) return NAN;
  double value = select_value(items, n, (share - ROUNDING) * all);
  for (size_t i = 0; i < n; i++) {
    if (items[i].value <= value)
      up_to += items[i].people;
    else if (items[i].people > 0)
      next = fmin(next, items[i].value);
  }
  bool just = up_to <= (share + ROUNDING) * all && next < INFINITY;
  return just ? value + (next - value) / 2 : value;
}

/* Equal values by people, so that sums do not depend on how it is sorted. */
static int in_order(const void *a, const void *b) {
  const struct sprint__counted *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return p->people < q->people ? -1 : p->people > q->people;
}

void sprint__counted_sort(struct sprint__counted *items, size_t n) { qsort(items, n, sizeof *items, in_order); }

struct window {
  double start, width, slack; /* an overlap up to slack is rounding */
};

static struct window window_at(const struct sprint__counted *items, size_t n, double share) {
  double all = 0, width = 1;
  for (size_t i = 0; i < n; i++) {
    all += items[i].people;
    if (items[i].people > 0) width = fmin(width, items[i].people);
  }
  return (struct window){share * (all - width), width, fmin(ROUNDING * all, width / 4)};
}

/* The value in the middle of the window. */
static double middle_value(const struct sprint__counted *items, size_t n, const struct window *window) {
  double up_to = 0, middle = window->start + window->width / 2;
  size_t last = 0;
  for (size_t i = 0; i < n && up_to < middle; i++) {
    up_to += items[i].people;
    if (items[i].people > 0) last = i;
  }
  return items[last].value;
}

double sprint__quantile_between(const struct sprint__counted *items, size_t n, double share) {
  struct window window = window_at(items, n, share);
  double value = middle_value(items, n, &window), end = window.start + window.width, away = 0, up_to = 0;
  for (size_t i = 0; i < n && up_to < end; i++) {
    double from = up_to;
    up_to += items[i].people;
    double overlap = fmin(up_to, end) - fmax(from, window.start);
    if (overlap > window.slack) away += overlap * (items[i].value - value);
  }
  return value + away / window.width;
}
