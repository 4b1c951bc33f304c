/* Colours and dashes of methods: the same method has the same ones in every figure, whoever else is in it. */
#ifndef SPRINT_REPORT_STYLES_H
#define SPRINT_REPORT_STYLES_H

#include <stddef.h>

struct sprint__style {
  const char *colour;      /* "#0072B2", of Okabe and Ito: told apart by those who do not tell red from green */
  const char *dash;        /* lengths of strokes and gaps in line widths, "8,4"; "" for a line without gaps */
  int terminal;            /* the colour among the 256 of a terminal that is nearest */
  size_t i_colour, i_dash; /* their numbers, from 0 */
};

/* What a method goes by. kind and correction may be "": then its name has to tell. */
struct sprint__styled {
  const char *name, *kind, *correction;
};

enum { SPRINT__N_COLOURS = 7, SPRINT__N_DASHES = 5 };

/* Styles (n) of methods with different names. A method by a usual name (its kind, its correction or both; SGD-GD) has
 * the look of its kind and correction, any other one that follows from its name: the same in every figure. Where two of
 * one figure would look the same, usual names go first, then in the order of names, and the later one takes the next
 * colour that is free with its dash, then the next dash. From the 36th method on they repeat. */
void sprint__styles_assign(const struct sprint__styled *methods, size_t n, struct sprint__style *ret_styles);

#endif
