/* NPY, IDX and CIFAR-10 files described: a column for each feature, of images for each channel. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "population/cifar10.h"
#include "population/describe.h"
#include "population/idx.h"
#include "population/npy.h"

enum { MOST_COLUMNS = 10000 };

/* Bytes by value, for the column. */
static sprint_status tally_bytes(struct sprint__tally *tally, const uint8_t *bytes, size_t n) {
  size_t counts[256] = {0};
  for (size_t i = 0; i < n; i++) counts[bytes[i]]++;
  for (size_t b = 0; b < 256; b++)
    if (counts[b]) SPRINT__TRY(sprint__tally_number(tally, (double)b, counts[b]));
  return SPRINT_OK;
}

static void set_shape(sprint_file_info *info, size_t n_dims, const size_t *shape) {
  info->n_dims = n_dims;
  memcpy(info->shape, shape, n_dims * sizeof *shape);
  info->n_rows = n_dims ? shape[0] : 1;
}

/* All bytes of an array as one column: "pixel" for images, else "label". */
static sprint_status describe_bytes(const uint8_t *bytes, size_t n, struct sprint__info *info) {
  SPRINT__SCOPED(sprint__free) struct sprint__tally *tallies = NULL;
  SPRINT__TRY(sprint__info_columns(info, 1, &tallies));
  info->file.columns[0].name = sprint__arena_strdup(&info->arena, info->file.n_dims >= 3 ? "pixel" : "label");
  SPRINT__TRY(tally_bytes(&tallies[0], bytes, n));
  return sprint__info_finish(info, tallies);
}

sprint_status sprint__describe_idx(const char *path, struct sprint__info *info) {
  struct sprint__idx idx;
  SPRINT__TRY(sprint__idx_read(info->arena.context, path, 0, "bytes", &idx));
  SPRINT__SCOPED(sprint__free) uint8_t *bytes = idx.bytes;
  set_shape(&info->file, idx.n_dims, idx.shape);
  return describe_bytes(bytes, idx.n_bytes, info);
}

/* (n) and (n, d): a column for each feature; more dimensions, or very many features: one for all. */
static sprint_status describe_reals(const sprint_array *array, struct sprint__info *info) {
  SPRINT__SCOPED(sprint__free) struct sprint__tally *tallies = NULL;
  bool table = array->n_dims == 2 && array->shape[1] <= MOST_COLUMNS;
  size_t n_columns = table ? array->shape[1] : 1, n = sprint__array_size(array);
  SPRINT__TRY(sprint__info_columns(info, n_columns, &tallies));
  for (size_t j = 0; j < n_columns; j++) {
    char name[32];
    snprintf(name, sizeof name, "x%zu", j);
    info->file.columns[j].name = sprint__arena_strdup(&info->arena, table ? name : "value");
  }
  for (size_t i = 0; i < n; i++) SPRINT__TRY(sprint__tally_number(&tallies[i % n_columns], array->data[i], 1));
  return sprint__info_finish(info, tallies);
}

sprint_status sprint__describe_npy(const char *path, struct sprint__info *info) {
  SPRINT__CLEARED(sprint_array_clear) sprint_array array = {.data = NULL};
  SPRINT__SCOPED(sprint__free) uint8_t *bytes = NULL;
  SPRINT__TRY(sprint__npy_read_images(info->arena.context, path, &array, &bytes));
  set_shape(&info->file, array.n_dims, array.shape);
  if (sprint__array_size(&array) == 0) return SPRINT_OK; /* there is nothing to count, whatever the shape */
  return bytes ? describe_bytes(bytes, sprint__array_size(&array), info) : describe_reals(&array, info);
}

/* A batch read whole. */
struct batch {
  size_t n;
  uint8_t *labels, *pixels;
  char **names;
};

static sprint_status read_batch(struct sprint__arena *arena, const char *path, struct batch *ret_batch) {
  sprint_context *context = arena->context;
  const char *slash = strrchr(path, '/');
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  SPRINT__SCOPED(sprint__free)
  char *folder = slash ? sprint__printf(context, "%.*s", (int)(slash - path), path) : sprint__strdup(context, ".");
  struct batch b = {.names = NULL};
  SPRINT__TRY(sprint__cifar10_open(context, path, &stream, &b.n));
  b.labels = sprint__arena_take(arena, b.n, 1);
  b.pixels = sprint__arena_take(arena, b.n, SPRINT__CIFAR10_PIXELS);
  if (!folder || arena->failed) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__cifar10_names(context, folder, &b.names));
  if (!sprint__arena_keep(arena, b.names)) return SPRINT_ERROR_MEMORY;
  *ret_batch = b;
  return sprint__cifar10_read(context, path, stream, b.n, b.labels, b.pixels);
}

static sprint_status tally_batch(const struct batch *b, struct sprint__tally *tallies) {
  size_t plane = SPRINT__CIFAR10_SIDE * SPRINT__CIFAR10_SIDE;
  SPRINT__TRY(tally_bytes(&tallies[0], b->labels, b->n));
  for (size_t i = 0; i < b->n; i++)
    for (size_t c = 0; c < SPRINT__CIFAR10_CHANNELS; c++)
      SPRINT__TRY(tally_bytes(&tallies[1 + c], b->pixels + i * SPRINT__CIFAR10_PIXELS + c * plane, plane));
  return SPRINT_OK;
}

/* Labels go by their class names: ten at most. */
sprint_status sprint__describe_cifar10(const char *path, struct sprint__info *info) {
  static const char *const names[] = {"label", "red", "green", "blue"};
  SPRINT__SCRATCH(room, info->arena.context);
  SPRINT__SCOPED(sprint__free) struct sprint__tally *tallies = NULL;
  struct batch b;
  SPRINT__TRY(read_batch(&room, path, &b));
  set_shape(&info->file, 4, (size_t[]){b.n, SPRINT__CIFAR10_CHANNELS, SPRINT__CIFAR10_SIDE, SPRINT__CIFAR10_SIDE});
  SPRINT__TRY(sprint__info_columns(info, SPRINT__COUNT(names), &tallies));
  for (size_t j = 0; j < SPRINT__COUNT(names); j++)
    info->file.columns[j].name = sprint__arena_strdup(&info->arena, names[j]);
  SPRINT__TRY(tally_batch(&b, tallies));
  for (size_t i = 0; i < tallies[0].n_seen; i++)
    tallies[0].seen[i].text = sprint__arena_strdup(&info->arena, b.names[(size_t)tallies[0].seen[i].value]);
  return sprint__info_finish(info, tallies);
}
