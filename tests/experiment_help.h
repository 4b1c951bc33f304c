/* Experiments from the text of a config. */
#ifndef SPRINT_TESTS_EXPERIMENT_HELP_H
#define SPRINT_TESTS_EXPERIMENT_HELP_H

#include "help.h"

static sprint_experiment *experiment_of(sprint_context *context, const char *text) {
  char path[] = "/tmp/sprint-test-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *stream = fdopen(file, "w");
  fputs(text, stream);
  assert_int_equal(fclose(stream), 0);
  sprint_experiment *experiment = NULL;
  sprint_status status = sprint_experiment_load(context, path, NULL, 0, &experiment);
  remove(path);
  MUST(context, status);
  return experiment;
}

#endif
