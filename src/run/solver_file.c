/* Solvers in files, so that whoever asks and tells may end between any two calls. */
#include "base/statefile.h"
#include "run/identity.h"

#define MAGIC "sprint solver 2\n"

static void visit(void *user, struct sprint__state *state) { sprint__solver_state(user, state); }

static sprint_status frame_of(const sprint_solver *solver, char **ret_identity,
                              struct sprint__statefile_frame *ret_frame) {
  const char *why = sprint__solver_unresumable(solver);
  if (why) return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "the solver cannot be saved: %s", why);
  *ret_identity = sprint__solver_identity(solver);
  if (!*ret_identity) return SPRINT_ERROR_MEMORY;
  *ret_frame = (struct sprint__statefile_frame){MAGIC, *ret_identity, visit, (void *)solver};
  return SPRINT_OK;
}

sprint_status sprint_solver_save(const sprint_solver *solver, const char *path) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(solver->context, path);
  SPRINT__SCOPED(sprint__free) char *identity = NULL;
  struct sprint__statefile_frame frame;
  SPRINT__TRY(sprint__solver_check_whole(solver));
  SPRINT__TRY(frame_of(solver, &identity, &frame));
  return sprint__statefile_write(solver->context, path, NULL, &frame);
}

static sprint_status refuse(const sprint_solver *solver, const char *path, enum sprint__statefile_found found) {
  const char *why =
      "another method, model, population, seed or version; a solver made by the same options was expected";
  if (found == SPRINT__STATEFILE_NONE) return sprint_fail(solver->context, SPRINT_ERROR_IO, "%s: cannot be read", path);
  if (found == SPRINT__STATEFILE_DAMAGED)
    return sprint_fail(solver->context, SPRINT_ERROR_INPUT, "%s: is not a saved solver, or is damaged", path);
  return sprint_fail(solver->context, SPRINT_ERROR_INPUT, "%s: is of %s", path, why);
}

sprint_status sprint_solver_load(sprint_solver *solver, const char *path) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(solver->context, path);
  SPRINT__SCOPED(sprint__free) char *identity = NULL;
  SPRINT__CLEARED(sprint__statefile_close) struct sprint__statefile file = {0};
  struct sprint__statefile_frame frame;
  SPRINT__TRY(frame_of(solver, &identity, &frame));
  if (!solver->half_loaded && (solver->cost.deployments > 0 || solver->asked))
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "%s: the solver has begun; a new one was expected",
                       path);
  enum sprint__statefile_found found = sprint__statefile_open(path, &frame, &file);
  if (found != SPRINT__STATEFILE_GOOD) return refuse(solver, path, found);
  sprint_status status = sprint__statefile_read(solver->context, &file, &frame);
  solver->half_loaded = status != SPRINT_OK;
  return status;
}
