/* Columns of a CSV by name: see csv_reader.h. */
#include <string.h>

#include "config/names.h"
#include "config/text.h"
#include "population/csv_reader.h"

static void clear_index(void *index) { sprint__index_clear(index); }

/* Columns of one name are a chain: the first, then `next` of each. */
static sprint_status index_names(struct sprint__csv_header *header, struct sprint__arena *arena) {
  header->index = sprint__arena_take(arena, 1, sizeof *header->index);
  header->first = sprint__arena_take(arena, header->n, sizeof *header->first);
  header->next = sprint__arena_take(arena, header->n, sizeof *header->next);
  size_t *last = sprint__arena_take(arena, header->n, sizeof *last);
  SPRINT__TRY(sprint__arena_status(arena));
  header->index->context = arena->context;
  sprint__arena_at_end(arena, clear_index, header->index);
  SPRINT__TRY(sprint__arena_status(arena)); /* otherwise nobody would clear what is added */
  for (size_t j = 0; j < header->n; j++) {
    size_t number, n_before = header->index->n;
    SPRINT__TRY(sprint__index_add(header->index, header->names[j], &number));
    if (number == n_before)
      header->first[number] = j;
    else
      header->next[last[number]] = j;
    header->next[last[number] = j] = header->n;
  }
  return SPRINT_OK;
}

sprint_status sprint__csv_header_keep(struct sprint__arena *arena, const char *path, const struct sprint__csv_row *row,
                                      struct sprint__dialect *dialect, struct sprint__csv_header *ret_header) {
  const char **fields = sprint__arena_take(arena, row->n, sizeof *fields);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t j = 0; j < row->n; j++) fields[j] = sprint__csv_field(row, j);
  char **names = sprint__arena_keep(arena, sprint__names_copy(arena->context, fields, row->n));
  *ret_header = (struct sprint__csv_header){
      .context = arena->context, .path = path, .line = row->line, .n = row->n, .names = names, .dialect = dialect};
  SPRINT__TRY(sprint__arena_status(arena));
  return index_names(ret_header, arena);
}

/* "a, b, c", cut where they are many; to be freed. */
static char *list_names(const struct sprint__csv_header *header) {
  enum { MOST = 20 };
  struct sprint__text list = {.context = header->context};
  for (size_t j = 0; j < header->n && j < MOST; j++) {
    sprint__text_add(&list, j ? ", " : "");
    sprint__text_add(&list, sprint__show(header->names[j]).text);
  }
  sprint__text_add(&list, header->n > MOST ? ", ..." : "");
  return sprint__text_take(&list);
}

static sprint_status not_there(const struct sprint__csv_header *header, const char *name) {
  const char *nearest = sprint__nearest(name, (const char *const *)header->names, header->n);
  struct sprint__shown shown = sprint__show(name);
  if (nearest)
    return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: there is no column '%s'; did you mean '%s'?",
                       header->path, header->line, shown.text, sprint__show(nearest).text);
  const char separator[] = {header->dialect->separator, '\0'};
  if (header->n == 1)
    return sprint_fail(header->context, SPRINT_ERROR_INPUT,
                       "%s:%zu: there is no column '%s'; the header is one column alone, '%s': nothing in it is "
                       "separated by %s%s%s",
                       header->path, header->line, shown.text, sprint__show(header->names[0]).text,
                       *separator == '\t' ? "" : "'", *separator == '\t' ? "tabs" : separator,
                       *separator == '\t' ? "" : "'");
  SPRINT__SCOPED(sprint__free) char *names = list_names(header);
  if (!names) return SPRINT_ERROR_MEMORY;
  return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: there is no column '%s'; there are %s", header->path,
                     header->line, shown.text, names);
}

size_t sprint__csv_header_first(const struct sprint__csv_header *header, const char *name) {
  size_t number;
  return sprint__index_find(header->index, name, &number) ? header->first[number] : header->n;
}

sprint_status sprint__csv_header_find(const struct sprint__csv_header *header, const char *name, size_t *ret_column) {
  size_t found = sprint__csv_header_first(header, name);
  if (found == header->n) return not_there(header, name);
  if (header->next[found] < header->n)
    return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: columns %zu and %zu are both called '%s'",
                       header->path, header->line, found + 1, header->next[found] + 1, sprint__show(name).text);
  if (sprint__text_check(name, strlen(name)) < strlen(name))
    return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: the name of column %zu is not UTF-8", header->path,
                       header->line, found + 1);
  *ret_column = found;
  return SPRINT_OK;
}

sprint_status sprint__csv_refuse(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, const char *rest) {
  return sprint_fail(header->context, SPRINT_ERROR_INPUT, "%s:%zu: column %zu '%s': %s", header->path, row->line,
                     column + 1, sprint__show(header->names[column]).text, rest);
}
