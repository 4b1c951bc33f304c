/* What the tests of CSV files share: train.csv written, loaded or refused. */
#ifndef TEST_CSV_HELP_H
#define TEST_CSV_HELP_H

#include "test_population_help.h"

/* The spec of train.csv with these keys added. */
static inline const char *spec_of(struct fixture *f, const char *keys) {
  snprintf(f->spec, sizeof f->spec, "{kind: csv, path: '%s/train.csv', standardize: none, %s}", f->folder, keys);
  return f->spec;
}

static inline sprint_population *load_csv(struct fixture *f, const char *text, const char *keys) {
  write_bytes(f, "train.csv", text, strlen(text));
  return load(f, spec_of(f, keys), NULL);
}

static inline void refuse_csv(struct fixture *f, const char *text, const char *keys, const char *sentence) {
  write_bytes(f, "train.csv", text, strlen(text));
  assert_refused(f, spec_of(f, keys), SPRINT_ERROR_INPUT, sentence);
}

static inline void assert_x(const sprint_population *p, size_t n, size_t d, const double *x) {
  assert_int_equal(p->n, n);
  assert_int_equal(p->d, d);
  for (size_t i = 0; i < n * d; i++) assert_true(p->x[i] == (sprint_real)x[i]);
}

#endif
