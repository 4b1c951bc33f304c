/* CIFAR-10's binary batches: records of a label byte and 3 x 32 x 32 pixels.
 * https://www.cs.toronto.edu/~kriz/cifar.html
 */
#ifndef SPRINT_POPULATION_CIFAR10_H
#define SPRINT_POPULATION_CIFAR10_H

#include <stdio.h>

#include "base/context.h"

enum {
  SPRINT__CIFAR10_CLASSES = 10,
  SPRINT__CIFAR10_CHANNELS = 3,
  SPRINT__CIFAR10_SIDE = 32,
  SPRINT__CIFAR10_PIXELS = SPRINT__CIFAR10_CHANNELS * SPRINT__CIFAR10_SIDE * SPRINT__CIFAR10_SIDE,
  SPRINT__CIFAR10_RECORD = 1 + SPRINT__CIFAR10_PIXELS
};

/* An open batch and how many records it has; a size that is no whole number of them, or none, is refused. */
sprint_status sprint__cifar10_open(sprint_context *context, const char *path, FILE **ret_stream, size_t *ret_n);

/* Its n records: ret_labels (n), ret_pixels (n, 3072). A label above 9 is refused with the record's number, from 0. */
sprint_status sprint__cifar10_read(sprint_context *context, const char *path, FILE *stream, size_t n,
                                   uint8_t *ret_labels, uint8_t *ret_pixels);

/* The ten class names, yours to free: of batches.meta.txt in the folder or, where that is missing, as published. */
sprint_status sprint__cifar10_names(sprint_context *context, const char *folder, char ***ret_names);

#endif
