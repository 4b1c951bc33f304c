/* The population: see population.h. Once built it never changes. */
#include "population/population.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/lanes.h"
#include "base/rows.h"
#include "base/sized.h"
#include "population/encoding.h"
#include "population/source.h"
#include "population/weights.h"

static sprint_status check_size(sprint_context *context, size_t n, size_t d, size_t n_classes) {
  if (n == 0 || d == 0)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a population needs rows and features, got %zu rows of %zu", n,
                       d);
  if (n > UINT32_MAX)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a population has at most %lu rows, got %zu",
                       (unsigned long)UINT32_MAX, n);
  if (n_classes > n)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "%zu classes are more than the %zu rows", n_classes, n);
  return SPRINT_OK;
}

/* All but the records themselves and their order by stratum. */
static sprint_status population_alloc(sprint_context *context, size_t n, size_t d, size_t n_classes,
                                      sprint_population **ret_population) {
  SPRINT__TRY(check_size(context, n, d, n_classes));
  SPRINT__SCOPED(sprint_population_free) sprint_population *p = sprint__alloc(context, 1, sizeof *p);
  if (!p) return SPRINT_ERROR_MEMORY;
  p->context = p->arena.context = context;
  p->n = n;
  p->d = d;
  p->n_classes = n_classes;
  p->n_strata = n_classes ? n_classes : 1;
  p->y = sprint__arena_take(&p->arena, n, sizeof *p->y);
  p->columns = sprint__arena_take(&p->arena, d, sizeof *p->columns);
  p->stratum_start = sprint__arena_take(&p->arena, p->n_strata + 1, sizeof *p->stratum_start);
  p->stratum_size = sprint__arena_take(&p->arena, p->n_strata, sizeof *p->stratum_size);
  p->base_p = sprint__arena_take(&p->arena, p->n_strata, sizeof *p->base_p);
  SPRINT__TRY(sprint__arena_status(&p->arena));
  *ret_population = sprint__give(&p);
  return SPRINT_OK;
}

static sprint_status alloc_reals(sprint_population *p) {
  size_t row_size;
  if (__builtin_mul_overflow(p->d, sizeof *p->x, &row_size))
    return sprint_fail(p->context, SPRINT_ERROR_ARGUMENT, "%zu features are too many", p->d);
  p->x = sprint__arena_take(&p->arena, p->n, row_size);
  return sprint__arena_status(&p->arena);
}

void sprint_population_free(sprint_population *p) {
  if (!p) return;
  sprint__source_free(p->source);
  sprint__encoding_free(p->encoding);
  sprint__arena_free(&p->arena);
  sprint__free(p);
}

static sprint_status check_labels(const sprint_population *p) {
  for (size_t i = 0; i < p->n; i++) {
    double y = (double)p->y[i];
    if (!isfinite(y)) return sprint_fail(p->context, SPRINT_ERROR_INPUT, "row %zu: the label %g is not finite", i, y);
    if (p->n_classes && (y < 0 || y >= (double)p->n_classes || y != floor(y)))
      return sprint_fail(p->context, SPRINT_ERROR_INPUT, "row %zu: the label %g is not a class number 0 .. %zu", i, y,
                         p->n_classes - 1);
  }
  return SPRINT_OK;
}

static sprint_status check_features(const sprint_population *p) {
  if (!p->x) return SPRINT_OK;
  for (size_t i = 0; i < p->n * p->d; i++)
    if (!isfinite(p->x[i]))
      return sprint_fail(p->context, SPRINT_ERROR_INPUT, "row %zu, column %zu '%s': %g is not finite", i / p->d,
                         i % p->d, p->columns[i % p->d].name, (double)p->x[i]);
  return SPRINT_OK;
}

static sprint_status count_strata(sprint_population *p, bool may_lack) {
  size_t *start = p->stratum_start;
  for (size_t i = 0; i < p->n; i++) start[sprint__population_stratum(p, i) + 1]++;
  for (size_t c = 0; c < p->n_strata; c++) {
    if (!start[c + 1] && !may_lack)
      return sprint_fail(p->context, SPRINT_ERROR_INPUT, "class %s has no rows", p->class_names[c]);
    start[c + 1] += start[c];
  }
  return SPRINT_OK;
}

/* A counting sort. */
static sprint_status index_strata(sprint_population *p, bool may_lack) {
  SPRINT__TRY(count_strata(p, may_lack));
  p->by_stratum = sprint__arena_take(&p->arena, p->n, sizeof *p->by_stratum);
  SPRINT__SCOPED(sprint__free) size_t *next = sprint__alloc(p->context, p->n_strata, sizeof *next);
  if (!p->by_stratum || !next) return SPRINT_ERROR_MEMORY;
  memcpy(next, p->stratum_start, p->n_strata * sizeof *next);
  for (size_t i = 0; i < p->n; i++) p->by_stratum[next[sprint__population_stratum(p, i)]++] = (uint32_t)i;
  return SPRINT_OK;
}

/* Checks what was filled in and builds the index; may_lack: a class without rows is fine. */
static sprint_status population_finish(sprint_population *p, bool may_lack) {
  SPRINT__TRY(check_features(p));
  SPRINT__TRY(check_labels(p));
  SPRINT__TRY(index_strata(p, may_lack));
  return sprint__weights_settle(p, may_lack);
}

/* Takes new lists of names over, for its columns and classes; NULL stands for memory that ran out. */
static sprint_status own_names(sprint_population *p, char **names, char **class_names, const char *label_name) {
  sprint__arena_keep(&p->arena, names);
  p->class_names = sprint__arena_keep(&p->arena, class_names);
  p->label_name = sprint__arena_strdup(&p->arena, label_name);
  SPRINT__TRY(sprint__arena_status(&p->arena));
  for (size_t j = 0; j < p->d; j++) {
    p->columns[j].name = names[j];
    p->columns[j].source = names[j];
  }
  return SPRINT_OK;
}

sprint_status sprint_population_new(sprint_context *context, size_t n, size_t d, const sprint_real *x,
                                    const sprint_real *y, size_t n_classes, sprint_population **ret_population) {
  SPRINT__REQUIRE(context, x, y, ret_population);
  SPRINT__SCOPED(sprint_population_free) sprint_population *p = NULL;
  SPRINT__TRY(population_alloc(context, n, d, n_classes, &p));
  SPRINT__TRY(alloc_reals(p));
  for (size_t j = 0; j < d; j++) p->columns[j] = sprint__column_unseen;
  for (size_t i = 0; i < n * d; i++) sprint__column_see(&p->columns[i % d], (double)x[i]);
  SPRINT__TRY(
      own_names(p, sprint__names_numbered(context, "x", d), sprint__names_numbered(context, "", n_classes), "y"));
  memcpy(p->x, x, n * d * sizeof *x);
  memcpy(p->y, y, n * sizeof *y);
  SPRINT__TRY(population_finish(p, false));
  *ret_population = sprint__give(&p);
  return SPRINT_OK;
}

sprint_status sprint_population_new_strided(sprint_context *context, const sprint_strided *x, const sprint_real *y,
                                            size_t n_classes, sprint_population **ret_population) {
  sprint_strided own = {.size = sizeof own};
  size_t size = 0;
  SPRINT__REQUIRE(context, x, y, ret_population);
  SPRINT__SIZED_TAKE(context, sprint_strided, x, &own);
  if (!own.x) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "sprint_strided: x is NULL; an array was expected");
  if (__builtin_mul_overflow(own.n, own.d, &size))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "%zu rows of %zu features are too many", own.n, own.d);
  SPRINT__SCOPED(sprint__free) sprint_real *rows = sprint__alloc(context, size, sizeof *rows);
  if (!rows) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < own.n; i++)
    for (size_t j = 0; j < own.d; j++)
      rows[i * own.d + j] = own.x[(ptrdiff_t)i * own.row_stride + (ptrdiff_t)j * own.column_stride];
  return sprint_population_new(context, own.n, own.d, rows, y, n_classes, ret_population);
}

/* Rows on their way from a table to a population. */
struct transfer {
  const struct sprint__table *table;
  const struct sprint__column *columns;
  const uint32_t *rows; /* NULL: all */
  sprint_population *p;
  size_t n_done;
  double *buffers; /* (lanes, d) */
};

static void standardize(const struct sprint__column *columns, size_t d, const double *raw, sprint_real *ret_x) {
  for (size_t j = 0; j < d; j++) ret_x[j] = sprint__column_feature(&columns[j], raw[j]);
}

static void transfer_rows(void *user, int lane, size_t start, size_t end) {
  const struct transfer *t = user;
  size_t d = t->p->d;
  for (size_t i = t->n_done + start; i < t->n_done + end; i++) {
    double y = 0;
    const double *raw = sprint__table_row(t->table, t->rows ? t->rows[i] : i, t->buffers + (size_t)lane * d, &y);
    standardize(t->columns, d, raw, t->p->x + i * d);
    t->p->y[i] = (sprint_real)y;
  }
}

/* Turns the table's kept rows into features within the table's own memory, which becomes the population's. A feature is
 * no larger than a raw number, and rows move to the front alone, so that no row is overwritten before it is read. */
static sprint_status transfer_in_place(struct transfer *t, struct sprint__table *table) {
  sprint_population *p = t->p;
  size_t n_kept = table->make ? table->n_kept : table->n, i = 0;
  p->x = (sprint_real *)(void *)table->x;
  for (size_t row; i < p->n && (row = t->rows ? t->rows[i] : i) < n_kept; i++) {
    memcpy(t->buffers, table->x + row * p->d, p->d * sizeof *table->x);
    standardize(t->columns, p->d, t->buffers, p->x + i * p->d);
    p->y[i] = (sprint_real)table->y[row];
  }
  t->n_done = i;
  sprint__free(sprint__give(&table->y));
  p->x = sprint__arena_keep(&p->arena, sprint__shrink(sprint__give(&table->x), p->n, p->d * sizeof *p->x));
  return sprint__arena_status(&p->arena);
}

static sprint_status copy_reals(struct sprint__table *table, const struct sprint__column *columns, const uint32_t *rows,
                                bool use_up, sprint_population *p) {
  int n_lanes = sprint__table_lanes(table, p->n);
  bool in_place = use_up && table->x;
  struct transfer t = {.table = table, .columns = columns, .rows = rows, .p = p};
  if (!in_place) SPRINT__TRY(alloc_reals(p));
  SPRINT__SCOPED(sprint__free) double *buffers = sprint__alloc(p->context, (size_t)n_lanes, p->d * sizeof *buffers);
  if (!(t.buffers = buffers)) return SPRINT_ERROR_MEMORY;
  if (in_place) SPRINT__TRY(transfer_in_place(&t, table));
  sprint__lanes_run(p->context, p->n - t.n_done, n_lanes, transfer_rows, &t);
  return SPRINT_OK;
}

static size_t plane_size(const sprint_population *p) { return p->image.height * p->image.width; }

/* What the bytes of each channel become; its columns all have the same mean and scale. */
static sprint_status tabulate_levels(const struct sprint__column *columns, sprint_population *p) {
  p->levels = sprint__arena_take(&p->arena, p->image.channels, 256 * sizeof *p->levels);
  SPRINT__TRY(sprint__arena_status(&p->arena));
  for (size_t c = 0; c < p->image.channels; c++) {
    const struct sprint__column *column = &columns[c * plane_size(p)];
    for (size_t b = 0; b < 256; b++) p->levels[c * 256 + b] = sprint__column_feature(column, (double)b);
  }
  return SPRINT_OK;
}

/* Rows come in the table's order, so as many as it has are all of them: its bytes then change hands. */
static sprint_status take_bytes(struct sprint__table *table, const struct sprint__column *columns, const uint32_t *rows,
                                bool use_up, sprint_population *p) {
  SPRINT__TRY(tabulate_levels(columns, p));
  bool all = use_up && p->n == table->n;
  p->bytes =
      all ? sprint__arena_keep(&p->arena, sprint__give(&table->bytes)) : sprint__arena_take(&p->arena, p->n, p->d);
  SPRINT__TRY(sprint__arena_status(&p->arena));
  for (size_t i = 0; !all && i < p->n; i++)
    memcpy(p->bytes + i * p->d, table->bytes + (rows ? rows[i] : i) * p->d, p->d);
  p->pixels = (struct sprint__pixels){p->bytes, p->levels, p->image.channels, plane_size(p)};
  return SPRINT_OK;
}

static sprint_status copy_weights(const struct sprint__table *table, const uint32_t *rows, sprint_population *p) {
  if (!table->weight) return SPRINT_OK;
  p->weight = sprint__arena_take(&p->arena, p->n, sizeof *p->weight);
  for (size_t i = 0; p->weight && i < p->n; i++) p->weight[i] = table->weight[rows ? rows[i] : i];
  return sprint__arena_status(&p->arena);
}

/* Those of levels are copied; the source of any other is its name. */
static sprint_status copy_origins(const struct sprint__table *table, sprint_population *p) {
  for (size_t j = 0; table->origins && j < p->d; j++) {
    p->columns[j].kind = table->origins[j].kind;
    if (!table->origins[j].level) continue;
    p->columns[j].source = sprint__arena_strdup(&p->arena, table->origins[j].source);
    p->columns[j].level = sprint__arena_strdup(&p->arena, table->origins[j].level);
  }
  return sprint__arena_status(&p->arena);
}

static sprint_status copy_table(struct sprint__table *table, const struct sprint__column *columns, const uint32_t *rows,
                                bool use_up, sprint_population *p) {
  const char *const *class_names = (const char *const *)table->class_names;
  p->image = table->image;
  memcpy(p->columns, columns, p->d * sizeof *columns);
  SPRINT__TRY(own_names(p, sprint__names_copy(p->context, (const char *const *)table->names, p->d),
                        sprint__names_copy(p->context, class_names, p->n_classes), table->label_name));
  SPRINT__TRY(copy_origins(table, p));
  SPRINT__TRY(copy_weights(table, rows, p));
  if (!table->bytes) return copy_reals(table, columns, rows, use_up, p);
  for (size_t i = 0; i < p->n; i++) p->y[i] = (sprint_real)table->y[rows ? rows[i] : i];
  return take_bytes(table, columns, rows, use_up, p);
}

sprint_status sprint__population_from_table(struct sprint__table *table, const struct sprint__column *columns,
                                            const uint32_t *rows, size_t n, bool use_up,
                                            sprint_population **ret_population) {
  SPRINT__SCOPED(sprint_population_free) sprint_population *p = NULL;
  SPRINT__TRY(population_alloc(table->context, n, table->d, table->n_classes, &p));
  SPRINT__TRY(copy_table(table, columns, rows, use_up, p));
  SPRINT__TRY(population_finish(p, table->endless));
  *ret_population = sprint__give(&p);
  return SPRINT_OK;
}

struct gathering {
  const sprint_population *population;
  const uint32_t *who;
  size_t start;
  sprint_real *x;
};

static void gather_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct gathering *g = user;
  const sprint_population *p = g->population;
  size_t d = p->d;
  if (p->bytes)
    sprint__pixels_unpack(&p->pixels, g->who ? g->who + start : NULL, g->start + start, end - start, g->x + start * d);
  else
    memcpy(g->x + start * d, p->x + (g->start + start) * d, (end - start) * d * sizeof *g->x);
}

void sprint__population_gather(const sprint_population *p, const uint32_t *who, size_t start, size_t n,
                               sprint_real *ret_x) {
  if (who && p->x) {
    sprint__rows_take(p->context, p->x, p->d, who, n, ret_x);
    return;
  }
  struct gathering gathering = {p, who, start, ret_x};
  int n_lanes = sprint__lanes_for(n, SPRINT__COST_OF_MOVING * (double)p->d, 0);
  if (n_lanes == 1)
    gather_lane(&gathering, 0, 0, n);
  else
    sprint__lanes_run(p->context, n, n_lanes, gather_lane, &gathering);
}

sprint_status sprint_population_rows(const sprint_population *p, const uint32_t *who, size_t start, size_t n,
                                     sprint_real *ret_x) {
  if (!p) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(p->context, ret_x);
  if (!who && (start > p->n || n > p->n - start))
    return sprint_fail(p->context, SPRINT_ERROR_ARGUMENT, "rows %zu .. %zu of a population of %zu", start, start + n,
                       p->n);
  for (size_t i = 0; who && i < n; i++)
    if (who[i] >= p->n)
      return sprint_fail(p->context, SPRINT_ERROR_ARGUMENT, "row %lu of a population of %zu", (unsigned long)who[i],
                         p->n);
  sprint__population_gather(p, who, start, n, ret_x);
  return SPRINT_OK;
}

bool sprint_population_image(const sprint_population *p, size_t ret_shape[3]) {
  if (!p || !p->image.channels) return false;
  if (!ret_shape) return true;
  ret_shape[0] = p->image.channels;
  ret_shape[1] = p->image.height;
  ret_shape[2] = p->image.width;
  return true;
}

unsigned long sprint__population_checksum(const sprint_population *p) {
  size_t n = p->n * p->d;
  const void *records = p->x ? (const void *)p->x : p->bytes;
  unsigned long sum = crc32_z(0, records, n * (p->x ? sizeof *p->x : 1));
  sum = crc32_z(sum, (const void *)p->y, p->n * sizeof *p->y);
  return p->weight ? crc32_z(sum, (const void *)p->weight, p->n * sizeof *p->weight) : sum;
}

bool sprint__population_is_constant(const sprint_population *p, size_t feature) {
  for (size_t i = 1; i < p->n; i++)
    if (p->x ? p->x[i * p->d + feature] != p->x[feature] : p->bytes[i * p->d + feature] != p->bytes[feature])
      return false;
  return true;
}

enum { LISTED = 12 }; /* classes that a complaint names */

char *sprint__population_class_list(const sprint_population *p) {
  const char *const *names = (const char *const *)p->class_names;
  size_t n = p->n_classes < LISTED ? p->n_classes : LISTED;
  SPRINT__SCOPED(sprint__free) char *all = sprint__names_join(p->context, names, n, ", ");
  return all ? sprint__printf(p->context, "%s%s", all, n < p->n_classes ? ", ..." : "") : NULL;
}

sprint_status sprint__population_class(const struct sprint__section *section, const char *key,
                                       const sprint_population *p, const char *name, size_t *ret_class) {
  const char *const *names = (const char *const *)p->class_names;
  for (size_t c = 0; c < p->n_classes; c++)
    if (strcmp(names[c], name) == 0) {
      *ret_class = c;
      return SPRINT_OK;
    }
  if (!p->n_classes) return sprint__refuse(section, key, "'%s' is not a class of the data, which has none", name);
  const char *near = sprint__nearest(name, names, p->n_classes);
  SPRINT__SCOPED(sprint__free) char *all = sprint__population_class_list(p);
  if (!all) return SPRINT_ERROR_MEMORY;
  return sprint__refuse(section, key, "'%s' is not a class of the data%s%s%s (one of %s)", name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
}

ptrdiff_t sprint__population_find(const sprint_population *p, const char *name) {
  for (size_t j = 0; j < p->d; j++)
    if (strcmp(p->columns[j].name, name) == 0) return (ptrdiff_t)j;
  return -1;
}

size_t sprint_population_n(const sprint_population *p) { return p ? p->n : 0; }
bool sprint_population_is_endless(const sprint_population *p) { return p ? p->source != NULL : false; }
size_t sprint_population_n_features(const sprint_population *p) { return p ? p->d : 0; }
size_t sprint_population_n_classes(const sprint_population *p) { return p ? p->n_classes : 0; }
size_t sprint_population_n_strata(const sprint_population *p) { return p ? p->n_strata : 0; }
const sprint_real *sprint_population_x(const sprint_population *p) { return p ? p->x : NULL; }
const sprint_real *sprint_population_y(const sprint_population *p) { return p ? p->y : NULL; }

const char *sprint_population_feature_name(const sprint_population *p, size_t feature) {
  return p && feature < p->d ? p->columns[feature].name : NULL;
}

const char *sprint_population_class_name(const sprint_population *p, size_t class_number) {
  return p && class_number < p->n_classes ? p->class_names[class_number] : NULL;
}
