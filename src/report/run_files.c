/* The files of one run: trace.csv, timing.csv, run.json. See runs.h. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/print.h"
#include "config/number.h"
#include "config/text.h"
#include "report/runs.h"

enum { MOST_BYTES = 1 << 30, MOST_COLUMNS = 100000 }; /* of a file that is read; of a trace */

/* A CSV of numbers. A last line without an end is being written, and left out. */
struct table {
  size_t n_rows, n_columns;
  const char **names;
  double **columns; /* (n_columns), each (n_rows) */
  bool damaged;     /* a line is not what it should be; those above it are there */
};

/* The first complaint stays. */
__attribute__((format(printf, 3, 4))) static void complain(struct sprint__arena *arena, struct sprint__result *run,
                                                           const char *format, ...) {
  char sentence[1024];
  va_list values;
  va_start(values, format);
  sprint__vsnprintf(sentence, sizeof sentence, format, values);
  va_end(values);
  if (!run->complaint) run->complaint = sprint__arena_strdup(arena, sentence);
}

/* Ends the text at the next comma or its end; *at is behind it, NULL at the end. */
static char *next_cell(char **at) {
  char *cell = *at, *comma = strchr(cell, ',');
  if (comma) *comma = '\0';
  *at = comma ? comma + 1 : NULL;
  return cell;
}

/* A line, without its end; *at is behind it. NULL: there is none that has an end. */
static char *next_line(char **at) {
  char *line = *at, *end = strchr(line, '\n');
  if (!end) return NULL;
  *end = '\0';
  if (end > line && end[-1] == '\r') end[-1] = '\0';
  *at = end + 1;
  return line;
}

static bool read_number(const char *cell, double *ret_value) {
  const char *size = cell + (*cell == '-');
  if (sprint__number_real(cell, ret_value) == SPRINT__NUMBER_OK) return true;
  bool infinite = strcmp(size, "inf") == 0, nothing = strcmp(size, "nan") == 0 || !*cell;
  if (infinite || nothing) *ret_value = nothing ? NAN : *cell == '-' ? -INFINITY : INFINITY;
  return infinite || nothing;
}

static size_t count(const char *text, char c) {
  size_t n = 0;
  for (; *text; text++) n += *text == c;
  return n;
}

static void read_names(struct sprint__arena *arena, char *line, struct table *table) {
  table->n_columns = count(line, ',') + 1;
  table->names = sprint__arena_take(arena, table->n_columns, sizeof *table->names);
  for (size_t c = 0; table->names && c < table->n_columns; c++)
    table->names[c] = sprint__arena_strdup(arena, next_cell(&line));
}

/* One row; a sentence's end in ret_wrong (size) where it is none. */
static bool read_row(struct table *table, char *line, char *ret_wrong, size_t size) {
  size_t n_cells = count(line, ',') + 1;
  if (n_cells != table->n_columns) {
    snprintf(ret_wrong, size, "%zu values, where %zu were expected", n_cells, table->n_columns);
    return false;
  }
  for (size_t c = 0; c < table->n_columns; c++) {
    const char *cell = next_cell(&line);
    if (read_number(cell, &table->columns[c][table->n_rows])) continue;
    snprintf(ret_wrong, size, "column '%s': '%s' is not a number", sprint__show(table->names[c]).text,
             sprint__show(cell).text);
    return false;
  }
  table->n_rows++;
  return true;
}

static void read_rows(struct sprint__arena *arena, struct sprint__result *run, const char *path, char *at,
                      struct table *table) {
  char *line, wrong[256];
  for (size_t i = 2; (line = next_line(&at)); i++) {
    if (!*line && !*at) break;
    if (read_row(table, line, wrong, sizeof wrong)) continue;
    complain(arena, run, "%s:%zu: %s; the rows above it are used", path, i, wrong);
    table->damaged = true;
    return;
  }
}

static sprint_status parse_table(struct sprint__arena *arena, struct sprint__result *run, const char *path, char *bytes,
                                 size_t size, struct table *ret_table) {
  struct table table = {0};
  char *at = bytes, *header;
  size_t n_text = sprint__text_check(bytes, size);
  if (n_text < size) {
    complain(arena, run, "%s: is not a text from byte %zu on; the rows above it are used", path, n_text);
    bytes[n_text] = '\0';
  }
  if ((header = next_line(&at)) && count(header, ',') < MOST_COLUMNS) {
    size_t n_lines = count(at, '\n');
    read_names(arena, header, &table);
    table.columns = sprint__arena_take(arena, table.n_columns, sizeof *table.columns);
    for (size_t c = 0; table.columns && c < table.n_columns; c++)
      table.columns[c] = sprint__arena_take(arena, n_lines, sizeof **table.columns);
    SPRINT__TRY(sprint__arena_status(arena));
    read_rows(arena, run, path, at, &table);
  } else {
    table.damaged = header;
    if (header) complain(arena, run, "%s:1: %zu columns, where less were expected", path, count(header, ',') + 1);
  }
  table.damaged = table.damaged || n_text < size;
  *ret_table = table;
  return SPRINT_OK;
}

char *sprint__result_place(sprint_context *context, const char *folder) {
  static const char *const within[] = {"", "/complete", "/unfinished"};
  for (size_t i = 0; i < SPRINT__COUNT(within); i++) {
    SPRINT__SCOPED(sprint__free) char *trace = sprint__printf(context, "%s%s/trace.csv", folder, within[i]);
    if (!trace) return NULL;
    if (sprint__file_is_there(trace)) return sprint__printf(context, "%s%s", folder, within[i]);
  }
  return sprint__strdup(context, folder);
}

static sprint_status read_table(struct sprint__arena *arena, struct sprint__result *run, const char *place,
                                const char *name, struct table *ret_table, bool *ret_there) {
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(arena->context, "%s/%s", place, name);
  SPRINT__SCOPED(sprint__free) char *bytes = NULL;
  void *room;
  size_t size = 0, n_room = 0;
  if (!path) return SPRINT_ERROR_MEMORY;
  *ret_there = sprint__file_is_there(path);
  if (!*ret_there) return SPRINT_OK;
  sprint_status status = sprint__file_read(arena->context, path, MOST_BYTES, &bytes, &size);
  if (status == SPRINT_ERROR_MEMORY) return status;
  if (status != SPRINT_OK) {
    complain(arena, run, "%s", sprint_context_error(arena->context));
    ret_table->damaged = true;
    return SPRINT_OK;
  }
  room = sprint__give(&bytes);
  n_room = size;
  status = sprint__grow(arena->context, &room, size, &n_room, size + 1, 1);
  bytes = room;
  if (status != SPRINT_OK) return status;
  bytes[size] = '\0';
  return parse_table(arena, run, path, bytes, size, ret_table);
}

static const double *column_of(const struct table *table, const char *name) {
  for (size_t c = 0; c < table->n_columns; c++)
    if (strcmp(table->names[c], name) == 0) return table->columns[c];
  return NULL;
}

/* Seconds at the trace's epochs; NULL: there are none. Both go forward in epochs. */
static double *join_seconds(struct sprint__arena *arena, const struct table *trace, const struct table *timing) {
  const double *epoch = column_of(trace, "epoch"), *at = column_of(timing, "epoch"),
               *seconds = column_of(timing, "seconds");
  if (!epoch || !at || !seconds) return NULL;
  double *joined = sprint__arena_take(arena, trace->n_rows, sizeof *joined);
  for (size_t r = 0, t = 0; joined && r < trace->n_rows; r++) {
    while (t < timing->n_rows && at[t] < epoch[r]) t++;
    joined[r] = t < timing->n_rows && at[t] == epoch[r] ? seconds[t] : NAN;
  }
  return joined;
}

static sprint_status set_columns(struct sprint__arena *arena, struct sprint__result *run, const struct table *trace,
                                 const struct table *timing) {
  const double *seconds = column_of(trace, "seconds") ? NULL : join_seconds(arena, trace, timing);
  struct sprint__result_column *columns = sprint__arena_take(arena, trace->n_columns + 1, sizeof *columns);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t c = 0; c < trace->n_columns; c++)
    columns[c] = (struct sprint__result_column){trace->names[c], trace->columns[c]};
  run->n_columns = trace->n_columns;
  if (seconds) columns[run->n_columns++] = (struct sprint__result_column){"seconds", seconds};
  run->columns = columns;
  run->n_rows = trace->n_rows;
  return SPRINT_OK;
}

static void drop_json(void *json) { json_decref(json); }

static const char *text_at(const json_t *json, const char *section, const char *key) {
  return json_string_value(json_object_get(json_object_get(json_object_get(json, "settings"), section), key));
}

static const char *kept(struct sprint__arena *arena, const char *text, const char *otherwise) {
  return text ? sprint__arena_strdup(arena, text) : otherwise;
}

/* A seed beyond JSON's integers is a text. */
static void take_seed(const json_t *seed, struct sprint__result *run) {
  if (json_is_integer(seed)) run->seed = (uint64_t)json_integer_value(seed);
  if (json_is_string(seed)) run->seed = strtoull(json_string_value(seed), NULL, 10);
}

static sprint_status read_json(struct sprint__arena *arena, struct sprint__result *run, const char *place,
                               bool *ret_damaged) {
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(arena->context, "%s/run.json", place);
  json_error_t error;
  if (!path) return SPRINT_ERROR_MEMORY;
  if (!sprint__file_is_there(path)) return SPRINT_OK;
  json_t *json = json_load_file(path, 0, &error);
  if (!json_is_object(json)) {
    complain(arena, run, "%s: cannot be read as the record of a run: %s", path,
             json ? "an object was expected" : sprint__show(error.text).text);
    *ret_damaged = true;
    json_decref(json);
    return SPRINT_OK;
  }
  sprint__arena_at_end(arena, drop_json, json);
  SPRINT__TRY(sprint__arena_status(arena));
  run->json = json;
  if (!run->seeded) run->method = kept(arena, json_string_value(json_object_get(json, "name")), run->method);
  run->kind = kept(arena, text_at(json, "method", "kind"), "");
  run->correction = kept(arena, text_at(json, "method", "correction"), "");
  if (!run->seeded) take_seed(json_object_get(json, "seed"), run);
  return sprint__arena_status(arena);
}

static enum sprint__result_state stopped(const json_t *json) {
  const char *stop = json_string_value(json_object_get(json, "stop"));
  if (!stop || strcmp(stop, "running") == 0) return SPRINT__RESULT_PARTIAL;
  if (strcmp(stop, "diverged") == 0) return SPRINT__RESULT_DIVERGED;
  return strcmp(stop, "requested") == 0 ? SPRINT__RESULT_INTERRUPTED : SPRINT__RESULT_FINISHED;
}

/* Whether run.json knows of epochs behind the last row. */
static bool ends_early(const struct sprint__result *run, double *ret_last, double *ret_final) {
  const json_t *final = json_object_get(json_object_get(run->json, "final"), "epoch");
  const double *epoch = sprint__result_column(run, "epoch");
  *ret_last = epoch && run->n_rows ? epoch[run->n_rows - 1] : NAN;
  *ret_final = json_is_number(final) ? json_number_value(final) : NAN;
  return *ret_last < *ret_final;
}

static void judge(struct sprint__arena *arena, struct sprint__result *run, const struct table *trace, bool there,
                  bool damaged) {
  double last, final;
  run->state = run->json ? stopped(run->json) : SPRINT__RESULT_PARTIAL;
  if (!there && run->json) {
    complain(arena, run, "%s: has a run.json, and no trace.csv", run->folder);
    damaged = true;
  } else if (!there) {
    complain(arena, run, "%s: has no trace.csv yet", run->folder);
  } else if (trace->n_columns && !column_of(trace, "epoch")) {
    complain(arena, run, "%s/trace.csv:1: a column 'epoch' was expected", run->folder);
    damaged = true;
  } else if (trace->n_rows == 0 && !damaged) {
    complain(arena, run, "%s/trace.csv: has no rows yet", run->folder);
    if (run->state == SPRINT__RESULT_FINISHED) run->state = SPRINT__RESULT_PARTIAL;
  } else if (!damaged && ends_early(run, &last, &final)) {
    complain(arena, run, "%s/trace.csv: ends at epoch %g, and by run.json the run went on to %g", run->folder, last,
             final);
    if (run->state == SPRINT__RESULT_FINISHED) run->state = SPRINT__RESULT_PARTIAL;
  }
  if (damaged) run->state = SPRINT__RESULT_CORRUPT;
}

static sprint_status read_modified(sprint_context *context, const char *place, int64_t *ret_modified) {
  struct stat info;
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s/trace.csv", place);
  if (!path) return SPRINT_ERROR_MEMORY;
  if (stat(path, &info) == 0) *ret_modified = (int64_t)info.st_mtime;
  return SPRINT_OK;
}

sprint_status sprint__result_load(struct sprint__arena *arena, struct sprint__result *run) {
  struct table trace = {0}, timing = {0};
  bool there = false, timed = false, damaged = false;
  SPRINT__SCOPED(sprint__free) char *place = sprint__result_place(arena->context, run->folder);
  if (!place) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(read_json(arena, run, place, &damaged));
  SPRINT__TRY(read_table(arena, run, place, "trace.csv", &trace, &there));
  SPRINT__TRY(read_table(arena, run, place, "timing.csv", &timing, &timed));
  SPRINT__TRY(read_modified(arena->context, place, &run->modified));
  SPRINT__TRY(set_columns(arena, run, &trace, &timing));
  judge(arena, run, &trace, there, damaged || trace.damaged);
  return sprint__arena_status(arena);
}

const double *sprint__result_column(const struct sprint__result *run, const char *name) {
  for (size_t c = 0; c < run->n_columns; c++)
    if (strcmp(run->columns[c].name, name) == 0) return run->columns[c].values;
  return NULL;
}
