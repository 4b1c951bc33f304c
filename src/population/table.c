/* Tables: rows that are there, and rows that are made when they are asked for. */
#include "base/lanes.h"
#include "population/encoding.h"
#include "population/source.h"

enum {
  SMALL_SIZE = 8 << 20, /* bytes of features up to which a generated table is made once and for all */
  PIECE_SIZE = 1 << 20, /* bytes of features that are made at a time to be looked at */
};

/* Operations per feature, roughly: of looking at it, and of making it first. */
#define COST_OF_LOOKING 10.0
#define COST_OF_MAKING  100.0

void sprint__table_clear(struct sprint__table *table) {
  sprint__free(table->x);
  sprint__free(table->bytes);
  sprint__free(table->y);
  sprint__free(table->weight);
  sprint__free(table->source);
  sprint__free(table->names);
  sprint__free(table->label_name);
  sprint__free(table->class_names);
  sprint__source_free(table->stream);
  sprint__encoding_free(table->encoding);
  sprint__free(table->origins);
  *table = (struct sprint__table){.context = table->context};
}

int sprint__table_lanes(const struct sprint__table *table, size_t n) {
  return sprint__lanes_for(n, (double)table->d * (table->make ? COST_OF_MAKING : COST_OF_LOOKING), 0);
}

static bool is_kept(const struct sprint__table *table, size_t row) { return !table->make || row < table->n_kept; }

const double *sprint__table_row(const struct sprint__table *table, size_t row, double *buffer, double *ret_y) {
  if (!is_kept(table, row)) {
    table->make(table->source, row, buffer, ret_y);
    return buffer;
  }
  if (ret_y) *ret_y = table->y[row];
  return table->x + row * table->d;
}

struct label_work {
  const struct sprint__table *table;
  double *buffers; /* (lanes, d) */
  sprint_real *y;
};

static void label_rows(void *user, int lane, size_t start, size_t end) {
  const struct label_work *work = user;
  const struct sprint__table *table = work->table;
  for (size_t i = start; i < end; i++) {
    double y = 0;
    if (is_kept(table, i))
      y = table->y[i];
    else
      table->make(table->source, i, work->buffers + (size_t)lane * table->d, &y);
    work->y[i] = (sprint_real)y;
  }
}

sprint_status sprint__table_labels(const struct sprint__table *table, sprint_real *ret_y) {
  int n_lanes = sprint__table_lanes(table, table->n);
  SPRINT__SCOPED(sprint__free)
  double *buffers = sprint__alloc(table->context, (size_t)n_lanes, table->d * sizeof *buffers);
  if (!buffers) return SPRINT_ERROR_MEMORY;
  sprint__lanes_run(table->context, table->n, n_lanes, label_rows, &(struct label_work){table, buffers, ret_y});
  return SPRINT_OK;
}

/* Rows to be made: number `start` and on of `rows` (NULL: of the table), to x (.., d) and, unless NULL, y. */
struct making {
  const struct sprint__table *table;
  const uint32_t *rows;
  size_t start;
  double *x, *y;
};

static void make_rows(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct making *m = user;
  const struct sprint__table *table = m->table;
  for (size_t i = start; i < end; i++) {
    size_t row = m->rows ? m->rows[m->start + i] : m->start + i;
    if (is_kept(table, row)) continue;
    table->make(table->source, row, m->x + i * table->d, m->y ? m->y + i : NULL);
  }
}

static void visit_piece(struct making *m, size_t n, sprint__row_visit visit, void *user) {
  const struct sprint__table *table = m->table;
  if (table->make) sprint__lanes_run(table->context, n, sprint__table_lanes(table, n), make_rows, m);
  for (size_t i = 0; i < n; i++) {
    size_t row = m->rows ? m->rows[m->start + i] : m->start + i;
    visit(user, is_kept(table, row) ? table->x + row * table->d : m->x + i * table->d);
  }
}

sprint_status sprint__table_visit(const struct sprint__table *table, const uint32_t *rows, size_t n,
                                  sprint__row_visit visit, void *user) {
  size_t row_size = table->d * sizeof(double), n_piece = row_size < PIECE_SIZE ? PIECE_SIZE / row_size : 1;
  struct making m = {.table = table, .rows = rows};
  if (n_piece > n) n_piece = n;
  if (table->make && !(m.x = sprint__alloc(table->context, n_piece, row_size))) return SPRINT_ERROR_MEMORY;
  for (; m.start < n; m.start += n_piece) visit_piece(&m, n - m.start < n_piece ? n - m.start : n_piece, visit, user);
  sprint__free(m.x);
  return SPRINT_OK;
}

/* Makes the first n_rows; their features lie in new memory of n_room items of `size` bytes. */
static sprint_status keep(struct sprint__table *table, size_t n_rows, size_t n_room, size_t size) {
  SPRINT__SCOPED(sprint__free) double *x = sprint__alloc(table->context, n_room, size);
  SPRINT__SCOPED(sprint__free) double *y = sprint__alloc(table->context, n_rows, sizeof *y);
  if (!x || !y) return SPRINT_ERROR_MEMORY;
  struct making m = {.table = table, .x = x, .y = y};
  sprint__lanes_run(table->context, n_rows, sprint__table_lanes(table, n_rows), make_rows, &m);
  table->x = sprint__give(&x);
  table->y = sprint__give(&y);
  table->n_kept = n_rows;
  return SPRINT_OK;
}

sprint_status sprint__table_keep_small(struct sprint__table *table) {
  size_t row_size = table->d * sizeof *table->x;
  if (!table->make || table->n > SMALL_SIZE / row_size) return SPRINT_OK;
  SPRINT__TRY(keep(table, table->n, table->n, row_size));
  table->make = NULL;
  return SPRINT_OK;
}

sprint_status sprint__table_keep_some(struct sprint__table *table, size_t n) {
  if (!table->make) return SPRINT_OK;
  return keep(table, n * sizeof(sprint_real) / sizeof(double), n, table->d * sizeof(sprint_real));
}
