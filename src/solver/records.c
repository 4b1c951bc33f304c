/* What is told to a solver, before anything is made of it: whatever it could not use is refused in a sentence. */
#include <math.h>

#include "base/vector.h"
#include "population/population.h"
#include "solver/solver.h"

/* Records say which deployment made them where they can: others would go unseen into every number. */
static sprint_status check_deployment(const sprint_solver *solver, const sprint_records *records) {
  if (records->deployment == 0 || records->deployment == solver->wanted.deployment) return SPRINT_OK;
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "records of deployment %llu were told; those of deployment %llu were wanted",
                     (unsigned long long)records->deployment, (unsigned long long)solver->wanted.deployment);
}

/* What a stratified correction goes by must have been told; without it v would quietly be another method's. */
static sprint_status check_weighing(const sprint_solver *solver, const sprint_records *records) {
  bool batch = solver->wanted.kind == SPRINT_WANT_BATCH, whole = solver->wanted.kind == SPRINT_WANT_POPULATION;
  if (!solver->stratifies) return SPRINT_OK;
  if (!records->p && (batch || (whole && records->last)))
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "the method weighs strata as deployments do; `p`, the %zu strata probabilities of deployment "
                       "%llu, was expected",
                       solver->n_strata, (unsigned long long)solver->wanted.deployment);
  if (!records->stratum && !batch && records->n > 0)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "the method weighs strata as deployments do; `stratum`, of which of %zu each record is, was "
                       "expected",
                       solver->n_strata);
  return SPRINT_OK;
}

static sprint_status check_strata(const sprint_solver *solver, const sprint_records *records) {
  if (solver->n_strata == 1) return SPRINT_OK;
  SPRINT__TRY(check_weighing(solver, records));
  double sum = records->p ? 0 : 1;
  for (size_t c = 0; records->p && c < solver->n_strata; c++) sum += records->p[c] >= 0 ? records->p[c] : NAN;
  if (!(fabs(sum - 1) < 1e-6))
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "the strata probabilities told add up to %g; 1 was expected", sum);
  if (!records->stratum) return SPRINT_OK;
  for (size_t i = 0; i < records->n; i++)
    if (records->stratum[i] >= solver->n_strata)
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "record %zu is of stratum %u; there are %zu", i,
                         (unsigned)records->stratum[i], solver->n_strata);
  return SPRINT_OK;
}

/* Of a batch, and of everybody who is looked at again: what the method goes by must have been told. */
static sprint_status check_identities(const sprint_solver *solver, const sprint_records *records) {
  bool batch = solver->wanted.kind == SPRINT_WANT_BATCH;
  if (!batch && !solver->revisits) return SPRINT_OK;
  if (batch && solver->tells_strata && solver->n_strata > 1 && !records->stratum)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "the method needs to know of which stratum each record is; `stratum` was expected");
  if (!solver->tells_who) return SPRINT_OK;
  if (!records->who)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "the method needs to know whose record each is; `who` was expected");
  for (size_t i = 0; i < records->n; i++)
    if (records->who[i] >= solver->n)
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "record %zu is of individual %u; there are %zu", i,
                         (unsigned)records->who[i], solver->n);
  return SPRINT_OK;
}

/* Records under the older deployment, where they can differ from those told. */
static sprint_status check_reference(const sprint_solver *solver, const sprint_records *records) {
  const sprint_want *want = &solver->wanted;
  if (records->x_reference || solver->still || want->reference == 0 || want->reference == want->deployment)
    return SPRINT_OK;
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "each individual's record under deployment %llu was wanted beside that under deployment %llu; "
                     "`x_reference` was expected, or `still` in sprint_solver_options where features never move",
                     (unsigned long long)want->reference, (unsigned long long)want->deployment);
}

/* Numbers from outside: one that is not finite would take theta with it. */
static sprint_status check_finite(const sprint_solver *solver, const char *what, const sprint_real *values, size_t n,
                                  size_t columns) {
  if (!values || sprint__all_finite(values, n * columns)) return SPRINT_OK;
  size_t i = 0;
  while (isfinite(values[i])) i++;
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "row %zu, column %zu of `%s` is %g; a finite number was expected", i / columns, i % columns, what,
                     (double)values[i]);
}

sprint_status sprint__records_are_finite(const sprint_solver *solver, const sprint_records *records) {
  size_t d = solver->model->n_features;
  SPRINT__TRY(check_finite(solver, "x", records->x, records->n, d));
  SPRINT__TRY(check_finite(solver, "x_reference", records->x_reference, records->n, d));
  for (size_t i = 0; records->y && i < records->n; i++)
    if (!isfinite(records->y[i]))
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "row %zu: the label %g is not a finite number", i,
                         (double)records->y[i]);
  return SPRINT_OK;
}

static sprint_status check_records(const sprint_solver *solver, const sprint_records *records) {
  if (records->n > 0 && (!records->y || (!records->x && (!records->images || !records->who))))
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "the records told have no x or no y");
  for (size_t i = 0; records->weight && i < records->n; i++)
    if (!isfinite(records->weight[i]) || records->weight[i] < 0)
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                         "record %zu has the weight %g; a number of at least 0 was expected", i, records->weight[i]);
  if (records->n == 0 || records->x) return SPRINT_OK;
  if (!records->images->bytes || !solver->model->ops->reads_pixels || records->images->d != solver->model->n_features)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "records without x were told; a network and images kept as bytes were expected");
  return SPRINT_OK;
}

sprint_status sprint__records_check(const sprint_solver *solver, const sprint_records *records) {
  SPRINT__TRY(check_deployment(solver, records));
  SPRINT__TRY(check_records(solver, records));
  SPRINT__TRY(check_strata(solver, records));
  SPRINT__TRY(check_identities(solver, records));
  SPRINT__TRY(check_reference(solver, records));
  return sprint__model_check_labels(solver->model, records->y, records->n);
}
