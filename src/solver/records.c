/* What is told to a solver, before anything is made of it: whatever it could not use is refused in a sentence. */
#include <math.h>

#include "population/population.h"
#include "solver/solver.h"

/* Records say which deployment made them where they can: others would go unseen into every number. */
static sprint_status check_deployment(const sprint_solver *solver, const sprint_records *records) {
  if (records->deployment == 0 || records->deployment == solver->wanted.deployment) return SPRINT_OK;
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "records of deployment %llu were told; those of deployment %llu were wanted",
                     (unsigned long long)records->deployment, (unsigned long long)solver->wanted.deployment);
}

static sprint_status check_strata(const sprint_solver *solver, const sprint_records *records) {
  if (solver->n_strata == 1) return SPRINT_OK;
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
  return sprint__model_check_labels(solver->model, records->y, records->n);
}
