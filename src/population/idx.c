/* IDX arrays of bytes: see idx.h. Two zero bytes, the type, the number of dimensions, each dimension as four bytes with
 * the highest first, the elements. */
#include "population/idx.h"

#include <stdio.h>

#include "population/bytes.h"

#define TYPE_UNSIGNED_BYTE 8

struct loader {
  sprint_context *context;
  const char *path, *what;
  struct sprint__bytes *reader;
  struct sprint__idx idx;
};

static sprint_status read_start(struct loader *l, size_t n_dims) {
  unsigned char start[4];
  size_t n;
  SPRINT__TRY(sprint__bytes_read(l->reader, start, sizeof start, &n));
  if (n == 0) return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: is empty, an IDX file was expected", l->path);
  if (n < sizeof start || start[0] || start[1])
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: is not an IDX file, which starts with two zero bytes",
                       l->path);
  if (start[2] != TYPE_UNSIGNED_BYTE)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT,
                       "%s: IDX elements of type 0x%02x are not read, 0x08 (unsigned byte) was expected", l->path,
                       start[2]);
  if (n_dims && start[3] != n_dims)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: has %d dimension%s, an IDX file of %s has %zu", l->path,
                       start[3], start[3] == 1 ? "" : "s", l->what, n_dims);
  if (start[3] < 1 || start[3] > SPRINT__IDX_MAX_DIMS)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: has %d dimensions, 1 to %d are read", l->path, start[3],
                       SPRINT__IDX_MAX_DIMS);
  l->idx.n_dims = start[3];
  return SPRINT_OK;
}

/* "60000 x 28 x 28" */
static void print_shape(const struct sprint__idx *idx, char *text, size_t size) {
  size_t n = 0;
  for (size_t k = 0; k < idx->n_dims && n < size; k++)
    n += (size_t)snprintf(text + n, size - n, k ? " x %zu" : "%zu", idx->shape[k]);
}

static sprint_status refuse_size(const struct loader *l, const char *what, const char *found) {
  char shape[128];
  print_shape(&l->idx, shape, sizeof shape);
  return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: %s: its header says %s, which is %zu bytes, and %s", l->path,
                     what, shape, l->idx.n_bytes, found);
}

static sprint_status read_shape(struct loader *l) {
  struct sprint__idx *idx = &l->idx;
  unsigned char size[4];
  idx->n_bytes = 1;
  for (size_t k = 0; k < idx->n_dims; k++) {
    size_t n;
    SPRINT__TRY(sprint__bytes_read(l->reader, size, sizeof size, &n));
    if (n < sizeof size) return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: ends within its header", l->path);
    idx->shape[k] = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | (size_t)size[3];
    if (__builtin_mul_overflow(idx->n_bytes, idx->shape[k], &idx->n_bytes))
      return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: has a shape that is too large", l->path);
  }
  if (!idx->n_bytes) return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: holds nothing, by its header", l->path);
  if (idx->n_bytes > sprint__bytes_at_most(l->reader)) return refuse_size(l, "is cut short", "the file is too small");
  return SPRINT_OK;
}

static sprint_status read_elements(struct loader *l) {
  struct sprint__idx *idx = &l->idx;
  size_t n, n_more;
  unsigned char more;
  SPRINT__TRY(sprint__bytes_read(l->reader, idx->bytes, idx->n_bytes, &n));
  char found[48];
  snprintf(found, sizeof found, "%zu are there", n);
  if (n < idx->n_bytes) return refuse_size(l, "is cut short", found);
  SPRINT__TRY(sprint__bytes_read(l->reader, &more, 1, &n_more));
  return n_more ? refuse_size(l, "has bytes after its end", "more are there") : SPRINT_OK;
}

sprint_status sprint__idx_read(sprint_context *context, const char *path, size_t n_dims, const char *what,
                               struct sprint__idx *ret_idx) {
  struct loader l = {.context = context, .path = path, .what = what};
  SPRINT__TRY(sprint__bytes_open(context, path, &l.reader));
  SPRINT__SCOPED(sprint__bytes_close) struct sprint__bytes *reader = l.reader;
  l.idx.gzip = sprint__bytes_is_gzip(reader);
  SPRINT__TRY(read_start(&l, n_dims));
  SPRINT__TRY(read_shape(&l));
  SPRINT__TRY(sprint__bytes_expect(reader, l.idx.n_bytes));
  SPRINT__SCOPED(sprint__free) uint8_t *bytes = l.idx.bytes = sprint__alloc(context, l.idx.n_bytes, 1);
  if (!bytes) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(read_elements(&l));
  sprint__give(&bytes);
  *ret_idx = l.idx;
  return SPRINT_OK;
}
