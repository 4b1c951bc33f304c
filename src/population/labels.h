/* Class labels: texts in, class numbers out. */
#ifndef SPRINT_POPULATION_LABELS_H
#define SPRINT_POPULATION_LABELS_H

#include "base/context.h"

enum { SPRINT__MAX_CLASSES = 1000 };

struct sprint__label {
  char *text;
  size_t id; /* by first appearance */
};

struct sprint__labels {
  sprint_context *context;
  const char *file;            /* in messages; lent */
  struct sprint__label *items; /* (n) ordered by text */
  size_t n, n_room;
};

/* The number of this text by first appearance. Refuses the 1001st. */
sprint_status sprint__labels_add(struct sprint__labels *labels, const char *text, size_t *ret_id);

/* Settles the classes: ordered as numbers where all texts are numbers ("1" and "1.0" are then one class, named as
 * first seen), else as texts. Turns y (n), ids, into class numbers and gives the names away. Refuses fewer than two. */
sprint_status sprint__labels_finish(struct sprint__labels *labels, double *y, size_t n, size_t *ret_n_classes,
                                    char ***ret_class_names);
void sprint__labels_clear(struct sprint__labels *labels);

#endif
