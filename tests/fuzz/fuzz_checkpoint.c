/* Checkpoints, through sprint_run_keep and sprint_run_go. A mutant is the number of a run below, and the parts of a
 * checkpoint; what is in front of them and the sum at the end are put there as they should be, or nothing would come
 * further than these. */
#define _XOPEN_SOURCE 700
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mutate.h"
#include "small_run.h"

enum { DIGITS = 64 };

/* Runs of 30 people whose checkpoints hold different things. */
static const struct {
  const char *shift, *run;
} runs[] = {
    {"{kind: none}", "{method: {kind: sprint, batch: 4}, stop: {epochs: 2}}"},
    {"{kind: decay, rate: 0.5, of: {kind: linear, epsilon: 0.1}}",
     "{method: {kind: saga, batch: 4}, step: {kind: momentum}, stop: {epochs: 2}}"},
    {"{kind: none}", "{method: {kind: page, correction: stratified, batch: 4}, step: {kind: adam}, stop: {epochs: 2}}"},
};
enum { N_RUNS = sizeof runs / sizeof runs[0] };

static struct fuzz_input fronts[N_RUNS]; /* of their checkpoints: the line and the identity */

static struct small_run run_of(sprint_context *context, size_t i) {
  return small_run_new(context, "{kind: gaussian, n: 30, d: 3}", "{layers: dense 1, loss: squared}", runs[i].shift,
                       runs[i].run);
}

/* To the end, where that is near: who is stopped writes a checkpoint and waits for the disk. */
static bool go_on_for_a_while(void *user, const sprint_run *run, const sprint_trace_row *row,
                              const sprint_counters *cost) {
  unsigned *n = user;
  (void)run, (void)row, (void)cost;
  return ++*n < 30;
}

static void put_sum(struct sha256_ctx *sum, FILE *stream) {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(sum, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; i++) fprintf(stream, "%02x", digest[i]);
}

static void put_checkpoint(const char *path, const struct fuzz_input *front, const struct mutator *mutator) {
  struct sha256_ctx sum;
  FILE *stream = fopen(path, "wb");
  if (!stream) exit(2);
  sha256_init(&sum);
  sha256_update(&sum, front->size, (const uint8_t *)front->bytes);
  sha256_update(&sum, mutator->size - 1, mutator->bytes + 1);
  fwrite(front->bytes, 1, front->size, stream);
  fwrite(mutator->bytes + 1, 1, mutator->size - 1, stream);
  put_sum(&sum, stream);
  if (fclose(stream) != 0) exit(2);
}

static bool has_number(struct mutator *mutator) { return mutator->size > 0; }

static sprint_status take_up(sprint_context *context, const char *path, struct mutator *mutator) {
  char folder[128], unfinished[160], file[192];
  size_t i = mutator->bytes[0] % N_RUNS;
  unsigned n = 0;
  (void)path;
  small_folder_new(folder, sizeof folder);
  snprintf(unfinished, sizeof unfinished, "%s/unfinished", folder);
  snprintf(file, sizeof file, "%s/checkpoint", unfinished);
  if (mkdir(unfinished, 0777) != 0) exit(2);
  put_checkpoint(file, &fronts[i], mutator);
  struct small_run small = run_of(context, i);
  sprint_status status = sprint_run_keep(small.run, folder, NULL);
  if (status == SPRINT_OK) status = sprint_run_go(small.run, go_on_for_a_while, &n);
  small_run_free(&small);
  small_folder_remove(folder);
  return status;
}

static bool stop_at_once(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)user, (void)run, (void)cost;
  return !row || row->epoch < 1;
}

/* The checkpoint of a run that was stopped after an epoch: its front is kept, the rest is an input. */
static struct fuzz_input checkpoint_of(size_t i) {
  char folder[128], path[192];
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) exit(2);
  small_folder_new(folder, sizeof folder);
  struct small_run small = run_of(context, i);
  if (sprint_run_keep(small.run, folder, NULL) != SPRINT_OK ||
      sprint_run_go(small.run, stop_at_once, NULL) != SPRINT_OK)
    exit(2);
  small_run_free(&small);
  sprint_context_free(context);
  snprintf(path, sizeof path, "%s/unfinished/checkpoint", folder);
  struct fuzz_input whole = fuzz_read(path);
  small_folder_remove(folder);
  uint64_t length;
  size_t line = (size_t)((const char *)memchr(whole.bytes, '\n', whole.size) - whole.bytes) + 1;
  memcpy(&length, whole.bytes + line, sizeof length);
  size_t front = line + sizeof length + (size_t)length, n_parts = whole.size - front - DIGITS;
  char *input = malloc(n_parts + 1);
  if (!input) exit(2);
  input[0] = (char)i;
  memcpy(input + 1, whole.bytes + front, n_parts);
  fronts[i] = (struct fuzz_input){whole.bytes, front};
  return (struct fuzz_input){input, n_parts + 1};
}

int main(void) {
  static const char *const tokens[] = {"\xff\xff\xff\xff\xff\xff\xff\xff", "\x7f\xf0", "run->n_rows", "theta"};
  struct fuzz_input inputs[N_RUNS];
  for (size_t i = 0; i < N_RUNS; i++) inputs[i] = checkpoint_of(i);
  int code = fuzz_run(&(struct fuzz){.name = "checkpoint",
                                     .tokens = tokens,
                                     .n_tokens = sizeof tokens / sizeof tokens[0],
                                     .n_mutants = 2000,
                                     .inputs = inputs,
                                     .n_inputs = N_RUNS,
                                     .ending = ".checkpoint",
                                     .prepare = has_number,
                                     .feed = take_up});
  for (size_t i = 0; i < N_RUNS; i++) {
    free((void *)inputs[i].bytes);
    free((void *)fronts[i].bytes);
  }
  return code;
}
