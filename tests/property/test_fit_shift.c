/* sprint_fit_shift against people whose response is known: simulated logs, fitted again and again. What is counted is
 * how often the truth lies within two standard errors, and how often "no response" is said where there is none.
 *
 * Bounds. If an error bar of two standard errors covers with probability 0.9545, the count X of 100 repetitions is
 * binomial: P(X <= 86) = 2e-4. Estimates of one repetition are nearly independent, but each is
 * counted by itself. So 87 of 100 is asked for. A test at level 0.05 rejects Y of 100: P(Y >= 13) = 1e-3, P(Y = 0) =
 * 6e-3; between 1 and 12 is asked for. Seeds are fixed: what passes once passes always. */
#include "help.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"

enum { PEOPLE = 200, D = 3, HIDDEN = 3, MOST_LOGS = 4 };
enum { LEAST_COVERED = 87, LEAST_REJECTED = 1, MOST_REJECTED = 12 };

#ifdef SPRINT_SLOWED /* some thirty times as slow, and looked at for its memory */
enum { USUAL = 2 };
#else
enum { USUAL = 100 };
#endif

/* 100; more by hand: SPRINT_REPETITIONS=1000. The bounds are then those of 100 in proportion; fewer say nothing. */
static size_t repetitions(void) {
  const char *asked = getenv("SPRINT_REPETITIONS");
  return asked ? (size_t)atoi(asked) : USUAL;
}

static bool tells(void) { return repetitions() >= 100; }

static const double sd[D] = {1000, 0.2, 10}, mean[D] = {3000, 0.5, 45};

/* A model as the test knows it: f(x) = v . tanh(W x + b), or w . x + b without a hidden layer; x standardised. */
struct known {
  bool network;
  size_t n_params;
  double theta[64]; /* in PyTorch's order */
  double centre[D], scale[D];
  char path[256];
};

struct frame {
  sprint_context *context;
  char folder[64];
  struct known models[3];
};

static double normal(uint64_t seed, uint64_t step, uint32_t index) {
  struct sprint__random words = sprint__random_words(seed, SPRINT__FOR_PEOPLE, step, index);
  return sprint__normal(&words);
}

/* df/dx_j in raw units, by the chain rule. */
static double slope(const struct known *model, const double *raw, size_t j) {
  double sum = 0;
  if (!model->network) return model->theta[j] / model->scale[j];
  const double *w = model->theta, *b = w + HIDDEN * D, *v = b + HIDDEN;
  for (size_t h = 0; h < HIDDEN; h++) {
    double at = b[h];
    for (size_t k = 0; k < D; k++) at += w[h * D + k] * (raw[k] - model->centre[k]) / model->scale[k];
    sum += v[h] * (1 - tanh(at) * tanh(at)) * w[h * D + j];
  }
  return sum / model->scale[j];
}

static double number_of(const char *text, const char *key, size_t which) {
  for (size_t i = 0; i <= which; i++) text = strstr(text + 1, key);
  return strtod(text + strlen(key), NULL);
}

/* What the file says of its standardisation: the one thing that the test takes from it. */
static void read_columns(struct known *model) {
  static char text[1 << 16];
  FILE *stream = fopen(model->path, "rb");
  size_t n = fread(text, 1, sizeof text - 1, stream);
  fclose(stream);
  for (size_t i = 0; i < n; i++)
    if (!text[i]) text[i] = ' ';
  text[n] = '\0';
  for (size_t j = 0; j < D; j++) {
    model->centre[j] = number_of(text, "\\\"mean\\\":", j);
    model->scale[j] = number_of(text, "\\\"scale\\\":", j);
  }
}

/* Saves a model of chosen parameters, trained on people of other means and deviations than anybody else. */
static void save_model(struct frame *frame, size_t number, const char *spec, bool network, const double *theta) {
  struct known *model = &frame->models[number];
  char data[512], path[200];
  sprint_real start[64];
  snprintf(path, sizeof path, "%s/train.csv", frame->folder);
  FILE *stream = fopen(path, "w");
  fprintf(stream, "income,debt,age,repaid\n");
  for (uint32_t i = 0; i < 60; i++)
    fprintf(stream, "%.9g,%.9g,%.9g,%d\n", mean[0] + sd[0] * (1 + 0.3 * (double)number) * normal(77, number, 3 * i),
            mean[1] + sd[1] * normal(77, number, 3 * i + 1), mean[2] + 5 + sd[2] * normal(77, number, 3 * i + 2),
            (int)(i % 3));
  fclose(stream);
  snprintf(data, sizeof data, "{kind: csv, path: %s, label: repaid%s}", path,
           strstr(spec, "softmax") ? "" : ", target: value");
  struct world w = world_new(data, spec, "{kind: none}");
  model->network = network;
  model->n_params = sprint_model_n_params(w.model);
  for (size_t k = 0; k < model->n_params; k++) {
    model->theta[k] = (double)(sprint_real)theta[k];
    start[sprint_model_place(w.model, k)] = (sprint_real)theta[k];
  }
  sprint_run_options options = {.size = sizeof options,
                                .spec = "{method: {kind: rgd}, step: {size: 1e-30}, stop: {epochs: 1}}",
                                .shift = w.shift,
                                .theta = start};
  sprint_run *run = NULL;
  MUST(w.context, sprint_run_new(w.context, &options, &run));
  MUST(w.context, sprint_run_go(run, NULL, NULL));
  snprintf(path, sizeof path, "%s/m%zu", frame->folder, number);
  MUST(w.context, sprint_run_save(run, path));
  snprintf(model->path, sizeof model->path, "%s/model.safetensors", path);
  sprint_run_free(run);
  world_free(&w);
  read_columns(model);
}

static struct frame frame_new(const char *spec, bool network, const double *theta_a, const double *theta_b) {
  struct frame frame = {0};
  snprintf(frame.folder, sizeof frame.folder, "/tmp/sprint-fit-XXXXXX");
  assert_non_null(mkdtemp(frame.folder));
  assert_int_equal(sprint_context_new(&frame.context), SPRINT_OK);
  MUST(frame.context, sprint_context_set_threads(frame.context, 1));
  save_model(&frame, 0, spec, network, theta_a);
  save_model(&frame, 1, spec, network, theta_b);
  save_model(&frame, 2, spec, network, theta_b); /* the same as that, but in the test of A */
  return frame;
}

static void frame_free(struct frame *frame) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", frame->folder);
  assert_int_equal(system(command), 0);
  sprint_context_free(frame->context);
}

/* People of one repetition: the same in every log, or others where they are not found again. */
struct setting {
  int model[MOST_LOGS]; /* of each log; -1: none; -2: there is no such log */
  bool paired;
  double alpha[D]; /* raw, of the strategic response; */
  double epsilon;  /* or of the linear one; */
  double a[D][D];  /* or A of the location family: whichever is not 0 */
  double drift[D]; /* a log, in sd */
  double noise;    /* in sd */
  const char *kind, *good, *form;
};

static void move(const struct setting *s, const struct known *model, const double *base, double *x) {
  for (size_t j = 0; j < D; j++) {
    if (s->alpha[j] != 0) x[j] += s->alpha[j] * slope(model, base, j);
    x[j] -= s->epsilon * model->scale[j] * model->theta[j];
    for (size_t k = 0; k < D; k++) x[j] += model->scale[j] * s->a[j][k] * model->theta[k];
  }
}

static void write_log(const struct frame *frame, const struct setting *s, uint64_t repetition, size_t log) {
  char path[128];
  snprintf(path, sizeof path, "%s/log%zu.csv", frame->folder, log);
  FILE *stream = fopen(path, "w");
  fprintf(stream, "id,age,income,debt\n"); /* columns in another order */
  for (uint32_t i = 0; i < PEOPLE; i++) {
    uint64_t whose = s->paired ? 0 : log + 1;
    double base[D], x[D];
    for (uint32_t j = 0; j < D; j++) {
      base[j] = mean[j] + sd[j] * normal(repetition, whose, i * D + j);
      base[j] += sd[j] * s->drift[j] * (double)log + sd[j] * s->noise * normal(repetition, 100 + log, i * D + j);
      x[j] = base[j];
    }
    if (s->model[log] >= 0) move(s, &frame->models[s->model[log]], base, x);
    fprintf(stream, "p%u,%.12g,%.12g,%.12g\n", i, x[2], x[0], x[1]);
  }
  fclose(stream);
}

static sprint_fit *fit(const struct frame *frame, const struct setting *s, uint64_t repetition) {
  sprint_fit_log logs[MOST_LOGS];
  char paths[MOST_LOGS][128];
  sprint_fit_options options = {.size = sizeof options,
                                .logs = logs,
                                .kind = s->kind,
                                .id = s->paired ? "id" : NULL,
                                .good = s->good,
                                .form = s->form,
                                .resamples = 300,
                                .seed = repetition};
  for (size_t k = 0; k < MOST_LOGS && s->model[k] > -2; k++) {
    write_log(frame, s, repetition, k);
    snprintf(paths[k], sizeof paths[k], "%s/log%zu.csv", frame->folder, k);
    logs[k] = (sprint_fit_log){paths[k], s->model[k] < 0 ? NULL : frame->models[s->model[k]].path, 0};
    options.n_logs = k + 1;
  }
  sprint_fit *result = NULL;
  MUST(frame->context, sprint_fit_shift(frame->context, &options, &result));
  return result;
}

struct tally {
  size_t covered[D * D], responses, drifts;
  double value[D * D], error[D * D];
};

/* truth (n_parameters) */
static struct tally repeat(const struct frame *frame, const struct setting *s, const double *truth, size_t n) {
  struct tally tally = {0};
  for (uint64_t r = 0; r < repetitions(); r++) {
    sprint_fit *result = fit(frame, s, 1000 + r);
    assert_int_equal(sprint_fit_n_parameters(result), n);
    for (size_t i = 0; i < n; i++) {
      const sprint_fit_parameter *p = sprint_fit_parameter_of(result, i);
      tally.covered[i] += fabs(p->value - truth[i]) <= 2 * p->error;
      tally.value[i] += p->value / (double)repetitions();
      tally.error[i] += p->error / (double)repetitions();
    }
    tally.responses += sprint_fit_result(result)->response;
    tally.drifts += sprint_fit_result(result)->drift_p < 0.05;
    sprint_fit_free(result);
  }
  for (size_t i = 0; i < n; i++)
    printf("  truth %9.4g, mean of estimates %9.4g, mean error %8.3g, covered %zu\n", truth[i], tally.value[i],
           tally.error[i], tally.covered[i]);
  printf("  responses %zu, drifts %zu\n", tally.responses, tally.drifts);
  return tally;
}

static void covers(const struct tally *tally, size_t n) {
  for (size_t i = 0; tells() && i < n; i++) assert_true(tally->covered[i] * 100 >= LEAST_COVERED * repetitions());
}

static const char network[] = "{layers: 'dense 3, tanh, dense 1', loss: squared}";
/* PyTorch's order: W (HIDDEN, D), b, v, and the last bias. */
static const double net_a[] = {0.8, -0.5, 0.3, -0.4, 0.9, 0.2, 0.5, 0.6, -0.7, 0.1, -0.2, 0.3, 1.2, -0.8, 0.9, 0.1};
static const double net_b[] = {-0.6, 0.7, 0.4, 0.9, 0.3, -0.5, 0.2, -0.8, 0.6, 0.2, 0.1, -0.1, 0.7, 1.1, -1.0, 0};
static const char line[] = "{layers: dense 1, loss: squared}";
static const double line_a[] = {0.9, -0.7, 0.3, 0.1}, line_b[] = {-0.4, 0.8, -0.6, 0};
/* 0.2, 0.1 and 0.05 in features of deviation sd. */
#define ALPHA \
  { 0.2 * 1000 * 1000, 0.1 * 0.2 * 0.2, 0.05 * 10 * 10 }
static const double alpha[D] = ALPHA;

static void test_fit_shift__strategic_from_the_base(void **state) {
  (void)state;
  struct frame frame = frame_new(network, true, net_a, net_b);
  struct setting s = {.model = {-1, 0, -2}, .paired = true, .good = "higher", .alpha = ALPHA, .noise = 0.1};
  struct tally tally = repeat(&frame, &s, alpha, D);
  covers(&tally, D);
  frame_free(&frame);
}

static void test_fit_shift__strategic_between_models(void **state) {
  (void)state;
  struct frame frame = frame_new(network, true, net_a, net_b);
  struct setting s = {.model = {0, 1, -2}, .paired = true, .good = "higher", .alpha = ALPHA, .noise = 0.1};
  struct tally tally = repeat(&frame, &s, alpha, D);
  covers(&tally, D);
  frame_free(&frame);
}

static void test_fit_shift__strategic_unpaired(void **state) {
  (void)state;
  struct frame frame = frame_new(network, true, net_a, net_b);
  struct setting s = {.model = {-1, 0, 1, -2}, .good = "higher", .alpha = ALPHA};
  struct tally tally = repeat(&frame, &s, alpha, D);
  covers(&tally, D);
  frame_free(&frame);
}

static void test_fit_shift__strategic_unpaired_without_base(void **state) {
  (void)state;
  struct frame frame = frame_new(network, true, net_a, net_b);
  struct setting s = {.model = {0, 1, -2}, .good = "higher", .alpha = ALPHA};
  struct tally tally = repeat(&frame, &s, alpha, D);
  covers(&tally, D);
  frame_free(&frame);
}

/* Drift of a tenth of a deviation a log, which two logs under one model tell. */
static void test_fit_shift__drift_is_taken_off(void **state) {
  (void)state;
  struct frame frame = frame_new(line, false, line_a, line_b);
  struct setting s = {.model = {-1, 0, 0, 1},
                      .paired = true,
                      .good = "higher",
                      .alpha = ALPHA,
                      .noise = 0.1,
                      .drift = {0.1, -0.1, 0.05}};
  struct tally tally = repeat(&frame, &s, alpha, D);
  covers(&tally, D);
  assert_int_equal(tally.responses, repetitions());
  assert_int_equal(tally.drifts, repetitions());
  frame_free(&frame);
}

/* Nobody responds, and everybody drifts: it is taken for a response as often as the level says. */
static void no_response(bool paired) {
  struct frame frame = frame_new(network, true, net_a, net_b);
  struct setting s = {
      .model = {-1, -1, 0, -2}, .paired = paired, .good = "higher", .noise = 0.1, .drift = {0.1, -0.1, 0.05}};
  static const double nothing[D] = {0};
  struct tally tally = repeat(&frame, &s, nothing, D);
  covers(&tally, D);
  if (tells()) assert_in_range(tally.responses * 100, LEAST_REJECTED * repetitions(), MOST_REJECTED * repetitions());
  frame_free(&frame);
}

static void test_fit_shift__no_response_paired(void **state) {
  (void)state;
  no_response(true);
}

static void test_fit_shift__no_response_unpaired(void **state) {
  (void)state;
  no_response(false);
}

static void test_fit_shift__linear(void **state) {
  (void)state;
  struct frame frame = frame_new(line, false, line_a, line_b);
  for (int paired = 0; paired < 2; paired++) {
    struct setting s = {.model = {0, 1, -2}, .paired = paired, .epsilon = 0.4, .noise = 0.1, .kind = "linear"};
    struct tally tally = repeat(&frame, &s, &s.epsilon, 1);
    covers(&tally, 1);
  }
  frame_free(&frame);
}

/* A of a test bed, whose theta has as many numbers as there are features: base, two models, and not enough of them for
 * all of A; its diagonal, and one epsilon. */
static void test_fit_shift__location(void **state) {
  (void)state;
  struct frame frame = frame_new("{loss: mean}", false, line_a, line_b);
  struct setting s = {.model = {-1, 0, 1, -2}, .paired = true, .noise = 0.1, .kind = "location", .form = "diagonal"};
  double diagonal[D] = {0.5, -0.3, 0.2};
  for (size_t j = 0; j < D; j++) s.a[j][j] = diagonal[j];
  struct tally tally = repeat(&frame, &s, diagonal, D);
  covers(&tally, D);
  for (size_t j = 0; j < D; j++) s.a[j][j] = 0.3;
  s.form = NULL; /* A as a whole cannot be told, and epsilon I is fitted */
  s.paired = false;
  tally = repeat(&frame, &s, &s.a[0][0], 1);
  covers(&tally, 1);
  frame_free(&frame);
}

/* Base records of three classes about centres of their own, from which either model misjudges some. */
static double class_x(uint64_t seed, uint64_t step, uint32_t i, size_t c, size_t j) {
  static const double centre[3][D] = {{-0.5, 0.3, 0}, {0.6, -0.4, 0.2}, {0, 0.5, -0.7}};
  return mean[j] + sd[j] * (centre[c][j] + 0.7 * normal(seed, step, i * D + (uint32_t)j));
}

/* -log softmax(W x + b)_c of the test's own. */
static double class_loss(const struct known *model, const double *raw, size_t c) {
  double f[3], most = -INFINITY, sum = 0;
  for (size_t k = 0; k < 3; k++) {
    f[k] = model->theta[3 * D + k];
    for (size_t j = 0; j < D; j++) f[k] += model->theta[k * D + j] * (raw[j] - model->centre[j]) / model->scale[j];
    most = fmax(most, f[k]);
  }
  for (size_t k = 0; k < 3; k++) sum += exp(f[k] - most);
  return log(sum) + most - f[c];
}

/* The class losses in the population: means over many people. */
static void true_losses(const struct known *model, double *ret) {
  enum { MANY = 100000 };
  for (size_t c = 0; c < 3; c++) {
    ret[c] = 0;
    for (uint32_t i = 0; i < MANY; i++) {
      double x[D];
      for (size_t j = 0; j < D; j++) x[j] = class_x(5, c, i, c, j);
      ret[c] += class_loss(model, x, c) / MANY;
    }
  }
}

/* People of a log: the class by p ~ exp(-alpha l), the record as it is in the class. */
static void write_classes(const struct frame *frame, const double *losses, double strength, uint64_t repetition,
                          size_t log, size_t n) {
  char path[128];
  double p[3], sum = 0;
  snprintf(path, sizeof path, "%s/log%zu.csv", frame->folder, log);
  FILE *stream = fopen(path, "w");
  for (size_t c = 0; c < 3; c++) sum += p[c] = exp(-strength * losses[c]);
  fprintf(stream, "income,debt,age,class\n");
  for (uint32_t i = 0; i < n; i++) {
    double u = sum * sprint__uniform(sprint__random_words(repetition, SPRINT__FOR_DRAWS, log, i).a);
    size_t c = u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2;
    for (size_t j = 0; j < D; j++) fprintf(stream, "%.12g,", class_x(repetition, 10 + log, i, c, j));
    fprintf(stream, "%zu\n", c);
  }
  fclose(stream);
}

/* Two models and a log more of the first one, from which drift is told and is none. */
static struct tally repeat_retention(const struct frame *frame, double (*losses)[3], double strength, size_t n_logs,
                                     size_t n) {
  struct tally tally = {0};
  for (uint64_t r = 0; r < repetitions(); r++) {
    sprint_fit_log logs[3];
    char paths[3][128];
    for (size_t k = 0; k < n_logs; k++) {
      write_classes(frame, losses[k % 2], strength, 2000 + r, k, n);
      snprintf(paths[k], sizeof paths[k], "%s/log%zu.csv", frame->folder, k);
      logs[k] = (sprint_fit_log){paths[k], frame->models[k % 2].path, 0};
    }
    sprint_fit_options options = {.size = sizeof options,
                                  .logs = logs,
                                  .n_logs = n_logs,
                                  .kind = "retention",
                                  .label = "class",
                                  .resamples = 400,
                                  .seed = r};
    sprint_fit *result = NULL;
    MUST(frame->context, sprint_fit_shift(frame->context, &options, &result));
    const sprint_fit_parameter *p = sprint_fit_parameter_of(result, 0);
    tally.covered[0] += fabs(p->value - strength) <= 2 * p->error;
    tally.value[0] += p->value / (double)repetitions();
    tally.error[0] += p->error / (double)repetitions();
    tally.responses += sprint_fit_result(result)->response;
    tally.drifts += sprint_fit_result(result)->fit_p < 0.05;
    sprint_fit_free(result);
  }
  printf("  truth %9.4g, mean of estimates %9.4g, mean error %8.3g, covered %zu; responses %zu, misfits %zu\n",
         strength, tally.value[0], tally.error[0], tally.covered[0], tally.responses, tally.drifts);
  return tally;
}

static void test_fit_shift__retention(void **state) {
  (void)state;
  /* W (3, D), b. */
  static const double a[] = {-1, 0.5, 0, 0.8, -0.6, 0.3, 0.2, 0.4, -0.9, 0.1, 0, -0.1};
  static const double b[] = {0.3, -0.9, 0.2, 1.2, 0.4, -0.3, -0.5, 0.9, -0.2, 0, 0.4, -0.3};
  struct frame frame = frame_new("{layers: dense 3, loss: softmax}", false, a, b);
  double losses[2][3];
  for (size_t k = 0; k < 2; k++) true_losses(&frame.models[k], losses[k]);
  struct tally tally = repeat_retention(&frame, losses, 1.5, 2, 500);
  covers(&tally, 1);
  tally = repeat_retention(&frame, losses, 1.5, 3, 500);
  covers(&tally, 1);
  tally = repeat_retention(&frame, losses, 0, 3, 500);
  covers(&tally, 1);
  if (tells()) assert_in_range(tally.responses * 100, LEAST_REJECTED * repetitions(), MOST_REJECTED * repetitions());
  frame_free(&frame);
}

/* All of A: the base and as many models as there are parameters. */
static void test_fit_shift__location_matrix(void **state) {
  (void)state;
  static const double third[] = {0.5, 0.6, 0.9};
  struct frame frame = frame_new("{loss: mean}", false, line_a, line_b);
  save_model(&frame, 2, "{loss: mean}", false, third);
  struct setting s = {.model = {-1, 0, 1, 2},
                      .paired = true,
                      .noise = 0.1,
                      .kind = "location",
                      .a = {{0.5, -0.2, 0.1}, {0, 0.3, -0.4}, {0.2, 0.1, -0.3}}};
  struct tally tally = repeat(&frame, &s, &s.a[0][0], D * D);
  covers(&tally, D * D);
  frame_free(&frame);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fit_shift__strategic_from_the_base),
      cmocka_unit_test(test_fit_shift__strategic_between_models),
      cmocka_unit_test(test_fit_shift__strategic_unpaired),
      cmocka_unit_test(test_fit_shift__strategic_unpaired_without_base),
      cmocka_unit_test(test_fit_shift__drift_is_taken_off),
      cmocka_unit_test(test_fit_shift__no_response_paired),
      cmocka_unit_test(test_fit_shift__no_response_unpaired),
      cmocka_unit_test(test_fit_shift__linear),
      cmocka_unit_test(test_fit_shift__location),
      cmocka_unit_test(test_fit_shift__location_matrix),
      cmocka_unit_test(test_fit_shift__retention),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
