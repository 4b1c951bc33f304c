/* Data kind `stream`: the rows of a CSV one after the other, each once, as they come from a file, standard input or a
 * pipe, or are being written to a file that grows. The first are the window; whoever trains gets those that follow. */
#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "population/csv_rows.h"
#include "population/inflow.h"

enum { BLOCK_SIZE = 65536 };

static const sprint_param params[] = {
    SPRINT__TEXT("path", NULL, "the file or pipe; - is standard input. Its first line names the columns"),
    SPRINT__CSV_PARAMS,
    SPRINT__TEXTS("classes", "", "all classes; where none are given, all must be in the window"),
    SPRINT__INTEGER("window", "10000", 10, 1e8,
                    "the first records, which are evaluated, and which give frequencies and scales"),
    SPRINT__FLAG("follow", "false", "where the file ends, wait for what is being written to it"),
    SPRINT__REAL("patience", "60", 0, 1e9,
                 "seconds without anything new, after which it has stalled; 0: wait for ever"),
};

/* What all readings of a stream share. */
struct flow {
  struct sprint__arena arena;
  const char *path;
  struct sprint__csv_rows rows; /* its encoding is the population's, which outlives this */
  struct sprint__labels labels;
  bool settled; /* the classes are known, */
  bool listed;  /* from the config */
  bool follow;
  double patience;
  size_t window;
  const struct sprint__section *section; /* until the columns are chosen */
  struct reading *first;                 /* that has read the window; NULL: somebody has taken it */
};

/* One way through the stream. */
struct reading {
  struct flow *flow;
  struct sprint__inflow inflow;
  struct sprint__csv_reader *reader;
  char *block;    /* (BLOCK_SIZE) */
  size_t at, end; /* in it: what has not been looked at */
  bool finished;
  bool came;     /* a record: */
  double *codes; /* (n_fields) its fields */
  double *raw;   /* (d) its features, once the levels are known */
  double y;      /* its label, or class, or the number of one */
};

static void reading_free(struct reading *r) {
  if (!r) return;
  sprint__inflow_close(&r->inflow);
  sprint__csv_reader_free(r->reader);
  sprint__free(r->block);
  sprint__free(r->codes);
  sprint__free(r->raw);
  sprint__free(r);
}
SPRINT__FREE_AT(reading_free, struct reading)

static sprint_status check_header(const struct flow *flow, const struct sprint__csv_row *row) {
  const struct sprint__csv_header *header = &flow->rows.header;
  bool same = row->n == header->n;
  for (size_t j = 0; same && j < row->n; j++) same = strcmp(sprint__csv_field(row, j), header->names[j]) == 0;
  if (same) return SPRINT_OK;
  return sprint_fail(header->context, SPRINT_ERROR_INPUT,
                     "%s:%zu: the header is not what it was when the window was read", flow->path, row->line);
}

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  (void)n_rows_guess;
  struct reading *r = user;
  struct flow *flow = r->flow;
  SPRINT__TRY(flow->rows.columns ? check_header(flow, row) : sprint__csv_rows_choose(&flow->rows, flow->section, row));
  if (flow->rows.has_weight)
    return sprint__refuse(flow->section, "weight", "a population without end takes no weights; ignore leaves them out");
  r->codes = sprint__alloc(flow->rows.context, flow->rows.encoding->n_fields, sizeof *r->codes);
  return r->codes ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status refuse_class(const struct flow *flow, const struct sprint__csv_row *row, const char *text) {
  char rest[200];
  snprintf(rest, sizeof rest, "'%s' is none of the %zu classes %s", sprint__show(text).text, flow->labels.n,
           flow->listed ? "under data.classes"
                        : "of the window; a larger window, or all classes under data.classes, was expected");
  return sprint__csv_refuse(&flow->rows.header, row, flow->rows.label, rest);
}

static sprint_status take_label(struct reading *r, const struct sprint__csv_row *row) {
  struct flow *flow = r->flow;
  const struct sprint__csv_rows *rows = &flow->rows;
  const char *text = sprint__csv_field(row, rows->label);
  size_t number = 0;
  if (rows->target == SPRINT__TARGET_VALUE) return sprint__csv_number(&rows->header, row, rows->label, &r->y);
  if (!flow->settled)
    SPRINT__TRY(sprint__labels_add(&flow->labels, text, &number));
  else if (!sprint__labels_find(&flow->labels, text, &number))
    return refuse_class(flow, row, text);
  r->y = (double)number;
  return SPRINT_OK;
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct reading *r = user;
  bool dropped = false;
  double weight;
  SPRINT__TRY(sprint__csv_rows_read(&r->flow->rows, row, r->codes, &weight, &dropped));
  if (dropped) return SPRINT_OK;
  r->came = true;
  return take_label(r, row);
}

static sprint_status reading_new(struct flow *flow, struct reading **ret_reading) {
  sprint_context *context = flow->arena.context;
  SPRINT__SCOPED(reading_free) struct reading *r = sprint__alloc(context, 1, sizeof *r);
  if (!r) return SPRINT_ERROR_MEMORY;
  r->flow = flow;
  r->inflow.file = -1;
  r->block = sprint__alloc(context, BLOCK_SIZE, 1);
  if (!r->block) return SPRINT_ERROR_MEMORY;
  struct sprint__csv_sink sink = {r, take_header, take_row};
  SPRINT__TRY(sprint__csv_reader_new(context, flow->path, &flow->rows.encoding->dialect, &sink, &r->reader));
  SPRINT__TRY(sprint__inflow_open(context, flow->path, &r->inflow));
  r->inflow.follow = flow->follow;
  r->inflow.patience = flow->patience;
  *ret_reading = sprint__give(&r);
  return SPRINT_OK;
}

/* More bytes; at the end, the last line counts even where nothing ends it. */
static sprint_status refill(struct reading *r, const struct sprint__idle *idle, sprint_stop *ret_ending) {
  r->at = r->end = 0;
  SPRINT__TRY(sprint__inflow_read(&r->inflow, idle, r->block, BLOCK_SIZE, &r->end, ret_ending));
  if (r->end > 0) {
    *ret_ending = SPRINT_STOP_RUNNING;
    return SPRINT_OK;
  }
  if (*ret_ending != SPRINT_STOP_STREAM) return SPRINT_OK;
  r->finished = true;
  return sprint__csv_finish(r->reader);
}

/* The next record: r->came; false where none comes any more, and *ret_ending says why. */
static sprint_status next(struct reading *r, const struct sprint__idle *idle, sprint_stop *ret_ending) {
  *ret_ending = r->finished ? SPRINT_STOP_STREAM : SPRINT_STOP_RUNNING;
  r->came = false;
  while (!r->came && *ret_ending == SPRINT_STOP_RUNNING) {
    size_t used = 0;
    if (r->at < r->end)
      SPRINT__TRY(sprint__csv_feed_line(r->reader, r->block + r->at, r->end - r->at, &used));
    else
      SPRINT__TRY(refill(r, idle, ret_ending));
    r->at += used;
  }
  return SPRINT_OK;
}

/* Somebody who reads the stream for themselves, once the window is over. */
static sprint_status begin(struct sprint__tap *tap, struct reading **ret_reading) {
  struct flow *flow = tap->source->impl;
  if (flow->first) {
    *ret_reading = sprint__give(&flow->first);
    return SPRINT_OK;
  }
  if (tap->source->once)
    return sprint_fail(tap->source->context, SPRINT_ERROR_INPUT,
                       "%s: can be read once, and another run has read it; a file was expected", flow->path);
  SPRINT__SCOPED(reading_free) struct reading *r = NULL;
  SPRINT__TRY(reading_new(flow, &r));
  for (size_t i = 0; i < flow->window; i++) {
    SPRINT__TRY(next(r, &tap->idle, &tap->ending));
    if (!r->came) break;
  }
  *ret_reading = sprint__give(&r);
  return SPRINT_OK;
}

static sprint_status open_stream(struct sprint__tap *tap) {
  (void)tap;
  return SPRINT_OK;
}

static void close_stream(struct sprint__tap *tap) { reading_free(tap->impl); }

static sprint_status read_stream(struct sprint__tap *tap, const struct sprint__draws *draws, size_t n,
                                 sprint_real *ret_x, sprint_real *ret_y, size_t *ret_n) {
  (void)draws;
  const sprint_population *population = tap->source->population;
  size_t d = population->d, got = 0;
  struct reading *r = tap->impl;
  if (!r) SPRINT__TRY(begin(tap, &r));
  tap->impl = r;
  if (!r->raw && !(r->raw = sprint__alloc(population->context, d, sizeof *r->raw))) return SPRINT_ERROR_MEMORY;
  for (; got < n; got++) {
    SPRINT__TRY(next(r, &tap->idle, &tap->ending));
    if (!r->came) break;
    sprint__encoding_expand(population->encoding, r->codes, r->raw);
    for (size_t j = 0; j < d; j++) ret_x[got * d + j] = sprint__column_feature(&population->columns[j], r->raw[j]);
    ret_y[got] = (sprint_real)r->y;
  }
  *ret_n = got;
  return SPRINT_OK;
}

static void free_stream(struct sprint__source *source) {
  struct flow *flow = source->impl;
  if (!flow) return;
  reading_free(flow->first);
  sprint__labels_clear(&flow->labels);
  sprint__arena_free(&flow->arena);
  sprint__free(flow);
}

static const struct sprint__source_ops stream_ops = {
    .open = open_stream, .close = close_stream, .read = read_stream, .free = free_stream};

static sprint_status refuse_short(const struct flow *flow, const struct sprint__section *section, size_t n,
                                  sprint_stop ending) {
  if (ending == SPRINT_STOP_STALLED)
    return sprint__refuse(section, "patience",
                          "%s: nothing has come for %g seconds, after %zu records; the window alone takes %zu",
                          flow->path, flow->patience, n, flow->window);
  return sprint__refuse(section, "window", "%s: the stream ended after %zu records; the window alone takes %zu",
                        flow->path, n, flow->window);
}

/* Puts the window into the table. */
static sprint_status read_window(struct flow *flow, const struct sprint__section *section,
                                 struct sprint__table *table) {
  struct reading *r = flow->first;
  size_t x_room = 0, y_room = 0;
  for (; table->n < flow->window; table->n++) {
    sprint_stop ending;
    SPRINT__TRY(next(r, &(struct sprint__idle){0}, &ending));
    if (!r->came) return refuse_short(flow, section, table->n, ending);
    table->d = flow->rows.encoding->n_fields;
    size_t row_size = table->d * sizeof *table->x;
    SPRINT__TRY(sprint__grow(table->context, (void **)&table->x, table->n, &x_room, table->n + 1, row_size));
    SPRINT__TRY(sprint__grow(table->context, (void **)&table->y, table->n, &y_room, table->n + 1, sizeof *table->y));
    memcpy(table->x + table->n * table->d, r->codes, row_size);
    table->y[table->n] = r->y;
  }
  return SPRINT_OK;
}

/* Where the classes are listed, those are all. */
static sprint_status settle_listed(struct flow *flow, const struct sprint__section *section,
                                   struct sprint__table *table) {
  const struct sprint__value *classes = sprint__get(section, "classes");
  if (classes->n_items == 0) return SPRINT_OK;
  if (flow->rows.target == SPRINT__TARGET_VALUE)
    return sprint__refuse(section, "classes", "the label is a value to predict (target: value) and has no classes");
  for (size_t i = 0; i < classes->n_items; i++) {
    size_t id;
    SPRINT__TRY(sprint__labels_add(&flow->labels, classes->texts[i], &id));
  }
  flow->settled = flow->listed = true;
  return sprint__labels_finish(&flow->labels, NULL, 0, &table->n_classes, &table->class_names);
}

static sprint_status load(struct flow *flow, const struct sprint__section *section, struct sprint__table *table) {
  const char *given = sprint__get_text(section, "path");
  char *path = NULL;
  if (strcmp(given, "-") == 0)
    path = sprint__arena_strdup(&flow->arena, SPRINT__STANDARD_INPUT);
  else
    SPRINT__TRY(sprint__data_find(&flow->arena, given, &path));
  SPRINT__TRY(sprint__arena_status(&flow->arena));
  flow->path = flow->labels.file = path;
  flow->follow = sprint__get_flag(section, "follow");
  flow->patience = sprint__get_real(section, "patience");
  flow->window = (size_t)sprint__get_integer(section, "window");
  SPRINT__TRY(sprint__csv_encoding(section, path, &table->encoding));
  flow->rows = (struct sprint__csv_rows){
      .context = table->context, .arena = &flow->arena, .path = path, .encoding = table->encoding};
  flow->rows.target = (enum sprint__target)sprint__get_choice(section, "target");
  SPRINT__TRY(settle_listed(flow, section, table));
  SPRINT__TRY(reading_new(flow, &flow->first));
  if (flow->follow && !flow->first->inflow.regular)
    return sprint__refuse(section, "follow", "%s: a pipe goes on until its writer closes it; follow is for files",
                          path);
  flow->section = section;
  SPRINT__TRY(read_window(flow, section, table));
  flow->section = NULL;
  table->fill_median = table->encoding->missing == SPRINT__MISSING_MEDIAN;
  table->label_name = sprint__strdup(table->context, flow->rows.header.names[flow->rows.label]);
  if (!table->label_name) return SPRINT_ERROR_MEMORY;
  if (flow->rows.target == SPRINT__TARGET_VALUE || flow->settled) return SPRINT_OK;
  flow->settled = true;
  return sprint__labels_finish(&flow->labels, table->y, table->n, &table->n_classes, &table->class_names);
}

static sprint_status stream_load(const struct sprint__section *section, struct sprint__table *table) {
  struct sprint__source *source = table->stream = sprint__alloc(table->context, 1, sizeof *source);
  if (!source) return SPRINT_ERROR_MEMORY;
  source->ops = &stream_ops;
  source->context = table->context;
  struct flow *flow = source->impl = sprint__alloc(table->context, 1, sizeof *flow);
  if (!flow) return SPRINT_ERROR_MEMORY;
  flow->arena.context = flow->labels.context = table->context;
  table->endless = true;
  SPRINT__TRY(load(flow, section, table));
  source->once = !flow->first->inflow.regular;
  return SPRINT_OK;
}

static const struct sprint__data_ops ops = {stream_load};

const sprint_kind sprint__data_stream = {"stream", "a CSV without end: standard input, a pipe, a file that grows",
                                         params, SPRINT__COUNT(params), &ops};
