/* sprint tell: records from CSVs to a solver in a folder. */
#include <limits.h>
#include <stdlib.h>

#include "files.h"

/* A number of requests or deployments by an option, 0 where it is not given. */
static int number_option(const struct cli_command *command, const struct cli_options *options, const char *name,
                         uint64_t *ret_number) {
  const char *text = cli_value(options, name);
  int number = 0;
  if (text && !cli_whole(text, 1, INT_MAX, &number))
    return cli_misused(command, "--%s: '%s' is not a number of at least 1", name, text);
  *ret_number = (uint64_t)number;
  return CLI_OK;
}

static int read_options(const struct cli_command *command, const struct cli_options *options,
                        sprint_session_records *ret_records) {
  bool discards = cli_value(options, "discard") != NULL;
  if (discards && options->n_arguments > 1) return cli_misused(command, "--discard takes no records");
  if (!discards && options->n_arguments < 2) return cli_misused(command, "records are missing: RECORDS.csv");
  ret_records->paths = options->arguments + 1;
  ret_records->n_paths = options->n_arguments - 1;
  ret_records->repeats = cli_value(options, "repeats") != NULL;
  int code = number_option(command, options, "request", &ret_records->request);
  if (code == CLI_OK) code = number_option(command, options, "deployment", &ret_records->deployment);
  if (code == CLI_OK) code = number_option(command, options, "stale", &ret_records->stale_from);
  return code;
}

/* What is missing of the request that was told; 0 where it is complete. */
struct missing {
  uint64_t request;
  size_t n;
};

static void print_json(const sprint_solver *solver, size_t n, const struct missing *missing) {
  sprint_told told = {.size = sizeof told};
  sprint_solver_told(solver, &told);
  json_t *json = json_object();
  json_object_set_new(json, "request", json_integer((json_int_t)missing->request));
  json_object_set_new(json, "records", json_integer((json_int_t)n));
  json_object_set_new(json, "missing", json_integer((json_int_t)missing->n));
  json_object_set_new(json, "complete", json_boolean(missing->n == 0));
  json_object_set_new(json, "steps", json_integer((json_int_t)sprint_solver_counters(solver).steps));
  json_object_set_new(json, "stale", json_integer((json_int_t)told.stale));
  json_object_set_new(json, "lacking", json_integer((json_int_t)told.lacking));
  cli_json_print(json, stdout);
}

static void print_told(const sprint_solver *solver, size_t n, const struct missing *missing) {
  cli_print(stdout, "told %zu records of request %llu: ", n, (unsigned long long)missing->request);
  if (missing->n)
    cli_print(stdout, "%zu are missing\n", missing->n);
  else
    cli_print(stdout, "it is complete, after %llu steps\n", (unsigned long long)sprint_solver_counters(solver).steps);
}

static sprint_status tell(sprint_session *session, const struct cli_options *options,
                          const sprint_session_records *records) {
  sprint_want want = {.size = sizeof want};
  sprint_told told = {.size = sizeof told};
  size_t n = 0;
  sprint_status status = sprint_session_wanted(session, &want);
  if (status == SPRINT_OK) status = sprint_session_tell(session, records, &n);
  if (status == SPRINT_OK) status = sprint_solver_told(sprint_session_solver(session), &told);
  if (status != SPRINT_OK) return status;
  struct missing missing = {want.request, told.n ? want.n - told.n : 0};
  (options->json ? print_json : print_told)(sprint_session_solver(session), n, &missing);
  return SPRINT_OK;
}

static int tell_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  sprint_session_records records = {.size = sizeof records};
  sprint_session *session = NULL;
  int code = read_options(command, options, &records);
  if (code != CLI_OK) return code;
  sprint_status status = sprint_session_open(context, options->arguments[0], &session);
  if (status == SPRINT_OK && cli_value(options, "discard"))
    status = sprint_session_discard(session);
  else if (status == SPRINT_OK)
    status = tell(session, options, &records);
  sprint_session_free(session);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_tell = {
    "tell",   "tell a solver in a folder records that came in, some or all that it wants",
    tell_run, {{"STATE", CLI_FOLDER, NULL}, {"RECORDS.csv", CLI_FILE, ".csv"}},
    1,        true,
};
