/* run.json of a saved run, through sprint_saved_final and sprint_saved_assessment. The input is one that a run saves
 * here. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mutate.h"
#include "small_run.h"

static const char *const tokens[] = {
    "\"final\":", "\"assessment\":",
    "\"stop\":",  "\"epochs\"",
    "\"seed\":",  "null",
    "true",       "-1",
    "1e400",      "[",
    "]",          "{",
    "}",          ",",
    ":",          "\"",
    "\\u0000",    "9223372036854775807",
};

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  char folder[128], file[160];
  sprint_trace_row row = {.size = sizeof row};
  sprint_stop stop;
  sprint_assessment *assessment = NULL;
  (void)mutator;
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  snprintf(file, sizeof file, "%s/run.json", folder);
  if (rename(path, file) != 0) exit(2);
  if (sprint_saved_assessment(context, folder, &assessment) == SPRINT_OK) sprint_assessment_free(assessment);
  sprint_status status = sprint_saved_final(context, folder, &row, &stop);
  unlink(file);
  return status;
}

static struct fuzz_input saved_by(const char *data, const char *run_spec) {
  char folder[128], path[192];
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) exit(2);
  small_folder_new(folder, sizeof folder);
  struct small_run small = small_run_new(context, data, "{layers: dense 1}", "{kind: none}", run_spec);
  if (sprint_run_go(small.run, NULL, NULL) != SPRINT_OK || sprint_run_save(small.run, folder) != SPRINT_OK) exit(2);
  small_run_free(&small);
  sprint_context_free(context);
  snprintf(path, sizeof path, "%s/run.json", folder);
  struct fuzz_input input = fuzz_read(path);
  small_folder_remove(folder);
  return input;
}

int main(void) {
  const struct fuzz_input inputs[] = {saved_by("{kind: lending, n: 30}", "{method: sgd, stop: {epochs: 1}}")};
  int code = fuzz_run(&(struct fuzz){.name = "saved",
                                     .tokens = tokens,
                                     .n_tokens = sizeof tokens / sizeof tokens[0],
                                     .n_mutants = 2000,
                                     .inputs = inputs,
                                     .n_inputs = 1,
                                     .ending = ".json",
                                     .feed = load});
  free((void *)inputs[0].bytes);
  return code;
}
