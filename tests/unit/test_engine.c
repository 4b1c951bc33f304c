/* Engines against each other: every method under every shift, as the registry and the example plugins have them, by
 * every engine that takes it; and methods that declare nothing, which must be right wherever they run. */
#define _GNU_SOURCE
#include "pixels_help.h"

#include <unistd.h>

#include "registry_help.h"
#include "solver/solver.h"

struct end {
  bool refused;
  size_t n_params;
  sprint_real theta[20000];
  sprint_trace_row row;
};

static void finish(sprint_run *run, struct end *ret_end) {
  memcpy(ret_end->theta, sprint_run_theta(run), ret_end->n_params * sizeof(sprint_real));
  ret_end->row = *last_row(run);
}

static void end_run(sprint_run *run, sprint_shift *shift, sprint_model *model) {
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
}

/* Whether shifts that hear the losses of those who are drawn are not told them, and work them out. */
static bool untold;

/* A run to its end; refused: the shift or the engine does not take it. */
static void run_to_end(sprint_context *context, const sprint_population *people, const char *shift_spec,
                       const char *spec, struct end *ret_end) {
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  MUST(context, sprint_model_new(context, network, people, &model));
  ret_end->n_params = sprint_model_n_params(model);
  ret_end->refused = sprint_shift_new(context, shift_spec, model, people, &shift) != SPRINT_OK;
  if (!ret_end->refused) {
    shift->hears_losses = shift->hears_losses && !untold;
    sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 4, .shift = shift};
    ret_end->refused = sprint_run_new(context, &options, &run) != SPRINT_OK;
  }
  if (!ret_end->refused) {
    MUST(context, sprint_run_go(run, NULL, NULL));
    finish(run, ret_end);
  }
  end_run(run, shift, model);
}

/* What has diverged by one engine has by the other. */
#define SAME(GOT, EXPECTED) \
  if (isfinite(GOT) || isfinite(EXPECTED)) CLOSE(GOT, EXPECTED, ROUNDINGS)

static void same_numbers(const struct end *a, const struct end *b) {
  for (size_t i = 0; i < a->n_params; i++) SAME(a->theta[i], b->theta[i]);
  SAME(a->row.loss, b->row.loss);
  SAME(a->row.loss_base, b->row.loss_base);
  SAME(a->row.gradient_sq, b->row.gradient_sq);
  SAME(a->row.entropy, b->row.entropy);
  SAME(a->row.bias, b->row.bias);
  assert_memory_equal(&a->row.cost, &b->row.cost, sizeof a->row.cost);
}

static const char form[] =
    "{method: %s, step: {size: 0.02}, stop: {epochs: 2, ifo: 4000}, eval: {every: %d}, engine: %s}";

/* Another number of threads, and rows of the trace that are not taken, change no bit of what an engine gives. */
static void same_bits(sprint_context *context, const sprint_population *people, const char *method, const char *shift,
                      const char *engine, const struct end *end) {
  static struct end again;
  char spec[512];
  MUST(context, sprint_context_set_threads(context, 1));
  snprintf(spec, sizeof spec, form, method, 2, engine);
  run_to_end(context, people, shift, spec, &again);
  assert_memory_equal(again.theta, end->theta, end->n_params * sizeof(sprint_real));
  assert_memory_equal(&again.row.cost, &end->row.cost, sizeof end->row.cost);
}

/* One method under one shift: by every engine the numbers of the plain one. Returns how many engines but the plain one
 * took it. */
static size_t compare_engines(sprint_context *context, const sprint_population *people, const char *method,
                              const char *shift, bool thorough) {
  static struct end plain, other;
  const sprint_family *engines = family_of("engines");
  char spec[512];
  size_t n = 0;
  plain.n_params = 0;
  for (size_t k = 0; k < engines->n_kinds; k++) {
    const char *engine = engines->kinds[k]->name;
    if (strcmp(engine, "auto") == 0 || strcmp(engine, "plain") == 0) continue;
    MUST(context, sprint_context_set_threads(context, 2));
    snprintf(spec, sizeof spec, form, method, 1, engine);
    run_to_end(context, people, shift, spec, &other);
    if (other.refused) continue;
    same_bits(context, people, method, shift, engine, &other);
    snprintf(spec, sizeof spec, form, method, 1, "plain");
    if (n++ == 0) run_to_end(context, people, shift, spec, &plain);
    same_numbers(&other, &plain);
  }
  if (n > 0 || !thorough) return n;
  MUST(context, sprint_context_set_threads(context, 2));
  snprintf(spec, sizeof spec, form, method, 1, "plain");
  run_to_end(context, people, shift, spec, &plain);
  if (!plain.refused) same_bits(context, people, method, shift, "plain", &plain);
  return 0;
}

/* Pairs that the plain engine alone takes have nobody to be compared with: of these, every PAIRS-th is looked at. Under
 * a sanitizer, where a run takes thirty times as long and memory is what is looked at, it is every STRIDE-th of all. */
#ifdef SPRINT_SLOWED
enum { PAIRS = 16, STRIDE = 13 };
#else
enum { PAIRS = 7, STRIDE = 1 };
#endif

static void test_engine__all_methods_and_shifts(void **state) {
  (void)state;
  static char methods[MOST_SPECS][SPEC], shifts[MOST_SPECS][SPEC];
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/plugin_method.so"));
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/plugin_shift.so"));
  size_t n_methods = specs_of(context, "methods", ", batch: 7", methods);
  size_t n_shifts = shifts_of(context, shifts), fast = 0;
  sprint_population *images = load_images(context);
  for (size_t m = 0; m < n_methods; m++)
    for (size_t s = (STRIDE - m % STRIDE) % STRIDE; s < n_shifts; s += STRIDE)
      fast += compare_engines(context, images, methods[m], shifts[s], (m + s) % PAIRS == 0);
  print_message("%zu methods, %zu shifts, %zu runs by a fast engine\n", n_methods, n_shifts, fast);
  assert_true(fast >= 25 / STRIDE); /* five methods under `none` and four kinds of retention */
  sprint_population_free(images);
  sprint_context_free(context);
}

static bool hears_losses(sprint_context *context, const sprint_population *people, const char *spec) {
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  MUST(context, sprint_model_new(context, network, people, &model));
  bool hears = sprint_shift_new(context, spec, model, people, &shift) == SPRINT_OK && shift->hears_losses;
  end_run(NULL, shift, model);
  return hears;
}

/* One method under a shift that goes by the losses of those who are drawn, by every engine that takes it: the step's
 * own losses are those that the shift works out by itself. */
static void compare_told(sprint_context *context, const sprint_population *people, const char *method,
                         const char *shift) {
  static struct end told, worked_out;
  const sprint_family *engines = family_of("engines");
  for (size_t k = 0; k < engines->n_kinds; k++) {
    char spec[512];
    snprintf(spec, sizeof spec, form, method, 1, engines->kinds[k]->name);
    run_to_end(context, people, shift, spec, &told);
    if (told.refused) continue;
    untold = true;
    run_to_end(context, people, shift, spec, &worked_out);
    untold = false;
    same_numbers(&told, &worked_out);
  }
}

static void test_engine__losses_of_the_step(void **state) {
  (void)state;
  static char methods[MOST_SPECS][SPEC], shifts[MOST_SPECS][SPEC];
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  size_t n_methods = specs_of(context, "methods", ", batch: 7", methods), n_shifts = shifts_of(context, shifts), n = 0;
  snprintf(shifts[n_shifts++], SPEC, "{kind: decay, of: {kind: retention, losses: running, alpha: 2}}");
  snprintf(shifts[n_shifts++], SPEC,
           "{kind: both, response: {kind: strategic, good: 0}, strata: {kind: retention, losses: running, alpha: 2}}");
  assert_true(n_shifts <= MOST_SPECS);
  sprint_population *images = load_images(context);
  for (size_t s = 0; s < n_shifts; s++) {
    if (!hears_losses(context, images, shifts[s])) continue;
    n++;
    for (size_t m = n % STRIDE; m < n_methods; m += STRIDE) compare_told(context, images, methods[m], shifts[s]);
  }
  assert_true(n >= 3); /* running means, by themselves and inside of others */
  sprint_population_free(images);
  sprint_context_free(context);
}

/* One step rule by the plain engine and by the fast one; whether that takes it. */
static bool compare_step(sprint_context *context, const sprint_population *people, const char *step) {
  static const char rule[] = "{method: {batch: 7}, step: %s, stop: {epochs: 3}, engine: %s}";
  static struct end plain, other;
  char spec[512];
  snprintf(spec, sizeof spec, rule, step, "plain");
  run_to_end(context, people, "none", spec, &plain);
  snprintf(spec, sizeof spec, rule, step, "pixels");
  run_to_end(context, people, "none", spec, &other);
  assert_true(other.refused || !plain.refused);
  if (!other.refused) same_numbers(&other, &plain);
  return !other.refused;
}

/* Every step rule, of plugins too: one that turns v is for `plain` alone, the others are the same by both. */
static void test_engine__all_steps(void **state) {
  (void)state;
  static char steps[MOST_SPECS][SPEC];
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/plugin_method.so"));
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/twins.so"));
  size_t n = specs_of(context, "steps", "", steps), n_fast = 0;
  sprint_population *images = load_images(context);
  for (size_t s = 0; s < n; s++) n_fast += compare_step(context, images, steps[s]);
  assert_true(n_fast >= 4); /* constant and its twin, and the two that shrink */
  assert_true(n_fast < n);
  sprint_population_free(images);
  sprint_context_free(context);
}

/* SARAH: v_k = v_{k-1} + mean[grad l(z; theta_k) - grad l(z; theta_{k-1})], v_0 the full gradient. Written as somebody
 * would who has never heard of engines. */
struct sarah {
  sprint_real *before, *v; /* (n_params) theta_{k-1}, v_{k-1} */
};

static sprint_status sarah_setup(sprint_solver *solver, const struct sprint__section *section) {
  (void)section;
  struct sarah *s = solver->impl = sprint__arena_take(&solver->arena, 1, sizeof *s);
  assert_non_null(s);
  s->before = sprint__arena_take(&solver->arena, solver->n_params, sizeof *s->before);
  s->v = sprint__arena_take(&solver->arena, solver->n_params, sizeof *s->v);
  return s->before && s->v ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static bool sarah_want(const sprint_solver *solver, sprint_want *ret_want) {
  ret_want->kind = solver->epoch_step == 0 ? SPRINT_WANT_POPULATION : SPRINT_WANT_BATCH;
  return solver->epoch_step == 0;
}

static void sarah_keep(sprint_solver *solver) {
  struct sarah *s = solver->impl;
  memcpy(s->before, solver->theta, solver->n_params * sizeof *s->before);
  memcpy(s->v, solver->direction, solver->n_params * sizeof *s->v);
}

static bool sarah_population(sprint_solver *solver, const struct sprint__strata_sums *everybody,
                             struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  struct sprint__strata_parts parts = sprint__strata_parts_of(everybody);
  sprint__strata_mean(solver->context, &parts, everybody->p, solver->direction, NULL);
  sarah_keep(solver);
  return true;
}

static bool sarah_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                        struct sprint__estimate *ret_estimate) {
  const struct sarah *s = solver->impl;
  struct sprint__sums sums = {0, 0, solver->direction};
  sprint__model_difference(solver->model, solver->theta, s->before, rows, NULL, &sums);
  for (size_t i = 0; i < solver->n_params; i++)
    solver->direction[i] = s->v[i] + solver->direction[i] / (sprint_real)records->n;
  sarah_keep(solver);
  ret_estimate->scale = 1;
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = 2 * records->n;
  return true;
}

static const struct sprint__estimator_ops sarah_ops = {
    .setup = sarah_setup, .want = sarah_want, .population = sarah_population, .batch = sarah_batch};

/* SGD whose mean gradient is cut to a length. */
static bool clipped_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_BATCH;
  return false;
}

static bool clipped_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                          struct sprint__estimate *ret_estimate) {
  struct sprint__sums sums = {0, 0, solver->direction};
  sprint__model_sums(solver->model, solver->theta, rows, &sums, NULL);
  double norm = 0, most = 0.3;
  for (size_t i = 0; i < solver->n_params; i++) norm += (double)solver->direction[i] * (double)solver->direction[i];
  norm = sqrt(norm) / (double)records->n;
  ret_estimate->scale *= (sprint_real)(norm > most ? most / norm : 1);
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = records->n;
  return true;
}

static const struct sprint__estimator_ops clipped_ops = {.want = clipped_want, .batch = clipped_batch};

static const sprint_kind sarah_kind = {"sarah", "", NULL, 0, &sarah_ops};
static const sprint_kind clipped_kind = {"clipped", "", NULL, 0, &clipped_ops};
static const sprint_kind *const own_kinds[] = {&sarah_kind, &clipped_kind};

static struct sprint__section *section_of(sprint_context *context, const sprint_family *family, const char *spec) {
  struct sprint__section *section = NULL;
  MUST(context, sprint__section_parse(context, family, spec, family->key, &section));
  return section;
}

/* A run of a method that the registry does not have. */
static sprint_status own_run(sprint_context *context, const char *method, const char *engine, sprint_shift *shift,
                             sprint_run **ret_run) {
  const sprint_family *known = family_of("methods");
  const sprint_family own = {"own", "method", "", known->params, known->n_params, own_kinds, 2, NULL};
  struct sprint__section *sections[] = {
      section_of(context, &own, method),
      section_of(context, family_of("steps"), "{size: 0.02}"),
      section_of(context, family_of("deployments"), NULL),
      section_of(context, family_of("stops"), "{epochs: 3}"),
      section_of(context, family_of("evals"), NULL),
      section_of(context, family_of("engines"), engine),
  };
  struct sprint__run_sections plan = {{sections[0], sections[1], sections[2], sections[3]}, sections[4], sections[5]};
  sprint_run_options options = {.size = sizeof options, .seed = 4, .shift = shift};
  sprint_status status = sprint__run_build(context, &plan, &options, ret_run);
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) sprint__section_free(sections[i]);
  return status;
}

static void own_to_end(sprint_context *context, const sprint_population *people, const char *method,
                       const char *shift_spec, struct end *ret_end) {
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  MUST(context, sprint_model_new(context, network, people, &model));
  MUST(context, sprint_shift_new(context, shift_spec, model, people, &shift));
  if (people->bytes)
    REFUSED(context, SPRINT_ERROR_INPUT, "does not say that its steps are linear",
            own_run(context, method, "pixels", shift, &run));
  MUST(context, own_run(context, method, "auto", shift, &run));
  assert_string_equal(sprint_run_engine(run), "plain");
  MUST(context, sprint_run_go(run, NULL, NULL));
  ret_end->n_params = sprint_model_n_params(model);
  finish(run, ret_end);
  end_run(run, shift, model);
}

/* On images and on the same numbers as plain features. */
static void test_engine__methods_that_declare_nothing(void **state) {
  (void)state;
  static const char *const methods[] = {"{kind: sarah, batch: 7}", "{kind: clipped, batch: 7}"};
  static const char *const shifts[] = {"none", "{kind: retention, alpha: 0.5}",
                                       "{kind: retention, alpha: 0.5, losses: snapshot}"};
  static struct end ours, twin;
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context), *plain = as_features(context, images);
  for (size_t m = 0; m < 2; m++)
    for (size_t s = 0; s < 3; s++) {
      own_to_end(context, images, methods[m], shifts[s], &ours);
      own_to_end(context, plain, methods[m], shifts[s], &twin);
      same_numbers(&ours, &twin);
      assert_true(isnan(ours.row.bias)); /* nobody has said what it is */
    }
  sprint_population_free(plain);
  sprint_population_free(images);
  sprint_context_free(context);
}

/* `auto` keeps no activations where a small network works them out sooner than they come back from memory; who asks for
 * them by name has them. */
static void test_engine__auto_recalls_where_it_pays(void **state) {
  (void)state;
  static const struct {
    const char *model, *engine, *taken;
  } trials[] = {{"{layers: 'dense 64, relu, dense 1'}", "auto", "plain"},
                {"{layers: 'dense 64, tanh, dense 1'}", "auto", "plain"},
                {"{layers: 'dense 64, relu, dense 1'}", "recall", "recall"},
                {"{layers: 'dense 64, gelu, dense 64, gelu, dense 1'}", "auto", "recall"}};
  for (size_t t = 0; t < SPRINT__COUNT(trials); t++) {
    struct world w = world_new("{kind: lending, n: 50}", trials[t].model, "none");
    sprint_run *run = NULL;
    char spec[100];
    snprintf(spec, sizeof spec, "{method: {batch: 5}, step: {size: 0.01}, stop: {epochs: 1}, engine: %s}",
             trials[t].engine);
    sprint_run_options options = {.size = sizeof options, .spec = spec, .shift = w.shift};
    MUST(w.context, sprint_run_new(w.context, &options, &run));
    assert_string_equal(sprint_run_engine(run), trials[t].taken);
    sprint_run_free(run);
    world_free(&w);
  }
}

/* A method that looks at everybody, and that has not heard of populations without end, is refused there. */
static void test_engine__everybody_without_end(void **state) {
  (void)state;
  struct world w = world_new("{kind: gaussian, endless: true, window: 20}", "{loss: mean}", "none");
  sprint_run *run = NULL;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "key 'method': it looks at everybody, and the population has no end",
          own_run(w.context, "{kind: sarah, batch: 7, inner: 3}", "auto", w.shift, &run));
  MUST(w.context, own_run(w.context, "{kind: clipped, batch: 7, inner: 3}", "auto", w.shift, &run));
  MUST(w.context, sprint_run_go(run, NULL, NULL));
  assert_int_equal(last_row(run)->cost.steps, 9);
  sprint_run_free(run);
  world_free(&w);
}

/* A shift under which nobody reacts, but which hears of every deployment, whole: also of those in the middle of batches
 * that were drawn ahead. */
struct hearing {
  size_t n;
  double sum; /* of all of theta, over all deployments */
};
static struct hearing heard;

static sprint_status hearing_setup(sprint_shift *shift, const struct sprint__section *section) {
  (void)section;
  shift->uses_theta = SPRINT__USES_THETA_AT_EPOCH;
  return SPRINT_OK;
}

static sprint_status hearing_deployed(sprint_shift *shift, const sprint_real *theta) {
  heard.n++;
  for (size_t i = 0; i < shift->model->n_params; i++) heard.sum += (double)theta[i];
  return SPRINT_OK;
}

static void test_engine__deployments_in_mid_round(void **state) {
  (void)state;
  static const struct sprint__shift_ops ops = {.setup = hearing_setup, .deployed = hearing_deployed};
  static const sprint_kind kind = {"hearing", "", NULL, 0, &ops}, *const kinds[] = {&kind};
  static const sprint_family family = {"own", "shift", "", NULL, 0, kinds, 1, "hearing"};
  static const char *const engines[] = {"plain", "recall", "pixels"};
  static struct end ends[3];
  struct hearing all[3];
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context);
  for (size_t k = 0; k < SPRINT__COUNT(engines); k++) {
    sprint_model *model = NULL;
    sprint_shift *shift = NULL;
    sprint_run *run = NULL;
    char spec[160];
    heard = (struct hearing){0};
    struct sprint__section *section = section_of(context, &family, NULL);
    MUST(context, sprint_model_new(context, network, images, &model));
    MUST(context, sprint__shift_build(section, model, images, &shift));
    snprintf(spec, sizeof spec, "{method: {batch: 3}, step: {size: 0.02}, stop: {epochs: 2}, engine: %s}", engines[k]);
    sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 4, .shift = shift};
    MUST(context, sprint_run_new(context, &options, &run));
    MUST(context, sprint_run_go(run, NULL, NULL));
    ends[k].n_params = sprint_model_n_params(model);
    finish(run, &ends[k]);
    all[k] = heard;
    sprint__section_free(section);
    end_run(run, shift, model);
  }
  assert_int_equal(all[0].n, ends[0].row.cost.deployments);
  for (size_t k = 1; k < SPRINT__COUNT(engines); k++) {
    same_numbers(&ends[0], &ends[k]);
    assert_int_equal(all[k].n, all[0].n);
    CLOSE(all[k].sum, all[0].sum, ROUNDINGS);
  }
  sprint_population_free(images);
  sprint_context_free(context);
}

/* Saves in the middle of an epoch, and ends the run. */
struct saving {
  const char *folder;
  size_t n_params;
  sprint_real theta[20000];
  bool done;
};

static bool save_now(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct saving *saving = user;
  if (row || saving->done) return !saving->done;
  assert_true(cost->steps > 0);
  memcpy(saving->theta, sprint_run_theta(run), saving->n_params * sizeof(sprint_real));
  assert_int_equal(sprint_run_save(run, saving->folder), SPRINT_OK);
  saving->done = true;
  return false;
}

static void test_engine__saves_theta_whole(void **state) {
  (void)state;
  static struct saving saving;
  static sprint_real read[20000];
  static const char *const shifts[] = {"none", "{kind: retention, alpha: 0.5, losses: exact}"};
  static const char *const files[] = {"model.safetensors", "trace.csv", "timing.csv", "run.json"};
  char folder[] = "/tmp/sprint-engine-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context);
  for (size_t s = 0; s < 2; s++) {
    sprint_model *model = NULL;
    sprint_shift *shift = NULL;
    sprint_run *run = NULL;
    MUST(context, sprint_model_new(context, network, images, &model));
    MUST(context, sprint_shift_new(context, shifts[s], model, images, &shift));
    sprint_run_options options = {
        .size = sizeof options,
        .spec = "{method: {batch: 3, inner: 2000000}, step: {size: 0.0001}, stop: {steps: 2000000}}",
        .shift = shift};
    MUST(context, sprint_run_new(context, &options, &run));
    assert_string_equal(sprint_run_engine(run), "pixels");
    saving = (struct saving){.folder = folder, .n_params = sprint_model_n_params(model)};
    MUST(context, sprint_run_go(run, save_now, &saving));
    assert_true(saving.done);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    MUST(context, sprint_model_read_theta(model, path, read));
    assert_memory_equal(read, saving.theta, saving.n_params * sizeof *read);
    end_run(run, shift, model);
  }
  for (size_t i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    unlink(path);
  }
  rmdir(folder);
  sprint_population_free(images);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_engine__all_methods_and_shifts),
      cmocka_unit_test(test_engine__losses_of_the_step),
      cmocka_unit_test(test_engine__all_steps),
      cmocka_unit_test(test_engine__methods_that_declare_nothing),
      cmocka_unit_test(test_engine__auto_recalls_where_it_pays),
      cmocka_unit_test(test_engine__everybody_without_end),
      cmocka_unit_test(test_engine__deployments_in_mid_round),
      cmocka_unit_test(test_engine__saves_theta_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
