/* Tables that a saved model scores: the rows of a CSV with their predictions, and how good these are where the table
 * has a label. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assess/metrics.h"
#include "base/file.h"
#include "base/print.h"
#include "base/sized.h"
#include "model/network.h"
#include "population/csv_columns.h"
#include "run/predictor.h"

/* Where rows go. A file or a pipe gets every byte; a terminal, control characters as \x1b. */
struct outlet {
  FILE *stream;
  bool terminal;
};

/* A CSV field, quoted where it has to be. */
static void print_field(const struct outlet *out, const char *text) {
  bool quoted = strpbrk(text, ",\"\r\n");
  if (quoted) fputc('"', out->stream);
  for (size_t n; *text; text += n ? n : 1) {
    n = out->terminal ? sprint__print_control(out->stream, text) : 0;
    if (!n && *text == '"') fputc('"', out->stream);
    if (!n) fputc(*text, out->stream);
  }
  if (quoted) fputc('"', out->stream);
}

static void print_header(const sprint_predictor *predictor, bool ids, const struct outlet *out) {
  FILE *stream = out->stream;
  fputs("row,", stream);
  if (ids) print_field(out, predictor->encoding->id);
  fputs(ids ? ",prediction" : "prediction", stream);
  for (size_t c = 0; predictor->model->classifies && c < predictor->n_classes; c++) {
    fputs(",p_", stream);
    print_field(out, predictor->class_names[c]);
  }
  fputc('\n', stream);
}

static void print_prediction(const sprint_predictor *predictor, const double *scores, const struct outlet *out) {
  FILE *stream = out->stream;
  size_t k = predictor->n_classes;
  if (!predictor->model->classifies)
    sprint__fprintf(stream, "%.9g", scores[0]);
  else if (isnan(scores[0]))
    fputs("nan", stream); /* no class, rather than the first */
  else
    print_field(out, predictor->class_names[sprint__class_said(scores, k, predictor->positive, predictor->threshold)]);
  for (size_t c = 0; predictor->model->classifies && c < k; c++) sprint__fprintf(stream, ",%.9g", scores[c]);
}

static void print_scores(const sprint_predictor *predictor, const double *scores, const struct sprint__csv_scored *rows,
                         const struct outlet *out) {
  FILE *stream = out->stream;
  print_header(predictor, rows->ids.there, out);
  for (size_t i = 0; i < rows->n; i++) {
    fprintf(stream, "%zu,", i + 1);
    if (rows->ids.there) print_field(out, sprint__csv_text(&rows->ids, i));
    if (rows->ids.there) fputc(',', stream);
    print_prediction(predictor, scores + i * sprint_predictor_n_scores(predictor), out);
    fputc('\n', stream);
  }
}

static sprint_status write_scores(const sprint_predictor *predictor, const double *scores,
                                  const struct sprint__csv_scored *rows, const char *out_path) {
  if (!out_path || strcmp(out_path, "-") == 0) {
    print_scores(predictor, scores, rows, &(struct outlet){stdout, isatty(STDOUT_FILENO)});
    if (fflush(stdout) == 0) return SPRINT_OK;
    return sprint_fail(predictor->context, SPRINT_ERROR_IO, "standard output: cannot be written: %s", strerror(errno));
  }
  struct sprint__file file;
  SPRINT__TRY(sprint__file_create(predictor->context, out_path, &file));
  print_scores(predictor, scores, rows, &(struct outlet){file.stream, false});
  return sprint__file_commit(predictor->context, &file);
}

sprint_status sprint__predictor_read_csv(sprint_predictor *predictor, const char *path,
                                         const struct sprint__csv_wanted *wanted, struct sprint__csv_scored *ret_rows) {
  const struct sprint__encoding *encoding = predictor->encoding;
  SPRINT__SCOPED(sprint__free) double *fill = sprint__alloc(predictor->context, encoding->n_fields, sizeof *fill);
  if (!fill) return SPRINT_ERROR_MEMORY;
  for (size_t k = 0; k < encoding->n_fields; k++) fill[k] = predictor->columns[encoding->fields[k].first].fill;
  return sprint__csv_score(predictor->encoding, strcmp(path, "-") == 0 ? "/dev/stdin" : path, fill, wanted, ret_rows);
}

/* The rows of the CSV with all that is wanted of them, and their scores, yours to free. */
static sprint_status score_rows(sprint_predictor *predictor, const char *csv_path, const char *out_path,
                                const struct sprint__csv_wanted *wanted, struct sprint__csv_scored *ret_rows,
                                double **ret_scores) {
  sprint_context *context = predictor->context;
  if (strcmp(csv_path, "-") == 0) csv_path = "/dev/stdin";
  if (out_path) SPRINT__TRY(sprint__file_differs(context, out_path, csv_path));
  if (out_path) SPRINT__TRY(sprint__file_differs(context, out_path, predictor->path));
  SPRINT__TRY(sprint__predictor_read_csv(predictor, csv_path, wanted, ret_rows));
  SPRINT__SCOPED(sprint__free)
  double *scores = sprint__alloc(context, ret_rows->n, sprint_predictor_n_scores(predictor) * sizeof *scores);
  if (!scores) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint_predictor_score(predictor, ret_rows->x, ret_rows->n, scores));
  *ret_scores = sprint__give(&scores);
  return SPRINT_OK;
}

sprint_status sprint_predictor_score_csv(sprint_predictor *predictor, const char *csv_path, const char *out_path) {
  if (!predictor) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(predictor->context, csv_path);
  const struct sprint__csv_wanted wanted = {.id = predictor->encoding->id};
  SPRINT__CLEARED(sprint__csv_scored_clear) struct sprint__csv_scored rows = {0};
  SPRINT__SCOPED(sprint__free) double *scores = NULL;
  SPRINT__TRY(score_rows(predictor, csv_path, out_path, &wanted, &rows, &scores));
  return write_scores(predictor, scores, &rows, out_path);
}

sprint_status sprint__predictor_index_classes(const sprint_predictor *predictor, struct sprint__labels *labels,
                                              size_t *number) {
  size_t id, place;
  for (size_t c = 0; c < predictor->n_classes; c++)
    SPRINT__TRY(sprint__labels_add(labels, predictor->class_names[c], &id));
  SPRINT__TRY(sprint__labels_settle(labels, NULL));
  for (size_t c = 0; c < predictor->n_classes; c++)
    if (sprint__labels_find(labels, predictor->class_names[c], &place)) number[place] = c;
  return SPRINT_OK;
}

enum { ROWS = 1024 }; /* whose losses are summed at once */

/* Over people, with the penalty, as a run's. */
static sprint_status mean_loss(const sprint_predictor *predictor, const struct sprint__csv_scored *rows,
                               const sprint_real *y, double people, double *ret_loss) {
  SPRINT__SCRATCH(room, predictor->context);
  size_t d = predictor->n_features;
  sprint_real *x = sprint__arena_take(&room, ROWS, d * sizeof *x);
  double loss = 0;
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t start = 0, n; start < rows->n; start += n) {
    n = rows->n - start < ROWS ? rows->n - start : ROWS;
    sprint__predictor_features(predictor, rows->x + start * d, n, x);
    struct sprint__rows some = {.n = n, .x = x, .y = y + start, .weight = rows->weight ? rows->weight + start : NULL};
    struct sprint__sums sums = {0, 0, NULL};
    sprint__model_sums(predictor->model, predictor->theta, &some, &sums, NULL);
    loss += sums.loss;
  }
  *ret_loss = loss / people + sprint__model_penalty(predictor->model, predictor->theta);
  return SPRINT_OK;
}

/* A model that was taken anyway may say nothing of somebody. */
static sprint_status check_scores(const sprint_predictor *predictor, const char *csv_path, const double *scores,
                                  size_t n) {
  size_t k = sprint_predictor_n_scores(predictor);
  for (size_t i = 0; i < n * k; i++)
    if (!isfinite(scores[i]))
      return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                         "%s: row %zu: the model's score is no finite number, so that there is nothing to measure",
                         csv_path, i / k + 1);
  return SPRINT_OK;
}

/* The metrics of the predictor's arena. */
static sprint_status measure(sprint_predictor *predictor, const char *csv_path, const double *scores,
                             const struct sprint__csv_scored *rows, const size_t *number) {
  SPRINT__SCRATCH(room, predictor->context);
  struct sprint__tester tester;
  size_t k = predictor->model->classifies ? predictor->n_classes : 0;
  sprint_real *y = sprint__arena_take(&room, rows->n, sizeof *y);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < rows->n; i++)
    y[i] = (sprint_real)(predictor->n_classes ? (double)number[(size_t)rows->y[i]] : rows->y[i]);
  SPRINT__TRY(check_scores(predictor, csv_path, scores, rows->n));
  SPRINT__TRY(
      sprint__tester_new(&predictor->assessed, &room, rows->n, k, predictor->positive, predictor->threshold, &tester));
  sprint__tester_add(&tester, scores, y, rows->weight, rows->n);
  if (!(tester.people > 0))
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s: its rows stand for nobody: %s", csv_path,
                       rows->n ? "every weight is 0" : "there are none");
  predictor->metrics = sprint__tester_metrics(&tester);
  return mean_loss(predictor, rows, y, tester.people, &predictor->metrics.loss);
}

static sprint_status assess(sprint_predictor *predictor, const char *csv_path, const sprint_labelled *options,
                            struct sprint__labels *labels) {
  SPRINT__SCRATCH(room, predictor->context);
  SPRINT__CLEARED(sprint__csv_scored_clear) struct sprint__csv_scored rows = {0};
  SPRINT__SCOPED(sprint__free) double *scores = NULL;
  const char *own = predictor->encoding->weight;
  const struct sprint__csv_wanted wanted = {
      .id = predictor->encoding->id,
      .label = options->label ? options->label : predictor->label,
      .classes = predictor->n_classes ? labels : NULL,
      .weight = options->unweighted ? NULL
                : options->weight   ? options->weight
                                    : own,
      .weight_optional = !options->weight,
  };
  size_t *number = sprint__arena_take(&room, predictor->n_classes, sizeof *number);
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(sprint__predictor_index_classes(predictor, labels, number));
  SPRINT__TRY(score_rows(predictor, csv_path, options->out, &wanted, &rows, &scores));
  SPRINT__TRY(measure(predictor, csv_path, scores, &rows, number));
  predictor->weighed = rows.weight ? sprint__arena_strdup(&predictor->assessed, wanted.weight) : NULL;
  SPRINT__TRY(sprint__arena_status(&predictor->assessed));
  return options->out ? write_scores(predictor, scores, &rows, options->out) : SPRINT_OK;
}

sprint_status sprint_predictor_assess_csv(sprint_predictor *predictor, const char *csv_path,
                                          const sprint_labelled *options, const sprint_metrics **ret_metrics) {
  if (!predictor) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(predictor->context, csv_path, ret_metrics);
  sprint_labelled own = {.size = sizeof own};
  if (options) SPRINT__SIZED_TAKE(predictor->context, sprint_labelled, options, &own);
  if (!own.label && !*predictor->label)
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s does not say which column it predicts; name it",
                       predictor->path);
  sprint__arena_free(&predictor->assessed);
  predictor->assessed = (struct sprint__arena){.context = predictor->context};
  predictor->weighed = NULL;
  struct sprint__labels labels = {.context = predictor->context, .file = predictor->path};
  sprint_status status = assess(predictor, csv_path, &own, &labels);
  sprint__labels_clear(&labels);
  SPRINT__TRY(status);
  *ret_metrics = &predictor->metrics;
  return SPRINT_OK;
}
