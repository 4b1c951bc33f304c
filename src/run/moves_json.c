/* How far people moved, within run.json: one map for each column, in the order of the data. */
#include <stddef.h>

#include "run/assessment.h"

/* The numbers of a column, by name. */
static const struct field {
  const char *name;
  size_t offset;
} fields[] = {
#define FIELD(NAME) \
  { #NAME, offsetof(sprint_column_move, NAME) }
    FIELD(moved),         FIELD(median),         FIELD(q95),
    FIELD(median_before), FIELD(median_after),   FIELD(least),
    FIELD(greatest),      FIELD(observed_least), FIELD(observed_greatest),
    FIELD(left),          FIELD(people_left),    FIELD(bins_low),
    FIELD(bins_high),
#undef FIELD
};

static double *field_of(sprint_column_move *move, const struct field *field) {
  return (double *)(void *)((char *)move + field->offset);
}

static json_t *bins_json(const double bins[SPRINT_MOVE_BINS]) {
  json_t *json = json_array();
  for (size_t b = 0; b < SPRINT_MOVE_BINS; b++) json_array_append_new(json, sprint__real_or_null(bins[b]));
  return json;
}

json_t *sprint__moves_json(const sprint_assessment *assessment) {
  json_t *all = json_array();
  for (size_t k = 0; k < assessment->n_moves; k++) {
    sprint_column_move *move = &assessment->moves[k];
    json_t *json = json_object();
    json_object_set_new(json, "column", json_string(move->name));
    for (size_t f = 0; f < SPRINT__COUNT(fields); f++)
      json_object_set_new(json, fields[f].name, sprint__real_or_null(*field_of(move, &fields[f])));
    json_object_set_new(json, "n_ranked", json_integer((json_int_t)move->n_ranked));
    json_object_set_new(json, "before", bins_json(move->before));
    json_object_set_new(json, "after", bins_json(move->after));
    json_array_append_new(all, json);
  }
  return all;
}

static void read_bins(const json_t *json, double bins[SPRINT_MOVE_BINS]) {
  for (size_t b = 0; b < SPRINT_MOVE_BINS; b++) bins[b] = sprint__real_of(json_array_get(json, b));
}

static void read_move(struct sprint__arena *arena, const json_t *json, sprint_column_move *move) {
  const char *name = json_string_value(json_object_get(json, "column"));
  json_int_t n = json_integer_value(json_object_get(json, "n_ranked"));
  move->size = sizeof *move;
  move->name = sprint__arena_strdup(arena, name ? name : "");
  move->n_ranked = n > 0 ? (size_t)n : 0;
  for (size_t f = 0; f < SPRINT__COUNT(fields); f++)
    *field_of(move, &fields[f]) = sprint__real_of(json_object_get(json, fields[f].name));
  read_bins(json_object_get(json, "before"), move->before);
  read_bins(json_object_get(json, "after"), move->after);
}

sprint_status sprint__moves_read(const json_t *json, sprint_assessment *assessment) {
  struct sprint__arena *arena = &assessment->arena;
  size_t n = json_array_size(json);
  assessment->moves = sprint__arena_take(arena, n, sizeof *assessment->moves);
  SPRINT__TRY(sprint__arena_status(arena));
  assessment->n_moves = n;
  for (size_t k = 0; k < n; k++) read_move(arena, json_array_get(json, k), &assessment->moves[k]);
  return sprint__arena_status(arena);
}
