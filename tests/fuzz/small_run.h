/* A small run, whose files fuzz tests begin with. Whatever fails ends the program. */
#ifndef SPRINT_TESTS_FUZZ_SMALL_RUN_H
#define SPRINT_TESTS_FUZZ_SMALL_RUN_H

#include "sprint.h"

struct small_run {
  sprint_population *population;
  sprint_model *model;
  sprint_shift *shift;
  sprint_run *run;
};

struct small_run small_run_new(sprint_context *context, const char *data, const char *model, const char *shift,
                               const char *run);
void small_run_free(struct small_run *small);

/* A new folder under TMPDIR, or /tmp; and its end, with all that is in it. */
void small_folder_new(char *ret_path, size_t size);
void small_folder_remove(const char *path);

#endif
