/* Archives, through the unpacking of `sprint data get`: nothing but the known member is written, by its own name. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fetch.h"
#include "mutate.h"

enum { BLOCK = 512, ROOM = 16 * BLOCK };

static const char *const tokens[] = {"inner/a.txt", "../a.txt",    "/tmp/a.txt",   "ustar",
                                     "0000644",     "00000000006", "\x1f\x8b\x08", "PK\x03\x04"};

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  static const struct fetch_member member = {"inner/a.txt", "unpacked.txt", 6, NULL, false};
  char folder[128], file[160];
  (void)mutator;
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  sprint_status status = fetch_unpack(context, path, &member, 1, folder);
  snprintf(file, sizeof file, "%s/unpacked.txt", folder);
  if ((status == SPRINT_OK) != (access(file, F_OK) == 0)) abort();
  unlink(file);
  strcat(file, ".part");
  if (access(file, F_OK) == 0) abort();
  return status;
}

/* One member of a tar file (POSIX.1-1988, ustar), from `at` on; returns where the next one begins. */
static size_t add_member(char *tar, size_t at, const char *name, const char *text) {
  char *header = tar + at;
  unsigned sum = 0;
  snprintf(header, 100, "%s", name);
  memcpy(header + 100, "0000644\0000000000\0000000000\000", 24);
  snprintf(header + 124, 12, "%011o", (unsigned)strlen(text));
  memcpy(header + 136, "00000000000\0        0", 21);
  memcpy(header + 257, "ustar\00000", 8);
  for (size_t i = 0; i < BLOCK; i++) sum += (unsigned char)header[i];
  snprintf(header + 148, 8, "%06o", sum);
  memcpy(header + BLOCK, text, strlen(text));
  return at + 2 * BLOCK;
}

int main(void) {
  static char tar[ROOM];
  size_t at = add_member(tar, 0, "inner/b.txt", "other\n");
  at = add_member(tar, at, "inner/a.txt", "first\n");
  const struct fuzz_input inputs[] = {{tar, at + 2 * BLOCK}};
  if (!freopen("/dev/null", "w", stdout)) return 2; /* what was unpacked is said there */
  return fuzz_run(&(struct fuzz){.name = "unpack",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 1500,
                                 .inputs = inputs,
                                 .n_inputs = 1,
                                 .ending = ".tar",
                                 .feed = load});
}
