/* The columns and classes that a shift's section names. */
#include <string.h>

#include "config/text.h"
#include "shift/shift.h"

void sprint__shift_say_columns(const sprint_population *population, const size_t *columns, size_t n,
                               struct sprint__text *text) {
  for (size_t k = 0; k < n && k < SPRINT__SAID; k++) {
    if (k > 0) sprint__text_add(text, ", ");
    sprint__text_add(text, population->columns[columns[k]].name);
  }
  if (n > SPRINT__SAID) sprint__text_add(text, ", ...");
}

/* Columns that people can change unless told otherwise: a level or a boolean is not a number that goes up and down, and
 * nobody changes a date. */
static size_t numbers_of(const sprint_population *population, size_t *ret_columns) {
  size_t n = 0;
  for (size_t j = 0; j < population->d; j++)
    if (population->columns[j].kind == SPRINT__NUMBER) ret_columns[n++] = j;
  return n;
}

static sprint_status refuse_name(const struct sprint__section *section, const char *key,
                                 const sprint_population *population, const char *name) {
  SPRINT__SCOPED(sprint__free) const char **names = sprint__alloc(section->context, population->d, sizeof *names);
  if (!names) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < population->d; j++) {
    const struct sprint__column *column = &population->columns[j];
    if (column->level && strcmp(column->source, name) == 0)
      return sprint__refuse(section, key, "'%s' holds categories, which do not go up and down: people cannot move it",
                            name);
    names[j] = column->name;
  }
  const char *near = sprint__nearest(name, names, population->d);
  if (near) return sprint__refuse(section, key, "'%s' is not a feature of the data; did you mean '%s'?", name, near);
  size_t n = population->d < SPRINT__SAID ? population->d : SPRINT__SAID;
  SPRINT__SCOPED(sprint__free) char *all = sprint__names_join(section->context, names, n, ", ");
  if (!all) return SPRINT_ERROR_MEMORY;
  return sprint__refuse(section, key, "'%s' is not a feature of the data; there are %s%s", name, all,
                        n < population->d ? ", ..." : "");
}

static sprint_status find_column(const struct sprint__section *section, const char *key,
                                 const sprint_population *population, const char *name, size_t *ret_column) {
  ptrdiff_t j = sprint__population_find(population, name);
  if (j < 0) return refuse_name(section, key, population, name);
  if (population->columns[j].kind == SPRINT__LEVEL)
    return sprint__refuse(section, key, "'%s' is a level of categories, which people have or not: they cannot move it",
                          name);
  *ret_column = (size_t)j;
  return SPRINT_OK;
}

static sprint_status refuse_none(const struct sprint__section *section, const sprint_population *population,
                                 const size_t *numbers, size_t n) {
  struct sprint__text text = {.context = section->context};
  sprint__shift_say_columns(population, numbers, n, &text);
  SPRINT__SCOPED(sprint__free) char *all = sprint__text_take(&text);
  if (!all) return SPRINT_ERROR_MEMORY;
  if (!n) return sprint__refuse(section, "columns", "no column of the data is a number that people could move");
  return sprint__refuse(section, "columns", "the list is empty; some of %s were expected, or nothing for all of them",
                        all);
}

static sprint_status find_columns(const struct sprint__section *section, const sprint_population *population,
                                  size_t *columns, size_t *ret_n) {
  const struct sprint__value *value = sprint__get(section, "columns");
  size_t n = numbers_of(population, columns);
  if (value->n_items == 0 && (value->given || n == 0)) return refuse_none(section, population, columns, n);
  if (value->n_items > 0) n = 0;
  for (size_t i = 0; i < value->n_items; i++) {
    SPRINT__TRY(find_column(section, "columns", population, value->texts[i], &columns[n]));
    for (size_t k = 0; k < n; k++)
      if (columns[k] == columns[n]) return sprint__refuse(section, "columns", "'%s' is named twice", value->texts[i]);
    n++;
  }
  *ret_n = n;
  return SPRINT_OK;
}

sprint_status sprint__shift_columns(sprint_shift *shift, const struct sprint__section *section, size_t **ret_columns,
                                    size_t *ret_n) {
  size_t most = shift->population->d, named = sprint__get(section, "columns")->n_items;
  *ret_columns = sprint__arena_take(&shift->arena, named > most ? named : most, sizeof **ret_columns);
  return *ret_columns ? find_columns(section, shift->population, *ret_columns, ret_n) : SPRINT_ERROR_MEMORY;
}

sprint_status sprint__shift_column_among(const sprint_shift *shift, const struct sprint__section *section,
                                         const char *key, const char *name, const size_t *columns, size_t n,
                                         size_t *ret_k) {
  size_t j = 0;
  SPRINT__TRY(find_column(section, key, shift->population, name, &j));
  for (size_t k = 0; k < n; k++)
    if (columns[k] == j) {
      *ret_k = k;
      return SPRINT_OK;
    }
  struct sprint__text text = {.context = section->context};
  sprint__shift_say_columns(shift->population, columns, n, &text);
  SPRINT__SCOPED(sprint__free) char *all = sprint__text_take(&text);
  if (!all) return SPRINT_ERROR_MEMORY;
  return sprint__refuse(section, key, "people cannot change '%s'; one of the columns that they can, %s, was expected",
                        name, all);
}

sprint_status sprint__shift_class(const struct sprint__section *section, const char *key,
                                  const sprint_population *population, size_t *ret_class) {
  return sprint__population_class(section, key, population, sprint__get_text(section, key), ret_class);
}
