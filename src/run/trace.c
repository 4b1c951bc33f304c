/* The trace in files: trace.csv, timing.csv, and rows as JSON. */
#include "run/trace.h"

#include <math.h>
#include <string.h>

#include "base/print.h"

/* The columns of trace.csv, in order: the name, and where its number is. */
struct column {
  const char *name;
  size_t offset;
  bool count; /* uint64_t, else double */
};

#define REAL(NAME) \
  { #NAME, offsetof(sprint_trace_row, NAME), false }
#define COUNT(NAME, FIELD) \
  { NAME, offsetof(sprint_trace_row, cost.FIELD), true }

static const struct column columns[] = {
    REAL(epoch),
    COUNT("step", steps),
    COUNT("ifo", ifo),
    COUNT("samples", samples),
    COUNT("deployments", deployments),
    COUNT("shift_evals", shift_evals),
    REAL(loss),
    REAL(accuracy),
    REAL(loss_base),
    REAL(accuracy_base),
    REAL(loss_heldout),
    REAL(accuracy_heldout),
    REAL(gradient_sq),
    REAL(gradient_sq_mean),
    REAL(moved),
    REAL(displacement),
    REAL(entropy),
    REAL(effective_classes),
    REAL(bias),
    REAL(drift),
    REAL(drift_noise),
    REAL(kappa),
    REAL(distance),
    REAL(bias_deployed),
};

static double column_real(const sprint_trace_row *row, const struct column *column) {
  double value;
  memcpy(&value, (const char *)row + column->offset, sizeof value);
  return value;
}

static uint64_t column_count(const sprint_trace_row *row, const struct column *column) {
  uint64_t value;
  memcpy(&value, (const char *)row + column->offset, sizeof value);
  return value;
}

/* nan without a sign, whatever made it. */
static void print_real(FILE *stream, double value) {
  if (isnan(value))
    fputs("nan", stream);
  else
    sprint__fprintf(stream, "%.17g", value);
}

/* The probabilities of the strata follow, where the shift reweights: p_0, p_1, ... by class number. */
static void print_strata(const sprint_run *run, size_t row, FILE *stream) {
  for (size_t c = 0; sprint__shift_reweights(run->shift) && c < run->shift->population->n_strata; c++) {
    fputc(',', stream);
    print_real(stream, sprint_run_strata(run, row)[c]);
  }
}

static void print_header(const sprint_run *run, FILE *stream) {
  for (size_t c = 0; c < SPRINT__COUNT(columns); c++) fprintf(stream, "%s%s", c ? "," : "", columns[c].name);
  for (size_t c = 0; sprint__shift_reweights(run->shift) && c < run->shift->population->n_strata; c++)
    fprintf(stream, ",p_%zu", c);
  fputc('\n', stream);
}

void sprint__trace_print_row(const sprint_run *run, size_t row, FILE *stream) {
  for (size_t c = 0; c < SPRINT__COUNT(columns); c++) {
    if (c) fputc(',', stream);
    if (columns[c].count)
      fprintf(stream, "%llu", (unsigned long long)column_count(&run->rows[row], &columns[c]));
    else
      print_real(stream, column_real(&run->rows[row], &columns[c]));
  }
  print_strata(run, row, stream);
  fputc('\n', stream);
}

void sprint__trace_print(const sprint_run *run, FILE *stream) {
  print_header(run, stream);
  for (size_t r = 0; r < run->n_rows; r++) sprint__trace_print_row(run, r, stream);
}

/* Time is the one thing that no two runs share: it has a file of its own. */
void sprint__timing_print_row(const sprint_run *run, size_t row, FILE *stream) {
  sprint__fprintf(stream, "%.17g,%.9g\n", run->rows[row].epoch, run->rows[row].seconds);
}

void sprint__timing_print(const sprint_run *run, FILE *stream) {
  fputs("epoch,seconds\n", stream);
  for (size_t r = 0; r < run->n_rows; r++) sprint__timing_print_row(run, r, stream);
}

static json_t *real_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *sprint__row_json(const sprint_trace_row *row) {
  json_t *json = json_object();
  for (size_t c = 0; c < SPRINT__COUNT(columns); c++)
    json_object_set_new(json, columns[c].name,
                        columns[c].count ? json_integer((json_int_t)column_count(row, &columns[c]))
                                         : real_or_null(column_real(row, &columns[c])));
  return json;
}

void sprint__row_read(const json_t *json, sprint_trace_row *ret_row) {
  for (size_t c = 0; c < SPRINT__COUNT(columns); c++) {
    const json_t *item = json_object_get(json, columns[c].name);
    uint64_t count = (uint64_t)json_integer_value(item);
    double real = json_is_number(item) ? json_number_value(item) : NAN;
    if (columns[c].count)
      memcpy((char *)ret_row + columns[c].offset, &count, sizeof count);
    else
      memcpy((char *)ret_row + columns[c].offset, &real, sizeof real);
  }
}
