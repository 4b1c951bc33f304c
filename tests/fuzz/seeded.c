/* A fuzz test as a test of the suite: so many mutants of each input, the same ones every time. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mutate.h"

/* Whether an input is taken as it is, at least by one of the ways in which it may be fed; else its mutants test little.
 */
static bool takes_input(const struct fuzz *fuzz, size_t i, const char *path) {
  bool ok = false;
  for (unsigned k = 0; k < 50 && !ok; k++) {
    struct mutator plain = {.state = k, .size = fuzz->inputs[i].size};
    memcpy(plain.bytes, fuzz->inputs[i].bytes, plain.size);
    if (!fuzz_try(fuzz, &plain, path, &ok)) return false;
  }
  if (!ok) fprintf(stderr, "%s: input %zu is refused\n", fuzz->name, i);
  return ok;
}

int fuzz_run(const struct fuzz *fuzz) {
  char folder[] = "/tmp/sprint-fuzz-XXXXXX", path[96];
  static struct mutator mutator;
  size_t n_fed = 0, n_ok = 0, n_wrong = 0;
  if (!mkdtemp(folder)) return 2;
  snprintf(path, sizeof path, "%s/mutant%s", folder, fuzz->ending);
  for (size_t i = 0; i < fuzz->n_inputs; i++) {
    n_wrong += !takes_input(fuzz, i, path);
    for (unsigned k = 0; k < fuzz->n_mutants; k++) {
      bool ok = false;
      mutator = (struct mutator){.state = 1000003u * i + k, .tokens = fuzz->tokens, .n_tokens = fuzz->n_tokens};
      mutate(&mutator, fuzz->inputs[i].bytes, fuzz->inputs[i].size);
      if (fuzz->prepare && !fuzz->prepare(&mutator)) continue;
      n_fed++;
      n_wrong += !fuzz_try(fuzz, &mutator, path, &ok);
      n_ok += ok;
    }
  }
  unlink(path);
  rmdir(folder);
  printf("%s: %zu mutants, %zu taken, %zu refused, %zu answered badly\n", fuzz->name, n_fed, n_ok, n_fed - n_ok,
         n_wrong);
  return n_wrong ? 1 : 0;
}
