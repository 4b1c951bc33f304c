/* sprint completion zsh: _arguments for every command. */
#include "completion.h"

/* The action behind a value: words, files by their ends, folders. */
static void print_action(enum cli_kind kind, const char *choices) {
  if (kind == CLI_SETTING) {
    fputs("_sprint_settings", stdout);
  } else if (kind == CLI_FOLDER) {
    fputs("_files -/", stdout);
  } else if (kind == CLI_FILE && choices) {
    fputs("_files -g \"*(", stdout);
    for (const char *c = choices; *c; c++) putchar(*c);
    fputs(")(-.)\"", stdout);
  } else if (kind == CLI_FILE) {
    fputs("_files", stdout);
  } else if (kind == CLI_EXPERIMENT) {
    fputs("_sprint_experiments", stdout);
  } else if (kind == CLI_CHOICE || kind == CLI_FAMILY || kind == CLI_SET) {
    putchar('(');
    cli_print_words(kind, choices, " ");
    putchar(')');
  } else {
    putchar(' ');
  }
}

static void print_option(const struct cli_option *option) {
  printf(" \\\n        '%s--%s%s[", option->often ? "*" : "", option->name, option->kind == CLI_NOTHING ? "" : "=");
  cli_print_plain(option->help);
  putchar(']');
  if (option->kind != CLI_NOTHING) {
    fputs(option->optional ? "::" : ":", stdout);
    cli_print_plain(option->value);
    putchar(':');
    print_action(option->kind, option->choices);
  }
  putchar('\'');
}

static void print_command(const struct cli_command *command) {
  printf("    '%s')\n      _arguments '--help[how it is called]'", command->name);
  const struct cli_option *option;
  for (size_t at = 0; (option = cli_option_next(command, &at));) print_option(option);
  for (size_t i = 0; i < CLI_MAX_ARGUMENTS && command->arguments[i].word; i++) {
    bool last = i + 1 == CLI_MAX_ARGUMENTS || !command->arguments[i + 1].word;
    if (command->many && last)
      fputs(" \\\n        '*:", stdout);
    else
      printf(" \\\n        '%zu:%s", i + 1, i < command->min_arguments ? "" : ":");
    cli_print_plain(command->arguments[i].word);
    putchar(':');
    print_action(command->arguments[i].kind, command->arguments[i].choices);
    putchar('\'');
  }
  fputs(" ;;\n", stdout);
}

static void print_described(const char *name, int length, const char *summary) {
  printf("    '%.*s:", length, name);
  cli_print_plain(summary);
  fputs("'\n", stdout);
}

static void print_lists(void) {
  fputs("  local -a commands=(\n    'help:how a command is called'\n", stdout);
  for (size_t i = 0; i < cli_n_commands; i++)
    if (cli_begins_group(i))
      print_described(cli_commands[i]->name, cli_group_length(cli_commands[i]), cli_commands[i]->summary);
  fputs("  )\n", stdout);
  for (size_t i = 0; i < cli_n_commands; i++) {
    int length = cli_group_length(cli_commands[i]);
    if (!cli_begins_group(i) || !cli_commands[i]->name[length]) continue;
    printf("  local -a of_%.*s=(\n", length, cli_commands[i]->name);
    for (size_t j = i; j < cli_n_commands && (j == i || !cli_begins_group(j)); j++)
      print_described(cli_commands[j]->name + length + 1, 64, cli_commands[j]->summary);
    fputs("  )\n", stdout);
  }
}

/* Words shift by the command's name, as _arguments counts from there. */
static void print_groups(void) {
  for (size_t i = 0; i < cli_n_commands; i++) {
    int length = cli_group_length(cli_commands[i]);
    const char *name = cli_commands[i]->name;
    if (!cli_begins_group(i) || !name[length]) continue;
    printf(
        "  if [[ $command == %.*s ]]; then\n    if (( CURRENT == 2 )); then _describe command of_%.*s; return; fi\n"
        "    command+=\" $words[2]\"; shift words; (( CURRENT-- ))\n  fi\n",
        length, name, length, name);
  }
}

void cli_completion_zsh(void) {
  fputs(
      "#compdef sprint sprint-f64\n# zsh completion for sprint, made by `sprint completion zsh`\n"
      "_sprint_settings() {\n  local -a settings=(",
      stdout);
  cli_print_words(CLI_SETTING, NULL, "\n    ");
  fputs(
      "\n  )\n  compadd -S '' -a settings\n}\n"
      "_sprint_experiments() {\n  compadd credit mnist mnist-mild cifar10 cifar10-mild all\n  _files -g '*.(yaml|yml)(-.)'\n}\n_sprint() {\n",
      stdout);
  print_lists();
  fputs(
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  local command=$words[2]\n  shift words; (( CURRENT-- ))\n"
      "  if [[ $command == help ]]; then _describe command commands; return; fi\n",
      stdout);
  print_groups();
  fputs("  case $command in\n", stdout);
  for (size_t i = 0; i < cli_n_commands; i++) print_command(cli_commands[i]);
  fputs(
      "  esac\n}\nif [[ $funcstack[1] == _sprint ]]; then _sprint \"$@\"; else compdef _sprint sprint sprint-f64; fi\n",
      stdout);
}
