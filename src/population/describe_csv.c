/* A CSV file described: every column, numbers or not, and what it may be. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "population/cell.h"
#include "population/csv_reader.h"
#include "population/describe.h"
#include "population/guess.h"

/* Bytes that the description of a column takes, or soon does: measured on one of few values. */
#define COLUMN_SIZE 3400.0

/* What is seen of a column beside its tally. */
struct seen {
  struct sprint__guess guess;
  struct sprint__index all; /* every value, as long as each is new and none is a fraction */
  bool distinct;
};

struct describer {
  struct sprint__info *info;
  struct sprint__tally *tallies;
  struct seen *seen; /* by column */
  struct sprint__dialect dialect;
};

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct describer *d = user;
  sprint_context *context = d->info->arena.context;
  (void)n_rows_guess;
  SPRINT__TRY(sprint__memory_check(context, d->info->file.path, (double)row->n * COLUMN_SIZE,
                                   sprint__file_size(d->info->file.path)));
  SPRINT__TRY(sprint__info_columns(d->info, row->n, &d->tallies));
  d->seen = sprint__alloc(context, row->n, sizeof *d->seen);
  if (!d->seen) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < row->n; j++) {
    d->info->file.columns[j].name = sprint__arena_strdup(&d->info->arena, sprint__csv_field(row, j));
    d->seen[j] = (struct seen){{.mark = '.', .values = {.context = context}}, {.context = context}, true};
  }
  return sprint__arena_status(&d->info->arena);
}

static sprint_status see_all(struct seen *seen, const char *text) {
  size_t number, n = seen->all.n;
  if (!seen->distinct) return SPRINT_OK;
  SPRINT__TRY(sprint__index_add(&seen->all, text, &number));
  seen->distinct = number == n && seen->guess.n_missing == 0 && seen->guess.n_whole == seen->guess.n_numbers;
  if (!seen->distinct) sprint__index_clear(&seen->all);
  return SPRINT_OK;
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct describer *d = user;
  for (size_t j = 0; j < row->n; j++) {
    const char *text = sprint__csv_field(row, j);
    double value;
    enum sprint__cell cell = sprint__dialect_number(&d->dialect, text, &value);
    bool number = cell == SPRINT__CELL_NUMBER || cell == SPRINT__CELL_MISSING;
    SPRINT__TRY(number ? sprint__tally_number(&d->tallies[j], value, 1) : sprint__tally_text(&d->tallies[j], text));
    d->seen[j].guess.mark = d->dialect.decimal == SPRINT__DECIMAL_COMMA ? ',' : '.';
    SPRINT__TRY(sprint__guess_see(&d->seen[j].guess, text));
    SPRINT__TRY(see_all(&d->seen[j], text));
  }
  d->info->file.n_rows++;
  return SPRINT_OK;
}

static int by_text(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

/* The texts of an index, in order. */
static char **sorted(struct sprint__arena *arena, const struct sprint__index *index, size_t *ret_n) {
  char **texts = sprint__arena_take(arena, index->n, sizeof *texts);
  for (size_t i = 0; texts && i < index->n; i++) texts[i] = sprint__arena_strdup(arena, sprint__index_text(index, i));
  if (arena->failed) return NULL;
  qsort(texts, index->n, sizeof *texts, by_text);
  *ret_n = index->n;
  return texts;
}

static void tell_guess(const struct seen *seen, struct sprint__arena *arena, sprint_column_info *column) {
  const struct sprint__guess *guess = &seen->guess;
  column->guess = sprint__guessed_word(sprint__guess_kind(guess));
  column->distinct = seen->distinct;
  column->n_seem_missing = guess->n_missing;
  if (guess->words.n) column->words = sorted(arena, &guess->words, &column->n_words);
  if (guess->values.n && !guess->many) column->levels = sorted(arena, &guess->values, &column->n_levels);
}

static sprint_status finish(struct describer *d) {
  sprint_file_info *file = &d->info->file;
  for (size_t j = 0; j < file->n_columns; j++) tell_guess(&d->seen[j], &d->info->arena, &file->columns[j]);
  file->separator = d->dialect.separator;
  file->decimal = d->dialect.decimal == SPRINT__DECIMAL_COMMA ? ',' : d->dialect.decimal ? '.' : '\0';
  return sprint__info_finish(d->info, d->tallies);
}

static void clear(struct describer *d) {
  for (size_t j = 0; d->seen && j < d->info->file.n_columns; j++) {
    sprint__guess_clear(&d->seen[j].guess);
    sprint__index_clear(&d->seen[j].all);
  }
  sprint__free(d->seen);
  sprint__free(d->tallies);
}

sprint_status sprint__describe_csv(const char *path, struct sprint__info *info) {
  struct describer d = {.info = info};
  struct sprint__csv_sink sink = {&d, take_header, take_row};
  sprint_status status = sprint__csv_read(info->arena.context, path, &d.dialect, &sink);
  if (status == SPRINT_OK) status = finish(&d);
  clear(&d);
  return status;
}
