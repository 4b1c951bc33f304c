/* Small linear systems, and the tails of the laws that tests go by: see fit.h. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

/* Moves the row with the largest number of column k, from row k on, to row k. */
static double bring_pivot(double *a, double *b, size_t n, size_t k) {
  size_t best = k;
  for (size_t i = k + 1; i < n; i++)
    if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
  for (size_t j = 0; best != k && j < n; j++) {
    double kept = a[k * n + j];
    a[k * n + j] = a[best * n + j];
    a[best * n + j] = kept;
  }
  double kept = b[k];
  b[k] = b[best];
  b[best] = kept;
  return fabs(a[k * n + k]);
}

bool sprint__solve(double *a, double *b, size_t n, double relative) {
  double largest = 0;
  for (size_t k = 0; k < n; k++) {
    double pivot = bring_pivot(a, b, n, k);
    largest = fmax(largest, pivot);
    if (!(pivot > relative * largest)) return false;
    for (size_t i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (size_t j = k; factor != 0 && j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return true;
}

enum { MOST_TERMS = 10000 };

/* The continued fraction of the incomplete beta function, by Lentz's way; for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  const double least = 1e-300;
  double c = 1, d = 1 / fmax(fabs(1 - (a + b) * x / (a + 1)), least), value = d;
  for (int i = 1; i <= MOST_TERMS; i++) {
    double m = i, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (int half = 0; half < 2; half++) {
      double term = half ? odd : even;
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (fabs(d) < least ? least : d);
      if (fabs(c) < least) c = least;
      value *= d * c;
    }
    if (fabs(d * c - 1) < 1e-15) break;
  }
  return value;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta_share(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double sprint__tail_f(double f, double n1, double n2) {
  if (isnan(f)) return NAN;
  return f <= 0 ? 1 : beta_share(n2 / 2, n1 / 2, n2 / (n2 + n1 * f));
}

/* The upper incomplete gamma function Q(a, x): by the series of its complement where that is quick, else by its
 * continued fraction. */
static double gamma_tail(double a, double x) {
  double front = exp(a * log(x) - x - lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int i = 1; i <= MOST_TERMS && term > 1e-17 * sum; i++) sum += term *= x / (a + i);
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, value = d;
  for (int i = 1; i <= MOST_TERMS; i++) {
    double term = -i * (i - a);
    b += 2;
    d = 1 / (term * d + b);
    c = b + term / c;
    value *= d * c;
    if (fabs(d * c - 1) < 1e-15) break;
  }
  return front * value;
}

double sprint__tail_chi2(double chi2, double n) {
  if (isnan(chi2)) return NAN;
  return chi2 <= 0 ? 1 : gamma_tail(n / 2, chi2 / 2);
}

double sprint__quantile_t(double p, double n) {
  double low = 0, high = 1e6;
  for (int i = 0; i < 200; i++) { /* P(T > t) is half of P(F > t^2) with 1 and n */
    double t = (low + high) / 2;
    if (sprint__tail_f(t * t, 1, n) / 2 > 1 - p)
      low = t;
    else
      high = t;
  }
  return (low + high) / 2;
}
