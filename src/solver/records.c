/* What is told to a solver, before anything is made of it: whatever it could not use is refused in a sentence. */
#include <math.h>
#include <stdio.h>

#include "base/vector.h"
#include "population/population.h"
#include "solver/solver.h"

/* Records say what they are for where they can: a part that is told twice, by a job that was begun again, is one too
 * many. */
static sprint_status check_request(const sprint_solver *solver, const sprint_records *records) {
  if (records->request == 0 || records->request == solver->wanted.request) return SPRINT_OK;
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "records for request %llu were told; those for request %llu were wanted",
                     (unsigned long long)records->request, (unsigned long long)solver->wanted.request);
}

static uint64_t deployment_of(const sprint_records *records, size_t i) {
  return records->deployments ? records->deployments[i] : records->deployment;
}

size_t sprint__records_n_stale(const sprint_solver *solver, const sprint_records *records) {
  size_t n = 0;
  for (size_t i = 0; i < records->n; i++) {
    uint64_t made_by = deployment_of(records, i);
    n += made_by > 0 && made_by < solver->wanted.deployment;
  }
  return n;
}

/* Why older records cannot be taken, where the caller would have them; NULL: they can. */
static const char *why_not_stale(const sprint_solver *solver) {
  if (solver->wanted.kind != SPRINT_WANT_BATCH) return "what steps lean on is looked at under one deployment";
  if (!solver->estimator->takes_stale) return "the method goes by what each deployment did";
  if (solver->stratifies && solver->n_strata > 1) return "the method weighs strata as one deployment does";
  return NULL;
}

static sprint_status refuse_deployment(const sprint_solver *solver, const sprint_records *records, size_t i) {
  uint64_t made_by = deployment_of(records, i), wanted = solver->wanted.deployment;
  bool asks = records->stale_from > 0 && made_by < wanted && made_by >= records->stale_from;
  bool named = records->deployments && records->id && records->id[i];
  char which[32] = "";
  if (records->deployments) snprintf(which, sizeof which, "record %zu", i);
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "%s%s%s%s%s of deployment %llu %s told; those of deployment %llu were wanted%s%s", which,
                     named ? " (id '" : "", named ? records->id[i] : "", named ? "')" : "",
                     records->deployments ? ": one" : "records", (unsigned long long)made_by,
                     records->deployments ? "was" : "were", (unsigned long long)wanted,
                     asks ? ", and older ones cannot stand for them: " : "", asks ? why_not_stale(solver) : "");
}

/* Records say which deployment made them where they can: others would go unseen into every number. */
static sprint_status check_deployment(const sprint_solver *solver, const sprint_records *records) {
  bool takes_stale = records->stale_from > 0 && !why_not_stale(solver);
  for (size_t i = 0; i < (records->deployments ? records->n : 1); i++) {
    uint64_t made_by = deployment_of(records, i);
    bool stale = made_by < solver->wanted.deployment && made_by >= records->stale_from;
    if (made_by == 0 || made_by == solver->wanted.deployment || (stale && takes_stale)) continue;
    return refuse_deployment(solver, records, i);
  }
  return SPRINT_OK;
}

static sprint_status check_ids(const sprint_solver *solver, const sprint_records *records) {
  if (records->repeats && solver->wanted.kind == SPRINT_WANT_POPULATION)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "everybody's record is wanted, each once; `repeats` is for batches and samples");
  for (size_t i = 0; records->id && i < records->n; i++)
    if (!records->id[i] || !*records->id[i])
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "record %zu has no id", i);
  return SPRINT_OK;
}

/* What a stratified correction goes by must have been told; without it v would quietly be another method's. */
static sprint_status check_weighing(const sprint_solver *solver, const sprint_records *records) {
  bool batch = solver->wanted.kind == SPRINT_WANT_BATCH, whole = solver->wanted.kind == SPRINT_WANT_POPULATION;
  size_t before = solver->inbox ? solver->inbox->told : 0;
  bool ends = batch ? before + records->n >= solver->wanted.n : whole && records->last;
  if (!solver->stratifies) return SPRINT_OK;
  if (!records->p && ends)
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

/* Who has no record under the older deployment: what is left out of v with it must be known, see docs/ask-tell.md. */
static sprint_status check_lacking(const sprint_solver *solver, const sprint_records *records) {
  if (!records->lacks_reference) return SPRINT_OK;
  if (!solver->estimator->spares_references)
    return sprint_fail(
        solver->context, SPRINT_ERROR_ARGUMENT,
        "people were told of who have no record under deployment %llu, and the method needs everybody's: "
        "a step leans on all before it; `sprint` does without",
        (unsigned long long)solver->wanted.reference);
  if (solver->stratifies && solver->n_strata > 1 && !records->stratum)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "people were told of who have no reference record, and the method weighs strata; `stratum`, of "
                       "which of %zu each record is, was expected",
                       solver->n_strata);
  return SPRINT_OK;
}

static bool all_lack(const sprint_records *records) {
  size_t i = 0;
  while (records->lacks_reference && i < records->n && records->lacks_reference[i]) i++;
  return i == records->n;
}

/* Records under the older deployment, where they can differ from those told. */
static sprint_status check_reference(const sprint_solver *solver, const sprint_records *records) {
  const sprint_want *want = &solver->wanted;
  SPRINT__TRY(check_lacking(solver, records));
  if (records->x_reference || solver->still || want->reference == 0 || want->reference == want->deployment ||
      all_lack(records))
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

/* Those of people who lack one are not looked at. */
static sprint_status check_references_finite(const sprint_solver *solver, const sprint_records *records) {
  size_t d = solver->model->n_features;
  if (!records->lacks_reference) return check_finite(solver, "x_reference", records->x_reference, records->n, d);
  for (size_t i = 0; records->x_reference && i < records->n; i++)
    if (!records->lacks_reference[i] && !sprint__all_finite(records->x_reference + i * d, d))
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "row %zu of `x_reference` is not finite", i);
  return SPRINT_OK;
}

sprint_status sprint__records_are_finite(const sprint_solver *solver, const sprint_records *records) {
  SPRINT__TRY(check_finite(solver, "x", records->x, records->n, solver->model->n_features));
  SPRINT__TRY(check_references_finite(solver, records));
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

sprint_status sprint__records_check_origin(const sprint_solver *solver, const sprint_records *records) {
  SPRINT__TRY(check_request(solver, records));
  return check_deployment(solver, records);
}

sprint_status sprint__records_check(const sprint_solver *solver, const sprint_records *records) {
  SPRINT__TRY(check_ids(solver, records));
  SPRINT__TRY(check_records(solver, records));
  SPRINT__TRY(check_strata(solver, records));
  SPRINT__TRY(check_identities(solver, records));
  SPRINT__TRY(check_reference(solver, records));
  return sprint__model_check_labels(solver->model, records->y, records->n);
}
