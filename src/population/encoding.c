/* Encodings: see encoding.h. */
#include "population/encoding.h"

#include <string.h>

#include "config/text.h"

sprint_status sprint__encoding_new(sprint_context *context, const char *file, struct sprint__encoding **ret_encoding) {
  SPRINT__SCOPED(sprint__encoding_free) struct sprint__encoding *encoding = sprint__alloc(context, 1, sizeof *encoding);
  if (!encoding) return SPRINT_ERROR_MEMORY;
  encoding->arena.context = context;
  encoding->file = sprint__arena_strdup(&encoding->arena, file);
  SPRINT__TRY(sprint__arena_status(&encoding->arena));
  *ret_encoding = sprint__give(&encoding);
  return SPRINT_OK;
}

void sprint__encoding_free(struct sprint__encoding *encoding) {
  if (!encoding) return;
  for (size_t i = 0; i < encoding->n_fields; i++) sprint__labels_clear(&encoding->fields[i].levels);
  sprint__arena_free(&encoding->arena);
  sprint__free(encoding);
}

sprint_status sprint__encoding_reserve(struct sprint__encoding *encoding, size_t n_fields) {
  encoding->fields = sprint__arena_take(&encoding->arena, n_fields, sizeof *encoding->fields);
  return sprint__arena_status(&encoding->arena);
}

sprint_status sprint__encoding_add(struct sprint__encoding *encoding, const char *name, enum sprint__column_kind kind) {
  char *copy = sprint__arena_strdup(&encoding->arena, name);
  if (!copy) return SPRINT_ERROR_MEMORY;
  struct sprint__field *field = &encoding->fields[encoding->n_fields++];
  *field = (struct sprint__field){.name = copy, .kind = kind};
  field->levels = (struct sprint__labels){
      .context = encoding->arena.context, .file = encoding->file, .column = copy, .aside = SPRINT__MISSING_LEVEL};
  if (kind == SPRINT__LEVEL) encoding->has_categories = true;
  return SPRINT_OK;
}

static size_t width_of(const struct sprint__field *field) { return field->kind == SPRINT__LEVEL ? field->levels.n : 1; }

void sprint__encoding_place(struct sprint__encoding *encoding) {
  encoding->n_features = 0;
  for (size_t k = 0; k < encoding->n_fields; k++) {
    encoding->fields[k].first = encoding->n_features;
    encoding->n_features += width_of(&encoding->fields[k]);
  }
  encoding->settled = true;
}

void sprint__encoding_expand(const struct sprint__encoding *encoding, const double *codes, double *ret_x) {
  for (size_t k = 0; k < encoding->n_fields; k++) {
    const struct sprint__field *field = &encoding->fields[k];
    double *x = ret_x + field->first;
    if (field->kind != SPRINT__LEVEL) {
      *x = codes[k];
      continue;
    }
    memset(x, 0, field->levels.n * sizeof *x);
    if (codes[k] >= 0) x[(size_t)codes[k]] = 1;
  }
}

/* The levels of those who are trained on; all others are no levels. */
static sprint_status settle(struct sprint__table *table, const struct sprint__selection *selection, size_t k) {
  struct sprint__labels *levels = &table->encoding->fields[k].levels;
  SPRINT__SCOPED(sprint__free) bool *present = sprint__alloc(table->context, levels->texts.n, sizeof *present);
  if (!present) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < selection->n_train; i++)
    present[(size_t)table->x[(selection->train ? selection->train[i] : i) * table->d + k]] = true;
  return sprint__labels_settle(levels, present);
}

static sprint_status refuse_heldout(const struct sprint__field *field, size_t id) {
  return sprint_fail(field->levels.context, SPRINT_ERROR_INPUT,
                     "%s: column '%s': '%s' is in rows that are held out and in none that is trained on; unseen: zeros "
                     "takes it as none of the levels",
                     field->levels.file, field->name, sprint__show(sprint__index_text(&field->levels.texts, id)).text);
}

static sprint_status check_heldout(const struct sprint__table *table, const struct sprint__selection *selection,
                                   size_t k) {
  const struct sprint__field *field = &table->encoding->fields[k];
  if (table->encoding->unseen != SPRINT__UNSEEN_REFUSE) return SPRINT_OK;
  for (size_t i = 0; i < selection->n_heldout; i++) {
    size_t id = (size_t)table->x[selection->heldout[i] * table->d + k];
    if (field->levels.class_of[id] == SPRINT__NO_CLASS) return refuse_heldout(field, id);
  }
  return SPRINT_OK;
}

/* Ids become levels. */
static void recode(struct sprint__table *table, size_t k) {
  const size_t *class_of = table->encoding->fields[k].levels.class_of;
  for (size_t i = 0; i < table->n; i++) {
    double *code = &table->x[i * table->d + k];
    *code = class_of[(size_t)*code] == SPRINT__NO_CLASS ? -1 : (double)class_of[(size_t)*code];
  }
}

static sprint_status expand(struct sprint__table *table) {
  const struct sprint__encoding *encoding = table->encoding;
  size_t row_size;
  if (__builtin_mul_overflow(encoding->n_features, sizeof *table->x, &row_size))
    return sprint_fail(table->context, SPRINT_ERROR_INPUT, "%zu features are too many", encoding->n_features);
  double *x = sprint__alloc(table->context, table->n, row_size);
  if (!x) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < table->n; i++)
    sprint__encoding_expand(encoding, table->x + i * table->d, x + i * encoding->n_features);
  sprint__free(table->x);
  table->x = x;
  table->d = encoding->n_features;
  return SPRINT_OK;
}

/* "purpose=car", in the arena; the names of other features are those of their columns. */
static const char *feature_name(const struct sprint__field *field, size_t level, struct sprint__arena *arena) {
  if (field->kind != SPRINT__LEVEL) return field->name;
  return sprint__arena_keep(arena, sprint__printf(arena->context, "%s=%s", field->name, field->levels.names[level]));
}

static sprint_status refuse_twice(const struct sprint__table *table, const char *name) {
  return sprint_fail(table->context, SPRINT_ERROR_INPUT,
                     "%s: two features are called '%s': a column, and a level of another", table->encoding->file, name);
}

static sprint_status name_features(struct sprint__table *table) {
  const struct sprint__encoding *encoding = table->encoding;
  SPRINT__SCRATCH(room, table->context);
  SPRINT__CLEARED(sprint__index_clear) struct sprint__index index = {.context = table->context};
  const char **names = sprint__arena_take(&room, encoding->n_features, sizeof *names);
  table->origins = sprint__alloc(table->context, encoding->n_features, sizeof *table->origins);
  if (!names || !table->origins) return SPRINT_ERROR_MEMORY;
  for (size_t k = 0; k < encoding->n_fields; k++)
    for (size_t l = 0; l < width_of(&encoding->fields[k]); l++) {
      const struct sprint__field *field = &encoding->fields[k];
      size_t j = field->first + l, number = 0;
      const char *level = field->kind == SPRINT__LEVEL ? field->levels.names[l] : NULL;
      table->origins[j] = (struct sprint__origin){field->kind, field->name, level};
      if (!(names[j] = feature_name(field, l, &room))) return SPRINT_ERROR_MEMORY;
      if (encoding->has_categories) SPRINT__TRY(sprint__index_add(&index, names[j], &number));
      if (encoding->has_categories && number < j) return refuse_twice(table, names[j]);
    }
  sprint__free(table->names);
  table->names = sprint__names_copy(table->context, names, encoding->n_features);
  return table->names ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

sprint_status sprint__table_encode(struct sprint__table *table, const struct sprint__selection *selection) {
  struct sprint__encoding *encoding = table->encoding;
  if (!encoding) return SPRINT_OK;
  for (size_t k = 0; k < encoding->n_fields; k++) {
    if (encoding->fields[k].kind != SPRINT__LEVEL) continue;
    SPRINT__TRY(settle(table, selection, k));
    SPRINT__TRY(check_heldout(table, selection, k));
    recode(table, k);
  }
  sprint__encoding_place(encoding);
  if (encoding->has_categories) SPRINT__TRY(expand(table));
  return name_features(table);
}
