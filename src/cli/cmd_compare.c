/* sprint compare: methods from the same start, on the same random numbers, to the same budget, and their ranking. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "plan.h"

static size_t n_sizes(const struct cli_comparison *all) { return all->n_sizes ? all->n_sizes : 1; }

size_t cli_match_number(const struct cli_match *match, size_t point, size_t method, size_t size, size_t seed) {
  const struct cli_comparison *all = match->all;
  size_t variant = (point * all->n_methods + method) * n_sizes(all) + size;
  return variant * (all->n_seeds + all->n_tuning) + seed;
}

const struct cli_result *cli_match_result(const struct cli_match *match, size_t point, size_t method, size_t size,
                                          size_t seed) {
  return &match->results[cli_match_number(match, point, method, size, seed)];
}

static double criterion_of(const struct cli_criterion *by, const sprint_trace_row *row) {
  double value;
  memcpy(&value, (const char *)row + by->offset, sizeof value);
  return value;
}

double cli_match_value(const struct cli_match *match, size_t point, size_t method, size_t size, size_t seed) {
  const struct cli_result *result = cli_match_result(match, point, method, size, seed);
  double value = criterion_of(match->all->by, &result->row);
  return result->stop == SPRINT_STOP_DIVERGED || !isfinite(value) ? NAN : value;
}

struct cli_size cli_match_size(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  struct cli_size size = {""};
  if (all->n_sizes)
    snprintf(size.text, sizeof size.text, "%.9g", all->sizes[match->picks[point * all->n_methods + method]]);
  return size;
}

static void take(void *user, size_t run, struct cli_saved saved) {
  struct cli_match *match = user;
  struct cli_result *result = &match->results[run];
  *result = (struct cli_result){.row = saved.row, .stop = saved.stop};
  for (sprint_warning_kind k = 0; k < SPRINT_N_WARNINGS; k++)
    result->warned[k] = sprint_assessment_warning(saved.assessment, k) != NULL;
  sprint_assessment_free(saved.assessment);
}

/* Trains what is chosen and not saved yet, and reads all of it. */
static int train(struct cli_match *match, const size_t *chosen, size_t n, const char *what) {
  const struct cli_comparison *all = match->all;
  struct cli_plan plan = {.context = all->context,
                          .experiment = match->experiment,
                          .out = match->out,
                          .chosen = chosen,
                          .n_chosen = n,
                          .talk = stdout};
  int code = CLI_OK;
  sprint_status status = cli_plan_fill(&plan);
  if (status == SPRINT_OK) {
    cli_print(stdout, "%s to %s=%s: %zu run%s", what, match->budget->key, match->budget->amount, plan.n_todo,
              plan.n_todo == 1 ? "" : "s");
    if (plan.n_todo < n) printf(" (%zu finished before and kept)", n - plan.n_todo);
    cli_plan_share(&plan, all->n_threads, all->n_jobs);
    if (plan.n_todo > 0)
      cli_plan_print_sharing(&plan);
    else
      putchar('\n');
    fflush(stdout);
    if (plan.n_todo > 0) cli_jobs_run(&plan.jobs);
    status = cli_plan_results(&plan, take, match);
  }
  size_t n_failed = cli_jobs_count(&plan.jobs, CLI_JOB_FAILED);
  if (status != SPRINT_OK) {
    code = cli_failed(all->context);
  } else if (cli_interrupted()) {
    cli_print(stdout, "interrupted; finished runs are in %s, and the same command goes on from there\n", all->out);
    code = cli_interrupt_code();
  } else if (n_failed) {
    cli_print(stderr, "sprint: %zu of %zu runs failed, so nothing is ranked; the others are in %s\n", n_failed, n,
              all->out);
    code = CLI_FAILED;
  }
  cli_plan_clear(&plan);
  return code;
}

/* Numbers of the runs of all points and methods: with every step size on the seeds of the tuning, or with the one that
 * was picked on those of the ranking. */
static size_t choose_runs(const struct cli_match *match, bool tuning, size_t *chosen) {
  const struct cli_comparison *all = match->all;
  size_t n = 0, first = tuning ? all->n_seeds : 0, n_seeds = tuning ? all->n_tuning : all->n_seeds;
  for (size_t cell = 0; cell < all->n_points * all->n_methods; cell++)
    for (size_t size = 0; size < n_sizes(all); size++)
      for (size_t s = 0; s < n_seeds && (tuning || size == match->picks[cell]); s++)
        chosen[n++] = cli_match_number(match, cell / all->n_methods, cell % all->n_methods, size, first + s);
  return n;
}

/* Ranks the methods of a point. */
static void rank(struct cli_match *match, size_t point) {
  const struct cli_comparison *all = match->all;
  size_t n = all->n_methods * all->n_seeds;
  double *values = cli_room(n, sizeof *values), *room = cli_room(n, sizeof *room);
  for (size_t i = 0; i < n; i++) {
    size_t method = i / all->n_seeds, pick = match->picks[point * all->n_methods + method];
    values[i] = cli_match_value(match, point, method, pick, i % all->n_seeds);
  }
  match->logarithmic[point] = all->by->logarithmic && cli_all_positive(values, n);
  struct cli_contest contest = {all->n_methods, all->n_seeds, values, all->by->larger_wins, match->logarithmic[point]};
  cli_rank(&contest, room, &match->standings[point * all->n_methods]);
  free(values);
  free(room);
}

static int tune(struct cli_match *match, size_t *chosen) {
  int code = train(match, chosen, choose_runs(match, true, chosen), "tuning");
  if (code != CLI_OK) return code;
  cli_match_pick(match);
  for (size_t p = 0; p < match->all->n_points; p++) cli_match_print_tuning(match, p);
  putchar('\n');
  return CLI_OK;
}

/* All of one budget, with room for it. */
static int play_in(struct cli_match *match, size_t *chosen) {
  const struct cli_comparison *all = match->all;
  int code = all->n_sizes ? tune(match, chosen) : CLI_OK;
  if (code == CLI_OK) code = train(match, chosen, choose_runs(match, false, chosen), "ranking");
  for (size_t p = 0; p < all->n_points && code == CLI_OK; p++) {
    rank(match, p);
    cli_match_print(match, p);
  }
  if (code == CLI_OK) putchar('\n');
  return code;
}

static int play(struct cli_match *match) {
  const struct cli_comparison *all = match->all;
  match->out = cli_format("%s/%s-%s", all->out, match->budget->key, match->budget->amount);
  if (cli_compare_load(all, match->budget, true, &match->experiment) != SPRINT_OK) return cli_failed(all->context);
  size_t n = cli_n_runs(match->experiment), cells = all->n_points * all->n_methods;
  size_t *chosen = cli_room(n, sizeof *chosen);
  match->results = cli_room(n, sizeof *match->results);
  match->picks = cli_room(cells, sizeof *match->picks);
  match->logarithmic = cli_room(all->n_points, sizeof *match->logarithmic);
  match->standings = cli_room(cells, sizeof *match->standings);
  int code = play_in(match, chosen);
  free(chosen);
  return code;
}

static void match_clear(struct cli_match *match) {
  sprint_experiment_free(match->experiment);
  free(match->results);
  free(match->picks);
  free(match->logarithmic);
  free(match->standings);
  free(match->out);
}

static bool stop_at_once(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)user;
  (void)run;
  (void)row;
  (void)cost;
  return false;
}

/* Whether runs have what they are to be ranked by is seen at theta_0, not after hours of training. */
static sprint_status check_criterion(const struct cli_comparison *all, sprint_experiment *experiment) {
  sprint_run *run = NULL;
  sprint_status status = sprint_experiment_start(experiment, 0, 0, 0, &run);
  if (status == SPRINT_OK) status = sprint_run_go(run, stop_at_once, NULL);
  if (status == SPRINT_OK && !isfinite(criterion_of(all->by, sprint_run_row(run, 0))))
    status = sprint_fail(all->context, SPRINT_ERROR_INPUT, "%s: cannot be ranked by %s: %s", all->options->arguments[0],
                         all->by->word, all->by->missing);
  sprint_run_free(run);
  return status;
}

static char *out_of(const struct cli_options *options, const sprint_experiment *experiment) {
  const char *configured = sprint_experiment_out(experiment);
  if (options->out) return cli_format("%s", options->out);
  if (*configured) return cli_format("%s-compare", configured);
  return cli_format("runs/%s-compare", sprint_experiment_name(experiment));
}

/* Reads the config once without step sizes and further seeds, to know what there is. */
static sprint_status prepare(struct cli_comparison *all) {
  sprint_experiment *experiment = NULL;
  sprint_status status = cli_compare_load(all, &all->budgets[0], false, &experiment);
  if (status == SPRINT_OK) status = check_criterion(all, experiment);
  if (status == SPRINT_OK) {
    cli_compare_size_up(all, experiment);
    all->out = out_of(all->options, experiment);
    status = cli_check_out(all->context, all->out);
    const sprint_population *population = sprint_experiment_population(experiment);
    cli_print(stdout, "%s: %s%zu rows, %zu features; %zu point(s) x %zu method(s) x %zu seed(s), %zu budget(s)\n",
              sprint_experiment_name(experiment),
              sprint_population_is_endless(population) ? "a population without end, evaluated on a window of " : "",
              sprint_population_n(population), sprint_population_n_features(population), all->n_points, all->n_methods,
              all->n_seeds, all->n_budgets);
    cli_print_people(experiment, stdout);
  }
  sprint_experiment_free(experiment);
  return status;
}

static int play_all(struct cli_comparison *all) {
  struct cli_match *matches = cli_room(all->n_budgets, sizeof *matches);
  int code = CLI_OK;
  for (size_t b = 0; b < all->n_budgets && code == CLI_OK; b++) {
    matches[b] = (struct cli_match){.all = all, .budget = &all->budgets[b]};
    code = play(&matches[b]);
  }
  if (code == CLI_OK && cli_compare_save(all, matches) != SPRINT_OK) code = cli_failed(all->context);
  if (code == CLI_OK) cli_print(stdout, "the tables are in %s, the runs in a folder for each budget there\n", all->out);
  for (size_t b = 0; b < all->n_budgets; b++) match_clear(&matches[b]);
  free(matches);
  return code;
}

static int compare_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  struct cli_comparison all = {.context = context, .n_threads = sprint_context_threads(context)};
  int code = cli_compare_parse(command, options, &all);
  if (code != CLI_OK) return code;
  /* A child may use threads; the parent must not have had any (OpenMP does not survive a fork). */
  if (sprint_context_set_threads(context, 1) != SPRINT_OK || prepare(&all) != SPRINT_OK)
    code = cli_failed(context);
  else {
    cli_catch_interrupts(); /* not before: whoever waits for a stream's window can be stopped as ever */
    code = play_all(&all);
  }
  for (size_t m = 0; all.names && m < all.n_methods; m++) free(all.names[m]);
  free(all.names);
  free(all.optimal);
  free(all.seeds);
  free(all.out);
  return code;
}

const struct cli_command cli_compare = {
    "compare",
    "methods from one start to one budget, ranked with paired differences over seeds; finished runs are kept",
    compare_run,
    {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    1,
};
