/* Batches of CIFAR-10, through sprint_file_info_read. */
#include <string.h>

#include "mutate.h"

enum { RECORD = 3073, N = 2 };

static const char *const tokens[] = {"\x09", "\x0a", "\xff"};

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  sprint_file_info *info = NULL;
  (void)mutator;
  sprint_status status = sprint_file_info_read(context, path, &info);
  sprint_file_info_free(info);
  return status;
}

int main(void) {
  static char batch[N * RECORD];
  for (size_t i = 0; i < sizeof batch; i++) batch[i] = (char)(i % RECORD ? i * 31 % 251 : i / RECORD * 7);
  const struct fuzz_input inputs[] = {{batch, sizeof batch}, {batch, RECORD}};
  return fuzz_run(&(struct fuzz){.name = "cifar10",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 500,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".bin",
                                 .feed = load});
}
