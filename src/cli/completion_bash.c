/* sprint completion bash. The script works out which command it is in, what the word before means, and what may stand
 * here; the tables are in case statements. */
#include <string.h>

#include "completion.h"

/* Bash cuts words at '=': they are joined again, and what it holds for done is taken off the answers. */
static const char head[] =
    "# bash completion for sprint, made by `sprint completion bash`\n"
    "_sprint() {\n"
    "  local raw=${COMP_WORDS[COMP_CWORD]} words=() word glued= i\n"
    "  for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "    word=${COMP_WORDS[i]}\n"
    "    if [[ ${#words[@]} -gt 0 && ( $word == = || $glued ) ]]; then words[${#words[@]}-1]+=$word; else "
    "words+=(\"$word\"); fi\n"
    "    glued=; [[ $word != = ]] || glued=1\n"
    "  done\n"
    "  [[ $raw != = ]] || raw=\n"
    "  local last=$((${#words[@]} - 1))\n"
    "  local cur=${words[last]} command=${words[0]} option= names= values= files= first=1\n"
    "  local cut=${cur%\"$raw\"}\n"
    "  COMPREPLY=()\n"
    "  if ((last == 0)); then\n";

static const char tail[] =
    "  if [[ $cur == --*=* ]]; then option=${cur%%=*}; cur=${cur#*=}; cut=${cut#\"$option=\"}; \n"
    "  elif ((last > first)) && [[ ${words[last-1]} == --* && ${words[last-1]} != *=* ]]; then "
    "option=${words[last-1]}; fi\n"
    "  local place=0 skip= word_at\n"
    "  for ((i = first; i < last; i++)); do\n"
    "    word_at=${words[i]}\n"
    "    if [[ $skip ]]; then skip=; elif [[ $word_at == --* ]]; then\n"
    "      [[ $word_at == *=* || \" $flags \" == *\" $word_at \"* ]] || skip=1\n"
    "    else place=$((place + 1)); fi\n"
    "  done\n"
    "  [[ \" $flags \" != *\" $option \"* ]] || option=\n"
    "  _sprint_value \"$command\" \"${option:-$place}\"\n"
    "  if [[ -z $option && $cur == -* ]]; then values=$names; files=; fi\n"
    "  if [[ $values ]]; then COMPREPLY=($(compgen -W \"$values\" -- \"$cur\")); fi\n"
    "  for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do COMPREPLY[i]=${COMPREPLY[i]#\"$cut\"}; done\n"
    "  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
    "  local pattern patterns=($files) IFS=$'\\n'\n"
    "  if [[ $files == any ]]; then COMPREPLY+=($(compgen -f -- \"$cur\")); patterns=();\n"
    "  elif [[ $files ]]; then COMPREPLY+=($(compgen -d -- \"$cur\")); fi\n"
    "  for pattern in \"${patterns[@]}\"; do COMPREPLY+=($(compgen -f -X \"!*$pattern\" -- \"$cur\")); done\n"
    "  [[ -z $files ]] || compopt -o filenames 2>/dev/null\n"
    "}\n"
    "complete -F _sprint sprint sprint-f64\n";

/* Sets `values` to words, and `files` to ends of names: "any", or those of nothing where folders are wanted. */
static void print_value(enum cli_kind kind, const char *choices) {
  const char *ends = kind == CLI_EXPERIMENT         ? ".yaml|.yml"
                     : kind == CLI_FOLDER           ? "/"
                     : kind == CLI_FILE && !choices ? "any"
                     : kind == CLI_FILE             ? choices
                                                    : "";
  fputs(" files='", stdout);
  for (const char *c = ends; *c; c++) putchar(*c == '|' ? ' ' : *c);
  fputs("' values='", stdout);
  cli_print_words(kind, choices, " ");
  fputs("' ;;\n", stdout);
}

static void print_values(const struct cli_command *command) {
  for (size_t i = 0; i < CLI_MAX_ARGUMENTS && command->arguments[i].word; i++) {
    bool last = i + 1 == CLI_MAX_ARGUMENTS || !command->arguments[i + 1].word;
    if (command->many && last)
      printf("    '%s/'[0-9]*)", command->name);
    else
      printf("    '%s/%zu')", command->name, i);
    print_value(command->arguments[i].kind, command->arguments[i].choices);
  }
  const struct cli_option *option;
  for (size_t at = 0; (option = cli_option_next(command, &at));) {
    if (option->kind == CLI_NOTHING) continue;
    if (option->kind == CLI_SETTING) continue;
    printf("    '%s/--%s')", command->name, option->name);
    print_value(option->kind, option->choices);
  }
}

static void print_names(const struct cli_command *command) {
  const struct cli_option *option;
  printf("    '%s') names='", command->name);
  for (size_t at = 0; (option = cli_option_next(command, &at));) printf("--%s ", option->name);
  fputs("--help' flags='--help", stdout);
  for (size_t at = 0; (option = cli_option_next(command, &at));)
    if (option->kind == CLI_NOTHING || option->optional) printf(" --%s", option->name);
  fputs("' ;;\n", stdout);
}

/* The first words of commands, and where there are two, the second. */
static void print_commands(void) {
  fputs("    COMPREPLY=($(compgen -W 'help --help --version", stdout);
  for (size_t i = 0; i < cli_n_commands; i++)
    if (cli_begins_group(i)) printf(" %.*s", cli_group_length(cli_commands[i]), cli_commands[i]->name);
  fputs("' -- \"$cur\"))\n    return\n  fi\n  case $command in\n", stdout);
  fputs("    help) COMPREPLY=($(compgen -W '", stdout);
  for (size_t i = 0; i < cli_n_commands; i++)
    if (cli_begins_group(i)) printf("%.*s ", cli_group_length(cli_commands[i]), cli_commands[i]->name);
  fputs("' -- \"$cur\")); return ;;\n", stdout);
  for (size_t i = 0; i < cli_n_commands; i++) {
    int length = cli_group_length(cli_commands[i]);
    if (!cli_begins_group(i) || !cli_commands[i]->name[length]) continue;
    printf("    %.*s)\n      if ((last == 1)); then COMPREPLY=($(compgen -W '", length, cli_commands[i]->name);
    for (size_t j = i; j < cli_n_commands && (j == i || !cli_begins_group(j)); j++)
      printf("%s ", cli_commands[j]->name + length + 1);
    fputs("' -- \"$cur\")); return; fi\n      command+=\" ${words[1]}\"; first=2 ;;\n", stdout);
  }
  fputs("  esac\n", stdout);
}

void cli_completion_bash(void) {
  fputs(head, stdout);
  print_commands();
  fputs("  local flags=\n  case $command in\n", stdout);
  for (size_t i = 0; i < cli_n_commands; i++) print_names(cli_commands[i]);
  fputs("  esac\n", stdout);
  fputs(tail, stdout);
  fputs(
      "\n# what may stand behind an option of a command, or in a place: sets `values` and `files` of its caller\n"
      "_sprint_value() {\n  case $1/$2 in\n    */--set) values='",
      stdout);
  cli_print_words(CLI_SETTING, NULL, " ");
  fputs("' ;;\n", stdout);
  for (size_t i = 0; i < cli_n_commands; i++) print_values(cli_commands[i]);
  fputs("  esac\n}\n", stdout);
}
