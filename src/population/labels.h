/* Class labels, and levels of categories: texts in, numbers out. */
#ifndef SPRINT_POPULATION_LABELS_H
#define SPRINT_POPULATION_LABELS_H

#include "population/index.h"

enum { SPRINT__MAX_CLASSES = 1000 };

struct sprint__labels {
  sprint_context *context;
  const char *file;           /* in messages; lent */
  const char *column;         /* the category whose levels these are; NULL: the label. Lent */
  const char *aside;          /* a text that does not count where all others are numbers, and comes last; or NULL */
  struct sprint__index texts; /* every spelling, by first appearance */
  /* once they are settled: */
  size_t n;         /* classes */
  char **names;     /* (n) */
  size_t *class_of; /* (texts.n) or SPRINT__NO_CLASS */
  double *values;   /* (n) in order, where all but `aside` are numbers; else NULL */
};

#define SPRINT__NO_CLASS SIZE_MAX

/* The number of this text by first appearance. Refuses the 1001st. */
sprint_status sprint__labels_add(struct sprint__labels *labels, const char *text, size_t *ret_id);

/* Settles the classes: ordered as numbers where all texts are numbers ("1" and "1.0" are then one class, named as
 * first seen), else as texts. Of `present` (texts.n; NULL: all), those that are false are no class. */
sprint_status sprint__labels_settle(struct sprint__labels *labels, const bool *present);

/* The same of all. Turns y (n), ids, into class numbers and gives a copy of the names. Refuses fewer than two. */
sprint_status sprint__labels_finish(struct sprint__labels *labels, double *y, size_t n, size_t *ret_n_classes,
                                    char ***ret_class_names);

/* The class of this text among those that are settled; false: it is none of them. */
bool sprint__labels_find(const struct sprint__labels *labels, const char *text, size_t *ret_class);
void sprint__labels_clear(struct sprint__labels *labels);

#endif
