/* Class labels: texts in, class numbers out. */
#ifndef SPRINT_POPULATION_LABELS_H
#define SPRINT_POPULATION_LABELS_H

#include "base/context.h"

enum { SPRINT__MAX_CLASSES = 1000 };

struct sprint__label {
  char *text;
  size_t id;           /* by first appearance */
  size_t class_number; /* once the classes are settled */
};

struct sprint__labels {
  sprint_context *context;
  const char *file;            /* in messages; lent */
  struct sprint__label *items; /* (n) ordered by text */
  size_t n, n_room;
  bool numeric; /* all texts are numbers; once the classes are settled */
};

/* The number of this text by first appearance. Refuses the 1001st. */
sprint_status sprint__labels_add(struct sprint__labels *labels, const char *text, size_t *ret_id);

/* Settles the classes: ordered as numbers where all texts are numbers ("1" and "1.0" are then one class, named as
 * first seen), else as texts. Turns y (n), ids, into class numbers and gives the names away. Refuses fewer than two. */
sprint_status sprint__labels_finish(struct sprint__labels *labels, double *y, size_t n, size_t *ret_n_classes,
                                    char ***ret_class_names);

/* The class of this text among those that are settled; false: it is none of them. */
bool sprint__labels_find(const struct sprint__labels *labels, const char *text, size_t *ret_class);
void sprint__labels_clear(struct sprint__labels *labels);

#endif
