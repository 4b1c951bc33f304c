/* Runs as jobs: see plan.h. */
#include "plan.h"

#include <math.h>
#include <stdlib.h>

void cli_plan_clear(struct cli_plan *plan) {
  for (size_t i = 0; plan->jobs.jobs && i < plan->n_todo; i++) free((char *)plan->jobs.jobs[i].name);
  free(plan->jobs.jobs);
  free(plan->weights);
  free(plan->todo);
  sprint_lock_free(plan->lock);
}

char *cli_plan_folder(const struct cli_plan *plan, size_t run) {
  if (plan->compact && cli_n_runs(plan->experiment) == 1) return cli_format("%s", plan->out);
  bool with_point = !plan->compact || sprint_experiment_n_points(plan->experiment) > 1;
  char *name = cli_run_name(plan->experiment, cli_run_number(plan->experiment, run), with_point);
  char *folder = cli_format("%s/%s", plan->out, name);
  free(name);
  return folder;
}

size_t cli_plan_n_runs(const struct cli_plan *plan) {
  return plan->chosen ? plan->n_chosen : cli_n_runs(plan->experiment);
}

struct watch {
  int pipe;
  struct cli_message message;
};

static bool observe(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct watch *watch = user;
  (void)cost;
  if (row) {
    watch->message.epoch = row->epoch;
    watch->message.loss = row->loss;
    watch->message.gradient_sq = row->gradient_sq;
  }
  watch->message.share = sprint_run_share(run);
  snprintf(watch->message.note, sizeof watch->message.note, "%s", sprint_run_note(run));
  return cli_child_say(watch->pipe, &watch->message) && !cli_child_stopped();
}

static sprint_status start(const struct cli_plan *plan, size_t run, sprint_run **ret_run) {
  struct cli_number number = cli_run_number(plan->experiment, run);
  return sprint_experiment_start(plan->experiment, number.point, number.method, number.seed, ret_run);
}

/* A run that was stopped and cannot be taken up again is saved as what it is, unless a finished one is in its place. */
static int stop_code(const struct watch *watch, const sprint_run *run, const char *folder, sprint_context *context) {
  struct cli_message message = watch->message;
  sprint_trace_row row = {.size = sizeof row};
  sprint_stop stop = SPRINT_STOP_REQUESTED;
  bool finished = sprint_saved_final(context, folder, &row, &stop) == SPRINT_OK && stop != SPRINT_STOP_REQUESTED;
  if (!sprint_run_resumes(run)) {
    bool saved = !finished && sprint_run_save(run, folder) == SPRINT_OK;
    snprintf(message.note, sizeof message.note, "was stopped, and cannot be taken up again; what it had trained %s %s",
             saved ? "is in" : "is lost: a finished run is in", folder);
    cli_child_say(watch->pipe, &message);
  }
  return cli_child_stopped() ? cli_child_stop_code() : CLI_FAILED; /* else the parent is gone */
}

/* In a child: trains one run, from where it was left if it was, and saves it. One that was stopped keeps its
 * checkpoint. */
static int train(void *user, size_t job, int pipe) {
  struct cli_plan *plan = user;
  struct watch watch = {.pipe = pipe};
  sprint_keep_options keeping = {.size = sizeof keeping, .every = plan->checkpoint};
  sprint_run *run = NULL;
  sprint_status status = sprint_context_set_threads(plan->context, plan->n_threads);
  char *folder = cli_plan_folder(plan, plan->todo[job]);
  if (status == SPRINT_OK) status = start(plan, plan->todo[job], &run);
  if (status == SPRINT_OK) status = sprint_run_keep(run, folder, &keeping);
  if (status == SPRINT_OK) status = sprint_run_go(run, observe, &watch);
  if (status == SPRINT_OK && sprint_run_stop(run) == SPRINT_STOP_REQUESTED)
    return stop_code(&watch, run, folder, plan->context);
  if (status == SPRINT_OK) status = sprint_run_save(run, folder);
  if (status == SPRINT_OK) return CLI_OK;
  snprintf(watch.message.sentence, sizeof watch.message.sentence, "%s", sprint_context_error(plan->context));
  cli_child_say(pipe, &watch.message);
  return CLI_FAILED;
}

/* Adds a run to what is left to do, unless it is saved. */
static sprint_status consider(struct cli_plan *plan, size_t number) {
  sprint_run *run = NULL;
  sprint_status status = start(plan, number, &run);
  if (status != SPRINT_OK) return status;
  char *folder = cli_plan_folder(plan, number);
  if (!sprint_run_is_saved(run, folder)) {
    double cost = sprint_run_cost_per_epoch(run);
    plan->cost = fmax(plan->cost, cost);
    plan->timed = plan->timed || sprint_run_is_timed(run);
    plan->weights[plan->n_todo] = cost * sprint_run_epochs_planned(run);
    plan->jobs.jobs[plan->n_todo].work = plan->weights[plan->n_todo];
    plan->jobs.jobs[plan->n_todo].name = cli_run_name(plan->experiment, cli_run_number(plan->experiment, number), true);
    plan->todo[plan->n_todo++] = number;
  }
  free(folder);
  sprint_run_free(run);
  return SPRINT_OK;
}

sprint_status cli_plan_fill(struct cli_plan *plan) {
  size_t n = cli_plan_n_runs(plan);
  if (sprint_folder_lock(plan->context, plan->out, &plan->lock) != SPRINT_OK) return SPRINT_ERROR_IO;
  plan->todo = calloc(n, sizeof *plan->todo);
  plan->weights = calloc(n, sizeof *plan->weights);
  plan->jobs.jobs = calloc(n, sizeof *plan->jobs.jobs);
  if (!plan->todo || !plan->weights || !plan->jobs.jobs)
    return sprint_fail(plan->context, SPRINT_ERROR_MEMORY, "out of memory for %zu runs", n);
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < n && status == SPRINT_OK; i++) status = consider(plan, plan->chosen ? plan->chosen[i] : i);
  return status;
}

void cli_plan_share(struct cli_plan *plan, int n_threads, int n_jobs) {
  size_t fitting = plan->cost < CLI_PLAN_LARGE && !plan->timed ? (size_t)n_threads : 1;
  size_t n = n_jobs > 0 ? (size_t)n_jobs : fitting;
  if (n > plan->n_todo) n = plan->n_todo;
  plan->n_threads = n > 1 ? 1 : n_threads;
  plan->jobs.n = plan->n_todo;
  plan->jobs.n_parallel = n;
  plan->jobs.work = train;
  plan->jobs.user = plan;
}

void cli_plan_print_sharing(const struct cli_plan *plan) {
  if (plan->jobs.n_parallel > 1)
    fprintf(plan->talk, ", %zu at a time\n", plan->jobs.n_parallel);
  else
    cli_print(plan->talk, ", one at a time on %d thread%s\n", plan->n_threads, plan->n_threads == 1 ? "" : "s");
}

/* Whether a run is in its folder: it was before, or its job has put it there. */
static bool is_there(const struct cli_job *job) { return !job || job->state == CLI_JOB_DONE; }

static sprint_status read_saved(const struct cli_plan *plan, size_t run, struct cli_saved *ret_saved) {
  char *folder = cli_plan_folder(plan, run);
  *ret_saved = (struct cli_saved){.row.size = sizeof ret_saved->row};
  sprint_status status = sprint_saved_final(plan->context, folder, &ret_saved->row, &ret_saved->stop);
  if (status == SPRINT_OK) status = sprint_saved_assessment(plan->context, folder, &ret_saved->assessment);
  free(folder);
  return status;
}

sprint_status cli_plan_results(const struct cli_plan *plan, cli_plan_taker take, void *user) {
  sprint_status status = SPRINT_OK;
  for (size_t i = 0, next = 0; i < cli_plan_n_runs(plan) && status == SPRINT_OK; i++) {
    size_t run = plan->chosen ? plan->chosen[i] : i;
    bool todo = next < plan->n_todo && plan->todo[next] == run;
    struct cli_saved saved;
    if (!is_there(todo ? &plan->jobs.jobs[next++] : NULL)) continue;
    status = read_saved(plan, run, &saved);
    if (status == SPRINT_OK) take(user, run, saved);
  }
  return status;
}
