/* NPY arrays that may be images. */
#ifndef SPRINT_POPULATION_NPY_H
#define SPRINT_POPULATION_NPY_H

#include "base/context.h"

/* As sprint_npy_read, but an array of uint8 with three or four dimensions stays bytes: *ret_bytes then has them, yours
 * to free with sprint__free, and the array's data is NULL. Else *ret_bytes is NULL. */
sprint_status sprint__npy_read_images(sprint_context *context, const char *path, sprint_array *ret_array,
                                      uint8_t **ret_bytes);

/* How many numbers an array holds. */
static inline size_t sprint__array_size(const sprint_array *array) {
  size_t n = 1;
  for (size_t k = 0; k < array->n_dims; k++) n *= array->shape[k];
  return n;
}

#endif
