/* Columns of a CSV by name, and their fields as numbers: see csv_reader.h. */
#include <stdio.h>
#include <string.h>

#include "config/names.h"
#include "config/text.h"
#include "population/cell.h"
#include "population/csv_reader.h"

sprint_status sprint__csv_header_keep(struct sprint__arena *arena, const char *path, const struct sprint__csv_row *row,
                                      struct sprint__csv_header *ret_header) {
  char **names = sprint__arena_take(arena, row->n, sizeof *names);
  for (size_t j = 0; names && j < row->n; j++) names[j] = sprint__arena_strdup(arena, sprint__csv_field(row, j));
  *ret_header = (struct sprint__csv_header){arena->context, path, row->line, row->n, names};
  return sprint__arena_status(arena);
}

static sprint_status not_there(const struct sprint__csv_header *header, const char *name) {
  const char *nearest = sprint__nearest(name, (const char *const *)header->names, header->n);
  if (nearest)
    return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: there is no column '%s'; did you mean '%s'?",
                       header->path, header->line, name, nearest);
  return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: there is no column '%s'", header->path, header->line,
                     name);
}

sprint_status sprint__csv_header_find(const struct sprint__csv_header *header, const char *name, size_t *ret_column) {
  size_t found = header->n;
  for (size_t j = 0; j < header->n; j++) {
    if (strcmp(header->names[j], name) != 0) continue;
    if (found < header->n)
      return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: columns %zu and %zu are both called '%s'",
                         header->path, header->line, found + 1, j + 1, name);
    found = j;
  }
  if (found == header->n) return not_there(header, name);
  if (sprint__text_check(name, strlen(name)) < strlen(name))
    return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: the name of column %zu is not UTF-8", header->path,
                       header->line, found + 1);
  *ret_column = found;
  return SPRINT_OK;
}

sprint_status sprint__csv_refuse(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, const char *rest) {
  return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: column %zu '%s': %s", header->path, row->line,
                     column + 1, header->names[column], rest);
}

sprint_status sprint__csv_number(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, double *ret_value) {
  const char *text = sprint__csv_field(row, column);
  enum sprint__cell cell = sprint__cell_parse(text, ret_value);
  if (cell == SPRINT__CELL_NUMBER || cell == SPRINT__CELL_MISSING) return SPRINT_OK;
  char rest[160];
  snprintf(rest, sizeof rest, "'%s' %s", sprint__show(text).text, sprint__cell_complaint(cell));
  return sprint__csv_refuse(header, row, column, rest);
}
