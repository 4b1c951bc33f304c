/* sprint list: every kind with its parameters, from the tables that parse them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void print_range(const sprint_param *param) {
  bool from = param->min > -DBL_MAX, to = param->max < DBL_MAX;
  if (param->min == 0 && param->max == 0) return;
  if (from && param->min == DBL_MIN)
    fputs(" above 0", stdout);
  else if (from)
    printf(" from %.10g", param->min);
  if (to) printf(" to %.10g", param->max);
}

static void print_type(const sprint_param *param) {
  static const char *const words[] = {
      [SPRINT_PARAM_BOOL] = "true or false",    [SPRINT_PARAM_INTEGER] = "whole number",
      [SPRINT_PARAM_REAL] = "number",           [SPRINT_PARAM_TEXT] = "text",
      [SPRINT_PARAM_CHOICE] = "one of ",        [SPRINT_PARAM_TEXTS] = "list of texts",
      [SPRINT_PARAM_REALS] = "list of numbers", [SPRINT_PARAM_NUMBERS] = "map from names to numbers",
      [SPRINT_PARAM_MAPS] = "list of mappings", [SPRINT_PARAM_RANGES] = "map from names to [low, high]",
      [SPRINT_PARAM_MAP] = "mapping",           [SPRINT_PARAM_KIND] = "section, see `sprint list ",
  };
  bool pairs = param->type == SPRINT_PARAM_NUMBERS || param->type == SPRINT_PARAM_RANGES;
  fputs(words[param->type], stdout);
  if (pairs && param->choices) fputs(" or ", stdout);
  if (param->choices) fputs(param->choices, stdout);
  if (param->type == SPRINT_PARAM_KIND) cli_print(stdout, "%s`", param->family->name);
  if (param->type == SPRINT_PARAM_INTEGER || param->type == SPRINT_PARAM_REAL || param->type == SPRINT_PARAM_REALS)
    print_range(param);
}

static void print_params(const sprint_param *params, size_t n) {
  for (size_t i = 0; i < n; i++) {
    cli_print(stdout, "      %-16s ", params[i].name);
    print_type(&params[i]);
    if (!params[i].standard)
      fputs(", required", stdout);
    else if (params[i].standard[0])
      cli_print(stdout, ", default %s", params[i].standard);
    cli_print(stdout, "\n%23s%s\n", "", params[i].help ? params[i].help : "");
  }
}

/* What a researcher asks of a method. */
static void print_facts(const sprint_kind *kind) {
  if (kind->cost) cli_print(stdout, "      cost: %s\n", kind->cost);
  if (kind->memory) cli_print(stdout, "      memory: %s (d parameters, n individuals, batch b)\n", kind->memory);
  if (kind->optimal) puts("      seeks: the performative optimum, not a stable point");
  if (kind->cites) cli_print(stdout, "      see: %s\n", kind->cites);
}

static void print_family(const sprint_context *context, const sprint_family *family) {
  cli_print(stdout, "%s: %s%s%s%s\n", family->name, family->help, family->key[0] ? " (config key `" : "", family->key,
            family->key[0] ? "`)" : "");
  for (size_t i = 0; i < sprint_context_n_kinds(context, family); i++) {
    const sprint_kind *kind = sprint_context_kind(context, family, i);
    bool standard = family->standard && strcmp(family->standard, kind->name) == 0;
    if (kind->name[0]) cli_print(stdout, "  %s: %s%s\n", kind->name, kind->help, standard ? " (the default)" : "");
    print_facts(kind);
    print_params(kind->params, kind->n_params);
  }
  if (family->n_params) puts("  shared by all of them:");
  print_params(family->params, family->n_params);
}

/* Whether one is the other with this at its end. */
static bool adds(const char *longer, const char *word, const char *end) {
  size_t length = strlen(word);
  return length > 0 && strncmp(longer, word, length) == 0 && strcmp(longer + length, end) == 0;
}

bool cli_is_family(const sprint_family *family, const char *word) {
  const char *within = strrchr(family->key, '.'); /* model.loss */
  if (!*word) return false;
  return strcmp(family->name, word) == 0 || strcmp(family->key, word) == 0 ||
         (within && strcmp(within + 1, word) == 0) || adds(family->name, word, "s") || adds(family->name, word, "es") ||
         adds(word, family->name, "s");
}

static int unknown_family(const struct cli_command *command, const char *word, const sprint_family *const *families,
                          size_t n) {
  const char *names[CLI_MAX];
  size_t n_names = 0;
  char *all = cli_format("%s", families[0]->name);
  for (size_t i = 0; i < n && n_names + 2 <= CLI_MAX; i++) {
    names[n_names++] = families[i]->name;
    names[n_names++] = families[i]->key;
  }
  for (size_t i = 1; i < n; i++) {
    char *longer = cli_format("%s, %s", all, families[i]->name);
    free(all);
    all = longer;
  }
  const char *near = sprint_nearest(word, names, n_names);
  int code =
      near ? cli_misused(command, "'%s' is not a family of kinds; did you mean '%s'? (one of %s)", word, near, all)
           : cli_misused(command, "'%s' is not a family of kinds (one of %s)", word, all);
  free(all);
  return code;
}

static int list_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  size_t n = 0;
  const sprint_family *const *families = sprint_families(&n);
  const char *wanted = options->n_arguments ? options->arguments[0] : NULL;
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    if (wanted && !cli_is_family(families[i], wanted)) continue;
    if (found) putchar('\n');
    print_family(context, families[i]);
    found = true;
    if (wanted && strcmp(families[i]->name, "models") == 0)
      wanted = "layers"; /* a model is its section and its layers */
  }
  return found ? CLI_OK : unknown_family(command, wanted, families, n);
}

const struct cli_command cli_list = {
    "list", "every kind with its parameters, defaults and meaning", list_run, {{"FAMILY", CLI_FAMILY}}, 0,
};
