/* A CSV file described: every column, numbers or not. */
#include "population/cell.h"
#include "population/csv_reader.h"
#include "population/describe.h"

struct describer {
  struct sprint__info *info;
  struct sprint__tally *tallies;
};

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct describer *d = user;
  (void)n_rows_guess;
  SPRINT__TRY(sprint__info_columns(d->info, row->n, &d->tallies));
  for (size_t j = 0; j < row->n; j++)
    d->info->file.columns[j].name = sprint__arena_strdup(&d->info->arena, sprint__csv_field(row, j));
  return sprint__arena_status(&d->info->arena);
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct describer *d = user;
  for (size_t j = 0; j < row->n; j++) {
    const char *text = sprint__csv_field(row, j);
    double value;
    enum sprint__cell cell = sprint__cell_parse(text, &value);
    bool number = cell == SPRINT__CELL_NUMBER || cell == SPRINT__CELL_MISSING;
    SPRINT__TRY(number ? sprint__tally_number(&d->tallies[j], value, 1) : sprint__tally_text(&d->tallies[j], text));
  }
  d->info->file.n_rows++;
  return SPRINT_OK;
}

sprint_status sprint__describe_csv(const char *path, struct sprint__info *info) {
  struct describer d = {info, NULL};
  struct sprint__csv_sink sink = {&d, take_header, take_row};
  sprint_status status = sprint__csv_read(info->arena.context, path, ',', &sink);
  if (status == SPRINT_OK) status = sprint__info_finish(info, d.tallies);
  sprint__free(d.tallies);
  return status;
}
