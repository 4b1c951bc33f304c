/* Which columns of a CSV are what: see csv_rows.h. */
#include <stdio.h>
#include <string.h>

#include "population/csv_rows.h"

static sprint_status get_separator(const struct sprint__section *section, char *ret_separator) {
  const char *text = sprint__get_text(section, "separator");
  *ret_separator = '\0';
  if (strcmp(text, "auto") == 0) return SPRINT_OK;
  if (strcmp(text, "tab") != 0 && (strlen(text) != 1 || strchr("\"\r\n", *text)))
    return sprint__refuse(section, "separator", "'%s' is not one character, 'tab' or 'auto'", text);
  *ret_separator = strcmp(text, "tab") == 0 ? '\t' : *text;
  return SPRINT_OK;
}

static sprint_status get_words(const struct sprint__section *section, struct sprint__encoding *encoding) {
  const struct sprint__value *words = sprint__get(section, "missing_words");
  char **copy = sprint__arena_keep(
      &encoding->arena, sprint__names_copy(section->context, (const char *const *)words->texts, words->n_items));
  if (!copy) return SPRINT_ERROR_MEMORY;
  return sprint__dialect_words(&encoding->dialect, &encoding->arena, copy, words->n_items);
}

sprint_status sprint__csv_encoding(const struct sprint__section *section, const char *path,
                                   struct sprint__encoding **ret_encoding) {
  SPRINT__SCOPED(sprint__encoding_free) struct sprint__encoding *encoding = NULL;
  SPRINT__TRY(sprint__encoding_new(section->context, path, &encoding));
  SPRINT__TRY(get_separator(section, &encoding->dialect.separator));
  SPRINT__TRY(get_words(section, encoding));
  encoding->dialect.advises = true;
  encoding->dialect.decimal = (enum sprint__decimal)sprint__get_choice(section, "decimal");
  encoding->missing = (enum sprint__missing)sprint__get_choice(section, "missing");
  encoding->unseen = (enum sprint__unseen)sprint__get_choice(section, "unseen");
  const char *id = sprint__get_text(section, "id"), *weight = sprint__get_text(section, "weight");
  if (*id) encoding->id = sprint__arena_strdup(&encoding->arena, id);
  if (*weight) encoding->weight = sprint__arena_strdup(&encoding->arena, weight);
  SPRINT__TRY(sprint__arena_status(&encoding->arena));
  *ret_encoding = sprint__give(&encoding);
  return SPRINT_OK;
}

/* What each column is, while they are being chosen. */
struct chooser {
  struct sprint__csv_rows *rows;
  const struct sprint__section *section;
  const struct sprint__csv_header *header;
  const char **taken;              /* (n) what a column is: "the label", "under ignore"; NULL: nothing yet */
  enum sprint__column_kind *kinds; /* (n) */
  bool *wanted;                    /* (n) under features */
  bool lists;                      /* there are any */
};

static sprint_status take(struct chooser *c, const char *key, size_t column, const char *as) {
  if (c->taken[column] && strcmp(c->taken[column], as) == 0)
    return sprint__refuse(c->section, key, "column '%s' is listed twice", c->header->names[column]);
  if (c->taken[column])
    return sprint__refuse(c->section, key, "column '%s' is also %s", c->header->names[column], c->taken[column]);
  c->taken[column] = as;
  return SPRINT_OK;
}

/* The column of a name that the key has; where there is none, the sentence ends with where it was said. */
static sprint_status find(const struct chooser *c, const char *key, const char *name, size_t *ret_column) {
  sprint_context *context = c->section->context;
  sprint_status status = sprint__csv_header_find(c->header, name, ret_column);
  if (status != SPRINT_ERROR_INPUT) return status;
  struct sprint__place place = sprint__get(c->section, key)->place;
  char sentence[sizeof context->error], line[16] = "";
  snprintf(sentence, sizeof sentence, "%s", sprint_context_error(context));
  if (place.line) snprintf(line, sizeof line, ":%d", place.line);
  return sprint_fail(context, status, "%s (key '%s.%s'%s%s%s)", sentence, c->section->path, key,
                     place.file ? " of " : "", place.file ? place.file : "", line);
}

/* The column that a key of one name says, if it says any. */
static sprint_status take_one(struct chooser *c, const char *key, const char *as, bool *ret_there, size_t *ret_column) {
  const char *name = sprint__get_text(c->section, key);
  *ret_there = *name;
  if (!*name) return SPRINT_OK;
  SPRINT__TRY(find(c, key, name, ret_column));
  SPRINT__TRY(take(c, key, *ret_column, as));
  if (!c->wanted[*ret_column]) return SPRINT_OK;
  return sprint__refuse(c->section, "features", "column '%s' is %s and cannot be a feature", name, as);
}

static sprint_status want_features(struct chooser *c) {
  const struct sprint__value *features = sprint__get(c->section, "features");
  c->lists = features->n_items > 0;
  if (features->given && !c->lists)
    return sprint__refuse(c->section, "features",
                          "the list is empty; names of columns were expected, or to leave it out for all that no other "
                          "key names");
  for (size_t i = 0; i < features->n_items; i++) {
    size_t column;
    SPRINT__TRY(find(c, "features", features->texts[i], &column));
    if (c->wanted[column])
      return sprint__refuse(c->section, "features", "column '%s' is listed twice", features->texts[i]);
    c->wanted[column] = true;
  }
  return SPRINT_OK;
}

/* All columns of a name that is ignored. */
static sprint_status take_ignored(struct chooser *c) {
  const struct sprint__value *ignore = sprint__get(c->section, "ignore");
  for (size_t i = 0; i < ignore->n_items; i++) {
    const char *name = ignore->texts[i];
    size_t column = sprint__csv_header_first(c->header, name), none;
    if (column == c->header->n) return find(c, "ignore", name, &none);
    for (; column < c->header->n; column = c->header->next[column]) {
      if (c->wanted[column]) return sprint__refuse(c->section, "ignore", "column '%s' is also under features", name);
      if (c->taken[column] && strcmp(c->taken[column], "under ignore") == 0) continue;
      SPRINT__TRY(take(c, "ignore", column, "under ignore"));
    }
  }
  return SPRINT_OK;
}

static sprint_status take_kinds(struct chooser *c, const char *key, const char *as, enum sprint__column_kind kind) {
  const struct sprint__value *names = sprint__get(c->section, key);
  for (size_t i = 0; i < names->n_items; i++) {
    size_t column;
    SPRINT__TRY(find(c, key, names->texts[i], &column));
    SPRINT__TRY(take(c, key, column, as));
    if (c->lists && !c->wanted[column])
      return sprint__refuse(c->section, key, "column '%s' is not under features", names->texts[i]);
    c->kinds[column] = kind;
  }
  return SPRINT_OK;
}

static bool is_feature(const struct chooser *c, size_t column) {
  return c->lists ? c->wanted[column] : !c->taken[column] || c->kinds[column] != SPRINT__NUMBER;
}

static sprint_status add_field(struct chooser *c, size_t column) {
  struct sprint__encoding *encoding = c->rows->encoding;
  const char *name = c->header->names[column];
  size_t only;
  if (!*name)
    return sprint_fail(c->header->context, SPRINT_ERROR_INPUT,
                       "%s:%zu: column %zu has no name; leave it out by ignore: [\"\"], or give it one",
                       c->header->path, c->header->line, column + 1);
  SPRINT__TRY(sprint__csv_header_find(c->header, name, &only)); /* refuses a name that is there twice */
  c->rows->columns[encoding->n_fields] = column;
  return sprint__encoding_add(encoding, name, c->kinds[column]);
}

/* In the order in which they are listed, or of the file. */
static sprint_status add_fields(struct chooser *c) {
  const struct sprint__value *features = sprint__get(c->section, "features");
  for (size_t i = 0; i < features->n_items; i++)
    SPRINT__TRY(add_field(c, sprint__csv_header_first(c->header, features->texts[i])));
  for (size_t j = 0; !c->lists && j < c->header->n; j++)
    if (is_feature(c, j)) SPRINT__TRY(add_field(c, j));
  if (c->rows->encoding->n_fields > 0) return SPRINT_OK;
  return sprint_fail(c->header->context, SPRINT_ERROR_INPUT, "%s:%zu: no column is left to be a feature",
                     c->header->path, c->header->line);
}

static sprint_status choose(struct chooser *c) {
  struct sprint__csv_rows *rows = c->rows;
  SPRINT__TRY(want_features(c));
  SPRINT__TRY(take_one(c, "label", "the label", &rows->has_label, &rows->label));
  SPRINT__TRY(take_one(c, "id", "the id", &rows->has_id, &rows->id));
  SPRINT__TRY(take_one(c, "weight", "the weight", &rows->has_weight, &rows->weight));
  SPRINT__TRY(take_ignored(c));
  SPRINT__TRY(take_kinds(c, "categories", "under categories", SPRINT__LEVEL));
  SPRINT__TRY(take_kinds(c, "booleans", "under booleans", SPRINT__BOOLEAN));
  SPRINT__TRY(take_kinds(c, "dates", "under dates", SPRINT__DATE));
  return add_fields(c);
}

sprint_status sprint__csv_rows_choose(struct sprint__csv_rows *rows, const struct sprint__section *section,
                                      const struct sprint__csv_row *row) {
  SPRINT__SCRATCH(room, rows->context);
  SPRINT__TRY(sprint__csv_header_keep(rows->arena, rows->path, row, &rows->encoding->dialect, &rows->header));
  struct chooser c = {.rows = rows, .section = section, .header = &rows->header};
  c.taken = sprint__arena_take(&room, row->n, sizeof *c.taken);
  c.kinds = sprint__arena_take(&room, row->n, sizeof *c.kinds);
  c.wanted = sprint__arena_take(&room, row->n, sizeof *c.wanted);
  rows->columns = sprint__arena_take(rows->arena, row->n, sizeof *rows->columns);
  if (room.failed || rows->arena->failed) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__encoding_reserve(rows->encoding, row->n));
  return choose(&c);
}

sprint_status sprint__csv_rows_match(struct sprint__csv_rows *rows, const struct sprint__csv_row *row) {
  const struct sprint__encoding *encoding = rows->encoding;
  SPRINT__TRY(sprint__csv_header_keep(rows->arena, rows->path, row, &rows->encoding->dialect, &rows->header));
  rows->columns = sprint__arena_take(rows->arena, encoding->n_fields, sizeof *rows->columns);
  SPRINT__TRY(sprint__arena_status(rows->arena));
  for (size_t k = 0; k < encoding->n_fields; k++)
    SPRINT__TRY(sprint__csv_header_find(&rows->header, encoding->fields[k].name, &rows->columns[k]));
  return SPRINT_OK;
}
