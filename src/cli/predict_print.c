/* sprint predict --label: the page for people, and the same as JSON. */
#include <math.h>

#include "metrics.h"
#include "predict.h"
#include "table.h"

enum { MAX_SHOWN = 12 }; /* classes of a confusion; more are in the JSON */

static const char *class_of(const struct cli_tested *t, size_t c) { return sprint_predictor_class(t->predictor, c); }

static void print_line(FILE *stream, const char *what, const char *format, double value, const char *about) {
  cli_print(stream, "%-20s", what);
  if (isnan(value))
    fputc('-', stream);
  else
    fprintf(stream, format, value);
  cli_print(stream, "%s%s\n", *about ? "  " : "", about);
}

static void print_head(const struct cli_tested *t, FILE *stream) {
  const sprint_metrics *m = t->metrics;
  const char *weight = sprint_predictor_weight(t->predictor);
  cli_print(stream, "%s: %zu rows", t->data, m->n);
  if (weight) cli_print(stream, " that stand for %.6g people (column '%s')", m->people, weight);
  cli_print(stream, ", '%s' against what %s says\n\n", t->label, t->model);
}

/* "of class 'yes', said from a probability of 0.3 on" */
static void print_decision(const struct cli_tested *t, FILE *stream) {
  const sprint_metrics *m = t->metrics;
  if (m->n_classes > 2) {
    fputs("\nrecall, precision and AUC are means over classes; the likeliest class is said\n", stream);
    return;
  }
  cli_print(
      stream,
      "\nrecall, precision, AUC, Brier score and calibration are of class '%s', said from a probability of %.6g on\n",
      class_of(t, m->positive), m->threshold);
}

static void print_classes(const struct cli_tested *t, FILE *stream) {
  const sprint_metrics *m = t->metrics;
  print_line(stream, "accuracy", "%.2f %%", 100 * m->accuracy, "");
  print_line(stream, "majority", "%.2f %%", 100 * m->majority, "by saying the largest class of everybody");
  print_line(stream, "AUC", "%.4f", m->auc, "");
  print_line(stream, "recall", "%.2f %%", 100 * m->recall, "");
  print_line(stream, "precision", "%.2f %%", 100 * m->precision, "");
  print_line(stream, "Brier score", "%.4g", m->brier, "");
  print_line(stream, "calibration error", "%.4g", m->calibration_error, "");
  print_decision(t, stream);
}

static void print_confusion(const struct cli_tested *t, FILE *stream) {
  const sprint_metrics *m = t->metrics;
  size_t k = m->n_classes;
  if (k > MAX_SHOWN) {
    fprintf(stream, "\nthe confusion of %zu classes is shown by --json\n", k);
    return;
  }
  struct cli_table *table = cli_table_new("people who are", k);
  for (size_t c = 0; c < k; c++) cli_table_name(table, c, class_of(t, c));
  for (size_t j = 0; j < k; j++) {
    cli_table_column(table, 0, class_of(t, j));
    for (size_t i = 0; i < k; i++) cli_table_cell(table, i, "%.10g", m->confusion[i * k + j]);
  }
  cli_table_heading(table, 0, "and were said to be");
  fputc('\n', stream);
  cli_table_print(table, stream);
  cli_table_free(table);
}

static void print_calibration(const struct cli_tested *t, FILE *stream) {
  const sprint_metrics *m = t->metrics;
  struct cli_table *table = cli_table_new("probability", SPRINT_CALIBRATION_BINS);
  static const char *const titles[] = {"people, %", "said, %", "came true, %"};
  for (size_t b = 0; b < SPRINT_CALIBRATION_BINS; b++) {
    char name[32];
    snprintf(name, sizeof name, "%zu to %zu %%", 100 * b / SPRINT_CALIBRATION_BINS,
             100 * (b + 1) / SPRINT_CALIBRATION_BINS);
    cli_table_name(table, b, name);
  }
  for (size_t c = 0; c < 3; c++) {
    cli_table_column(table, 0, titles[c]);
    for (size_t b = 0; b < SPRINT_CALIBRATION_BINS; b++) {
      double values[] = {m->calibration[b].share, m->calibration[b].said, m->calibration[b].came};
      if (m->calibration[b].share > 0) cli_table_cell(table, b, "%.2f", 100 * values[c]);
    }
  }
  fputc('\n', stream);
  cli_table_print(table, stream);
  cli_table_free(table);
}

static void print_warning(const sprint_metrics *m, FILE *stream) {
  if (m->n_classes && m->accuracy <= m->majority)
    fprintf(stream,
            "\nwarning: its accuracy here, %.4g %%, is no better than the %.4g %% of saying the largest class of "
            "everybody\n",
            100 * m->accuracy, 100 * m->majority);
  else if (!m->n_classes && m->r2 <= 0)
    fputs("\nwarning: it is no better here than saying the mean of everybody\n", stream);
}

void cli_predict_print(const struct cli_tested *t, FILE *stream) {
  const sprint_metrics *m = t->metrics;
  print_head(t, stream);
  print_line(stream, "loss", "%.6g", m->loss, "");
  if (m->n_classes) {
    print_classes(t, stream);
    print_confusion(t, stream);
    print_calibration(t, stream);
  } else {
    print_line(stream, "RMSE", "%.6g", m->rmse, "");
    print_line(stream, "mean |error|", "%.6g", m->mae, "");
    print_line(stream, "R^2", "%.6g", m->r2, "");
  }
  print_warning(m, stream);
}

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

void cli_predict_print_json(const struct cli_tested *t, FILE *stream) {
  const sprint_metrics *m = t->metrics;
  json_t *json = json_object(), *classes = json_array(), *metrics = json_object(), *rest = cli_metrics_json(m);
  bool two = m->n_classes == 2;
  for (size_t c = 0; c < m->n_classes; c++) json_array_append_new(classes, json_string(class_of(t, c)));
  json_object_set_new(json, "sprint", json_string(SPRINT_VERSION));
  json_object_set_new(json, "precision", json_string(sprint_precision()));
  json_object_set_new(json, "model", json_string(t->model));
  json_object_set_new(json, "data", json_string(t->data));
  json_object_set_new(json, "label", json_string(t->label));
  json_object_set_new(json, "weight", text_or_null(sprint_predictor_weight(t->predictor)));
  json_object_set_new(json, "classes", classes);
  json_object_set_new(json, "positive", text_or_null(two ? class_of(t, m->positive) : NULL));
  json_object_set_new(json, "threshold", cli_json_real(m->threshold));
  json_object_set_new(metrics, "loss", cli_json_real(m->loss));
  for (size_t i = 0; i < cli_n_metrics(); i++)
    json_object_set_new(metrics, cli_metric_name(i), cli_json_real(cli_metric_of(m, i)));
  json_object_update(metrics, rest);
  json_object_set_new(json, "metrics", metrics);
  json_decref(rest);
  cli_json_print(json, stream);
}
