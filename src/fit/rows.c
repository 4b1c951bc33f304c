/* The rows of a log, with the columns that the models know and those that say who and what it is: see fit.h. */
#include <math.h>
#include <string.h>

#include "config/names.h"
#include "config/text.h"
#include "fit/fit.h"
#include "population/csv_rows.h"

struct taker {
  sprint_fit *fit;
  const char *path;
  struct sprint__arena *arena; /* of what is kept */
  struct sprint__csv_rows csv; /* as the models read it */
  double *codes;               /* of a row: see csv_rows.h */
  size_t id, label;
  struct sprint__fit_rows rows;
  double *x; /* (n, d); the arrays grow, and go to the arena at the end */
  size_t x_room, label_room, line_room, id_room;
};

static const char *label_name(const sprint_fit *fit) {
  return fit->options.label ? fit->options.label : sprint__predictor_label(fit->models[0].predictor);
}

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  (void)n_rows_guess;
  struct taker *t = user;
  const sprint_fit *fit = t->fit;
  SPRINT__TRY(sprint__csv_rows_match(&t->csv, row));
  if (fit->options.id) SPRINT__TRY(sprint__csv_header_find(&t->csv.header, fit->options.id, &t->id));
  return fit->kind->asks_label ? sprint__csv_header_find(&t->csv.header, label_name(fit), &t->label) : SPRINT_OK;
}

static sprint_status refuse_class(const struct taker *t, const struct sprint__csv_row *row, const char *text) {
  SPRINT__SCRATCH(room, t->fit->context);
  size_t n = t->fit->n_classes;
  const char **names = sprint__arena_take(&room, n, sizeof *names);
  for (size_t c = 0; names && c < n; c++) names[c] = sprint__predictor_class(t->fit->models[0].predictor, c);
  char *list = names ? sprint__arena_keep(&room, sprint__names_join(t->fit->context, names, n, " or ")) : NULL;
  char *rest = list ? sprint__arena_keep(&room, sprint__printf(t->fit->context, "'%s' is no class of the models: %s",
                                                               sprint__show(text).text, list))
                    : NULL;
  SPRINT__TRY(sprint__arena_status(&room));
  return sprint__csv_refuse(&t->csv.header, row, t->label, rest);
}

static sprint_status take_label(struct taker *t, const struct sprint__csv_row *row) {
  struct sprint__fit_rows *rows = &t->rows;
  const char *text = sprint__csv_field(row, t->label);
  SPRINT__TRY(
      sprint__grow(t->fit->context, (void **)&rows->label, rows->n, &t->label_room, rows->n + 1, sizeof *rows->label));
  size_t c;
  if (!sprint__predictor_find_class(t->fit->models[0].predictor, text, &c)) return refuse_class(t, row, text);
  rows->label[rows->n] = (uint32_t)c;
  return SPRINT_OK;
}

static sprint_status take_id(struct taker *t, const struct sprint__csv_row *row) {
  struct sprint__fit_rows *rows = &t->rows;
  const char *text = sprint__csv_field(row, t->id);
  if (!*text) return sprint__csv_refuse(&t->csv.header, row, t->id, "the id is missing");
  SPRINT__TRY(sprint__grow(t->fit->context, (void **)&rows->id, rows->n, &t->id_room, rows->n + 1, sizeof *rows->id));
  rows->id[rows->n] = sprint__arena_strdup(t->arena, text);
  return sprint__arena_status(t->arena);
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct taker *t = user;
  struct sprint__fit_rows *rows = &t->rows;
  sprint_context *context = t->fit->context;
  size_t d = t->fit->d;
  bool missing = false;
  SPRINT__TRY(sprint__grow(context, (void **)&rows->x, rows->n, &t->x_room, rows->n + 1, d * sizeof *rows->x));
  SPRINT__TRY(sprint__grow(context, (void **)&rows->line, rows->n, &t->line_room, rows->n + 1, sizeof *rows->line));
  double *x = &rows->x[rows->n * d];
  SPRINT__TRY(sprint__csv_rows_codes(&t->csv, row, t->codes, &missing));
  sprint__encoding_expand(t->csv.encoding, t->codes, x);
  for (size_t j = 0; j < d; j++) missing = missing || isnan(x[j]);
  rows->line[rows->n] = row->line;
  if (t->fit->kind->asks_label) SPRINT__TRY(take_label(t, row));
  if (t->fit->options.id) SPRINT__TRY(take_id(t, row));
  if (missing)
    rows->n_missing++;
  else
    rows->n++;
  return SPRINT_OK;
}

/* A missing value is met with any number as its fill: the row is left out, and counted, not refused. */
static sprint_status read_file(struct taker *t) {
  struct sprint__encoding *encoding = sprint__predictor_encoding(t->fit->models[0].predictor);
  double *fill = sprint__arena_take(t->arena, encoding->n_fields, sizeof *fill);
  t->codes = sprint__arena_take(t->arena, encoding->n_fields, sizeof *t->codes);
  SPRINT__TRY(sprint__arena_status(t->arena));
  t->csv = (struct sprint__csv_rows){
      .context = t->fit->context, .arena = t->arena, .path = t->path, .encoding = encoding, .fill = fill};
  struct sprint__csv_sink sink = {t, take_header, take_row};
  struct sprint__dialect open = encoding->dialect;
  sprint_status status = sprint__csv_read(t->fit->context, t->path, &encoding->dialect, &sink);
  encoding->dialect = open; /* the next log may be written in another way */
  return status;
}

sprint_status sprint__fit_read_rows(sprint_fit *fit, size_t log, struct sprint__arena *arena,
                                    struct sprint__fit_rows *ret_rows) {
  struct taker t = {.fit = fit, .path = fit->logs[log].data, .arena = arena};
  if (fit->kind->asks_label && fit->n_classes < 2)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "'%s' is about classes, and %s has none", fit->kind->name,
                       fit->models[0].path);
  if (fit->kind->asks_label && !*label_name(fit))
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                       "%s does not say which column holds the classes; name it (--label COLUMN)", fit->models[0].path);
  sprint_status status = read_file(&t);
  void *grown[] = {t.rows.x, t.rows.label, t.rows.line, t.rows.id};
  for (size_t i = 0; i < SPRINT__COUNT(grown); i++)
    if (grown[i]) sprint__arena_keep(arena, grown[i]);
  SPRINT__TRY(status);
  SPRINT__TRY(sprint__arena_status(arena));
  if (t.rows.n == 0)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "%s: every one of its %zu rows has a missing value", t.path,
                       t.rows.n_missing);
  *ret_rows = t.rows;
  return SPRINT_OK;
}
