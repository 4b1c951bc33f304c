/* The files of a run as figures, progress and pages read them: a mutant is trace.csv, a line of dashes, timing.csv,
 * another such line, and run.json. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mutate.h"
#include "small_run.h"

static const char dashes[] = "\n----\n";
static const char *const names[] = {"trace.csv", "timing.csv", "run.json"};
enum { N_NAMES = sizeof names / sizeof names[0] };

static void put(const char *folder, const char *name, const unsigned char *bytes, size_t size) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *stream = fopen(path, "wb");
  if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) exit(2);
}

/* Bytes up to the next dashes. */
static size_t up_to_dashes(const unsigned char *bytes, size_t size) {
  size_t n = sizeof dashes - 1;
  for (size_t i = 0; i + n <= size; i++)
    if (memcmp(bytes + i, dashes, n) == 0) return i;
  return size;
}

static void put_files(const char *folder, const struct mutator *mutator) {
  const unsigned char *at = mutator->bytes, *end = at + mutator->size;
  for (size_t i = 0; i < N_NAMES && at <= end; i++) {
    size_t size = i + 1 < N_NAMES ? up_to_dashes(at, (size_t)(end - at)) : (size_t)(end - at);
    put(folder, names[i], at, size);
    at += size + (at + size < end ? sizeof dashes - 1 : 1);
  }
}

/* A line must be one. */
static void hear(void *user, const char *line) {
  (void)user;
  if (strchr(line, '\n')) abort();
}

static sprint_status show(sprint_context *context, const char *path, struct mutator *mutator) {
  char folder[128], run[160], page[192];
  size_t going;
  (void)path;
  small_folder_new(folder, sizeof folder);
  snprintf(run, sizeof run, "%s/seed-1", folder);
  snprintf(page, sizeof page, "%s/page.html", folder);
  if (mkdir(run, 0777) != 0) exit(2);
  put_files(run, mutator);
  const char *const folders[] = {folder};
  sprint_plot_options options = {
      .size = sizeof options, .folders = folders, .n_folders = 1, .y = "loss,gradient_sq", .complain = hear};
  sprint_status status = sprint_plot_print(context, &options, hear);
  sprint_progress_print(context, &options, hear, &going);
  if (!sprint_report_missing()) sprint_report_write(context, folder, page, NULL);
  small_folder_remove(folder);
  return status;
}

/* What a run saves, in one text. */
static struct fuzz_input saved_by(const char *run_spec) {
  char folder[128], path[192];
  sprint_context *context = NULL;
  char *bytes = calloc(1, MUTATE_ROOM);
  size_t size = 0;
  if (!bytes || sprint_context_new(&context) != SPRINT_OK) exit(2);
  small_folder_new(folder, sizeof folder);
  struct small_run small =
      small_run_new(context, "{kind: lending, n: 30}", "{layers: dense 1}", "{kind: none}", run_spec);
  if (sprint_run_go(small.run, NULL, NULL) != SPRINT_OK || sprint_run_save(small.run, folder) != SPRINT_OK) exit(2);
  small_run_free(&small);
  sprint_context_free(context);
  for (size_t i = 0; i < N_NAMES; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    struct fuzz_input input = fuzz_read(path);
    if (size + input.size + sizeof dashes > MUTATE_ROOM) exit(2);
    memcpy(bytes + size, input.bytes, input.size);
    size += input.size;
    if (i + 1 < N_NAMES) memcpy(bytes + size, dashes, sizeof dashes - 1);
    if (i + 1 < N_NAMES) size += sizeof dashes - 1;
    free((void *)input.bytes);
  }
  small_folder_remove(folder);
  return (struct fuzz_input){bytes, size};
}

int main(void) {
  static const char short_one[] =
      "epoch,loss,gradient_sq\n0,1,2\n1,0.5,1e-3\n\n----\nepoch,seconds\n0,0\n1,0.1\n\n----\n"
      "{\"stop\": \"epochs\", \"final\": {\"epoch\": 1}}";
  static const char *const tokens[] = {
      "epoch", "loss", "seconds", "nan", "inf", "-1",        "1e308",      "1e-320",      ",",        "\n",      "\r\n",
      "\"",    "----", "null",    "{",   "[",   "\"stop\":", "\"final\":", "\"config\":", "diverged", "\x1b[31m"};
  const struct fuzz_input inputs[] = {saved_by("{method: sgd, stop: {epochs: 3}}"), {short_one, sizeof short_one - 1}};
  int code = fuzz_run(&(struct fuzz){.name = "trace",
                                     .tokens = tokens,
                                     .n_tokens = sizeof tokens / sizeof tokens[0],
                                     .n_mutants = 400,
                                     .inputs = inputs,
                                     .n_inputs = sizeof inputs / sizeof inputs[0],
                                     .ending = ".txt",
                                     .feed = show});
  free((void *)inputs[0].bytes);
  return code;
}
