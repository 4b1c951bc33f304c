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
 * the look of its kind and correction, any other one that follows from its name. Those by usual names come first, then
 * the others in the order of their names, and one whose colour is taken in this figure takes the next that is free: so
 * one that comes later changes nobody's look. Where all colours are taken, dashes tell apart. From the 36th method on
 * looks repeat. */
void sprint__styles_assign(const struct sprint__styled *methods, size_t n, struct sprint__style *ret_styles);

#endif
