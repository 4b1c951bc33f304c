/* A small run for fuzz tests: see small_run.h. */
#define _XOPEN_SOURCE 700
#include "small_run.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static void must(sprint_context *context, sprint_status status) {
  if (status == SPRINT_OK) return;
  fprintf(stderr, "%s\n", sprint_context_error(context));
  exit(2);
}

struct small_run small_run_new(sprint_context *context, const char *data, const char *model, const char *shift,
                               const char *run) {
  struct small_run small = {NULL};
  sprint_run_options options = {.size = sizeof options, .spec = run, .seed = 1};
  must(context, sprint_population_load(context, data, &small.population, NULL));
  must(context, sprint_model_new(context, model, small.population, &small.model));
  must(context, sprint_shift_new(context, shift, small.model, small.population, &small.shift));
  options.shift = small.shift;
  must(context, sprint_run_new(context, &options, &small.run));
  return small;
}

void small_run_free(struct small_run *small) {
  sprint_run_free(small->run);
  sprint_shift_free(small->shift);
  sprint_model_free(small->model);
  sprint_population_free(small->population);
}

void small_folder_new(char *ret_path, size_t size) {
  const char *base = getenv("TMPDIR");
  snprintf(ret_path, size, "%s/sprint-small-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(ret_path)) exit(2);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info, (void)type, (void)where;
  return remove(path);
}

void small_folder_remove(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }
