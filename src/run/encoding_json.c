/* Encodings in the metadata of models: see encoding_json.h. */
#include "run/encoding_json.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"number", "boolean", "date", "level"};

json_t *sprint__feature_json(const struct sprint__column *column) {
  json_t *json = json_pack("{s:s, s:f, s:f, s:o}", "name", column->name, "mean", column->mean, "scale", column->scale,
                           "fill", isfinite(column->fill) ? json_real(column->fill) : json_null());
  if (isfinite(column->low)) json_object_set_new(json, "low", json_real(column->low));
  if (isfinite(column->high)) json_object_set_new(json, "high", json_real(column->high));
  if (column->kind != SPRINT__NUMBER) json_object_set_new(json, "kind", json_string(kinds[column->kind]));
  if (column->kind != SPRINT__LEVEL) return json;
  json_object_set_new(json, "source", json_string(column->source));
  json_object_set_new(json, "level", json_string(column->level));
  return json;
}

/* Whoever scores finds the separator by themselves where it can be found; a decimal comma goes with its separator. */
static void set_dialect(json_t *json, const struct sprint__dialect *dialect) {
  bool comma = dialect->decimal == SPRINT__DECIMAL_COMMA;
  if (!dialect->findable || comma) json_object_set_new(json, "separator", json_stringn(&dialect->separator, 1));
  if (comma) json_object_set_new(json, "decimal", json_string("comma"));
  if (!dialect->n_words) return;
  json_t *words = json_array();
  for (size_t i = 0; i < dialect->n_words; i++) json_array_append_new(words, json_string(dialect->words[i]));
  json_object_set_new(json, "missing_words", words);
}

json_t *sprint__table_json(const struct sprint__encoding *encoding) {
  json_t *json = json_object();
  if (encoding->id) json_object_set_new(json, "id", json_string(encoding->id));
  if (encoding->weight) json_object_set_new(json, "weight", json_string(encoding->weight));
  if (encoding->has_categories && encoding->unseen == SPRINT__UNSEEN_ZEROS)
    json_object_set_new(json, "unseen", json_string("zeros"));
  set_dialect(json, &encoding->dialect);
  return json;
}

bool sprint__feature_read(const json_t *feature, struct sprint__arena *arena, struct sprint__column *column) {
  const json_t *said = json_object_get(feature, "kind");
  const char *kind = said ? json_string_value(said) : kinds[SPRINT__NUMBER];
  size_t k = 0;
  while (kind && k < SPRINT__COUNT(kinds) && strcmp(kind, kinds[k]) != 0) k++;
  if (!kind || k == SPRINT__COUNT(kinds)) return false;
  column->kind = (enum sprint__column_kind)k;
  column->source = column->name;
  column->level = NULL;
  if (column->kind != SPRINT__LEVEL) return true;
  const char *source = json_string_value(json_object_get(feature, "source"));
  const char *level = json_string_value(json_object_get(feature, "level"));
  if (!source || !level) return false;
  column->source = sprint__arena_strdup(arena, source);
  column->level = sprint__arena_strdup(arena, level);
  return true;
}

/* One field for each column but levels, of which those of one source are one. */
static sprint_status read_fields(struct sprint__encoding *encoding, const struct sprint__column *columns, size_t n) {
  SPRINT__TRY(sprint__encoding_reserve(encoding, n));
  for (size_t j = 0; j < n; j++) {
    bool level = columns[j].kind == SPRINT__LEVEL;
    bool more =
        level && j > 0 && columns[j - 1].kind == SPRINT__LEVEL && strcmp(columns[j].source, columns[j - 1].source) == 0;
    size_t id;
    if (!more) SPRINT__TRY(sprint__encoding_add(encoding, columns[j].source, columns[j].kind));
    if (level) SPRINT__TRY(sprint__labels_add(&encoding->fields[encoding->n_fields - 1].levels, columns[j].level, &id));
  }
  for (size_t k = 0; k < encoding->n_fields; k++)
    if (encoding->fields[k].kind == SPRINT__LEVEL)
      SPRINT__TRY(sprint__labels_settle(&encoding->fields[k].levels, NULL));
  sprint__encoding_place(encoding);
  return SPRINT_OK;
}

/* Levels are where settling would put them, each once. */
static bool in_place(const struct sprint__encoding *encoding, const struct sprint__column *columns, size_t n) {
  if (encoding->n_features != n) return false;
  for (size_t k = 0; k < encoding->n_fields; k++) {
    const struct sprint__field *field = &encoding->fields[k];
    for (size_t l = 0; field->kind == SPRINT__LEVEL && l < field->levels.n; l++)
      if (strcmp(field->levels.names[l], columns[field->first + l].level) != 0) return false;
  }
  return true;
}

static sprint_status read_words(struct sprint__encoding *encoding, const json_t *words, bool *ret_sound) {
  size_t n = json_array_size(words);
  char **texts = sprint__arena_take(&encoding->arena, n, sizeof *texts);
  SPRINT__TRY(sprint__arena_status(&encoding->arena));
  for (size_t i = 0; i < n; i++) {
    const char *word = json_string_value(json_array_get(words, i));
    if (!word) *ret_sound = false;
    texts[i] = sprint__arena_strdup(&encoding->arena, word ? word : "");
  }
  SPRINT__TRY(sprint__arena_status(&encoding->arena));
  return sprint__dialect_words(&encoding->dialect, &encoding->arena, texts, n);
}

/* What training went by is what is usual where a file could be read in two ways. */
static sprint_status read_table(struct sprint__encoding *encoding, const json_t *table, bool *ret_sound) {
  const char *id = json_string_value(json_object_get(table, "id"));
  const char *weight = json_string_value(json_object_get(table, "weight"));
  const char *unseen = json_string_value(json_object_get(table, "unseen"));
  const char *separator = json_string_value(json_object_get(table, "separator"));
  const char *decimal = json_string_value(json_object_get(table, "decimal"));
  bool comma = decimal && strcmp(decimal, "comma") == 0;
  if (table && !json_is_object(table)) *ret_sound = false;
  encoding->unseen = unseen && strcmp(unseen, "zeros") == 0 ? SPRINT__UNSEEN_ZEROS : SPRINT__UNSEEN_REFUSE;
  encoding->dialect.usual_separator = separator ? *separator : '\0';
  encoding->dialect.usual_decimal = comma ? SPRINT__DECIMAL_COMMA : SPRINT__DECIMAL_POINT;
  if (id) encoding->id = sprint__arena_strdup(&encoding->arena, id);
  if (weight) encoding->weight = sprint__arena_strdup(&encoding->arena, weight);
  return read_words(encoding, json_object_get(table, "missing_words"), ret_sound);
}

sprint_status sprint__encoding_read(sprint_context *context, const char *path, const struct sprint__column *columns,
                                    size_t n, const json_t *table, struct sprint__encoding **ret_encoding,
                                    bool *ret_sound) {
  SPRINT__SCOPED(sprint__encoding_free) struct sprint__encoding *encoding = NULL;
  *ret_sound = true;
  SPRINT__TRY(sprint__encoding_new(context, path, &encoding));
  SPRINT__TRY(read_fields(encoding, columns, n));
  if (!in_place(encoding, columns, n)) *ret_sound = false;
  SPRINT__TRY(read_table(encoding, table, ret_sound));
  *ret_encoding = sprint__give(&encoding);
  return SPRINT_OK;
}
