/* Objects from specs that need the table of keys, or more than one of the folders below. */
#include "base/sized.h"
#include "run/sections.h"

const char *sprint_version(void) { return SPRINT_VERSION; }
const char *sprint_precision(void) { return sizeof(sprint_real) == 8 ? "double" : "float"; }

sprint_status sprint_model_new(sprint_context *context, const char *spec, const sprint_population *population,
                               sprint_model **ret_model) {
  SPRINT__REQUIRE(context, population, ret_model);
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  SPRINT__TRY(sprint__section_parse(context, &sprint__model_family, spec, "model", &section));
  SPRINT__SCOPED(sprint_model_free) sprint_model *model = NULL;
  SPRINT__TRY(sprint__model_build(section, sprint__population_shape(population), population->n_classes, &model));
  SPRINT__TRY(sprint__model_suits(section, population, model));
  *ret_model = sprint__give(&model);
  return SPRINT_OK;
}

/* What a solver that is told its records cannot know by itself. */
static sprint_status check_told(sprint_context *context, const sprint_solver_options *options,
                                const struct sprint__method *method, const sprint_solver *solver) {
  const char *name = method->method->kind->name;
  if (solver->stratifies && options->n_strata == 0)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                       "'%s' weighs strata as deployments do, and n_strata of sprint_solver_options is not set; 1 was "
                       "expected where no deployment changes how often strata show up",
                       name);
  if (solver->rules.gradient > 0 && !solver->estimator->population)
    return sprint__refuse(method->stop, "gradient",
                          "'%s' is never told everybody, and so never knows |grad J|^2; a method with snapshots, or "
                          "another bound, was expected",
                          name);
  return SPRINT_OK;
}

sprint_status sprint_solver_new(sprint_context *context, const sprint_solver_options *options,
                                sprint_solver **ret_solver) {
  SPRINT__REQUIRE(context, options, ret_solver);
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  sprint_solver_options own;
  SPRINT__SIZED_TAKE(context, sprint_solver_options, options, &own);
  SPRINT__TRY(sprint__section_parse(context, &sprint__solver_family, own.spec, "solver", &section));
  sprint__stop_settle(section);
  struct sprint__method method = sprint__method_of(section);
  SPRINT__SCOPED(sprint_solver_free) sprint_solver *solver = NULL;
  SPRINT__TRY(sprint__solver_build(context, &method, &own, &solver));
  SPRINT__TRY(check_told(context, &own, &method, solver));
  solver->gradient = sprint__arena_take(&solver->arena, solver->n_params, sizeof *solver->gradient);
  solver->told = sprint__strata_sums_of(&solver->arena, solver->n_strata, solver->n_params);
  solver->settings = sprint__arena_keep(&solver->arena, sprint__settings_text(context, section));
  SPRINT__TRY(sprint__inbox_setup(solver));
  if (solver->revisits) SPRINT__TRY(sprint__kept_setup(solver));
  SPRINT__TRY(sprint__arena_status(&solver->arena));
  *ret_solver = sprint__give(&solver);
  return SPRINT_OK;
}

sprint_status sprint_run_new(sprint_context *context, const sprint_run_options *options, sprint_run **ret_run) {
  SPRINT__REQUIRE(context, options, ret_run);
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  sprint_run_options own;
  SPRINT__SIZED_TAKE(context, sprint_run_options, options, &own);
  SPRINT__TRY(sprint__section_parse(context, &sprint__run_family, own.spec, "run", &section));
  sprint__stop_settle(section);
  struct sprint__run_sections sections = sprint__run_sections_of(section);
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(sprint__run_build(context, &sections, &own, &run));
  run->sections_text = sprint__settings_text(context, section);
  if (!run->sections_text) return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory");
  *ret_run = sprint__give(&run);
  return SPRINT_OK;
}

struct sprint__run_sections sprint__run_sections_of(const struct sprint__section *section) {
  return (struct sprint__run_sections){sprint__method_of(section), sprint__get_section(section, "eval"),
                                       sprint__get_section(section, "engine")};
}
