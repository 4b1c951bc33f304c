/* sprint completion: the words of every kind of value. */
#include <stdlib.h>
#include <string.h>

#include "completion.h"
#include "fetch_sets.h"

struct taking {
  cli_word_taker take;
  void *user;
  const char *key; /* "shift.alpha" */
};

static void take_value(void *user, const char *value) {
  const struct taking *taking = user;
  char *word = cli_format("%s=%s", taking->key, value);
  taking->take(taking->user, word);
  free(word);
}

/* "SECTION.NAME=", and with every value where there are choices; "NAME=" where there is no section. */
static void take_param(const struct taking *taking, const char *section, const sprint_param *param) {
  char *key = cli_format("%s%s%s", section, *section ? "." : "", param->name);
  struct taking own = {taking->take, taking->user, key};
  take_value(&own, "");
  if (param->choices) cli_each_word(param->choices, take_value, &own);
  if (param->type == SPRINT_PARAM_BOOL) cli_each_word("true|false", take_value, &own);
  free(key);
}

static bool is_there(const sprint_kind *const *kinds, size_t n, const char *name) {
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < kinds[k]->n_params; i++)
      if (strcmp(kinds[k]->params[i].name, name) == 0) return true;
  return false;
}

/* Of a family: the section by the name of a kind, its kind, and the keys of all kinds, each once. */
static void take_family(const struct taking *taking, const sprint_family *family) {
  struct taking own = {taking->take, taking->user, family->key};
  char *kind_key = cli_format("%s.kind", family->key);
  for (size_t k = 0; k < family->n_kinds && *family->kinds[0]->name && *family->key; k++) {
    own.key = family->key;
    take_value(&own, family->kinds[k]->name);
    own.key = kind_key;
    take_value(&own, family->kinds[k]->name);
  }
  free(kind_key);
  for (size_t i = 0; i < family->n_params; i++) take_param(taking, family->key, &family->params[i]);
  for (size_t k = 0; k < family->n_kinds; k++)
    for (size_t i = 0; i < family->kinds[k]->n_params; i++)
      if (!is_there(family->kinds, k, family->kinds[k]->params[i].name))
        take_param(taking, family->key, &family->kinds[k]->params[i]);
}

static void take_families(const struct taking *taking, bool settings) {
  size_t n = 0;
  const sprint_family *const *families = sprint_families(&n);
  for (size_t i = 0; i < n; i++) {
    if (!settings)
      taking->take(taking->user, families[i]->name);
    else if (strcmp(families[i]->name, "layers") != 0) /* what stands in a list has no keys */
      take_family(taking, families[i]);
  }
}

void cli_words(enum cli_kind kind, const char *choices, cli_word_taker take, void *user) {
  struct taking taking = {take, user, ""};
  if (kind == CLI_FAMILY || kind == CLI_SETTING) take_families(&taking, kind == CLI_SETTING);
  for (size_t i = 0; kind == CLI_SET && i < n_fetch_sets; i++) take(user, fetch_sets[i]->name);
  if (kind == CLI_CHOICE || kind == CLI_EXPERIMENT) cli_each_word(choices, take, user);
}

static void print_word(void *user, const char *word) { printf("%s%s", (const char *)user, word); }

void cli_print_words(enum cli_kind kind, const char *choices, const char *before) {
  cli_words(kind, choices, print_word, (void *)(uintptr_t)before);
}

int cli_group_length(const struct cli_command *command) { return (int)strcspn(command->name, " "); }

bool cli_begins_group(size_t command) {
  const char *name = cli_commands[command]->name;
  int length = cli_group_length(cli_commands[command]);
  if (command == 0) return true;
  const char *before = cli_commands[command - 1]->name;
  return cli_group_length(cli_commands[command - 1]) != length || strncmp(name, before, (size_t)length) != 0;
}

void cli_print_plain(const char *text) {
  for (; *text; text++)
    if (*text == '[' || *text == ']')
      putchar(*text == '[' ? '(' : ')');
    else if (!strchr("'`:\\", *text))
      putchar(*text);
}
