/* How good a saved model is on a labelled CSV. Oracle: tests/fixtures/predict.txt, which make_predict.py computes with
 * scikit-learn: models, rows, and every metric of the one on the other. */
#define _GNU_SOURCE
#include <unistd.h>

#include "../help.h"

/* Sums of up to 80 numbers of order 1, after the model's own arithmetic, which is single in that build: the features
 * and outputs are then off by some 1e-7 of numbers of order 10. */
#define TOLERANCE (sizeof(sprint_real) == 8 ? 1e-12 : 2e-5)

enum { MOST_ROWS = 100, MOST_CLASSES = 3, D = 2 };

struct test_case {
  char name[64], loss[32];
  size_t n, k, n_outputs, n_theta;
  double threshold, scaling[5], theta[MOST_CLASSES * (D + 1)], rows[MOST_ROWS][4];
};

struct files {
  sprint_context *context;
  char folder[64], model[96], csv[96], out[96];
};

static int set_up(void **state) {
  struct files *f = calloc(1, sizeof *f);
  snprintf(f->folder, sizeof f->folder, "/tmp/sprint-test-XXXXXX");
  if (!mkdtemp(f->folder) || sprint_context_new(&f->context) != SPRINT_OK) return -1;
  snprintf(f->model, sizeof f->model, "%s/m.safetensors", f->folder);
  snprintf(f->csv, sizeof f->csv, "%s/d.csv", f->folder);
  snprintf(f->out, sizeof f->out, "%s/scores.csv", f->folder);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  struct files *f = *state;
  unlink(f->model);
  unlink(f->csv);
  unlink(f->out);
  rmdir(f->folder);
  sprint_context_free(f->context);
  free(f);
  return 0;
}

/* The numbers of the next line, which begins with the key. */
static void read_numbers(FILE *fixture, const char *key, double *ret_values, size_t n) {
  char line[4096];
  assert_non_null(fgets(line, sizeof line, fixture));
  size_t length = strlen(key);
  if (strncmp(line, key, length) != 0 || line[length] != ' ') fail_msg("'%s' was expected at '%.40s'", key, line);
  char *at = line + length;
  for (size_t i = 0; i < n; i++) ret_values[i] = strtod(at, &at);
  assert_int_equal(*at, '\n');
}

static bool read_case(FILE *fixture, struct test_case *ret_case) {
  char line[256];
  double size[4];
  do
    if (!fgets(line, sizeof line, fixture)) return false;
  while (line[0] == '#');
  assert_int_equal(sscanf(line, "case %63[^\n]", ret_case->name), 1);
  assert_int_equal(fscanf(fixture, "loss_kind %31s\n", ret_case->loss), 1);
  read_numbers(fixture, "size", size, 4);
  ret_case->n = (size_t)size[0];
  ret_case->k = (size_t)size[1];
  ret_case->n_outputs = (size_t)size[2];
  ret_case->threshold = size[3];
  ret_case->n_theta = ret_case->n_outputs * (D + 1);
  assert_true(ret_case->n <= MOST_ROWS && ret_case->n_outputs <= MOST_CLASSES);
  read_numbers(fixture, "scaling", ret_case->scaling, 5);
  read_numbers(fixture, "theta", ret_case->theta, ret_case->n_theta);
  for (size_t i = 0; i < ret_case->n; i++) read_numbers(fixture, "row", ret_case->rows[i], 4);
  return true;
}

static const char *const class_names[] = {"no", "yes", "maybe"}; /* not in the order of names */

/* The model as PyTorch or this program would save it, in double; `said` is what it knows of thresholds and weights. */
static void write_model(const struct files *f, const struct test_case *c, const char *said) {
  char header[4096], classes[64] = "";
  for (size_t i = 0; i < c->k; i++)
    snprintf(classes + strlen(classes), sizeof classes - strlen(classes), "%s\\\"%s\\\"", i ? "," : "", class_names[i]);
  size_t half = c->n_outputs * D * sizeof(double), all = c->n_theta * sizeof(double);
  int length = snprintf(
      header, sizeof header,
      "{\"__metadata__\":{\"layers\":\"dense %zu\",\"loss\":\"%s\",\"label\":\"came\",\"l2\":\"%.17g\",%s\"features\":"
      "\"[{\\\"name\\\":\\\"a\\\",\\\"mean\\\":%.17g,\\\"scale\\\":%.17g},{\\\"name\\\":\\\"b\\\",\\\"mean\\\":%.17g,"
      "\\\"scale\\\":%.17g}]\",\"classes\":\"[%s]\"},\"0.weight\":{\"dtype\":\"F64\",\"shape\":[%zu,%d],"
      "\"data_offsets\":[0,%zu]},\"0.bias\":{\"dtype\":\"F64\",\"shape\":[%zu],\"data_offsets\":[%zu,%zu]}}",
      c->n_outputs, c->loss, c->scaling[4], said, c->scaling[0], c->scaling[2], c->scaling[1], c->scaling[3], classes,
      c->n_outputs, D, half, c->n_outputs, half, all);
  FILE *stream = fopen(f->model, "wb");
  assert_non_null(stream);
  for (size_t i = 0; i < 8; i++) fputc((int)((size_t)length >> (8 * i) & 0xff), stream);
  fwrite(header, 1, (size_t)length, stream);
  fwrite(c->theta, sizeof(double), c->n_theta, stream);
  assert_int_equal(fclose(stream), 0);
}

/* Columns in another order than the model's, and one that nobody asked for. */
static void write_csv(const struct files *f, const struct test_case *c) {
  FILE *stream = fopen(f->csv, "w");
  assert_non_null(stream);
  fputs("w,b,note,came,a\n", stream);
  for (size_t i = 0; i < c->n; i++) {
    const double *row = c->rows[i];
    fprintf(stream, "%.17g,%.17g,x,", row[3], row[1]);
    if (c->k)
      fprintf(stream, "%s", class_names[(size_t)row[2]]);
    else
      fprintf(stream, "%.17g", row[2]);
    fprintf(stream, ",%.17g\n", row[0]);
  }
  assert_int_equal(fclose(stream), 0);
}

static void same(const char *name, const char *key, double got, double expected) {
  if (isnan(got) && isnan(expected)) return;
  if (!(fabs(got - expected) <= TOLERANCE * fmax(1, fabs(expected))))
    fail_msg("%s: %s = %.17g, expected %.17g", name, key, got, expected);
}

static void expect(FILE *fixture, const char *name, const char *key, double got) {
  double expected;
  read_numbers(fixture, key, &expected, 1);
  same(name, key, got, expected);
}

static void expect_metrics(FILE *fixture, const struct test_case *c, const sprint_metrics *m) {
  const char *name = c->name;
  double people = 0, confusion[MOST_CLASSES * MOST_CLASSES], bins[SPRINT_CALIBRATION_BINS][3];
  for (size_t i = 0; i < c->n; i++) people += c->rows[i][3];
  assert_int_equal(m->n, c->n);
  assert_int_equal(m->n_classes, c->k);
  same(name, "people", m->people, people);
  expect(fixture, name, "loss", m->loss);
  if (!c->k) {
    expect(fixture, name, "rmse", m->rmse);
    expect(fixture, name, "mae", m->mae);
    expect(fixture, name, "r2", m->r2);
    return;
  }
  expect(fixture, name, "accuracy", m->accuracy);
  expect(fixture, name, "majority", m->majority);
  expect(fixture, name, "auc", m->auc);
  expect(fixture, name, "recall", m->recall);
  expect(fixture, name, "precision", m->precision);
  expect(fixture, name, "brier", m->brier);
  read_numbers(fixture, "confusion", confusion, c->k * c->k);
  for (size_t i = 0; i < c->k * c->k; i++) same(name, "confusion", m->confusion[i], confusion[i]);
  read_numbers(fixture, "calibration", &bins[0][0], 3 * SPRINT_CALIBRATION_BINS);
  for (size_t b = 0; b < SPRINT_CALIBRATION_BINS; b++) {
    same(name, "share", m->calibration[b].share, bins[b][0]);
    same(name, "said", m->calibration[b].said, bins[b][1]);
    same(name, "came", m->calibration[b].came, bins[b][2]);
  }
  expect(fixture, name, "calibration_error", m->calibration_error);
}

/* The threshold and the weights are once the model's, once the caller's. */
static void check_case(struct files *f, FILE *fixture, const struct test_case *c, bool told) {
  char said[256] = "";
  sprint_predictor *predictor = NULL;
  const sprint_metrics *metrics = NULL;
  if (!told)
    snprintf(said, sizeof said,
             "\"positive\":\"yes\",\"threshold\":\"%.17g\",\"table\":\"{\\\"weight\\\":\\\"w\\\"}\",", c->threshold);
  write_model(f, c, said);
  write_csv(f, c);
  sprint_predictor_options opening = {.size = sizeof opening};
  if (told && c->k == 2) opening.threshold = &c->threshold;
  MUST(f->context, sprint_predictor_open(f->context, f->model, &opening, &predictor));
  sprint_labelled labelled = {.size = sizeof labelled, .weight = told ? "w" : NULL};
  MUST(f->context, sprint_predictor_assess_csv(predictor, f->csv, &labelled, &metrics));
  assert_string_equal(sprint_predictor_weight(predictor), "w");
  expect_metrics(fixture, c, metrics);
  sprint_predictor_free(predictor);
}

static void test_predict_label__metrics_are_those_of_scikit_learn(void **state) {
  struct files *f = *state;
  FILE *fixture = fopen(SPRINT_TEST_FOLDER "/fixtures/predict.txt", "r");
  assert_non_null(fixture);
  struct test_case c;
  size_t n_cases = 0;
  while (read_case(fixture, &c)) {
    long after = ftell(fixture);
    check_case(f, fixture, &c, false);
    assert_int_equal(fseek(fixture, after, SEEK_SET), 0);
    check_case(f, fixture, &c, true);
    n_cases++;
  }
  assert_int_equal(n_cases, 6);
  fclose(fixture);
}

/* Scores of four people: logit a, so that 'yes' has probabilities 0.119, 0.269, 0.731, 0.881. */
static const struct test_case by_hand = {.loss = "logistic",
                                         .n = 4,
                                         .k = 2,
                                         .n_outputs = 1,
                                         .n_theta = 3,
                                         .scaling = {0, 0, 1, 1, 0},
                                         .theta = {1, 0, 0},
                                         .rows = {{-2, 0, 0, 1}, {-1, 0, 1, 3}, {1, 0, 0, 0}, {2, 0, 1, 1}}};

static sprint_predictor *open_by_hand(struct files *f, const char *said, const sprint_predictor_options *options) {
  sprint_predictor *predictor = NULL;
  write_model(f, &by_hand, said);
  write_csv(f, &by_hand);
  MUST(f->context, sprint_predictor_open(f->context, f->model, options, &predictor));
  return predictor;
}

/* Models of before say nothing of a threshold, a positive class, a penalty or weights. */
static void test_predict_label__older_models_decide_by_one_half(void **state) {
  struct files *f = *state;
  const sprint_metrics *metrics = NULL;
  sprint_predictor *predictor = open_by_hand(f, "", NULL);
  assert_true(sprint_predictor_threshold(predictor) == 0.5 && sprint_predictor_positive(predictor) == 1);
  assert_string_equal(sprint_predictor_label(predictor), "came");
  MUST(f->context, sprint_predictor_assess_csv(predictor, f->csv, NULL, &metrics));
  assert_null(sprint_predictor_weight(predictor));
  assert_true(metrics->people == 4 && metrics->accuracy == 0.5 && metrics->recall == 0.5 && metrics->precision == 0.5);
  sprint_predictor_free(predictor);
}

/* From 0.2 on, three are said to be of 'yes', two of which are; of 'no' from 0.8 on, one is said, and is. */
static void test_predict_label__threshold_and_positive_class_decide(void **state) {
  struct files *f = *state;
  const sprint_metrics *metrics = NULL;
  double low = 0.2, high = 0.8;
  sprint_predictor_options options = {.size = sizeof options, .threshold = &low};
  sprint_predictor *predictor = open_by_hand(f, "", &options);
  sprint_labelled labelled = {.size = sizeof labelled, .label = "came", .out = f->out};
  MUST(f->context, sprint_predictor_assess_csv(predictor, f->csv, &labelled, &metrics));
  assert_true(metrics->recall == 1);
  CLOSE(metrics->precision, 2.0 / 3, 4);
  sprint_predictor_free(predictor);

  char line[128];
  static const char *const starts[] = {"row,prediction,p_no,p_yes\n", "1,no,", "2,yes,", "3,yes,", "4,yes,"};
  FILE *scores = fopen(f->out, "r");
  assert_non_null(scores);
  for (size_t i = 0; i < 5; i++) {
    assert_non_null(fgets(line, sizeof line, scores));
    if (strncmp(line, starts[i], strlen(starts[i])) != 0) fail_msg("'%s' does not begin with %s", line, starts[i]);
  }
  assert_null(fgets(line, sizeof line, scores));
  fclose(scores);

  options = (sprint_predictor_options){.size = sizeof options, .threshold = &high, .positive = "no"};
  predictor = open_by_hand(f, "\"positive\":\"yes\",\"threshold\":\"0.2\",", &options);
  MUST(f->context, sprint_predictor_assess_csv(predictor, f->csv, NULL, &metrics));
  assert_int_equal(metrics->positive, 0);
  assert_true(metrics->recall == 0.5 && metrics->precision == 1 && metrics->threshold == 0.8);
  sprint_predictor_free(predictor);
}

static void test_predict_label__weights_are_the_models_or_the_callers_or_none(void **state) {
  struct files *f = *state;
  const sprint_metrics *metrics = NULL;
  sprint_predictor *predictor = open_by_hand(f, "\"table\":\"{\\\"weight\\\":\\\"w\\\"}\",", NULL);
  MUST(f->context, sprint_predictor_assess_csv(predictor, f->csv, NULL, &metrics));
  assert_true(metrics->people == 5 && metrics->accuracy == 2.0 / 5);
  sprint_labelled none = {.size = sizeof none, .unweighted = true}, other = {.size = sizeof other, .weight = "weight"};
  MUST(f->context, sprint_predictor_assess_csv(predictor, f->csv, &none, &metrics));
  assert_true(metrics->people == 4 && metrics->accuracy == 0.5);
  REFUSED(f->context, SPRINT_ERROR_INPUT, "'weight'", sprint_predictor_assess_csv(predictor, f->csv, &other, &metrics));
  sprint_predictor_free(predictor);
}

/* What a table or a model may not say. */
static void test_predict_label__refuses(void **state) {
  struct files *f = *state;
  static const struct {
    const char *csv, *words;
  } cases[] = {
      {"a,b,came,w\n1,2,no,1\n1,2,perhaps,1\n",
       "d.csv:3: column 3 'came': 'perhaps' is none of the 2 classes of the model"},
      {"a,b,came,w\n1,2,perhaps,1\n", "(no, yes)"},
      {"a,b,came,w\n1,2,no,1\n1,2,,1\n", "d.csv:3: column 3 'came': the label is missing"},
      {"a,b,came,w\n1,2,no,1\n1,2,yes,\n", "d.csv:3: column 4 'w': the weight is missing"},
      {"a,b,came,w\n1,2,no,-1\n", "'-1' is a weight below 0"},
      {"a,b,came,w\n1,2,no,inf\n", "column 4 'w': 'inf' is not a finite number"},
      {"a,b,came,w\n1,2,no,0\n", "every weight is 0"},
      {"a,b,camel,w\n1,2,no,0\n", "came"},
      {"a,b,came,w\n1,x,no,1\n", "d.csv:2: column 2 'b': 'x' is not a number"},
  };
  const sprint_metrics *metrics = NULL;
  sprint_predictor *predictor = open_by_hand(f, "\"table\":\"{\\\"weight\\\":\\\"w\\\"}\",", NULL);
  sprint_labelled labelled = {.size = sizeof labelled, .out = f->out};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    FILE *stream = fopen(f->csv, "w");
    fputs(cases[i].csv, stream);
    fclose(stream);
    REFUSED(f->context, SPRINT_ERROR_INPUT, cases[i].words,
            sprint_predictor_assess_csv(predictor, f->csv, &labelled, &metrics));
    assert_null(metrics);
    assert_int_not_equal(access(f->out, F_OK), 0); /* nothing half-written */
  }
  sprint_predictor_free(predictor);
}

static void test_predict_label__refuses_broken_decisions(void **state) {
  struct files *f = *state;
  sprint_predictor *predictor = NULL;
  double beyond = 1.5, half = 0.5;
  sprint_predictor_options options = {.size = sizeof options, .threshold = &beyond};
  write_model(f, &by_hand, "");
  REFUSED(f->context, SPRINT_ERROR_ARGUMENT, "the threshold is 1.5",
          sprint_predictor_open(f->context, f->model, &options, &predictor));
  options = (sprint_predictor_options){.size = sizeof options, .positive = "perhaps"};
  REFUSED(f->context, SPRINT_ERROR_INPUT, "which has no or yes",
          sprint_predictor_open(f->context, f->model, &options, &predictor));
  write_model(f, &by_hand, "\"positive\":\"perhaps\",");
  REFUSED(f->context, SPRINT_ERROR_INPUT, "its metadata 'positive' is missing or broken",
          sprint_predictor_load(f->context, f->model, &predictor));
  static const char *const thresholds[] = {"\"threshold\":\"2\",", "\"threshold\":\"0,5\",", "\"threshold\":\"nan\","};
  for (size_t i = 0; i < 3; i++) {
    write_model(f, &by_hand, thresholds[i]);
    REFUSED(f->context, SPRINT_ERROR_INPUT, "its metadata 'threshold' is missing or broken",
            sprint_predictor_load(f->context, f->model, &predictor));
  }
  struct test_case values = by_hand;
  values.k = 0;
  strcpy(values.loss, "squared");
  write_model(f, &values, "");
  options = (sprint_predictor_options){.size = sizeof options, .threshold = &half};
  REFUSED(f->context, SPRINT_ERROR_INPUT, "the model predicts values",
          sprint_predictor_open(f->context, f->model, &options, &predictor));
  assert_null(predictor);
}

/* Classes that were never in the order of their names, as a population of the caller's own may have them. */
static void test_predict_label__classes_in_any_order(void **state) {
  struct files *f = *state;
  const sprint_metrics *metrics = NULL;
  sprint_predictor *predictor = NULL;
  struct test_case three = by_hand;
  three.k = three.n_outputs = 3;
  three.n_theta = 9;
  strcpy(three.loss, "softmax");
  double theta[9] = {5, 0, 0, 5, -5, -5, 0, 0, 0}; /* class 0 goes by a, class 1 by b, class 2 by neither */
  memcpy(three.theta, theta, sizeof theta);
  write_model(f, &three, "");
  FILE *stream = fopen(f->csv, "w"); /* one of each class, and one who is taken for another */
  fputs("a,b,came\n3,0,no\n0,3,yes\n-3,-3,maybe\n3,0,yes\n", stream);
  fclose(stream);
  MUST(f->context, sprint_predictor_load(f->context, f->model, &predictor));
  MUST(f->context, sprint_predictor_assess_csv(predictor, f->csv, NULL, &metrics));
  static const double expected[] = {1, 0, 0, 1, 1, 0, 0, 0, 1};
  for (size_t i = 0; i < 9; i++) assert_true(metrics->confusion[i] == expected[i]);
  sprint_predictor_free(predictor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_predict_label__metrics_are_those_of_scikit_learn, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_predict_label__older_models_decide_by_one_half, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_predict_label__threshold_and_positive_class_decide, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_predict_label__weights_are_the_models_or_the_callers_or_none, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_predict_label__refuses, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_predict_label__refuses_broken_decisions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_predict_label__classes_in_any_order, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
