/* What is in a data file: the format by its contents, and counts by column. */
#include "population/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "population/build.h"
#include "population/bytes.h"

/* Most columns of many have few values, or soon too many. */
static sprint_status make_room(struct sprint__tally *t) {
  enum { FEW = 2 };
  if (t->n_seen <= t->n_room) return SPRINT_OK;
  size_t n_room = t->n_room ? SPRINT__MAX_VALUES : FEW;
  struct sprint__value_seen *seen = sprint__arena_take(t->arena, n_room, sizeof *seen);
  if (!seen) return SPRINT_ERROR_MEMORY;
  if (t->n_room) memcpy(seen, t->seen, t->n_room * sizeof *seen);
  t->seen = seen;
  t->n_room = n_room;
  return SPRINT_OK;
}

/* Counts a distinct value, found by number or by text. */
static sprint_status see(struct sprint__tally *t, bool number, double value, const char *text, size_t n) {
  if (t->n_seen > SPRINT__MAX_VALUES) return SPRINT_OK;
  for (size_t i = 0; i < t->n_seen; i++) {
    struct sprint__value_seen *s = &t->seen[i];
    if (s->number != number || (number ? s->value != value : strcmp(s->text, text) != 0)) continue;
    s->n += n;
    return SPRINT_OK;
  }
  if (t->n_seen++ == SPRINT__MAX_VALUES) return SPRINT_OK;
  SPRINT__TRY(make_room(t));
  char *copy = number ? NULL : sprint__arena_strdup(t->arena, text);
  t->seen[t->n_seen - 1] = (struct sprint__value_seen){number, value, copy, n};
  return sprint__arena_status(t->arena);
}

sprint_status sprint__tally_number(struct sprint__tally *t, double value, size_t n) {
  if (isnan(value)) {
    t->n_missing += n;
    return SPRINT_OK;
  }
  t->min = t->n_numbers ? fmin(t->min, value) : value;
  t->max = t->n_numbers ? fmax(t->max, value) : value;
  t->n_numbers += n;
  t->sum += value * (double)n;
  return see(t, true, value, NULL, n);
}

sprint_status sprint__tally_text(struct sprint__tally *t, const char *text) {
  t->n_texts++;
  return see(t, false, 0, text, 1);
}

/* Numbers by size, then texts by their letters. */
static int by_value(const void *left, const void *right) {
  const struct sprint__value_seen *a = left, *b = right;
  if (a->number != b->number) return a->number ? -1 : 1;
  if (!a->number) return strcmp(a->text, b->text);
  return a->value < b->value ? -1 : a->value > b->value;
}

sprint_status sprint__info_columns(struct sprint__info *info, size_t n_columns, struct sprint__tally **ret_tallies) {
  info->file.columns = sprint__arena_take(&info->arena, n_columns, sizeof *info->file.columns);
  struct sprint__tally *tallies = sprint__alloc(info->arena.context, n_columns, sizeof *tallies);
  *ret_tallies = tallies;
  if (!info->file.columns || !tallies) return SPRINT_ERROR_MEMORY;
  info->file.n_columns = n_columns;
  for (size_t j = 0; j < n_columns; j++) tallies[j].arena = &info->arena;
  return SPRINT_OK;
}

static void finish_column(struct sprint__tally *t, sprint_column_info *column) {
  column->n_missing = t->n_missing;
  column->n_texts = t->n_texts;
  column->min = t->n_numbers ? t->min : NAN;
  column->max = t->n_numbers ? t->max : NAN;
  column->mean = t->n_numbers ? t->sum / (double)t->n_numbers : NAN;
  if (!t->n_seen || t->n_seen > SPRINT__MAX_VALUES) return;
  column->values = sprint__arena_take(t->arena, t->n_seen, sizeof *column->values);
  qsort(t->seen, t->n_seen, sizeof *t->seen, by_value);
  column->n_values = t->n_seen;
  for (size_t i = 0; column->values && i < t->n_seen; i++) {
    const struct sprint__value_seen *seen = &t->seen[i];
    char *digits = seen->text ? NULL : sprint__printf(t->arena->context, "%.9g", seen->value);
    column->values[i].text = seen->text ? seen->text : sprint__arena_keep(t->arena, digits);
    column->values[i].n = seen->n;
  }
}

sprint_status sprint__info_finish(struct sprint__info *info, struct sprint__tally *tallies) {
  for (size_t j = 0; j < info->file.n_columns; j++) finish_column(&tallies[j], &info->file.columns[j]);
  return sprint__arena_status(&info->arena);
}

/* The layers above know models: see sprint_model_info_read. */
static sprint_status describe_model(const char *path, struct sprint__info *info) {
  (void)path, (void)info;
  return SPRINT_OK;
}

static const struct format {
  const char *name;
  sprint_status (*describe)(const char *path, struct sprint__info *info);
} formats[] = {
    {"csv", sprint__describe_csv},         {"npy", sprint__describe_npy},   {"idx", sprint__describe_idx},
    {"cifar10", sprint__describe_cifar10}, {"safetensors", describe_model},
};
enum { CSV, NPY, IDX, CIFAR10, SAFETENSORS };

/* The size of a header, below 2^32, and the header's first byte. */
static bool is_model(const unsigned char start[9], size_t n) { return n == 9 && !memcmp(start + 4, "\0\0\0\0{", 5); }

/* By the first bytes; a batch of CIFAR-10, which has no mark, by its name. */
static sprint_status find_format(sprint_context *context, const char *path, const struct format **ret_format) {
  SPRINT__SCOPED(sprint__bytes_close) struct sprint__bytes *reader = NULL;
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  unsigned char start[9];
  size_t n;
  SPRINT__TRY(sprint__file_open_regular(context, path, "a file that is looked at twice", &stream));
  SPRINT__TRY(sprint__bytes_open(context, path, &reader));
  SPRINT__TRY(sprint__bytes_read(reader, start, sizeof start, &n));
  bool idx = n >= 2 && !start[0] && !start[1];
  if (n == 0) return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: is empty", path);
  *ret_format = &formats[sprint__path_ends_in(path, ".bin")         ? CIFAR10
                         : n >= 6 && !memcmp(start, "\x93NUMPY", 6) ? NPY
                         : is_model(start, n)                       ? SAFETENSORS
                         : idx                                      ? IDX
                                                                    : CSV];
  return SPRINT_OK;
}

static void info_free(struct sprint__info *info) {
  if (info) sprint__arena_free(&info->arena);
  sprint__free(info);
}
SPRINT__FREE_AT(info_free, struct sprint__info)

sprint_status sprint_file_info_read(sprint_context *context, const char *path, sprint_file_info **ret_info) {
  SPRINT__REQUIRE(context, path, ret_info);
  SPRINT__SCOPED(info_free) struct sprint__info *info = sprint__alloc(context, 1, sizeof *info);
  const struct format *format = NULL;
  if (!info) return SPRINT_ERROR_MEMORY;
  info->arena.context = context;
  SPRINT__TRY(sprint__data_find(&info->arena, path, &info->file.path));
  SPRINT__TRY(find_format(context, info->file.path, &format));
  info->file.format = format->name;
  SPRINT__TRY(format->describe(info->file.path, info));
  *ret_info = sprint__give(&info);
  return SPRINT_OK;
}

/* The info is the first of what was allocated with it. */
void sprint_file_info_free(sprint_file_info *info) { info_free((struct sprint__info *)info); }
