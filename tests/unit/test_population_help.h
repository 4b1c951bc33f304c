/* What the tests of population/ share: a context, a folder for files, and loading that must work or must not. */
#ifndef TEST_POPULATION_HELP_H
#define TEST_POPULATION_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "population/population.h"

struct fixture {
  sprint_context *context;
  char folder[64];
  char path[96], spec[512];
};

static int set_up(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  snprintf(f->folder, sizeof f->folder, "/tmp/sprint-test-XXXXXX");
  if (!mkdtemp(f->folder) || sprint_context_new(&f->context) != SPRINT_OK) return -1;
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *f = *state;
  static const char *const names[] = {"train.csv", "x.npy", "y.npy"};
  for (size_t i = 0; i < SPRINT__COUNT(names); i++) {
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, names[i]);
    unlink(f->path);
  }
  rmdir(f->folder);
  sprint_context_free(f->context);
  free(f);
  return 0;
}

/* The path of a file in the folder; lent until the next call. */
static inline const char *path_of(struct fixture *f, const char *name) {
  snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
  return f->path;
}

static inline const char *write_bytes(struct fixture *f, const char *name, const void *bytes, size_t size) {
  FILE *stream = fopen(path_of(f, name), "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(bytes, 1, size, stream), size);
  fclose(stream);
  return f->path;
}

static inline sprint_population *load(struct fixture *f, const char *spec, sprint_population **ret_heldout) {
  sprint_population *population = NULL;
  if (sprint_population_load(f->context, spec, &population, ret_heldout) != SPRINT_OK)
    fail_msg("%s: %s", spec ? spec : "no spec", sprint_context_error(f->context));
  return population;
}

/* The load fails with this status, and the sentence holds this text. */
static inline void assert_refused(struct fixture *f, const char *spec, sprint_status status, const char *text) {
  sprint_population *population = NULL;
  assert_int_equal(sprint_population_load(f->context, spec, &population, NULL), status);
  assert_null(population);
  if (!strstr(sprint_context_error(f->context), text))
    fail_msg("'%s' is not in '%s'", text, sprint_context_error(f->context));
}

/* Every allocation of a load fails once; ASan finds what is then left behind. Returns how many there are. */
static inline int64_t survive_failed_allocations(struct fixture *f, const char *spec) {
  sprint_status status = SPRINT_ERROR_MEMORY;
  int64_t k = -1;
  while (status != SPRINT_OK) {
    sprint_population *population = NULL, *heldout = NULL;
    f->context->n_allocations = 0;
    f->context->fail_allocation = ++k;
    status = sprint_population_load(f->context, spec, &population, &heldout);
    if (status != SPRINT_OK) {
      assert_int_equal(status, SPRINT_ERROR_MEMORY);
      assert_true(!population && !heldout);
      assert_non_null(strstr(sprint_context_error(f->context), "out of memory"));
    }
    sprint_population_free(population);
    sprint_population_free(heldout);
  }
  f->context->fail_allocation = -1;
  return k;
}

#endif
