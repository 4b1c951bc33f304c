/* What the tests of results share: a folder of runs that are written by hand, and goes away with the test. */
#ifndef TEST_REPORT_HELP_H
#define TEST_REPORT_HELP_H

#include "help.h"

struct place {
  sprint_context *context;
  char folder[64];
};

static inline struct place place_new(void) {
  struct place place = {.folder = "/tmp/sprint-report-XXXXXX"};
  assert_int_equal(sprint_context_new(&place.context), SPRINT_OK);
  assert_non_null(mkdtemp(place.folder));
  return place;
}

static inline void place_free(struct place *place) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", place->folder);
  assert_int_equal(system(command), 0);
  sprint_context_free(place->context);
}

/* A file within the folder, as "sgd/seed-1/trace.csv"; folders on the way are made. */
static inline void put(const struct place *place, const char *name, const char *text) {
  char path[512], command[640];
  snprintf(path, sizeof path, "%s/%s", place->folder, name);
  *strrchr(path, '/') = '\0';
  snprintf(command, sizeof command, "mkdir -p '%s'", path);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/%s", place->folder, name);
  MUST(place->context, sprint_file_write(place->context, path, text, strlen(text)));
}

#endif
