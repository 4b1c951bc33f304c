/* Deterministic mutation of small inputs, and what every fuzz test does with them: write the mutant to a file, feed it
 * to the library, and see to it that the answer is OK or one sentence. Meant for the sanitizer build, where a read out
 * of bounds, a leak or undefined behaviour ends the program. */
#ifndef SPRINT_TESTS_FUZZ_MUTATE_H
#define SPRINT_TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sprint.h"

enum { MUTATE_ROOM = 1 << 16 }; /* bytes of a mutant at most */

struct mutator {
  uint64_t state;            /* of the random numbers; a function of the seed */
  const char *const *tokens; /* words of the format, put in now and then */
  size_t n_tokens;
  unsigned char bytes[MUTATE_ROOM];
  size_t size;
};

/* A number below n, which is at least 1. */
size_t mutate_below(struct mutator *mutator, size_t n);

/* Loads the input and changes it in one to six places, mostly few: flips, deletions, repetitions, insertions, a cut. */
void mutate(struct mutator *mutator, const void *input, size_t size);

/* A fuzz test: what is fed, how often, and how. */
struct fuzz {
  const char *name;
  const char *const *tokens;
  size_t n_tokens;
  unsigned n_mutants; /* of each input */
  const struct fuzz_input {
    const char *bytes;
    size_t size;
  } * inputs;
  size_t n_inputs;
  const char *ending; /* of the file's name */
  /* Optional: changes or rejects (false) a mutant before it is written. */
  bool (*prepare)(struct mutator *mutator);
  /* Feeds the file at `path`; the context is new. */
  sprint_status (*feed)(sprint_context *context, const char *path, struct mutator *mutator);
};

/* Runs it in a folder of its own, which goes away; returns the exit code of the test. By seeded.c mutants are made as
 * above; by libfuzzer.c clang's libFuzzer makes them. */
int fuzz_run(const struct fuzz *fuzz);

/* Writes the mutant to the path and feeds it; whether the answer is good, and (*ret_ok) yes. */
bool fuzz_try(const struct fuzz *fuzz, struct mutator *mutator, const char *path, bool *ret_ok);

/* The bytes of a file; ends the program where there are none. */
struct fuzz_input fuzz_read(const char *path);

/* For `prepare`: whether the text has a number that could ask for a large population or network. Digits that come in
 * three at most, and no exponent, are small. */
bool fuzz_has_large_number(const unsigned char *text, size_t size);

#endif
