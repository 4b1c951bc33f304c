/* sprint ask: what a solver in a folder wants next, and the model to deploy for it. */
#include <jansson.h>
#include <stdlib.h>

#include "files.h"

static const char *const kinds[] = {[SPRINT_WANT_NOTHING] = "nothing",
                                    [SPRINT_WANT_POPULATION] = "population",
                                    [SPRINT_WANT_BATCH] = "batch",
                                    [SPRINT_WANT_SAMPLE] = "sample"};

/* The older deployment whose records are wanted beside the others; 0: none. */
static uint64_t reference_of(const sprint_want *want) {
  return want->reference == want->deployment ? 0 : want->reference;
}

static json_t *count(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *count_or_null(uint64_t value) { return value ? count(value) : json_null(); }

static json_t *want_json(const sprint_session *session, const sprint_want *want, const char *model) {
  const sprint_solver *solver = sprint_session_solver(session);
  bool ends = want->kind == SPRINT_WANT_NOTHING;
  sprint_told told = {.size = sizeof told};
  sprint_counters cost = sprint_solver_counters(solver);
  sprint_solver_told(solver, &told);
  json_t *json = json_object();
  json_object_set_new(json, "want", json_string(kinds[want->kind]));
  json_object_set_new(json, "request", ends ? json_null() : count(want->request));
  json_object_set_new(json, "deployment", ends ? json_null() : count(want->deployment));
  json_object_set_new(json, "deploy", json_boolean(!ends && want->deploy));
  json_object_set_new(json, "model", model ? json_string(model) : json_null());
  json_object_set_new(json, "reference", ends ? json_null() : count_or_null(reference_of(want)));
  json_object_set_new(json, "n", count(ends ? 0 : want->n));
  json_object_set_new(json, "told", count(told.n));
  json_object_set_new(json, "missing", count(ends ? 0 : want->n - told.n));
  json_object_set_new(json, "stop", ends ? json_string(sprint_stop_word(sprint_solver_stop(solver))) : json_null());
  json_object_set_new(json, "steps", count(cost.steps));
  json_object_set_new(json, "epochs", count(cost.epochs));
  json_object_set_new(json, "deployments", count(cost.deployments));
  json_object_set_new(json, "samples", count(cost.samples));
  json_object_set_new(json, "ifo", count(cost.ifo));
  json_object_set_new(json, "stale", count(told.stale));
  json_object_set_new(json, "lacking", count(told.lacking));
  return json;
}

static void print_end(const sprint_solver *solver, const char *model) {
  sprint_stop stop = sprint_solver_stop(solver);
  cli_print(stdout, "nothing is wanted any more: %s\n", sprint_stop_text(stop));
  if (model) cli_print(stdout, "model: %s\n", model);
}

static void print_want(const sprint_session *session, const sprint_want *want, const char *model) {
  const sprint_solver *solver = sprint_session_solver(session);
  sprint_told told = {.size = sizeof told};
  sprint_solver_told(solver, &told);
  if (want->kind == SPRINT_WANT_NOTHING) {
    print_end(solver, model);
    return;
  }
  cli_print(stdout, "request %llu: ", (unsigned long long)want->request);
  if (want->kind == SPRINT_WANT_POPULATION)
    cli_print(stdout, "everybody's record, %zu", want->n);
  else
    cli_print(stdout, "%zu records%s", want->n, want->kind == SPRINT_WANT_SAMPLE ? ", for a snapshot" : "");
  cli_print(stdout, ", under deployment %llu\n", (unsigned long long)want->deployment);
  if (reference_of(want))
    cli_print(stdout, "and the same people's records under deployment %llu\n", (unsigned long long)reference_of(want));
  if (want->deploy) cli_print(stdout, "deploy: %s\n", model);
  cli_print(stdout, "told: %zu, missing: %zu\n", told.n, want->n - told.n);
}

/* The same command each night: where there is a solver, it must be of that config. */
static sprint_status begin(sprint_context *context, const struct cli_options *options, const char *config) {
  const char *folder = options->arguments[0];
  bool same = false;
  if (!sprint_session_is_there(folder))
    return sprint_session_begin(context, folder, config, options->sets, options->n_sets);
  sprint_status status = sprint_session_is_of(context, folder, config, options->sets, options->n_sets, &same);
  if (status != SPRINT_OK || same) return status;
  return sprint_fail(context, SPRINT_ERROR_INPUT,
                     "%s: was begun by another config, or %s has changed since; leave --config out to go on", folder,
                     config);
}

static int ask_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  const char *config = cli_value(options, "config"), *model = NULL;
  sprint_session *session = NULL;
  sprint_want want = {.size = sizeof want};
  if (options->n_sets && !config) return cli_misused(command, "--set goes with --config CONFIG.yaml");
  sprint_status status = config ? begin(context, options, config) : SPRINT_OK;
  if (status == SPRINT_OK) status = sprint_session_open(context, options->arguments[0], &session);
  if (status == SPRINT_OK) status = sprint_session_ask(session, &want, &model);
  bool diverged = status == SPRINT_OK && want.kind == SPRINT_WANT_NOTHING && !model;
  if (status == SPRINT_OK && options->json)
    cli_json_print(want_json(session, &want, model), stdout);
  else if (status == SPRINT_OK)
    print_want(session, &want, model);
  sprint_session_free(session);
  return status != SPRINT_OK ? cli_failed(context) : diverged ? CLI_DIVERGED : CLI_OK;
}

const struct cli_command cli_ask = {
    "ask",   "say what a solver in a folder wants next, and write the model to deploy for it",
    ask_run, {{"STATE", CLI_FOLDER, NULL}},
    1,
};
