/* Options of the subcommands, and how complaints are made. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_failed(const sprint_context *context) {
  fprintf(stderr, "sprint: %s\n", sprint_context_error(context));
  return CLI_FAILED;
}

int cli_misused(const struct cli_command *command, const char *format, ...) {
  va_list args;
  fprintf(stderr, "sprint %s: ", command->name);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, "; usage: sprint %s %s\n", command->name, command->usage);
  return CLI_USAGE;
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

bool cli_has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at++) {
    bool begins = at == list || at[-1] == ' ', ends = at[length] == '\0' || at[length] == ' ';
    if (begins && ends) return true;
  }
  return false;
}

bool cli_whole(const char *text, int min, int max, int *ret_number) {
  char *end = NULL;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (errno || end == text || *end || n < min || n > max) return false;
  *ret_number = (int)n;
  return true;
}

static int set_threads(sprint_context *context, const struct cli_command *command, const char *text) {
  int n = 0;
  if (!cli_whole(text, 0, 1024, &n))
    return cli_misused(command, "--threads: '%s' is not a whole number within 0 .. 1024", text);
  return sprint_context_set_threads(context, n) == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const char *cli_value(const struct cli_options *options, const char *name) {
  for (size_t i = 0; i < options->n_named; i++)
    if (strcmp(options->named[i].name, name) == 0) return options->named[i].value;
  return NULL;
}

static int take_named(const struct cli_command *command, const char *name, const char *value,
                      struct cli_options *options) {
  if (!*value) return cli_misused(command, "option '--%s' needs a value", name);
  if (cli_value(options, name)) return cli_misused(command, "option '--%s' is there twice", name);
  if (options->n_named == CLI_MAX) return cli_misused(command, "more than %d options", CLI_MAX);
  snprintf(options->named[options->n_named].name, sizeof options->named[0].name, "%s", name);
  options->named[options->n_named++].value = value;
  return CLI_OK;
}

static int take_option(sprint_context *context, const struct cli_command *command, const char *name, const char *value,
                       struct cli_options *options) {
  if (strcmp(name, "threads") == 0) return set_threads(context, command, value);
  if (strcmp(name, "data") == 0 && *value)
    return sprint_context_set_data(context, value) == SPRINT_OK ? CLI_OK : cli_failed(context);
  if (strcmp(name, "plugin") == 0 && *value)
    return sprint_context_load_plugin(context, value) == SPRINT_OK ? CLI_OK : cli_failed(context);
  if (strcmp(name, "set") == 0) {
    if (options->n_sets == CLI_MAX - 1) return cli_misused(command, "more than %d --set options", CLI_MAX - 1);
    options->sets[options->n_sets++] = value;
    return CLI_OK;
  }
  if (cli_has_word(CLI_NAMED, name)) return take_named(command, name, value, options);
  if (strcmp(name, "budget") == 0) {
    if (options->n_budgets == CLI_MAX) return cli_misused(command, "more than %d --budget options", CLI_MAX);
    options->budgets[options->n_budgets++] = value;
    return CLI_OK;
  }
  const char **slot = strcmp(name, "out") == 0        ? &options->out
                      : strcmp(name, "params") == 0   ? &options->params
                      : strcmp(name, "deployed") == 0 ? &options->deployed
                      : strcmp(name, "dir") == 0      ? &options->dir
                      : strcmp(name, "seeds") == 0    ? &options->seeds
                      : strcmp(name, "jobs") == 0     ? &options->jobs
                      : strcmp(name, "methods") == 0  ? &options->methods
                      : strcmp(name, "by") == 0       ? &options->by
                                                      : &options->seed;
  if (!*value && strcmp(name, "seed") != 0) return cli_misused(command, "option '--%s' needs a value", name);
  *slot = value;
  return CLI_OK;
}

/* What may follow an option that can also do without. */
static bool is_list_of_numbers(const char *text) {
  if (strncmp(text, "steps=", strlen("steps=")) == 0) return true;
  return *text && strchr("0123456789.", *text) && strspn(text, "0123456789.eE+-,") == strlen(text);
}

static int take_long(sprint_context *context, const struct cli_command *command, char **argv, int argc, int *i,
                     struct cli_options *options) {
  char name[32];
  const char *text = argv[*i] + 2, *equals = strchr(text, '=');
  size_t length = equals ? (size_t)(equals - text) : strlen(text);
  if (length == 0 || length >= sizeof name) return cli_misused(command, "unknown option '%s'", argv[*i]);
  memcpy(name, text, length);
  name[length] = '\0';
  if (!cli_has_word(command->options, name)) return cli_misused(command, "unknown option '--%s'", name);
  if (strcmp(name, "quick") == 0) {
    if (equals) return cli_misused(command, "option '--%s' takes no value", name);
    options->quick = true;
    return CLI_OK;
  }
  if (strcmp(name, "tune") == 0) {
    bool follows = !equals && *i + 1 < argc && is_list_of_numbers(argv[*i + 1]);
    options->tune = equals ? equals + 1 : follows ? argv[++*i] : "";
    return CLI_OK;
  }
  const char *value = equals ? equals + 1 : *i + 1 < argc ? argv[++*i] : NULL;
  if (!value) return cli_misused(command, "option '--%s' needs a value", name);
  return take_option(context, command, name, value, options);
}

int cli_parse(sprint_context *context, const struct cli_command *command, int argc, char **argv,
              struct cli_options *ret_options, bool *ret_help) {
  bool plain = false; /* after -- */
  for (int i = 1; i < argc; i++) {
    if (!plain && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
      *ret_help = true;
      return CLI_OK;
    }
    if (!plain && strcmp(argv[i], "--") == 0) {
      plain = true;
    } else if (!plain && argv[i][0] == '-' && argv[i][1] == '-') {
      int code = take_long(context, command, argv, argc, &i, ret_options);
      if (code != CLI_OK) return code;
    } else if (!plain && argv[i][0] == '-' && argv[i][1]) {
      return cli_misused(command, "unknown option '%s'", argv[i]);
    } else if (ret_options->n_arguments == command->max_arguments) {
      return cli_misused(command, "'%s' is one argument too many", argv[i]);
    } else {
      ret_options->arguments[ret_options->n_arguments++] = argv[i];
    }
  }
  if (ret_options->n_arguments < command->min_arguments) return cli_misused(command, "an argument is missing");
  return CLI_OK;
}

sprint_status cli_load(sprint_context *context, const struct cli_options *options, sprint_experiment **ret_experiment) {
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
  return (options->quick ? sprint_experiment_load_quick : sprint_experiment_load)(context, options->arguments[0], sets,
                                                                                  n_sets, ret_experiment);
}
