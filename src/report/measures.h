/* What the columns of a trace are called in figures. */
#ifndef SPRINT_REPORT_MEASURES_H
#define SPRINT_REPORT_MEASURES_H

#include "base/arena.h"

struct sprint__measure {
  const char *column; /* of trace.csv; `seconds` of timing.csv */
  const char *word;   /* a shorter name that stands for it; NULL: none */
  const char *label;  /* of an axis, UTF-8 */
  const char *plain;  /* the same in ASCII */
  bool cost;          /* it only grows */
  bool share;         /* it lies within 0 .. 1, where a logarithmic axis has no meaning */
};

/* The measure that is asked for, by column or word; one that is not known is called by its column. The arena's. */
struct sprint__measure sprint__measure_find(struct sprint__arena *arena, const char *name);

/* The measures that are known, one after the other; NULL behind the last. */
const struct sprint__measure *sprint__measure_at(size_t i);

#endif
