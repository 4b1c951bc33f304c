/* sprint check: before training, whether the step is safe, what a run will cost, what to change, and which method. It
 * writes no files. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

#define EFFORT 1e11
#define LEAST  5e9 /* for each method and point, unless --effort says otherwise */
#define THIN   2   /* steps that stay at less than so many times the config's have a thin margin, */
#define EDGE   1.5 /* and those whose product with the curvature passes this, of 2 */

enum { MAX_STARTS = 100, CHUNK = 4096, MAX_LOOKED = 1 << 20 };

static enum cli_check_level level_of(const sprint_step_check *step) {
  if (isnan(step->step)) return CHECK_NO_STEP;
  if (step->left > 0 || step->largest < step->step) return CHECK_UNSAFE;
  return step->largest < THIN * step->step || step->edge >= EDGE ? CHECK_THIN : CHECK_SAFE;
}

/* Which features never change, over the rows looked at: all, or of very many the first. */
static sprint_status look_at_features(const sprint_population *population, struct cli_data_look *look) {
  size_t d = sprint_population_n_features(population), n = look->n_looked;
  sprint_real *first = cli_room(d, sizeof *first), *x = cli_room(CHUNK * d, sizeof *x);
  bool *varies = cli_room(d, sizeof *varies);
  sprint_status status = sprint_population_rows(population, NULL, 0, 1, first);
  for (size_t start = 0; start < n && status == SPRINT_OK; start += CHUNK) {
    size_t count = n - start < CHUNK ? n - start : CHUNK;
    status = sprint_population_rows(population, NULL, start, count, x);
    for (size_t i = 0; i < count && status == SPRINT_OK; i++)
      for (size_t j = 0; j < d; j++) varies[j] = varies[j] || x[i * d + j] != first[j];
  }
  for (size_t j = d; j-- > 0 && status == SPRINT_OK;)
    if (!varies[j]) {
      look->n_constant++;
      look->constant = j;
    }
  free(first);
  free(x);
  free(varies);
  return status;
}

static void look_at_classes(const sprint_population *population, struct cli_data_look *look) {
  size_t n = sprint_population_n(population), n_classes = sprint_population_n_classes(population);
  const sprint_real *y = sprint_population_y(population);
  const double *weights = sprint_population_weights(population);
  double *counts = cli_room(n_classes, sizeof *counts), all = 0;
  look->majority = look->minority = NAN;
  for (size_t i = 0; i < n && n_classes; i++) {
    counts[(size_t)y[i]] += weights ? weights[i] : 1;
    all += weights ? weights[i] : 1;
  }
  for (size_t c = 0; c < n_classes; c++) {
    double share = counts[c] / all;
    if (!(share <= look->majority)) {
      look->majority = share;
      look->largest = sprint_population_class_name(population, c);
    }
    if (!(share >= look->minority)) {
      look->minority = share;
      look->rarest = sprint_population_class_name(population, c);
    }
  }
  free(counts);
}

/* Images have constant pixels at their rims, which harm nobody. */
static sprint_status look_at_data(const sprint_experiment *experiment, struct cli_data_look *look) {
  const sprint_population *population = sprint_experiment_population(experiment);
  size_t shape[3];
  look_at_classes(population, look);
  look->n_looked = sprint_population_n(population) < MAX_LOOKED ? sprint_population_n(population) : MAX_LOOKED;
  return sprint_population_image(population, shape) ? SPRINT_OK : look_at_features(population, look);
}

static sprint_status check_all(sprint_experiment *experiment, const sprint_step_options *options,
                               struct cli_check *check) {
  size_t n_methods = sprint_experiment_n_methods(experiment);
  double n_seeds = (double)sprint_experiment_n_seeds(experiment);
  sprint_step_options each = *options;
  each.effort = options->effort > 0 ? options->effort / (double)check->n : fmax(EFFORT / (double)check->n, LEAST);
  bool terminal = isatty(STDERR_FILENO);
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < check->n && status == SPRINT_OK && !cli_interrupted(); i++) {
    struct cli_checked *it = &check->checked[i];
    if (terminal) fprintf(stderr, "\r%zu of %zu checked", i, check->n);
    it->point = i / n_methods;
    it->method = i % n_methods;
    it->step.size = sizeof it->step;
    it->problem.size = sizeof it->problem;
    status = sprint_experiment_problem(experiment, it->point, it->method, &it->problem);
    if (status == SPRINT_OK) status = sprint_experiment_check_step(experiment, it->point, it->method, &each, &it->step);
    it->level = level_of(&it->step);
    check->seconds += n_seeds * it->step.epoch_seconds * it->step.planned;
  }
  if (terminal) fputs("\r\033[K", stderr);
  return status;
}

static sprint_status look(sprint_context *context, sprint_experiment *experiment, const sprint_step_options *options,
                          struct cli_check *check) {
  struct rusage usage;
  check->experiment = experiment;
  check->n = sprint_experiment_n_points(experiment) * sprint_experiment_n_methods(experiment);
  check->checked = cli_room(check->n, sizeof *check->checked);
  check->advice.size = sizeof check->advice;
  sprint_status status = look_at_data(experiment, &check->data);
  if (status == SPRINT_OK) status = check_all(experiment, options, check);
  if (status == SPRINT_OK) status = sprint_advise(context, &check->checked[0].problem, &check->advice);
  check->memory = getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024 : NAN;
  return status;
}

static int take_numbers(const struct cli_command *command, const struct cli_options *options,
                        sprint_step_options *ret_step) {
  const char *starts = cli_value(options, "starts"), *effort = cli_value(options, "effort");
  int n = 0;
  if (starts && !cli_whole(starts, 1, MAX_STARTS, &n))
    return cli_misused(command, "--starts: '%s' is not a whole number within 1 .. %d", starts, MAX_STARTS);
  char *end = NULL;
  double value = effort ? strtod(effort, &end) : 0;
  if (effort && (end == effort || *end || !(value >= 1) || !isfinite(value)))
    return cli_misused(command, "--effort: '%s' is not a number of at least 1, such as 1e12", effort);
  *ret_step = (sprint_step_options){.size = sizeof *ret_step, .starts = (size_t)n, .effort = value};
  return CLI_OK;
}

static int check_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  sprint_step_options step;
  struct cli_check check = {.n = 0};
  sprint_experiment *experiment = NULL;
  int code = take_numbers(command, options, &step);
  if (code != CLI_OK) return code;
  sprint_status status = cli_load(context, options, &experiment);
  if (status == SPRINT_OK) {
    cli_catch_interrupts();
    status = look(context, experiment, &step, &check);
  }
  if (status != SPRINT_OK) {
    code = cli_failed(context);
  } else if (cli_interrupted()) {
    code = cli_interrupt_code();
  } else {
    (options->json ? cli_check_print_json : cli_check_print)(&check);
    for (size_t i = 0; i < check.n; i++)
      if (check.checked[i].level == CHECK_UNSAFE) code = CLI_DIVERGED;
  }
  free(check.checked);
  sprint_experiment_free(experiment);
  return code;
}

const struct cli_command cli_check = {
    "check",
    "before training: is the step safe, what will a run cost, what to change, which method; exit 3: it is not safe",
    check_run,
    {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    1,
};
