/* sprint completion fish: a line for every command, option and argument. */
#include <string.h>

#include "completion.h"

static const char head[] =
    "# fish completion for sprint, made by `sprint completion fish`\n"
    "function __sprint_words # of the line that are no options\n"
    "  set -l words (commandline -opc)\n"
    "  string match -v -- '-*' $words[2..-1]\n"
    "end\n"
    "function __sprint_begins # whether the line is in the command of these words\n"
    "  set -l words (__sprint_words)\n"
    "  set -l n (count $argv)\n"
    "  test (count $words) -ge $n; and test \"$words[1..$n]\" = \"$argv\"\n"
    "end\n"
    "function __sprint_at # whether the line has these words alone\n"
    "  set -l words (__sprint_words)\n"
    "  test \"$words\" = \"$argv\"\n"
    "end\n";

static void print_words_of(enum cli_kind kind, const char *choices) {
  if (kind == CLI_FILE) {
    fputs(" -F", stdout);
  } else if (kind == CLI_FOLDER) {
    fputs(" -x -a '(__fish_complete_directories)'", stdout);
  } else {
    fputs(kind == CLI_EXPERIMENT ? " -F -a '" : " -x -a '", stdout);
    cli_print_words(kind, choices, " ");
    putchar('\'');
  }
}

static void print_option(const char *program, const struct cli_command *command, const struct cli_option *option) {
  printf("complete -c %s -n '__sprint_begins %s' -l %s -d '", program, command->name, option->name);
  cli_print_plain(option->help);
  putchar('\'');
  if (option->kind == CLI_SETTING)
    fputs(" -x -a '$__sprint_settings'", stdout);
  else if (option->kind != CLI_NOTHING && !option->optional)
    print_words_of(option->kind, option->choices);
  putchar('\n');
}

static void print_command(const char *program, const struct cli_command *command, bool first) {
  int length = cli_group_length(command);
  if (first) {
    printf("complete -c %s -f -n '__sprint_at; or __sprint_at help' -a %.*s -d '", program, length, command->name);
    cli_print_plain(command->name[length] ? "data sets and populations" : command->summary);
    fputs("'\n", stdout);
  }
  if (command->name[length]) {
    printf("complete -c %s -f -n '__sprint_at %.*s' -a %s -d '", program, length, command->name,
           command->name + length + 1);
    cli_print_plain(command->summary);
    fputs("'\n", stdout);
  }
  if (command->arguments[0].word) {
    printf("complete -c %s -n '__sprint_begins %s'", program, command->name);
    print_words_of(command->arguments[0].kind, command->arguments[0].choices);
    putchar('\n');
  }
  const struct cli_option *option;
  for (size_t at = 0; (option = cli_option_next(command, &at));) print_option(program, command, option);
}

void cli_completion_fish(void) {
  static const char *const programs[] = {"sprint", "sprint-f64"};
  fputs(head, stdout);
  fputs("set -g __sprint_settings", stdout);
  cli_print_words(CLI_SETTING, NULL, " ");
  putchar('\n');
  for (size_t p = 0; p < 2; p++) {
    printf("complete -c %s -f\ncomplete -c %s -f -n __sprint_at -a help -d 'how a command is called'\n", programs[p],
           programs[p]);
    for (size_t i = 0; i < cli_n_commands; i++) print_command(programs[p], cli_commands[i], cli_begins_group(i));
  }
}
