/* Rows of a CSV as records: see csv_rows.h. */
#include "population/csv_rows.h"

#include <math.h>
#include <string.h>

#include "population/cell.h"

static sprint_status get_separator(const struct sprint__section *section, char *ret_separator) {
  const char *text = sprint__get_text(section, "separator");
  if (strcmp(text, "tab") == 0) {
    *ret_separator = '\t';
    return SPRINT_OK;
  }
  if (strlen(text) != 1 || strchr("\"\r\n", *text))
    return sprint__refuse(section, "separator", "'%s' is not one character or 'tab'", text);
  *ret_separator = *text;
  return SPRINT_OK;
}

sprint_status sprint__csv_rows_of(const struct sprint__section *section, struct sprint__arena *arena, const char *path,
                                  struct sprint__csv_rows *ret_rows) {
  char separator = 0;
  SPRINT__TRY(get_separator(section, &separator));
  *ret_rows = (struct sprint__csv_rows){.context = section->context,
                                        .arena = arena,
                                        .path = path,
                                        .missing = (enum sprint__missing)sprint__get_choice(section, "missing"),
                                        .target = (enum sprint__target)sprint__get_choice(section, "target"),
                                        .separator = separator};
  return SPRINT_OK;
}

static bool listed(const struct sprint__value *list, const char *name) {
  for (size_t i = 0; i < list->n_items; i++)
    if (strcmp(list->texts[i], name) == 0) return true;
  return false;
}

static sprint_status add_feature(struct sprint__csv_rows *r, const struct sprint__section *section, size_t column) {
  const char *name = r->header.names[column];
  if (column == r->label)
    return sprint__refuse(section, "features", "column '%s' is the label and cannot be a feature", name);
  for (size_t j = 0; j < r->d; j++)
    if (r->columns[j] == column) return sprint__refuse(section, "features", "column '%s' is listed twice", name);
  r->names[r->d] = name;
  r->columns[r->d++] = column;
  return SPRINT_OK;
}

static sprint_status choose_listed(struct sprint__csv_rows *r, const struct sprint__section *section,
                                   const struct sprint__value *features) {
  for (size_t i = 0; i < features->n_items; i++) {
    size_t column;
    SPRINT__TRY(sprint__csv_header_find(&r->header, features->texts[i], &column));
    SPRINT__TRY(add_feature(r, section, column));
  }
  return SPRINT_OK;
}

static sprint_status choose_all_but(struct sprint__csv_rows *r, const struct sprint__section *section,
                                    const struct sprint__value *ignore) {
  for (size_t j = 0; j < r->header.n; j++) {
    const char *name = r->header.names[j];
    size_t column;
    if (j == r->label || listed(ignore, name)) continue;
    if (!*name)
      return sprint_fail(r->context, SPRINT_ERROR_INPUT,
                         "%s:%zu: column %zu has no name; leave it out by ignore: [\"\"], or give it one",
                         r->header.path, r->header.line, j + 1);
    SPRINT__TRY(sprint__csv_header_find(&r->header, name, &column)); /* refuses a name that is there twice */
    SPRINT__TRY(add_feature(r, section, column));
  }
  return SPRINT_OK;
}

static sprint_status check_ignore(const struct sprint__csv_rows *r, const struct sprint__section *section,
                                  const struct sprint__value *ignore, const struct sprint__value *features) {
  for (size_t i = 0; i < ignore->n_items; i++) {
    const char *name = ignore->texts[i];
    bool found = false;
    for (size_t j = 0; j < r->header.n && !found; j++) found = strcmp(r->header.names[j], name) == 0;
    size_t column;
    if (!found) return sprint__csv_header_find(&r->header, name, &column);
    if (listed(features, name) || strcmp(name, sprint__get_text(section, "label")) == 0)
      return sprint__refuse(section, "ignore", "column '%s' is also %s", name,
                            listed(features, name) ? "under features" : "the label");
  }
  return SPRINT_OK;
}

static sprint_status choose_columns(struct sprint__csv_rows *r, const struct sprint__section *section) {
  const struct sprint__value *features = sprint__get(section, "features");
  const struct sprint__value *ignore = sprint__get(section, "ignore");
  SPRINT__TRY(sprint__csv_header_find(&r->header, sprint__get_text(section, "label"), &r->label));
  SPRINT__TRY(check_ignore(r, section, ignore, features));
  SPRINT__TRY(features->n_items ? choose_listed(r, section, features) : choose_all_but(r, section, ignore));
  if (!r->d)
    return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s:%zu: no column is left to be a feature", r->header.path,
                       r->header.line);
  return SPRINT_OK;
}

sprint_status sprint__csv_rows_choose(struct sprint__csv_rows *r, const struct sprint__section *section,
                                      const struct sprint__csv_row *header) {
  SPRINT__TRY(sprint__csv_header_keep(r->arena, r->path, header, &r->header));
  r->columns = sprint__arena_take(r->arena, header->n, sizeof *r->columns);
  r->names = sprint__arena_take(r->arena, header->n, sizeof *r->names);
  SPRINT__TRY(sprint__arena_status(r->arena));
  return choose_columns(r, section);
}

sprint_status sprint__csv_rows_name(const struct sprint__csv_rows *r, struct sprint__table *table) {
  table->names = sprint__names_copy(r->context, r->names, r->d);
  table->label_name = sprint__strdup(r->context, r->header.names[r->label]);
  return table->names && table->label_name ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status refuse_missing(const struct sprint__csv_rows *r, const struct sprint__csv_row *row,
                                    size_t column) {
  if (column == r->label)
    return sprint__csv_refuse(&r->header, row, column, "the label is missing; missing: drop leaves such rows out");
  return sprint__csv_refuse(&r->header, row, column,
                            "the value is missing; missing: drop or missing: median deals with it");
}

static sprint_status read_features(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, double *x,
                                   bool *ret_dropped) {
  for (size_t j = 0; j < r->d; j++) {
    SPRINT__TRY(sprint__csv_number(&r->header, row, r->columns[j], &x[j]));
    if (!isnan(x[j])) continue;
    if (r->missing == SPRINT__MISSING_REFUSE) return refuse_missing(r, row, r->columns[j]);
    if (r->missing == SPRINT__MISSING_DROP) *ret_dropped = true;
  }
  return SPRINT_OK;
}

static bool is_missing(const char *text) {
  double value;
  return sprint__cell_parse(text, &value) == SPRINT__CELL_MISSING;
}

sprint_status sprint__csv_rows_features(const struct sprint__csv_rows *r, const struct sprint__csv_row *row,
                                        double *ret_x, bool *ret_dropped) {
  *ret_dropped = false;
  SPRINT__TRY(read_features(r, row, ret_x, ret_dropped));
  if (!is_missing(sprint__csv_field(row, r->label))) return SPRINT_OK;
  if (r->missing != SPRINT__MISSING_DROP) return refuse_missing(r, row, r->label);
  *ret_dropped = true;
  return SPRINT_OK;
}
