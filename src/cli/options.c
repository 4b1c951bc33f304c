/* What all commands need: complaints, memory, numbers, the experiment that options speak of. */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_failed(const sprint_context *context) {
  cli_print(stderr, "sprint: %s\n", sprint_context_error(context));
  return CLI_FAILED;
}

static _Noreturn void run_out_of_memory(void) {
  fputs("sprint: out of memory\n", stderr);
  exit(CLI_FAILED);
}

void *cli_room(size_t n, size_t size) {
  void *memory = calloc(n ? n : 1, size);
  if (!memory) run_out_of_memory();
  return memory;
}

/* For jansson, of which nobody checks every value. */
static void *room_for_json(size_t size) {
  void *memory = malloc(size);
  if (!memory) run_out_of_memory();
  return memory;
}

void cli_watch_json(void) { json_set_alloc_funcs(room_for_json, free); }

char *cli_format(const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (!text) run_out_of_memory();
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

bool cli_whole(const char *text, int min, int max, int *ret_number) {
  char *end = NULL;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (errno || end == text || *end || n < min || n > max) return false;
  *ret_number = (int)n;
  return true;
}

static sprint_status load(sprint_context *context, const struct cli_options *options, bool one_point,
                          sprint_experiment **ret_experiment) {
  const char *sets[CLI_MAX];
  char seeds[512];
  size_t n_sets = options->n_sets;
  memcpy(sets, options->sets, n_sets * sizeof *sets);
  if (options->seed) {
    if (!*options->seed || strlen(options->seed) > 20 || strspn(options->seed, "0123456789") != strlen(options->seed))
      return sprint_fail(context, SPRINT_ERROR_INPUT, "--seed: '%s' is not a whole number of at least 0",
                         options->seed);
    snprintf(seeds, sizeof seeds, "seeds=[%s]", options->seed);
    sets[n_sets++] = seeds;
  } else if (options->seeds) {
    if (strlen(options->seeds) > 500 || strspn(options->seeds, "0123456789,") != strlen(options->seeds))
      return sprint_fail(context, SPRINT_ERROR_INPUT, "--seeds: '%s' is not a list of whole numbers such as 2024,2025",
                         options->seeds);
    snprintf(seeds, sizeof seeds, "seeds=[%s]", options->seeds);
    sets[n_sets++] = seeds;
  }
  const sprint_experiment_options over = {
      .size = sizeof over, .quick = options->quick, .sets = sets, .n_sets = n_sets, .one_point = one_point};
  return sprint_experiment_open(context, options->arguments[0], &over, ret_experiment);
}

sprint_status cli_load(sprint_context *context, const struct cli_options *options, sprint_experiment **ret_experiment) {
  return load(context, options, false, ret_experiment);
}

sprint_status cli_load_point(sprint_context *context, const struct cli_options *options,
                             sprint_experiment **ret_experiment) {
  return load(context, options, true, ret_experiment);
}
