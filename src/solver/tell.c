/* Records that are told: in parts, of any sizes, until what is wanted is whole. Whatever is wrong is found before
 * anything changes. */
#include <math.h>

#include "base/sized.h"
#include "population/population.h"
#include "solver/solver.h"

/* The rows start .. end of records; weighs: by their weights. */
static struct sprint__rows rows_of(const sprint_records *records, size_t d, size_t start, size_t end, bool weighs) {
  return (struct sprint__rows){
      .n = end - start,
      .x = records->x ? records->x + start * d : NULL,
      .y = records->y + start,
      .pixels = records->images ? &records->images->pixels : NULL,
      .who = records->who ? records->who + start : NULL,
      .weight = weighs && records->weight ? records->weight + start : NULL,
  };
}

static void sum_by_model(void *user, const sprint_real *theta, const struct sprint__rows *rows,
                         const struct sprint__total *total, struct sprint__sums *ret_sums) {
  sprint__model_sums_to(user, theta, rows, total, ret_sums);
}

void sprint__solver_add_records(sprint_solver *solver, const sprint_records *records, const sprint_real *theta,
                                sprint__sum_rows sum, void *sum_user, struct sprint__strata_sums *all) {
  if (!sum) sum_user = solver->model;
  if (!sum) sum = sum_by_model;
  for (size_t start = 0, end; start < records->n; start = end) {
    size_t stratum = records->stratum ? records->stratum[start] : 0, c = solver->n_strata == 1 ? 0 : stratum;
    for (end = start + 1; end < records->n && records->stratum && records->stratum[end] == stratum;) end++;
    if (!records->stratum) end = records->n;
    struct sprint__rows rows = rows_of(records, solver->model->n_features, start, end, true);
    struct sprint__total total = {all->gradient + c * solver->n_params, 1, all->count[c] > 0};
    struct sprint__sums sums;
    sum(sum_user, theta, &rows, &total, &sums);
    sprint__strata_count(all, c, rows.n, rows.weight, sums.loss, sums.correct);
  }
}

bool sprint__solver_affords(const sprint_solver *solver, uint64_t ifo) {
  return solver->rules.ifo == 0 || solver->cost.ifo + ifo <= solver->rules.ifo;
}

bool sprint__solver_revisit(sprint_solver *solver, const sprint_real *theta, sprint__sum_rows sum, void *sum_user,
                            struct sprint__strata_sums *ret_sums) {
  if (solver->trouble != SPRINT_OK || !sprint__solver_affords(solver, solver->n)) return false;
  solver->trouble = solver->revisit.sums(solver->revisit.user, theta, sum, sum_user, ret_sums);
  if (solver->trouble == SPRINT_OK) solver->cost.ifo += ret_sums->n;
  return solver->trouble == SPRINT_OK;
}

sprint_status sprint__solver_tell_sums(sprint_solver *solver, const struct sprint__strata_sums *everybody) {
  solver->cost.ifo += everybody->n;
  solver->cost.samples += everybody->n;
  struct sprint__estimate estimate = {.scale = 1};
  double all = sprint__strata_weight(everybody);
  for (size_t c = 0; c < solver->n_strata; c++) estimate.loss += everybody->loss[c] / all;
  bool ready = solver->estimator->population(solver, everybody, &estimate);
  solver->asked = false;
  if (ready && solver->trouble == SPRINT_OK) sprint__solver_take_step(solver, &estimate);
  return solver->trouble;
}

/* p := the strata probabilities told, or what the counts say, as always of a sample. */
static void settle_strata(sprint_solver *solver, const double *p) {
  struct sprint__strata_sums *told = &solver->told;
  double all = sprint__strata_weight(told);
  if (solver->wanted.kind == SPRINT_WANT_SAMPLE || solver->n_strata == 1) p = NULL;
  for (size_t c = 0; c < solver->n_strata; c++) told->p[c] = p ? p[c] : told->weight[c] / all;
}

/* People of stratum c, or of all (c = n_strata), among records. */
static double weight_among(const sprint_solver *solver, const sprint_records *records, size_t c) {
  double weight = 0;
  for (size_t i = 0; i < records->n; i++) {
    size_t stratum = records->stratum && solver->n_strata > 1 ? records->stratum[i] : 0;
    if (c == solver->n_strata || stratum == c) weight += records->weight ? records->weight[i] : 1;
  }
  return weight;
}

/* The same of all that was told of what is wanted, the part that ends it included. */
static double weight_told(const sprint_solver *solver, const sprint_records *part, size_t c) {
  const struct sprint__strata_sums *told = &solver->told;
  sprint_records waiting = sprint__inbox_records(solver);
  double weight = weight_among(solver, part, c) + weight_among(solver, &waiting, c);
  for (size_t k = 0; told->n > 0 && k < solver->n_strata; k++)
    if (c == solver->n_strata || c == k) weight += told->weight[k];
  return weight;
}

/* Somebody must have been told; and of a population, somebody of every stratum that can show up. */
static sprint_status check_whole(const sprint_solver *solver, const sprint_records *part) {
  bool weighs = solver->wanted.kind == SPRINT_WANT_POPULATION && solver->n_strata > 1 && part->p;
  if (!(weight_told(solver, part, solver->n_strata) > 0))
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "the records told stand for nobody: every weight is 0");
  for (size_t c = 0; weighs && c < solver->n_strata; c++)
    if (part->p[c] > 0 && !(weight_told(solver, part, c) > 0))
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                         "stratum %zu has probability %g but none of the population's records", c, part->p[c]);
  return SPRINT_OK;
}

/* As many as wanted in the end, and never more. */
static sprint_status check_count(const sprint_solver *solver, const sprint_records *part) {
  static const char *const names[] = {
      [SPRINT_WANT_POPULATION] = "population", [SPRINT_WANT_BATCH] = "batch", [SPRINT_WANT_SAMPLE] = "sample"};
  size_t wanted = solver->wanted.n, before = solver->inbox->told, n = before + part->n;
  if (part->n <= wanted - before && (!part->last || n == wanted)) return SPRINT_OK;
  if (before == 0)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "a %s of %zu records was told; %zu were wanted",
                       names[solver->wanted.kind], n, wanted);
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "a %s of %zu records was told, %zu of them now; %zu were wanted, so that %zu are left to tell",
                     names[solver->wanted.kind], n, part->n, wanted, wanted - before);
}

/* |grad J(theta; theta)|^2 of what was told; where stop.gradient is met, that is the end. */
static bool is_stable(sprint_solver *solver) {
  struct sprint__strata_parts parts = sprint__strata_parts_of(&solver->told);
  double square = 0;
  if (!sprint__solver_is_deployed(solver)) return false; /* the records are of an older theta */
  sprint__strata_mean(solver->context, &parts, solver->told.p, NULL, solver->gradient);
  for (size_t i = 0; i < solver->n_params; i++) {
    double g = solver->gradient[i] + sprint__model_decay(solver->model, solver->theta, i);
    square += g * g;
  }
  solver->gradient_sq = square;
  if (!(square <= solver->rules.gradient) || solver->rules.gradient <= 0) return false;
  solver->cost.ifo += solver->told.n;
  solver->cost.samples += solver->told.n;
  solver->asked = false;
  sprint_solver_halt(solver, SPRINT_STOP_GRADIENT);
  return true;
}

/* Rows start .. start + n. */
static sprint_records part_of(const sprint_records *records, size_t d, size_t start, size_t n) {
  sprint_records part = *records;
  part.n = n;
  part.x += start * d;
  part.y += start;
  if (part.stratum) part.stratum += start;
  if (part.who) part.who += start;
  if (part.weight) part.weight += start;
  return part;
}

static void add_waiting(sprint_solver *solver) {
  sprint_records waiting = sprint__inbox_records(solver);
  if (waiting.n > 0) sprint__solver_add_records(solver, &waiting, solver->theta, NULL, NULL, &solver->told);
  solver->inbox->front = 0;
}

/* Adds up whole pieces, and keeps the rest waiting. */
static void add_part(sprint_solver *solver, const sprint_records *records) {
  struct sprint__inbox *inbox = solver->inbox;
  size_t d = solver->model->n_features, piece = inbox->end;
  for (size_t at = 0, n; at < records->n; at += n) {
    n = records->n - at < piece - inbox->front ? records->n - at : piece - inbox->front;
    if (n == piece && records->x) {
      sprint_records part = part_of(records, d, at, n);
      sprint__solver_add_records(solver, &part, solver->theta, NULL, NULL, &solver->told);
      continue;
    }
    sprint__inbox_hold(solver, records, at, n);
    if (inbox->front == piece) add_waiting(solver);
  }
}

static sprint_status tell_population(sprint_solver *solver, const sprint_records *records) {
  struct sprint__strata_sums *told = &solver->told;
  add_part(solver, records);
  if (!records->last) return SPRINT_OK;
  add_waiting(solver);
  settle_strata(solver, records->p);
  sprint__inbox_complete(solver);
  sprint_status status = is_stable(solver) ? SPRINT_OK : sprint__solver_tell_sums(solver, told);
  told->n = 0;
  return status;
}

/* A whole batch. */
static sprint_status work_on_batch(sprint_solver *solver, const sprint_records *records) {
  struct sprint__estimate estimate = {.scale = (sprint_real)(1.0 / (double)records->n)};
  struct sprint__rows rows = rows_of(records, solver->model->n_features, 0, records->n, false);
  bool ready = solver->estimator->batch(solver, records, &rows, &estimate);
  solver->cost.ifo += estimate.ifo;
  solver->cost.samples += records->n;
  solver->asked = false;
  if (ready && solver->trouble == SPRINT_OK) sprint__solver_take_step(solver, &estimate);
  return solver->trouble;
}

/* One that needs not wait. */
static bool is_whole_batch(const sprint_solver *solver, const sprint_records *records) {
  return solver->wanted.kind == SPRINT_WANT_BATCH && records->n == solver->wanted.n && !records->lacks_reference;
}

/* Its records wait until there are as many as wanted. */
static sprint_status tell_batch(sprint_solver *solver, const sprint_records *records) {
  struct sprint__inbox *inbox = solver->inbox;
  bool at_once = is_whole_batch(solver, records);
  if (!at_once) sprint__inbox_hold(solver, records, 0, records->n);
  if (inbox->told < solver->wanted.n) return SPRINT_OK;
  sprint_records waiting = sprint__inbox_records(solver);
  waiting.p = records->p;
  solver->n_lacking = inbox->back;
  sprint_status status = work_on_batch(solver, at_once ? records : &waiting);
  solver->n_lacking = 0;
  sprint__inbox_complete(solver);
  return status;
}

static sprint_status refuse_untimely(const sprint_solver *solver) {
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "records were told that nothing had asked for");
}

/* A run tells its own. */
static sprint_status check_told(const sprint_solver *solver) {
  if (solver->inbox) return sprint__solver_check_whole(solver);
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "the solver is a run's, which tells it records itself");
}

sprint_status sprint__solver_tell_made(sprint_solver *solver, const sprint_records *records) {
  if (!solver->asked) return refuse_untimely(solver);
  SPRINT__TRY(sprint__records_check(solver, records));
  return work_on_batch(solver, records);
}

/* What is not wanted is not looked at. */
static void leave_out(const sprint_solver *solver, sprint_records *records) {
  bool some = false;
  if (solver->wanted.reference == 0) records->x_reference = NULL, records->lacks_reference = NULL;
  for (size_t i = 0; records->lacks_reference && i < records->n; i++) some = some || records->lacks_reference[i];
  if (!some) records->lacks_reference = NULL;
}

/* All that can be wrong, before anything changes. */
static sprint_status check_part(sprint_solver *solver, const sprint_records *records) {
  bool batch = solver->wanted.kind == SPRINT_WANT_BATCH;
  SPRINT__TRY(sprint__records_check_origin(solver, records));
  SPRINT__TRY(check_count(solver, records));
  SPRINT__TRY(sprint__records_are_finite(solver, records));
  SPRINT__TRY(sprint__records_check(solver, records));
  SPRINT__TRY(sprint__inbox_check(solver, records));
  if (!batch && records->last) SPRINT__TRY(check_whole(solver, records));
  if (!is_whole_batch(solver, records)) SPRINT__TRY(sprint__inbox_reserve(solver));
  return sprint__inbox_add_ids(solver, records);
}

sprint_status sprint_solver_tell(sprint_solver *solver, const sprint_records *told) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  sprint_records records;
  SPRINT__SIZED_TAKE(solver->context, sprint_records, told, &records);
  SPRINT__TRY(check_told(solver));
  if (!solver->asked) return refuse_untimely(solver);
  leave_out(solver, &records);
  SPRINT__TRY(check_part(solver, &records));
  bool batch = solver->wanted.kind == SPRINT_WANT_BATCH;
  if (!batch && solver->inbox->told == 0) {
    sprint__strata_sums_clear(&solver->told);
    if (solver->kept) sprint__kept_clear(solver);
  }
  if (!batch && solver->kept) sprint__kept_add(solver, &records);
  sprint__inbox_count(solver, &records);
  return batch ? tell_batch(solver, &records) : tell_population(solver, &records);
}

sprint_status sprint_solver_discard(sprint_solver *solver) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  SPRINT__TRY(check_told(solver));
  sprint__inbox_clear(solver);
  solver->told.n = 0;
  return SPRINT_OK;
}

sprint_status sprint_solver_told(const sprint_solver *solver, sprint_told *ret_told) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(solver->context, ret_told);
  const struct sprint__inbox *inbox = solver->inbox;
  sprint_told told = {.size = sizeof told};
  if (inbox) told.n = inbox->told, told.stale = inbox->stale, told.lacking = inbox->lacking;
  return SPRINT__SIZED_GIVE(solver->context, sprint_told, &told, ret_told);
}
