/* Memory that runs out for jansson while a run is saved: a status and a sentence, and whatever file is there is whole.
 */
#include <jansson.h>
#include <unistd.h>

#include "help.h"

static size_t n_asked, fails_at; /* from 1; 0: none */

static void *allocate(size_t size) { return ++n_asked == fails_at ? NULL : malloc(size); }

static const char *const names[] = {"trace.csv", "model.safetensors", "run.json"};
enum { STRIDE = 13 }; /* of allocations behind the first: tests/torture fails each */
enum { N_NAMES = sizeof names / sizeof names[0] };

/* The bytes of a file, to be freed; NULL: there is none. */
static char *bytes_of(const char *folder, const char *name, size_t *ret_size) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *stream = fopen(path, "rb");
  if (!stream) return NULL;
  char *bytes = calloc(1, 1 << 20);
  assert_non_null(bytes);
  *ret_size = fread(bytes, 1, 1 << 20, stream);
  fclose(stream);
  return bytes;
}

static void clear(const char *folder) {
  char path[128];
  for (size_t i = 0; i < N_NAMES; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
}

struct good {
  char *bytes;
  size_t size;
};

static void must_be_whole_or_missing(const char *folder, const struct good *good) {
  for (size_t i = 0; i < N_NAMES; i++) {
    size_t size = 0;
    char *bytes = bytes_of(folder, names[i], &size);
    if (bytes && (size != good[i].size || memcmp(bytes, good[i].bytes, size) != 0))
      fail_msg("allocation %zu failed, and %s is another", fails_at, names[i]);
    free(bytes);
  }
}

static void test_json__no_memory_while_saving(void **state) {
  (void)state;
  struct good good[N_NAMES] = {{NULL, 0}};
  char folder[] = "/tmp/sprint-json-XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  struct world w = world_new("{kind: lending, n: 60}", "{layers: dense 1}", "{kind: none}");
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 10}, stop: {epochs: 1}}", 1);
  MUST(w.context, sprint_run_save(run, folder));
  for (size_t i = 0; i < N_NAMES; i++) assert_non_null(good[i].bytes = bytes_of(folder, names[i], &good[i].size));

  size_t n_refused = 0;
  sprint_status status = SPRINT_ERROR_MEMORY;
  for (fails_at = 1; status != SPRINT_OK; fails_at += fails_at < 40 ? 1 : STRIDE) {
    clear(folder);
    n_asked = 0;
    status = sprint_run_save(run, folder);
    if (n_asked >= fails_at) REFUSED(w.context, SPRINT_ERROR_MEMORY, "out of memory", status);
    n_refused += status != SPRINT_OK;
    must_be_whole_or_missing(folder, good);
  }
  assert_true(n_refused > 60);
  fails_at = 0;
  for (size_t i = 0; i < N_NAMES; i++) free(good[i].bytes);
  clear(folder);
  snprintf(path, sizeof path, "%s/timing.csv", folder);
  remove(path);
  assert_int_equal(rmdir(folder), 0);
  sprint_run_free(run);
  world_free(&w);
}

int main(void) {
  json_set_alloc_funcs(allocate, free); /* the library looks on */
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_json__no_memory_while_saving)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
