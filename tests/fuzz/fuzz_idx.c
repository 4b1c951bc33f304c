/* IDX files, plain and gzip, through the data kind and through sprint_file_info_read. */
#include <stdio.h>
#include <string.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const struct fuzz_input inputs[] = {
    TEXT("\0\0\10\3\0\0\0\3\0\0\0\2\0\0\0\2abcdefghijkl"),
    TEXT("\0\0\10\1\0\0\0\3\1\0\2"),
    /* The first one by gzip -9. */
    TEXT("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x63\x60\xe0\x60\x66\x60\x60\x00\x61\x26\x10"
         "\x4e\x4c\x4a\x4e\x49\x4d\x4b\xcf\xc8\xcc\xca\xce\x01\x00\x22\x96\x67\xa2\x1c\x00\x00\x00"),
};

static const char *const tokens[] = {
    "\1\1\1\1", "\xff\xff\xff\xff", "\x10\3", "\x1f\x8b\x08", "\x7f", "\x80",
};

/* As images (whose labels it then is as well), and whatever it is. */
static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  char spec[512];
  sprint_population *population = NULL;
  sprint_file_info *info = NULL;
  (void)mutator;
  snprintf(spec, sizeof spec, "{kind: idx, images: %s, labels: %s}", path, path);
  if (sprint_population_load(context, spec, &population, NULL) == SPRINT_OK) sprint_population_free(population);
  sprint_status status = sprint_file_info_read(context, path, &info);
  sprint_file_info_free(info);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "idx",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 4000,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".idx",
                                 .feed = load});
}
