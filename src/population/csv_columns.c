/* Named columns of a CSV as numbers, for scoring: see population.h. */
#include <math.h>

#include "population/csv_reader.h"
#include "population/population.h"

struct picker {
  sprint_context *context;
  const char *path;
  const char *const *names;
  const double *fill;
  size_t n_names;
  struct sprint__arena *arena;
  struct sprint__csv_header header;
  size_t *columns; /* (n_names) */
  double *x;       /* (n, n_names) */
  size_t n, n_room;
};

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct picker *p = user;
  SPRINT__TRY(sprint__csv_header_keep(p->arena, p->path, row, &p->header));
  p->columns = sprint__arena_take(p->arena, p->n_names, sizeof *p->columns);
  p->x = sprint__alloc(p->context, n_rows_guess, p->n_names * sizeof *p->x);
  p->n_room = n_rows_guess;
  if (!p->columns || !p->x) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < p->n_names; j++) SPRINT__TRY(sprint__csv_header_find(&p->header, p->names[j], &p->columns[j]));
  return SPRINT_OK;
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct picker *p = user;
  SPRINT__TRY(sprint__grow(p->context, (void **)&p->x, p->n, &p->n_room, p->n + 1, p->n_names * sizeof *p->x));
  double *x = p->x + p->n * p->n_names;
  for (size_t j = 0; j < p->n_names; j++) {
    SPRINT__TRY(sprint__csv_number(&p->header, row, p->columns[j], &x[j]));
    if (isnan(x[j]) && isnan(p->fill[j]))
      return sprint__csv_refuse(&p->header, row, p->columns[j],
                                "the value is missing, and there is nothing to fill it with");
  }
  p->n++;
  return SPRINT_OK;
}

sprint_status sprint__csv_read_columns(sprint_context *context, const char *path, const char *const *names,
                                       const double *fill, size_t n_names, size_t *ret_n, double **ret_x) {
  SPRINT__SCRATCH(room, context);
  struct picker p = {
      .context = context, .path = path, .names = names, .fill = fill, .n_names = n_names, .arena = &room};
  struct sprint__csv_sink sink = {&p, take_header, take_row};
  sprint_status status = sprint__csv_read(context, path, ',', &sink);
  if (status == SPRINT_OK) {
    *ret_n = p.n;
    *ret_x = p.x;
  } else {
    sprint__free(p.x);
  }
  return status;
}
