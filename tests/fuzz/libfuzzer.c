/* A fuzz test under clang's libFuzzer, for as long as FUZZ_SECONDS says (default: 10): its inputs are the first corpus,
 * which grows in the folder FUZZ_CORPUS, and its tokens the dictionary. An answer that is not good, a crash, a leak, a
 * second too many or too much memory ends it, with the input in a file. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mutate.h"

extern int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t size));

/* libFuzzer's callback has no user's pointer. */
static const struct fuzz *now;
static char path[96];

static int feed(const uint8_t *bytes, size_t size) {
  static struct mutator mutator;
  bool ok;
  uint64_t state = 14695981039346656037u; /* what the input is fed by is settled by its bytes */
  for (size_t i = 0; i < size; i++) state = (state ^ bytes[i]) * 1099511628211u;
  mutator = (struct mutator){.state = state, .tokens = now->tokens, .n_tokens = now->n_tokens, .size = size};
  if (size > MUTATE_ROOM) return 0;
  if (size) memcpy(mutator.bytes, bytes, size);
  if (now->prepare && !now->prepare(&mutator)) return 0;
  if (!fuzz_try(now, &mutator, path, &ok)) abort();
  return 0;
}

static void put(const char *folder, const char *name, const char *mode, const char *bytes, size_t size) {
  char file[256];
  snprintf(file, sizeof file, "%s/%s", folder, name);
  FILE *stream = fopen(file, mode);
  if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) exit(2);
}

static void put_inputs(const struct fuzz *fuzz, const char *corpus) {
  for (size_t i = 0; i < fuzz->n_inputs; i++) {
    char name[32];
    snprintf(name, sizeof name, "input-%zu", i);
    put(corpus, name, "wb", fuzz->inputs[i].bytes, fuzz->inputs[i].size);
  }
}

static void put_tokens(const struct fuzz *fuzz, const char *folder) {
  put(folder, "tokens", "wb", "", 0);
  for (size_t i = 0; i < fuzz->n_tokens; i++) {
    char line[512] = "\"", byte[8];
    for (const char *at = fuzz->tokens[i]; *at && strlen(line) < 480; at++) {
      snprintf(byte, sizeof byte, "\\x%02x", (unsigned char)*at);
      strcat(line, byte);
    }
    strcat(line, "\"\n");
    if (fuzz->tokens[i][0]) put(folder, "tokens", "ab", line, strlen(line));
  }
}

int fuzz_run(const struct fuzz *fuzz) {
  char folder[] = "/tmp/sprint-fuzz-XXXXXX", seconds[64], dictionary[128], artifacts[128];
  char *corpus = getenv("FUZZ_CORPUS"), *limit = getenv("FUZZ_SECONDS");
  if (!corpus || !mkdtemp(folder) || (mkdir(corpus, 0777) != 0 && access(corpus, W_OK) != 0)) return 2;
  now = fuzz;
  snprintf(path, sizeof path, "%s/mutant%s", folder, fuzz->ending);
  put_inputs(fuzz, corpus);
  put_tokens(fuzz, folder);
  snprintf(seconds, sizeof seconds, "-max_total_time=%s", limit ? limit : "10");
  snprintf(dictionary, sizeof dictionary, "-dict=%s/tokens", folder);
  snprintf(artifacts, sizeof artifacts, "-artifact_prefix=%s-found-", fuzz->name);
  char *arguments[] = {(char *)fuzz->name,
                       seconds,
                       dictionary,
                       artifacts,
                       "-max_len=8192",
                       "-rss_limit_mb=2048",
                       "-timeout=20",
                       "-verbosity=1",
                       "-print_final_stats=1",
                       corpus,
                       NULL};
  int n = (int)(sizeof arguments / sizeof arguments[0]) - 1;
  char **words = arguments;
  return LLVMFuzzerRunDriver(&n, &words, feed);
}
