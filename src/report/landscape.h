/* The landscape of the risk around a model, between computing and drawing. */
#ifndef SPRINT_REPORT_LANDSCAPE_H
#define SPRINT_REPORT_LANDSCAPE_H

#include "base/arena.h"

struct sprint__mark {
  bool there;
  double t, w, risk;
};

struct sprint_landscape {
  sprint_context *context;
  struct sprint__arena arena;
  size_t n;       /* grid values of either axis */
  double length;  /* |towards - theta|, the unit of both axes */
  double *t, *w;  /* (n) */
  double *line;   /* (n, n) J at evaluated t[j], deployed t[i] */
  double *slope;  /* (n) of J in its first argument along the line, at equal arguments */
  double *plane;  /* (n, n) V at t[j], w[i]; NULL: there is no plane */
  double *slopes; /* (n, n, 2) of J in its first argument along t and w, at equal arguments */
  struct sprint__mark line_marks[2], plane_marks[2]; /* by sprint_mark */
  size_t n_path;
  double *path; /* (n_path, 2) t and w */
};

SPRINT__FREE_AT(sprint_landscape_free, sprint_landscape)

/* landscape_marks.c: finds the points in what was computed; their risks are left NaN. */
void sprint__landscape_find(sprint_landscape *landscape);

#endif
