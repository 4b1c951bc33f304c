/* Reads the command line by the table of options. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int unknown_option(const struct cli_command *command, const char *name) {
  const char *names[CLI_MAX];
  size_t n = 0;
  const struct cli_option *option;
  for (size_t at = 0; n < CLI_MAX && (option = cli_option_next(command, &at));) names[n++] = option->name;
  const char *near = sprint_nearest(name, names, n);
  for (size_t i = 0; i < cli_n_options; i++)
    if (strcmp(cli_option_table[i].name, name) == 0)
      return cli_misused(command, "unknown option '--%s': it is for sprint %.*s", name,
                         (int)strcspn(cli_option_table[i].commands, "|"), cli_option_table[i].commands);
  if (near) return cli_misused(command, "unknown option '--%s'; did you mean '--%s'?", name, near);
  return cli_misused(command, "unknown option '--%s'", name);
}

const char *cli_value(const struct cli_options *options, const char *name) {
  for (size_t i = 0; i < options->n_given; i++)
    if (strcmp(options->given[i].option->name, name) == 0) return options->given[i].value;
  return NULL;
}

int cli_jobs_option(const struct cli_command *command, const struct cli_options *options, int *ret_n_jobs) {
  if (!options->jobs || cli_whole(options->jobs, 1, 1024, ret_n_jobs)) return CLI_OK;
  return cli_misused(command, "--jobs: '%s' is not a whole number within 1 .. 1024", options->jobs);
}

int cli_checkpoint_option(const struct cli_command *command, const struct cli_options *options, double *ret_seconds) {
  const char *text = cli_value(options, "checkpoint");
  char *end = NULL;
  double seconds = text ? strtod(text, &end) : 0;
  if (text && (end == text || *end || !(seconds > 0) || !isfinite(seconds)))
    return cli_misused(command, "--checkpoint: '%s' is not a number of seconds above 0", text);
  *ret_seconds = seconds;
  return CLI_OK;
}

static int set_threads(sprint_context *context, const struct cli_command *command, const char *text) {
  int n = 0;
  if (!cli_whole(text, 0, 1024, &n))
    return cli_misused(command, "--threads: '%s' is not a whole number within 0 .. 1024", text);
  return sprint_context_set_threads(context, n) == SPRINT_OK ? CLI_OK : cli_failed(context);
}

static int set_memory(sprint_context *context, const struct cli_command *command, const char *text) {
  int mb = 0;
  if (!cli_whole(text, 1, INT_MAX, &mb))
    return cli_misused(command, "--memory: '%s' is not a whole number of MB, at least 1", text);
  return sprint_context_set_memory(context, (uint64_t)mb << 20) == SPRINT_OK ? CLI_OK : cli_failed(context);
}

/* What an option does beside being noted. */
static int take_effect(sprint_context *context, const struct cli_command *command, const struct cli_option *option,
                       const char *value, struct cli_options *options) {
  if (option->field && option->kind == CLI_NOTHING)
    *(bool *)((char *)options + option->field) = true;
  else if (option->field)
    *(const char **)((char *)options + option->field) = value;
  if (strcmp(option->name, "threads") == 0) return set_threads(context, command, value);
  if (strcmp(option->name, "memory") == 0) return set_memory(context, command, value);
  if (strcmp(option->name, "set") == 0) options->sets[options->n_sets++] = value;
  if (strcmp(option->name, "budget") == 0) options->budgets[options->n_budgets++] = value;
  sprint_status status = strcmp(option->name, "data") == 0     ? sprint_context_set_data(context, value)
                         : strcmp(option->name, "plugin") == 0 ? sprint_context_load_plugin(context, value)
                                                               : SPRINT_OK;
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

static int take(sprint_context *context, const struct cli_command *command, const struct cli_option *option,
                const char *value, struct cli_options *options) {
  bool empty_is_said = option->kind == CLI_NOTHING || option->kind == CLI_NUMBER || option->optional;
  if (!*value && !empty_is_said) return cli_misused(command, "option '--%s' needs a value", option->name);
  if (!option->often && cli_value(options, option->name))
    return cli_misused(command, "option '--%s' is there twice", option->name);
  /* one place is kept free in the lists, for what --seed adds */
  if (options->n_given == CLI_MAX - 1) return cli_misused(command, "more than %d options", CLI_MAX - 1);
  options->given[options->n_given].option = option;
  options->given[options->n_given++].value = value;
  return take_effect(context, command, option, value, options);
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
  const struct cli_option *option = cli_option_find(command, name);
  if (!option) return unknown_option(command, name);
  if (option->kind == CLI_NOTHING && equals) return cli_misused(command, "option '--%s' takes no value", name);
  bool follows = !equals && *i + 1 < argc && option->kind != CLI_NOTHING &&
                 (!option->optional || is_list_of_numbers(argv[*i + 1]));
  const char *value = equals ? equals + 1 : follows ? argv[++*i] : NULL;
  bool needs = option->kind != CLI_NOTHING && !option->optional;
  if (!value && needs) return cli_misused(command, "option '--%s' needs a value", name);
  return take(context, command, option, value ? value : "", options);
}

/* Says which options must be there, if one of them is not. */
static int check_required(const struct cli_command *command, const struct cli_options *options) {
  char needed[256] = "";
  size_t n = 0, length = 0;
  bool missing = false;
  const struct cli_option *option;
  for (size_t at = 0; (option = cli_option_next(command, &at));) {
    if (!option->required) continue;
    length += (size_t)snprintf(needed + length, sizeof needed - length, "%s--%s %s", n++ ? " and " : "", option->name,
                               option->value);
    missing = missing || !cli_value(options, option->name);
  }
  return missing ? cli_misused(command, "%s %s needed", needed, n == 1 ? "is" : "are") : CLI_OK;
}

static size_t max_arguments(const struct cli_command *command) {
  size_t n = 0;
  while (n < CLI_MAX_ARGUMENTS && command->arguments[n].word) n++;
  return command->many ? CLI_MAX : n;
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
    } else if (ret_options->n_arguments == max_arguments(command)) {
      return cli_misused(command, "'%s' is one argument too many", argv[i]);
    } else {
      ret_options->arguments[ret_options->n_arguments++] = argv[i];
    }
  }
  if (ret_options->n_arguments < command->min_arguments) return cli_misused(command, "an argument is missing");
  return check_required(command, ret_options);
}
