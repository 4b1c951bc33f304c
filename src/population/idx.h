/* IDX arrays of bytes, the format of MNIST: http://yann.lecun.com/exdb/mnist/ */
#ifndef SPRINT_POPULATION_IDX_H
#define SPRINT_POPULATION_IDX_H

#include "base/context.h"

enum { SPRINT__IDX_MAX_DIMS = 4 };

struct sprint__idx {
  size_t n_dims, shape[SPRINT__IDX_MAX_DIMS], n_bytes;
  uint8_t *bytes; /* yours to free with sprint__free */
  bool gzip;
};

/* Reads the file, plain or gzip. n_dims > 0: it must have so many dimensions, as `what` ("images") has. A file that is
 * not IDX, of another type than unsigned byte, cut short, damaged, empty or longer than its header says is refused. */
sprint_status sprint__idx_read(sprint_context *context, const char *path, size_t n_dims, const char *what,
                               struct sprint__idx *ret_idx);

#endif
