/* NPY, IDX and CIFAR-10 files described: a column for each feature, of images for each channel. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/names.h"
#include "population/cifar10.h"
#include "population/describe.h"
#include "population/idx.h"
#include "population/npy.h"

/* Bytes by value, for the column. */
static sprint_status tally_bytes(struct sprint__tally *tally, const uint8_t *bytes, size_t n) {
  size_t counts[256] = {0};
  for (size_t i = 0; i < n; i++) counts[bytes[i]]++;
  for (size_t b = 0; b < 256; b++)
    if (counts[b]) SPRINT__TRY(sprint__tally_number(tally, (double)b, counts[b]));
  return SPRINT_OK;
}

static sprint_status name_column(sprint_context *context, sprint_file_info *info, size_t column, const char *name) {
  info->columns[column].name = sprint__strdup(context, name);
  return info->columns[column].name ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static void set_shape(sprint_file_info *info, size_t n_dims, const size_t *shape) {
  info->n_dims = n_dims;
  memcpy(info->shape, shape, n_dims * sizeof *shape);
  info->n_rows = n_dims ? shape[0] : 1;
}

/* All bytes of an array as one column: "pixel" for images, else "label". */
static sprint_status describe_bytes(sprint_context *context, const uint8_t *bytes, size_t n, sprint_file_info *info) {
  struct sprint__tally *tallies;
  SPRINT__TRY(sprint__info_columns(context, 1, info, &tallies));
  sprint_status status = name_column(context, info, 0, info->n_dims >= 3 ? "pixel" : "label");
  if (status == SPRINT_OK) status = tally_bytes(&tallies[0], bytes, n);
  return sprint__info_finish(status, tallies, info);
}

sprint_status sprint__describe_idx(sprint_context *context, const char *path, sprint_file_info *info) {
  struct sprint__idx idx;
  SPRINT__TRY(sprint__idx_read(context, path, 0, "bytes", &idx));
  set_shape(info, idx.n_dims, idx.shape);
  sprint_status status = describe_bytes(context, idx.bytes, idx.n_bytes, info);
  sprint__free(idx.bytes);
  return status;
}

/* (n) and (n, d): a column for each feature; more dimensions: one for all. */
static sprint_status describe_reals(sprint_context *context, const sprint_array *array, sprint_file_info *info) {
  struct sprint__tally *tallies;
  size_t n_columns = array->n_dims == 2 ? array->shape[1] : 1, n = sprint__array_size(array);
  SPRINT__TRY(sprint__info_columns(context, n_columns, info, &tallies));
  sprint_status status = SPRINT_OK;
  for (size_t j = 0; j < n_columns && status == SPRINT_OK; j++) {
    char name[32];
    snprintf(name, sizeof name, "x%zu", j);
    status = name_column(context, info, j, array->n_dims == 2 ? name : "value");
  }
  for (size_t i = 0; i < n && status == SPRINT_OK; i++)
    status = sprint__tally_number(&tallies[i % n_columns], array->data[i], 1);
  return sprint__info_finish(status, tallies, info);
}

sprint_status sprint__describe_npy(sprint_context *context, const char *path, sprint_file_info *info) {
  sprint_array array;
  uint8_t *bytes = NULL;
  SPRINT__TRY(sprint__npy_read_images(context, path, &array, &bytes));
  set_shape(info, array.n_dims, array.shape);
  size_t n = sprint__array_size(&array);
  sprint_status status = bytes ? describe_bytes(context, bytes, n, info) : describe_reals(context, &array, info);
  sprint_array_clear(&array);
  sprint__free(bytes);
  return status;
}

/* A batch read whole. */
struct batch {
  FILE *stream;
  size_t n;
  uint8_t *labels, *pixels;
  char *folder, **names;
};

static sprint_status read_batch(sprint_context *context, const char *path, struct batch *b) {
  const char *slash = strrchr(path, '/');
  SPRINT__TRY(sprint__cifar10_open(context, path, &b->stream, &b->n));
  b->labels = sprint__alloc(context, b->n, 1);
  b->pixels = sprint__alloc(context, b->n, SPRINT__CIFAR10_PIXELS);
  b->folder = slash ? sprint__printf(context, "%.*s", (int)(slash - path), path) : sprint__strdup(context, ".");
  if (!b->labels || !b->pixels || !b->folder) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__cifar10_names(context, b->folder, &b->names));
  return sprint__cifar10_read(context, path, b->stream, b->n, b->labels, b->pixels);
}

static sprint_status tally_batch(const struct batch *b, struct sprint__tally *tallies) {
  size_t plane = SPRINT__CIFAR10_SIDE * SPRINT__CIFAR10_SIDE;
  SPRINT__TRY(tally_bytes(&tallies[0], b->labels, b->n));
  for (size_t i = 0; i < b->n; i++)
    for (size_t c = 0; c < SPRINT__CIFAR10_CHANNELS; c++)
      SPRINT__TRY(tally_bytes(&tallies[1 + c], b->pixels + i * SPRINT__CIFAR10_PIXELS + c * plane, plane));
  return SPRINT_OK;
}

/* Labels by their class names. */
static void rename_labels(struct batch *b, struct sprint__tally *labels) {
  for (size_t i = 0; i < labels->n_seen; i++) { /* ten at most */
    size_t k = (size_t)labels->seen[i].value;
    sprint__free(labels->seen[i].text);
    labels->seen[i].text = b->names[k];
    b->names[k] = NULL;
  }
}

static sprint_status describe_batch(sprint_context *context, struct batch *b, sprint_file_info *info) {
  static const char *const names[] = {"label", "red", "green", "blue"};
  struct sprint__tally *tallies;
  set_shape(info, 4, (size_t[]){b->n, SPRINT__CIFAR10_CHANNELS, SPRINT__CIFAR10_SIDE, SPRINT__CIFAR10_SIDE});
  SPRINT__TRY(sprint__info_columns(context, SPRINT__COUNT(names), info, &tallies));
  sprint_status status = SPRINT_OK;
  for (size_t j = 0; j < SPRINT__COUNT(names) && status == SPRINT_OK; j++)
    status = name_column(context, info, j, names[j]);
  if (status == SPRINT_OK) status = tally_batch(b, tallies);
  if (status == SPRINT_OK) rename_labels(b, &tallies[0]);
  return sprint__info_finish(status, tallies, info);
}

sprint_status sprint__describe_cifar10(sprint_context *context, const char *path, sprint_file_info *info) {
  struct batch b = {.stream = NULL};
  sprint_status status = read_batch(context, path, &b);
  if (status == SPRINT_OK) status = describe_batch(context, &b, info);
  if (b.stream) fclose(b.stream);
  sprint__free(b.labels);
  sprint__free(b.pixels);
  sprint__free(b.folder);
  sprint__names_free(b.names, SPRINT__CIFAR10_CLASSES);
  return status;
}
