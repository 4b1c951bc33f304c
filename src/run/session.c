/* Solvers in folders: see session.h. Whatever is written before the state is written again by whoever comes next; the
 * state is replaced by renaming. */
#include "run/session.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/sized.h"
#include "base/statefile.h"
#include "base/sum.h"
#include "run/experiment.h"
#include "run/identity.h"
#include "run/saved.h"

#define MAGIC      "sprint session 1\n"
#define START_FILE "start.safetensors"
#define MADE_FILE  "solver.json"
#define STATE_FILE "state"

void sprint_session_free(sprint_session *session) {
  if (!session) return;
  sprint_solver_free(session->solver);
  sprint_predictor_free(session->start);
  json_decref(session->metadata);
  sprint__free(session->identity);
  sprint__free(session->model);
  sprint__free(session->folder);
  sprint_lock_free(session->lock);
  sprint__free(session);
}

const sprint_solver *sprint_session_solver(const sprint_session *session) { return session ? session->solver : NULL; }

static char *path_in(sprint_context *context, const char *folder, const char *name) {
  return sprint__printf(context, "%s/%s", folder, name);
}

bool sprint_session_is_there(const char *folder) {
  char path[4096];
  int n = folder ? snprintf(path, sizeof path, "%s/" STATE_FILE, folder) : -1;
  return n > 0 && (size_t)n < sizeof path && sprint__file_is_there(path);
}

/* The config as it is, byte by byte, and what was laid over it. A new reference. */
static sprint_status origin_of(sprint_context *context, const char *config, const char *const *sets, size_t n_sets,
                               json_t **ret_origin) {
  char sum[SPRINT__SUM_TEXT];
  if (!sprint__sum_of_file(config, sum)) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read", config);
  json_t *list = json_array();
  for (size_t i = 0; i < n_sets; i++) json_array_append_new(list, json_string(sets[i] ? sets[i] : ""));
  *ret_origin = json_pack("{s:s, s:o}", "config", sum, "sets", list);
  return sprint__json_status(context);
}

/* solver.json: a new reference. */
static sprint_status read_made(sprint_context *context, const char *folder, json_t **ret_made) {
  SPRINT__SCOPED(sprint__free) char *path = path_in(context, folder, MADE_FILE);
  if (!path) return SPRINT_ERROR_MEMORY;
  json_error_t error;
  json_t *made = json_load_file(path, 0, &error);
  if (!json_is_object(made)) {
    json_decref(made);
    SPRINT__TRY(sprint__json_status(context));
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: cannot be read as how a solver was made: %s", path,
                       made ? "an object was expected" : error.text);
  }
  *ret_made = made;
  return SPRINT_OK;
}

sprint_status sprint_session_is_of(sprint_context *context, const char *folder, const char *config,
                                   const char *const *sets, size_t n_sets, bool *ret_same) {
  SPRINT__REQUIRE(context, folder, config, ret_same);
  if (n_sets) SPRINT__REQUIRE(context, sets);
  SPRINT__SCOPED(json_decref) json_t *made = NULL, *origin = NULL;
  SPRINT__TRY(read_made(context, folder, &made));
  SPRINT__TRY(origin_of(context, config, sets, n_sets, &origin));
  *ret_same = json_equal(origin, json_object_get(made, "origin"));
  return SPRINT_OK;
}

static sprint_status load_start(sprint_session *session) {
  SPRINT__SCOPED(sprint__free) char *path = path_in(session->context, session->folder, START_FILE);
  SPRINT__CLEARED(sprint__safetensors_close) struct sprint__safetensors file = {0};
  if (!path) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__predictor_load_any(session->context, path, &session->start));
  SPRINT__TRY(sprint__safetensors_open(session->context, path, &file));
  session->metadata = json_deep_copy(json_object_get(file.header, "__metadata__"));
  return sprint__json_status(session->context);
}

/* A solver by what solver.json says. */
static sprint_status make_solver(sprint_session *session) {
  SPRINT__SCOPED(json_decref) json_t *made = NULL;
  SPRINT__TRY(read_made(session->context, session->folder, &made));
  const char *spec = json_string_value(json_object_get(made, "spec"));
  const json_t *n = json_object_get(made, "n"), *seed = json_object_get(made, "seed");
  if (!spec || !json_is_integer(n) || json_integer_value(n) < 0 || !json_is_integer(seed))
    return sprint_fail(session->context, SPRINT_ERROR_INPUT,
                       "%s/" MADE_FILE ": 'spec', 'n' or 'seed' is missing or broken", session->folder);
  sprint_solver_options options = {.size = sizeof options,
                                   .spec = spec,
                                   .model = sprint__predictor_model(session->start),
                                   .n = (size_t)json_integer_value(n),
                                   .n_strata = 1,
                                   .theta = sprint__predictor_theta(session->start),
                                   .seed = (uint64_t)json_integer_value(seed)};
  SPRINT__TRY(sprint_solver_new(session->context, &options, &session->solver));
  if (session->solver->tells_who)
    return sprint_fail(session->context, SPRINT_ERROR_INPUT,
                       "%s: the method needs to know everybody by number, which records in files do not say; another "
                       "method was expected, such as sprint or sgd",
                       session->folder);
  return SPRINT_OK;
}

/* The start is part of it: parameters and scaling of another one would go unseen. */
static sprint_status make_identity(sprint_session *session) {
  SPRINT__SCOPED(sprint__free) char *path = path_in(session->context, session->folder, START_FILE), *own = NULL;
  char sum[SPRINT__SUM_TEXT];
  const char *why = sprint__solver_unresumable(session->solver);
  if (why)
    return sprint_fail(session->context, SPRINT_ERROR_INPUT, "%s: cannot be kept in files: %s", session->folder, why);
  own = path ? sprint__solver_identity(session->solver) : NULL;
  if (!own) return SPRINT_ERROR_MEMORY;
  if (!sprint__sum_of_file(path, sum))
    return sprint_fail(session->context, SPRINT_ERROR_IO, "%s: cannot be read", path);
  session->identity = sprint__printf(session->context, "%s\n%s", own, sum);
  return session->identity ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static void visit(void *user, struct sprint__state *state) { sprint__solver_state(user, state); }

static struct sprint__statefile_frame frame_of(const sprint_session *session) {
  return (struct sprint__statefile_frame){MAGIC, session->identity, visit, session->solver};
}

static sprint_status save(sprint_session *session) {
  SPRINT__SCOPED(sprint__free) char *path = path_in(session->context, session->folder, STATE_FILE);
  struct sprint__statefile_frame frame = frame_of(session);
  sprint_status status = path ? sprint__statefile_write(session->context, path, NULL, &frame) : SPRINT_ERROR_MEMORY;
  session->unsaved = status != SPRINT_OK;
  return status;
}

static sprint_status load_state(sprint_session *session) {
  SPRINT__SCOPED(sprint__free) char *path = path_in(session->context, session->folder, STATE_FILE);
  SPRINT__CLEARED(sprint__statefile_close) struct sprint__statefile file = {0};
  struct sprint__statefile_frame frame = frame_of(session);
  if (!path) return SPRINT_ERROR_MEMORY;
  switch (sprint__statefile_open(path, &frame, &file)) {
    case SPRINT__STATEFILE_GOOD:
      return sprint__statefile_read(session->context, &file, &frame);
    case SPRINT__STATEFILE_OTHER:
      return sprint_fail(session->context, SPRINT_ERROR_INPUT,
                         "%s: is of another version of sprint, or " START_FILE " or " MADE_FILE " is not its own",
                         path);
    case SPRINT__STATEFILE_DAMAGED:
      return sprint_fail(session->context, SPRINT_ERROR_INPUT, "%s: is damaged, or no state of a solver", path);
    case SPRINT__STATEFILE_NONE:
      break;
  }
  return sprint_fail(session->context, SPRINT_ERROR_IO, "%s: cannot be read", path);
}

/* All but its state. */
static sprint_status make(sprint_context *context, const char *folder, sprint_lock **lock,
                          sprint_session **ret_session) {
  SPRINT__SCOPED(sprint_session_free) sprint_session *session = sprint__alloc(context, 1, sizeof *session);
  if (!session) return SPRINT_ERROR_MEMORY;
  session->context = context;
  session->lock = sprint__give(lock);
  session->folder = sprint__strdup(context, folder);
  if (!session->folder) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(load_start(session));
  SPRINT__TRY(make_solver(session));
  SPRINT__TRY(make_identity(session));
  *ret_session = sprint__give(&session);
  return SPRINT_OK;
}

sprint_status sprint_session_open(sprint_context *context, const char *folder, sprint_session **ret_session) {
  SPRINT__REQUIRE(context, folder, ret_session);
  SPRINT__SCOPED(sprint_session_free) sprint_session *session = NULL;
  SPRINT__SCOPED(sprint_lock_free) sprint_lock *lock = NULL;
  if (!sprint_session_is_there(folder))
    return sprint_fail(context, SPRINT_ERROR_IO,
                       "%s: there is no solver; `sprint ask %s --config CONFIG.yaml` begins one", folder, folder);
  SPRINT__TRY(sprint_folder_lock(context, folder, &lock));
  SPRINT__TRY(make(context, folder, &lock, &session));
  SPRINT__TRY(load_state(session));
  *ret_session = sprint__give(&session);
  return SPRINT_OK;
}

/* The sections of a solver among a run's settings, as a spec. */
static char *spec_of(sprint_context *context, const sprint_run *run) {
  static const char *const keys[] = {"method", "step", "deploy", "stop"};
  SPRINT__SCOPED(json_decref) json_t *settings = json_loads(run->settings_text, 0, NULL), *spec = json_object();
  for (size_t i = 0; i < SPRINT__COUNT(keys); i++) json_object_set(spec, keys[i], json_object_get(settings, keys[i]));
  char *dumped = json_dumps(spec, JSON_COMPACT | JSON_REAL_PRECISION(17));
  char *text = dumped ? sprint__strdup(context, dumped) : NULL;
  free(dumped);
  return text;
}

static sprint_status write_made(sprint_context *context, const char *folder, const sprint_run *run, json_t *origin) {
  SPRINT__SCOPED(sprint__free) char *path = path_in(context, folder, MADE_FILE), *spec = spec_of(context, run);
  if (!path || !spec) return SPRINT_ERROR_MEMORY;
  SPRINT__SCOPED(json_decref)
  json_t *made =
      json_pack("{s:s, s:s, s:I, s:I, s:s, s:O}", "sprint", SPRINT_VERSION, "precision", sprint_precision(), "n",
                (json_int_t)run->solver->n, "seed", (json_int_t)run->seed, "spec", spec, "origin", origin);
  struct sprint__file file;
  SPRINT__TRY(sprint__file_create(context, path, &file));
  json_dumpf(made, file.stream, JSON_INDENT(2));
  fputc('\n', file.stream);
  return sprint__file_commit(context, &file);
}

static sprint_status write_start(sprint_context *context, const char *folder, const sprint_run *run) {
  SPRINT__SCOPED(sprint__free) char *path = path_in(context, folder, START_FILE);
  SPRINT__SCOPED(json_decref) json_t *metadata = sprint__model_metadata(run, 0);
  if (!path) return SPRINT_ERROR_MEMORY;
  return sprint__safetensors_write(run->shift->model, path, metadata, run->solver->theta);
}

/* What a run of the config would do, and nobody who tells records does: weighing classes would go unseen. */
static sprint_status check_experiment(const sprint_experiment *experiment, const char *config) {
  size_t n_methods = sprint_experiment_n_methods(experiment), n_seeds = sprint_experiment_n_seeds(experiment);
  if (experiment->population->weighs_classes)
    return sprint_fail(experiment->context, SPRINT_ERROR_INPUT,
                       "%s: its data weighs classes, which records that are told do not; a weight column was expected, "
                       "or no weights",
                       config);
  if (n_methods == 1 && n_seeds == 1) return SPRINT_OK;
  return sprint_fail(experiment->context, SPRINT_ERROR_INPUT,
                     "%s: has %zu methods and %zu seeds; one of each was expected, as one solver is begun", config,
                     n_methods, n_seeds);
}

/* One that nothing else of ours is in: its files would be overwritten some day. */
static sprint_status check_folder(sprint_context *context, const char *folder) {
  static const char *const others[] = {SPRINT__RECORD_FILE, SPRINT__MODEL_FILE};
  if (sprint_session_is_there(folder))
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: a solver is there already", folder);
  for (size_t i = 0; i < SPRINT__COUNT(others); i++) {
    SPRINT__SCOPED(sprint__free) char *path = path_in(context, folder, others[i]);
    if (!path) return SPRINT_ERROR_MEMORY;
    if (sprint__file_is_there(path))
      return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: is there already, of a run; another folder was expected",
                         path);
  }
  return SPRINT_OK;
}

sprint_status sprint_session_begin(sprint_context *context, const char *folder, const char *config,
                                   const char *const *sets, size_t n_sets) {
  SPRINT__REQUIRE(context, folder, config);
  SPRINT__SCOPED(sprint_experiment_free) sprint_experiment *experiment = NULL;
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__SCOPED(sprint_session_free) sprint_session *session = NULL;
  SPRINT__SCOPED(sprint_lock_free) sprint_lock *lock = NULL;
  SPRINT__SCOPED(json_decref) json_t *origin = NULL;
  sprint_experiment_options options = {.size = sizeof options, .sets = sets, .n_sets = n_sets, .one_point = true};
  SPRINT__TRY(sprint_experiment_open(context, config, &options, &experiment));
  SPRINT__TRY(check_experiment(experiment, config));
  SPRINT__TRY(origin_of(context, config, sets, n_sets, &origin));
  SPRINT__TRY(sprint_experiment_start(experiment, 0, 0, 0, &run));
  SPRINT__TRY(sprint_folder_lock(context, folder, &lock));
  SPRINT__TRY(check_folder(context, folder));
  SPRINT__TRY(write_start(context, folder, run));
  SPRINT__TRY(write_made(context, folder, run, origin));
  SPRINT__TRY(make(context, folder, &lock, &session));
  return save(session);
}

/* A model as start.safetensors has it, with other parameters; of deployment 0: the final one. */
static sprint_status write_model(sprint_session *session, uint64_t deployment, const sprint_real *theta) {
  json_t *metadata = session->metadata;
  const sprint_solver *solver = session->solver;
  char number[32];
  snprintf(number, sizeof number, "%llu", (unsigned long long)deployment);
  if (deployment) json_object_set_new(metadata, "deployment", json_string(number));
  if (!deployment) json_object_del(metadata, "deployment");
  snprintf(number, sizeof number, "%llu", (unsigned long long)solver->cost.epochs);
  json_object_set_new(metadata, "epoch", json_string(number));
  json_object_set_new(metadata, "stop", json_string(sprint_stop_word(solver->stop)));
  return sprint__safetensors_write(solver->model, session->model, metadata, theta);
}

static sprint_status name_model(sprint_session *session, uint64_t deployment) {
  char *path = deployment ? sprint__printf(session->context, "%s/deployment-%llu.safetensors", session->folder,
                                           (unsigned long long)deployment)
                          : path_in(session->context, session->folder, SPRINT__MODEL_FILE);
  if (!path) return SPRINT_ERROR_MEMORY;
  sprint__free(session->model);
  session->model = path;
  return SPRINT_OK;
}

static sprint_status check_saved(const sprint_session *session) {
  if (!session->unsaved) return SPRINT_OK;
  return sprint_fail(session->context, SPRINT_ERROR_ARGUMENT,
                     "%s: has the state before a call that failed; open it again", session->folder);
}

sprint_status sprint_session_ask(sprint_session *session, sprint_want *ret_want, const char **ret_model) {
  if (!session) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(session->context, ret_want, ret_model);
  SPRINT__TRY(check_saved(session));
  sprint_solver *solver = session->solver;
  bool asked = solver->asked;
  sprint_stop stopped = solver->stop;
  sprint_want want = {.size = sizeof want};
  SPRINT__TRY(sprint_solver_ask(solver, &want));
  bool ends = want.kind == SPRINT_WANT_NOTHING, diverged = solver->stop == SPRINT_STOP_DIVERGED;
  SPRINT__TRY(name_model(session, ends ? 0 : want.deployment));
  if (ends ? !diverged : want.deploy)
    SPRINT__TRY(write_model(session, ends ? 0 : want.deployment, ends ? solver->theta : want.theta));
  if (solver->asked != asked || solver->stop != stopped) SPRINT__TRY(save(session));
  SPRINT__TRY(SPRINT__SIZED_GIVE(session->context, sprint_want, &want, ret_want));
  *ret_model = ends && diverged ? NULL : session->model;
  return SPRINT_OK;
}

sprint_status sprint_session_wanted(const sprint_session *session, sprint_want *ret_want) {
  if (!session) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(session->context, ret_want);
  if (session->solver->asked)
    return SPRINT__SIZED_GIVE(session->context, sprint_want, &session->solver->wanted, ret_want);
  return sprint_fail(session->context, SPRINT_ERROR_INPUT,
                     "%s: nothing is asked for; `sprint ask %s` says what is wanted", session->folder, session->folder);
}

sprint_status sprint_session_tell(sprint_session *session, const sprint_session_records *records, size_t *ret_n) {
  if (!session) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(session->context, ret_n);
  sprint_session_records own;
  size_t n = 0;
  SPRINT__SIZED_TAKE(session->context, sprint_session_records, records, &own);
  SPRINT__TRY(check_saved(session));
  sprint_status status = sprint__session_tell_csv(session, &own, &n);
  if (session->solver->trouble != SPRINT_OK) session->unsaved = true; /* a step that failed half-way */
  SPRINT__TRY(status);
  SPRINT__TRY(save(session));
  *ret_n = n;
  return SPRINT_OK;
}

sprint_status sprint_session_discard(sprint_session *session) {
  if (!session) return SPRINT_ERROR_ARGUMENT;
  SPRINT__TRY(check_saved(session));
  SPRINT__TRY(sprint_solver_discard(session->solver));
  return save(session);
}
