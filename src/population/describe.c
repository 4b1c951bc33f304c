/* What is in a data file: the format by its contents, and counts by column. */
#include "population/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "population/build.h"
#include "population/bytes.h"

static void forget(struct sprint__tally *t) {
  for (size_t i = 0; i < t->n_seen && t->n_seen <= SPRINT__MAX_VALUES; i++) sprint__free(t->seen[i].text);
  t->n_seen = SPRINT__MAX_VALUES + 1;
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
  if (t->n_seen == SPRINT__MAX_VALUES) {
    forget(t);
    return SPRINT_OK;
  }
  char *copy = number ? sprint__printf(t->context, "%.9g", value) : sprint__strdup(t->context, text);
  if (!copy) return SPRINT_ERROR_MEMORY;
  t->seen[t->n_seen++] = (struct sprint__value_seen){number, value, copy, n};
  return SPRINT_OK;
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

sprint_status sprint__info_columns(sprint_context *context, size_t n_columns, sprint_file_info *info,
                                   struct sprint__tally **ret_tallies) {
  info->columns = sprint__alloc(context, n_columns, sizeof *info->columns);
  struct sprint__tally *tallies = sprint__alloc(context, n_columns, sizeof *tallies);
  if (!info->columns || !tallies) {
    sprint__free(tallies);
    return SPRINT_ERROR_MEMORY;
  }
  info->n_columns = n_columns;
  for (size_t j = 0; j < n_columns; j++) tallies[j].context = context;
  *ret_tallies = tallies;
  return SPRINT_OK;
}

static sprint_status finish_column(struct sprint__tally *t, sprint_column_info *column) {
  column->n_missing = t->n_missing;
  column->n_texts = t->n_texts;
  column->min = t->n_numbers ? t->min : NAN;
  column->max = t->n_numbers ? t->max : NAN;
  column->mean = t->n_numbers ? t->sum / (double)t->n_numbers : NAN;
  if (!t->n_seen || t->n_seen > SPRINT__MAX_VALUES) return SPRINT_OK;
  column->values = sprint__alloc(t->context, t->n_seen, sizeof *column->values);
  if (!column->values) return SPRINT_ERROR_MEMORY;
  qsort(t->seen, t->n_seen, sizeof *t->seen, by_value);
  column->n_values = t->n_seen;
  for (size_t i = 0; i < t->n_seen; i++) {
    column->values[i].text = t->seen[i].text;
    column->values[i].n = t->seen[i].n;
  }
  t->n_seen = 0; /* the texts changed hands */
  return SPRINT_OK;
}

sprint_status sprint__info_finish(sprint_status status, struct sprint__tally *tallies, sprint_file_info *info) {
  for (size_t j = 0; j < info->n_columns; j++) {
    if (status == SPRINT_OK) status = finish_column(&tallies[j], &info->columns[j]);
    forget(&tallies[j]);
  }
  sprint__free(tallies);
  return status;
}

static const struct format {
  const char *name;
  sprint_status (*describe)(sprint_context *context, const char *path, sprint_file_info *info);
} formats[] = {
    {"csv", sprint__describe_csv},
    {"npy", sprint__describe_npy},
    {"idx", sprint__describe_idx},
    {"cifar10", sprint__describe_cifar10},
};
enum { CSV, NPY, IDX, CIFAR10 };

/* By the first bytes; a batch of CIFAR-10, which has no mark, by its name. */
static sprint_status find_format(sprint_context *context, const char *path, const struct format **ret_format) {
  struct sprint__bytes *reader;
  unsigned char start[6];
  size_t n;
  SPRINT__TRY(sprint__bytes_open(context, path, &reader));
  bool gzip = sprint__bytes_is_gzip(reader);
  sprint_status status = sprint__bytes_read(reader, start, sizeof start, &n);
  sprint__bytes_close(reader);
  SPRINT__TRY(status);
  bool idx = gzip || (n >= 2 && !start[0] && !start[1]);
  if (n == 0) return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: is empty", path);
  *ret_format = &formats[sprint__path_ends_in(path, ".bin")                    ? CIFAR10
                         : n == sizeof start && !memcmp(start, "\x93NUMPY", n) ? NPY
                         : idx                                                 ? IDX
                                                                               : CSV];
  return SPRINT_OK;
}

static sprint_status describe(sprint_context *context, const char *path, sprint_file_info *info) {
  const struct format *format = NULL;
  SPRINT__TRY(find_format(context, path, &format));
  info->format = format->name;
  return format->describe(context, path, info);
}

sprint_status sprint_file_info_read(sprint_context *context, const char *path, sprint_file_info **ret_info) {
  sprint_file_info *info = sprint__alloc(context, 1, sizeof *info);
  if (!info) return SPRINT_ERROR_MEMORY;
  sprint_status status = sprint__data_find(context, path, &info->path);
  if (status == SPRINT_OK) status = describe(context, info->path, info);
  if (status == SPRINT_OK)
    *ret_info = info;
  else
    sprint_file_info_free(info);
  return status;
}

void sprint_file_info_free(sprint_file_info *info) {
  if (!info) return;
  for (size_t j = 0; info->columns && j < info->n_columns; j++) {
    sprint_column_info *column = &info->columns[j];
    for (size_t i = 0; i < column->n_values; i++) sprint__free(column->values[i].text);
    sprint__free(column->values);
    sprint__free(column->name);
  }
  sprint__free(info->columns);
  sprint__free(info->path);
  sprint__free(info);
}
