/* Plugins: what is loaded is found, listed and suggested; what the library has and a plugin has again gives the same
 * numbers; what does not fit is refused in a sentence. */
#define _GNU_SOURCE
#include "help.h"

#include <unistd.h>

#include "base/context.h"
#include "registry_help.h"

#define TWINS SPRINT_PLUGINS "/twins.so"
#define BAD   SPRINT_PLUGINS "/bad.so"

static const char people[] = "{n: 300, seed: 3}";

static sprint_context *context_with(const char *path) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  if (path) MUST(context, sprint_context_load_plugin(context, path));
  return context;
}

/* A world whose context has the twins. */
static struct world twin_world(const char *model, const char *shift) {
  struct world w = {.context = context_with(TWINS)};
  MUST(w.context, sprint_population_load(w.context, people, &w.population, &w.heldout));
  MUST(w.context, sprint_model_new(w.context, model, w.population, &w.model));
  MUST(w.context, sprint_shift_new(w.context, shift, w.model, w.population, &w.shift));
  return w;
}

static void test_plugin__adds_to_one_context(void **state) {
  (void)state;
  const sprint_family *shifts = family_of("shifts");
  sprint_context *with = context_with(TWINS), *without = context_with(NULL);
  size_t n = shifts->n_kinds;
  assert_int_equal(sprint_context_n_kinds(with, shifts), n + 3);
  assert_int_equal(sprint_context_n_kinds(without, shifts), n);
  assert_ptr_equal(sprint_context_kind(with, shifts, 0), shifts->kinds[0]);
  assert_string_equal(sprint_context_kind(with, shifts, n)->name, "linear-twin");
  assert_string_equal(sprint_context_kind(with, shifts, n + 2)->name, "speaking");
  assert_null(sprint_context_kind(with, shifts, n + 3));
  assert_null(sprint_context_kind(without, shifts, n));
  sprint_context_free(without);
  sprint_context_free(with);
}

static void test_plugin__is_suggested(void **state) {
  (void)state;
  struct world w = twin_world("{layers: dense 1}", "none");
  sprint_shift *shift = NULL;
  sprint_model *model = NULL;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "did you mean 'counting'?",
          sprint_shift_new(w.context, "countin", w.model, w.population, &shift));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "did you mean 'epsilon'?",
          sprint_shift_new(w.context, "{kind: linear-twin, epsilom: 1}", w.model, w.population, &shift));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "did you mean 'logistic-twin'?",
          sprint_model_new(w.context, "{loss: logistic-twim}", w.population, &model));
  world_free(&w);
}

static void test_plugin__hands_settings_over(void **state) {
  (void)state;
  char folder[] = "/tmp/sprint-plugin-XXXXXX", path[64], spec[256], text[128] = "";
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/said", folder);
  snprintf(spec, sizeof spec, "{kind: speaking, file: %s, integer: 7, reals: [4, -0.5, 1e3]}", path);
  struct world w = twin_world("{layers: dense 1}", spec);
  world_free(&w);
  FILE *stream = fopen(path, "r");
  assert_non_null(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  fclose(stream);
  assert_string_equal(text, "0.5 7 1 b 3 4 -0.5 1000 x y\nended\n"); /* the values, then the end of the shift */
  unlink(path);
  rmdir(folder);
}

static void test_plugin__setups_that_fail(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"{kind: speaking, task: unknown-key}", "the plugin asks 'speaking' for a key 'sizes'"},
      {"{kind: speaking, task: wrong-type}", "the plugin asks 'speaking' for a key 'real'"},
      {"{kind: speaking, task: silent}", "the plugin's setup of 'speaking' failed: a callback reported failure"},
      {"{kind: speaking, real: 2, task: refuse}", "shift:1: key 'shift.real': 7 is too odd"},
      {"{kind: speaking, integer: 10}", "key 'shift.integer': '10' is out of range; a whole number within 1 .. 9"},
      {"{kind: speaking, choice: c}", "key 'shift.choice': 'c' is not a choice"},
  };
  struct world w = twin_world("{layers: dense 1}", "none");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sprint_shift *shift = NULL;
    assert_int_not_equal(sprint_shift_new(w.context, cases[i][0], w.model, w.population, &shift), SPRINT_OK);
    if (!strstr(sprint_context_error(w.context), cases[i][1]))
      fail_msg("'%s' does not say '%s'", sprint_context_error(w.context), cases[i][1]);
  }
  world_free(&w);
}

static void test_plugin__callbacks_that_fail(void **state) {
  (void)state;
  struct world w = twin_world("{layers: dense 1}", "speaking");
  sprint_real theta[64] = {0}, x[13 * 64];
  uint32_t who[13] = {0};
  assert_true(sprint_model_n_params(w.model) <= 64);
  MUST(w.context, sprint_shift_respond(w.shift, theta, who, 12, x));
  REFUSED(w.context, SPRINT_ERROR_CALLBACK, "thirteen of them", sprint_shift_respond(w.shift, theta, who, 13, x));
  world_free(&w);
}

/* theta and the last row after a run. */
struct end {
  size_t n_params;
  sprint_real theta[1024];
  sprint_trace_row row;
};

static void run_to_end(const char *model, const char *shift, const char *spec, struct end *ret_end) {
  struct world w = twin_world(model, shift);
  sprint_run *run = run_done(&w, spec, 5);
  ret_end->n_params = sprint_model_n_params(w.model);
  assert_true(ret_end->n_params <= 1024);
  memcpy(ret_end->theta, sprint_run_theta(run), ret_end->n_params * sizeof(sprint_real));
  ret_end->row = *last_row(run);
  sprint_run_free(run);
  world_free(&w);
}

/* One setting by the library's kind and by the plugin's: the same to the bit, costs and the trace's numbers too. */
static void same_bits(const char *const ours[3], const char *const twins[3]) {
  static struct end a, b;
  run_to_end(ours[0], ours[1], ours[2], &a);
  run_to_end(twins[0], twins[1], twins[2], &b);
  assert_int_equal(a.n_params, b.n_params);
  assert_memory_equal(a.theta, b.theta, a.n_params * sizeof(sprint_real));
  assert_memory_equal(&a.row.cost, &b.row.cost, sizeof a.row.cost);
  assert_true(a.row.loss == b.row.loss && a.row.gradient_sq == b.row.gradient_sq && a.row.bias == b.row.bias);
}

#define NETWORK "{layers: 'dense 8, tanh, dense 1'}"
#define REST    "batch: 16}, step: {size: 0.05}, stop: {epochs: 3}}"

#define STEPS "method: {kind: sgd, batch: 16}, stop: {epochs: 3}}"

static void test_plugin__twins_to_the_bit(void **state) {
  (void)state;
  static const char strategic[] = "{kind: strategic, good: 0, alpha: 0.1, sign: '-'}", line[] = "{layers: dense 1}";
  const char *shift = strategic;
  same_bits((const char *[]){NETWORK, shift, "{method: {kind: sgd, " REST},
            (const char *[]){NETWORK, shift, "{method: {kind: sgd-twin, " REST});
  same_bits((const char *[]){NETWORK, shift, "{method: {kind: rgd, " REST},
            (const char *[]){NETWORK, shift, "{method: {kind: rgd-twin, " REST});
  same_bits((const char *[]){line, "{kind: linear, epsilon: 0.3}", "{method: {kind: sgd, " REST},
            (const char *[]){line, "{kind: linear-twin, epsilon: 0.3}", "{method: {kind: sgd, " REST});
  same_bits((const char *[]){"{layers: dense 1, loss: squared}", "{kind: linear, epsilon: 0.3}",
                             "{method: {correction: unbiased, " REST},
            (const char *[]){"{layers: dense 1, loss: squared-twin}", "{kind: linear-twin, epsilon: 0.3}",
                             "{method: {correction: unbiased, " REST});
  same_bits((const char *[]){NETWORK, shift, "{step: {size: 0.05}, " STEPS},
            (const char *[]){NETWORK, shift, "{step: {kind: constant-twin, size: 0.05}, " STEPS});
  same_bits((const char *[]){NETWORK, shift, "{step: {kind: momentum, size: 0.01}, " STEPS},
            (const char *[]){NETWORK, shift, "{step: {kind: momentum-twin, size: 0.01}, " STEPS});
}

/* As bits, but the two add up in another order: 57 steps of a few roundings each, on numbers of about 1. */
static void same_numbers(const char *const ours[3], const char *const twins[3]) {
  enum { ROUNDINGS = 1000 };
  static struct end a, b;
  run_to_end(ours[0], ours[1], ours[2], &a);
  run_to_end(twins[0], twins[1], twins[2], &b);
  for (size_t i = 0; i < a.n_params; i++) CLOSE(b.theta[i], a.theta[i], ROUNDINGS);
  CLOSE(b.row.loss, a.row.loss, ROUNDINGS);
  CLOSE(b.row.accuracy, a.row.accuracy, 1); /* rows counted right: the same number */
  assert_memory_equal(&a.row.cost, &b.row.cost, sizeof a.row.cost);
}

static void test_plugin__twins_to_rounding(void **state) {
  (void)state;
  static const char strategic[] = "{kind: strategic, good: 0, alpha: 0.1}", sprint[] = "{method: {" REST;
  static const char two[] = "{layers: 'dense 8, tanh, dense 2', loss: softmax}";
  static const char two_twin[] = "{layers: 'dense 8, tanh, dense 2', loss: softmax-twin}";
  same_numbers((const char *[]){NETWORK, strategic, "{method: {correction: coupled, " REST},
               (const char *[]){NETWORK, strategic, "{method: {kind: coupled-twin, " REST});
  same_numbers((const char *[]){NETWORK, strategic, sprint},
               (const char *[]){"{layers: 'dense 8, tanh, dense 1', loss: logistic-twin}", strategic, sprint});
  same_numbers((const char *[]){two, strategic, sprint}, (const char *[]){two_twin, strategic, sprint});
}

/* p_0 = 1 / (2 + deployments): the shift hears of every one, and its strata are those of the run. */
static void test_plugin__shifts_hear_of_deployments(void **state) {
  (void)state;
  struct world w = twin_world("{layers: dense 1}", "counting");
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 16, inner: 5}, stop: {epochs: 2}}", 5);
  assert_int_equal(last_row(run)->cost.deployments, 10);
  CLOSE(sprint_run_strata(run, sprint_run_n_rows(run) - 1)[0], 1.0 / 12, 1);
  sprint_run_free(run);
  world_free(&w);
}

/* A method of a plugin that looks at everybody, by snapshots or at every step. */
static void test_plugin__everybody_without_end(void **state) {
  (void)state;
  static const char *const methods[] = {"rgd-twin", "coupled-twin"};
  struct world w = world_new("{kind: gaussian, endless: true, window: 20}", "{loss: mean}", "none");
  MUST(w.context, sprint_context_load_plugin(w.context, TWINS));
  for (size_t m = 0; m < 2; m++) {
    sprint_run *run = NULL;
    char spec[80], words[96];
    snprintf(spec, sizeof spec, "{method: {kind: %s, batch: 7, inner: 3}}", methods[m]);
    snprintf(words, sizeof words, "'%s' looks at everybody, and this population has no end", methods[m]);
    sprint_run_options options = {.size = sizeof options, .spec = spec, .shift = w.shift};
    REFUSED(w.context, SPRINT_ERROR_INPUT, words, sprint_run_new(w.context, &options, &run));
    assert_null(run);
  }
  world_free(&w);
}

static void test_plugin__refuses_bad_ones(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"version", "was compiled for version 0.0.9; this is version " SPRINT_VERSION},
      {"no-version", "does not say its version and precision"},
      {"no-precision", "does not say its version and precision"},
      {"precision", "numbers; this library has " SPRINT_PRECISION},
      {"size", "the size of a sprint_plugin is 0"},
      {"null", "returns NULL"},
      {"nothing", "brings nothing"},
      {"null-list", "says that it has 1 shifts, but their list is NULL"},
      {"many", "says that it has 100000 shifts, which is too many"},
      {"null-kind", "NULL was given for a sprint_shift_kind"},
      {"kind-size", "the size of a sprint_shift_kind is 3"},
      {"newer", "uses fields that version " SPRINT_VERSION " of the library does not know"},
      {"no-name", "a shift is called ''"},
      {"odd-name", "a shift is called 'Bad Shift'"},
      {"long-name", "a shift is called 'a-name-that-is-longer"},
      {"taken", "the name of the shift 'linear' is taken by the library"},
      {"twice", "it has two of the shift 'bad'"},
      {"no-help", "the shift 'bad' has no help"},
      {"no-params", "the shift 'bad' has no params"},
      {"params", "the shift 'bad' has no n_params of at most 100"},
      {"odd-key", "a parameter of the shift 'bad' is called 'a b'"},
      {"kind-key", "has a parameter 'kind', which there is already"},
      {"twice-key", "the shift 'bad' has a parameter 'alpha', which there is already"},
      {"batch-key", "the method 'bad' has a parameter 'batch', which there is already"},
      {"type", "the parameter 'alpha' of the shift 'bad' has no type from BOOL to REALS"},
      {"choices", "the parameter 'alpha' of the shift 'bad' has no choices"},
      {"param-help", "the parameter 'alpha' of the shift 'bad' has no help"},
      {"default", "the shift 'bad': default:1: key 'shift.alpha': 'abc' is not a number"},
      {"range", "the shift 'bad': default:1: key 'shift.alpha': '3' is out of range"},
      {"no-respond", "the shift 'bad' has no respond or strata"},
      {"no-batch", "the method 'bad' has no batch"},
      {"no-population", "the method 'bad' has no population"},
      {"no-snapshot", "the method 'bad' has no snapshot"},
      {"no-row", "the model.loss 'bad' has no row"},
      {"no-meaning", "the model.loss 'bad' has no meaning of its outputs"},
      {"taken-loss", "the name of the model.loss 'squared' is taken by the library"},
      {"no-size", "the step 'bad' has no size_of"},
  };
  sprint_context *context = context_with(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    setenv("SPRINT_BAD_PLUGIN", cases[i][0], 1);
    REFUSED(context, SPRINT_ERROR_INPUT, cases[i][1], sprint_context_load_plugin(context, BAD));
    assert_non_null(strstr(sprint_context_error(context), "plugin " BAD ": "));
    assert_null(context->additions);
  }
  unsetenv("SPRINT_BAD_PLUGIN");
  MUST(context, sprint_context_load_plugin(context, BAD)); /* nothing is wrong with it otherwise */
  REFUSED(context, SPRINT_ERROR_INPUT, "'bad' is taken by " BAD, sprint_context_load_plugin(context, BAD));
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "without a path", sprint_context_load_plugin(context, ""));
  REFUSED(context, SPRINT_ERROR_INPUT, "plugin ./libm.so.6: cannot be read: No such file",
          sprint_context_load_plugin(context, "libm.so.6"));
  sprint_context_free(context);
}

/* Every allocation of loading fails once: a sentence, nothing added, nothing leaked (the sanitizer build counts). */
static void test_plugin__memory_runs_out(void **state) {
  (void)state;
  sprint_context *context = context_with(NULL);
  sprint_status status = SPRINT_ERROR_MEMORY;
  int n = 0;
  for (; status != SPRINT_OK && n < 1000; n++) {
    context->fail_allocation = (int64_t)context->n_allocations + n;
    status = sprint_context_load_plugin(context, TWINS);
    if (status != SPRINT_OK) assert_int_equal(status, SPRINT_ERROR_MEMORY);
    if (status != SPRINT_OK) assert_null(context->additions);
  }
  assert_true(n > 5 && n < 1000);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plugin__adds_to_one_context),   cmocka_unit_test(test_plugin__is_suggested),
      cmocka_unit_test(test_plugin__hands_settings_over),   cmocka_unit_test(test_plugin__setups_that_fail),
      cmocka_unit_test(test_plugin__callbacks_that_fail),   cmocka_unit_test(test_plugin__twins_to_the_bit),
      cmocka_unit_test(test_plugin__twins_to_rounding),     cmocka_unit_test(test_plugin__shifts_hear_of_deployments),
      cmocka_unit_test(test_plugin__everybody_without_end), cmocka_unit_test(test_plugin__refuses_bad_ones),
      cmocka_unit_test(test_plugin__memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
