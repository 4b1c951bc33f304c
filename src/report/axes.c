/* Ranges and tics of axes: see axes.h. gnuplot's own formats round labels, and on a logarithmic axis it puts none
 * between powers of ten. */
#include "report/axes.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/print.h"

double sprint__plot_tics(double low, double high) {
  double rough = (high - low) / 4;
  if (!(rough > 0) || !isfinite(rough)) return 1;
  double power = pow(10, floor(log10(rough))), digit = rough / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/* Whole multiples of a step. */
static size_t linear_tics(double low, double high, double ret_tics[SPRINT__MOST_TICS]) {
  double step = sprint__plot_tics(low, high), first = ceil(low / step - 1e-9);
  size_t n = 0;
  for (; n < SPRINT__MOST_TICS && (first + (double)n) * step <= high + 1e-9 * step; n++)
    ret_tics[n] = (first + (double)n) * step;
  return n;
}

/* These digits times powers of ten; 0: more than there is room for. */
static size_t digit_tics(const double *digits, double low, double high, double ret_tics[SPRINT__MOST_TICS]) {
  size_t n = 0;
  for (double power = floor(log10(low)); power <= log10(high); power++)
    for (const double *digit = digits; *digit > 0; digit++) {
      double tic = *digit * pow(10, power);
      if (tic < low * (1 - 1e-9) || tic > high * (1 + 1e-9)) continue;
      if (n == SPRINT__MOST_TICS) return 0;
      ret_tics[n++] = tic;
    }
  return n;
}

size_t sprint__log_tics(double low, double high, double ret_tics[SPRINT__MOST_TICS]) {
  static const double digits[][17] = {{1},
                                      {1, 3},
                                      {1, 2, 5},
                                      {1, 1.5, 2, 3, 5, 7},
                                      {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8},
                                      {1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}};
  enum { LEAST = 4 };
  for (size_t i = 0; i < SPRINT__COUNT(digits); i++) {
    size_t n = digit_tics(digits[i], low, high, ret_tics);
    if (n >= LEAST) return n;
  }
  return linear_tics(low, high, ret_tics);
}

/* "1.5M" in units of M, "3·10^{−8}" where a number without a power would be long. */
static void print_label(FILE *script, double tic, double unit, const char *suffix) {
  double size = fabs(tic), power = size > 0 ? floor(log10(size) + 1e-9) : 0, digit = size / pow(10, power);
  fputs(tic < 0 ? "−" : "", script);
  if (power >= -5 && (unit > 1 || power < 6)) {
    sprint__fprintf(script, "%.6g%s", size / unit, tic == 0 ? "" : suffix);
    return;
  }
  if (fabs(digit - 1) > 1e-9) sprint__fprintf(script, "%.6g·", digit);
  sprint__fprintf(script, "10^{%s%g}", power < 0 ? "−" : "", fabs(power));
}

static void print_tics(FILE *script, char axis, const double *tics, size_t n, double most) {
  static const char *const suffixes[] = {"", "k", "M", "G", "T"};
  double unit = 1;
  size_t suffix = 0;
  for (; most >= 1e4 && most < 1e15 && most / unit >= 1e3; suffix++) unit *= 1e3;
  fprintf(script, "set %ctics nomirror (", axis);
  for (size_t i = 0; i < n; i++) {
    fputs(i ? ", '" : "'", script);
    print_label(script, tics[i], unit, suffixes[suffix]);
    sprint__fprintf(script, "' %.12g", tics[i]);
  }
  fputs(")\n", script);
}

size_t sprint__n_powers(double low, double high) {
  double n = floor(log10(high) + 1e-9) - ceil(log10(low) - 1e-9) + 1;
  return n > 0 ? (size_t)n : 0;
}

void sprint__axis_print(FILE *script, char axis, double low, double high, enum sprint__scale scale) {
  double tics[SPRINT__MOST_TICS];
  bool log = scale != SPRINT__SCALE_LINEAR;
  fprintf(script, log ? "set logscale %c\n" : "unset logscale %c\n", axis);
  sprint__fprintf(script, "set %crange [%.12g:%.12g]\n", axis, low, high);
  if (scale == SPRINT__SCALE_POWERS || (log && high / low >= 1000)) {
    fprintf(script, "set format %c '10^{%%L}'\nset %ctics nomirror autofreq\n", axis, axis);
    return;
  }
  size_t n = log ? sprint__log_tics(low, high, tics) : linear_tics(low, high, tics);
  print_tics(script, axis, tics, n, fmax(fabs(low), fabs(high)));
}
