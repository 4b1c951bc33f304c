/* Axes of figures: ranges and tics, as gnuplot's script has them. */
#ifndef SPRINT_REPORT_AXES_H
#define SPRINT_REPORT_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SPRINT__MOST_TICS = 12 };

/* A distance of tics that cuts the range into about four parts: 1, 2 or 5 times a power of ten. */
double sprint__plot_tics(double low, double high);

/* Where a logarithmic axis over less than three powers of ten has tics, ascending: four to a dozen places with few
 * digits, multiples of one step where the range is small. Returns how many. */
size_t sprint__log_tics(double low, double high, double ret_tics[SPRINT__MOST_TICS]);

/* How many powers of ten lie in the range. */
size_t sprint__n_powers(double low, double high);

enum sprint__scale {
  SPRINT__SCALE_LINEAR,
  SPRINT__SCALE_LOG,   /* tics as by sprint__log_tics, or powers of ten where there are three or more */
  SPRINT__SCALE_POWERS /* the same, with tics at powers of ten alone */
};

/* The range of an axis ('x' or 'y'), with tics that are labelled. */
void sprint__axis_print(FILE *script, char axis, double low, double high, enum sprint__scale scale);

#endif
