/* A CSV file described: every column, numbers or not. */
#include "population/cell.h"
#include "population/csv_reader.h"
#include "population/describe.h"

struct describer {
  sprint_context *context;
  sprint_file_info *info;
  struct sprint__tally *tallies;
};

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct describer *d = user;
  (void)n_rows_guess;
  SPRINT__TRY(sprint__info_columns(d->context, row->n, d->info, &d->tallies));
  for (size_t j = 0; j < row->n; j++) {
    d->info->columns[j].name = sprint__strdup(d->context, sprint__csv_field(row, j));
    if (!d->info->columns[j].name) return SPRINT_ERROR_MEMORY;
  }
  return SPRINT_OK;
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
  d->info->n_rows++;
  return SPRINT_OK;
}

sprint_status sprint__describe_csv(sprint_context *context, const char *path, sprint_file_info *info) {
  struct describer d = {context, info, NULL};
  struct sprint__csv_sink sink = {&d, take_header, take_row};
  sprint_status status = sprint__csv_read(context, path, ',', &sink);
  return d.tallies ? sprint__info_finish(status, d.tallies, info) : status;
}
