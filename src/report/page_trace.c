/* Traces within the page: see page.h. For each run {"whole": {NAME: [...]}, "real": {NAME: [...]}}: counters as
 * differences from row to row, which pack to next to nothing; reals as they are, null where there is none. A column
 * without any number is left out. */
#include <math.h>

#include "base/print.h"
#include "report/page.h"

#define MOST_WHOLE 9007199254740992.0 /* 2^53: up to here doubles hold every whole number */

/* Names go by jansson, which knows what must be escaped. */
static void print_name(const char *name, bool first, FILE *stream) {
  SPRINT__SCOPED(json_decref) json_t *text = json_string(name);
  if (!first) fputc(',', stream);
  json_dumpf(text, stream, JSON_ENCODE_ANY);
  fputs(":[", stream);
}

static bool is_whole(const double *values, size_t n) {
  for (size_t r = 0; r < n; r++)
    if (!(fabs(values[r]) <= MOST_WHOLE) || values[r] != floor(values[r])) return false;
  return true;
}

static bool is_known(const double *values, size_t n) {
  for (size_t r = 0; r < n; r++)
    if (!isnan(values[r])) return true;
  return false;
}

static void print_real(double value, int digits, FILE *stream) {
  if (isnan(value))
    fputs("null", stream);
  else if (isinf(value))
    fputs(value > 0 ? "\"inf\"" : "\"-inf\"", stream);
  else
    sprint__fprintf(stream, "%.*g", digits, value);
}

static void print_columns(const struct sprint__result *run, bool whole, int digits, FILE *stream) {
  bool first = true;
  for (size_t c = 0; c < run->n_columns; c++) {
    const double *values = run->columns[c].values;
    if (is_whole(values, run->n_rows) != whole || !is_known(values, run->n_rows)) continue;
    print_name(run->columns[c].name, first, stream);
    first = false;
    for (size_t r = 0; r < run->n_rows; r++) {
      if (r) fputc(',', stream);
      if (whole)
        sprint__fprintf(stream, "%.0f", values[r] - (r ? values[r - 1] : 0));
      else
        print_real(values[r], digits, stream);
    }
    fputc(']', stream);
  }
}

void sprint__page_traces(const struct sprint__results *results, int digits, FILE *stream) {
  fputc('[', stream);
  for (size_t i = 0; i < results->n_runs; i++) {
    fputs(i ? ",{\"whole\":{" : "{\"whole\":{", stream);
    print_columns(&results->runs[i], true, digits, stream);
    fputs("},\"real\":{", stream);
    print_columns(&results->runs[i], false, digits, stream);
    fputs("}}", stream);
  }
  fputc(']', stream);
}
