/* Help from the tables: the list of commands, what a command takes, and who was meant by a word. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { WIDTH = 112, INDENT = 26 };

const struct cli_command *const cli_commands[] = {
    &cli_run,      &cli_check,     &cli_compare,    &cli_reproduce, &cli_report,      &cli_plot,
    &cli_watch,    &cli_landscape, &cli_predict,    &cli_ask,       &cli_tell,        &cli_grad,
    &cli_init,     &cli_verify,    &cli_theory,     &cli_fit_shift, &cli_list,        &cli_completion,
    &cli_data_get, &cli_data_list, &cli_data_check, &cli_data_info, &cli_data_export,
};
const size_t cli_n_commands = sizeof cli_commands / sizeof cli_commands[0];

enum { MAX_NAMES = 2 * sizeof cli_commands / sizeof cli_commands[0] + 8 };

bool cli_has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at++) {
    bool begins = at == list || at[-1] == '|', ends = at[length] == '\0' || at[length] == '|';
    if (begins && ends) return true;
  }
  return false;
}

void cli_each_word(const char *list, void (*take)(void *user, const char *word), void *user) {
  for (const char *at = list; at;) {
    size_t length = strcspn(at, "|");
    char *word = cli_format("%.*s", (int)length, at);
    take(user, word);
    free(word);
    at = at[length] ? at + length + 1 : NULL;
  }
}

void cli_print_usage(FILE *stream, const struct cli_command *command) {
  cli_print(stream, "sprint %s", command->name);
  for (size_t i = 0; i < CLI_MAX_ARGUMENTS && command->arguments[i].word; i++)
    cli_print(stream, i < command->min_arguments ? " %s" : " [%s]", command->arguments[i].word);
  if (command->many) fputs("...", stream);
  const struct cli_option *option;
  for (size_t at = 0; (option = cli_option_next(command, &at));) {
    cli_print(stream, option->required ? " --%s" : " [--%s", option->name);
    if (*option->value) cli_print(stream, option->optional ? " [%s]" : " %s", option->value);
    cli_print(stream, "%s%s", option->required ? "" : "]", option->often ? "..." : "");
  }
}

int cli_misused(const struct cli_command *command, const char *format, ...) {
  va_list args;
  char message[2048];
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  size_t length = strlen(message);
  bool asks = length > 0 && message[length - 1] == '?';
  cli_print(stderr, "sprint %s: %s%s usage: ", command->name, message, asks ? "" : ";");
  cli_print_usage(stderr, command);
  fputc('\n', stderr);
  return CLI_USAGE;
}

/* Prints the words, of which all but the first begin with a blank, behind `at` columns, with lines broken between them;
 * returns the column that it comes to. */
static size_t print_wrapped(const char *text, size_t at) {
  while (*text) {
    size_t length = strcspn(text + 1, " ") + 1;
    if (at + length > WIDTH && *text == ' ') {
      cli_print(stdout, "\n%*s", INDENT, "");
      at = INDENT;
      text++;
      length--;
    }
    cli_print(stdout, "%.*s", (int)length, text);
    at += length;
    text += length;
  }
  return at;
}

static void print_option(const struct cli_option *option) {
  char *head = cli_format(option->optional ? "--%s [%s]" : "--%s %s", option->name, option->value);
  char *tail = cli_format("%s%s%s%s%s", option->required ? " (needed)" : "",
                          option->often ? " (may be there often)" : "", option->standard ? " (default: " : "",
                          option->standard ? option->standard : "", option->standard ? ")" : "");
  if (strlen(head) > INDENT - 4)
    cli_print(stdout, "  %s\n%*s", head, INDENT, "");
  else
    cli_print(stdout, "  %-*s", INDENT - 2, head);
  print_wrapped(tail, print_wrapped(option->help, INDENT));
  putchar('\n');
  free(head);
  free(tail);
}

void cli_print_command_help(const struct cli_command *command) {
  fputs("usage: ", stdout);
  cli_print_usage(stdout, command);
  cli_print(stdout, "\n\n%s\n", command->summary);
  const struct cli_option *option;
  for (size_t at = 0; (option = cli_option_next(command, &at));) print_option(option);
}

void cli_print_help(FILE *stream) {
  fputs(
      "sprint: stable learning when the deployed model changes its own data\n\n"
      "usage: sprint COMMAND ...\n\n",
      stream);
  for (size_t i = 0; i < cli_n_commands; i++)
    cli_print(stream, "  %-11s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
  fputs(
      "\n  sprint help COMMAND      how a command is called; so does sprint COMMAND --help\n"
      "  sprint --version         version and precision\n",
      stream);
  char *folder = cli_beside(SPRINT_SHARE);
  if (folder && access(folder, R_OK) == 0) cli_print(stream, "  examples and experiments are in %s\n", folder);
  free(folder);
}

/* Whether the first word of the command's name is this one; *ret_rest is its second, or NULL. */
static bool begins_with(const struct cli_command *command, const char *word, const char **ret_rest) {
  size_t length = strcspn(command->name, " ");
  *ret_rest = command->name[length] ? command->name + length + 1 : NULL;
  return strlen(word) == length && strncmp(command->name, word, length) == 0;
}

/* The second words of all commands that begin with this one. */
static size_t second_words(const char *word, const char **ret_names) {
  size_t n = 0;
  for (size_t i = 0; i < cli_n_commands; i++)
    if (begins_with(cli_commands[i], word, &ret_names[n]) && ret_names[n]) n++;
  return n;
}

static void complain_of_second(const char *first, const char *second, const char *const *names, size_t n) {
  const char *near = second ? sprint_nearest(second, names, n) : NULL;
  if (second)
    cli_print(stderr, "sprint: '%s %s' is not a command; ", first, second);
  else
    cli_print(stderr, "sprint %s: a word is missing; ", first);
  if (near) cli_print(stderr, "did you mean '%s %s'? ", first, near);
  cli_print(stderr, "'%s' goes with ", first);
  for (size_t i = 0; i < n; i++) cli_print(stderr, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", names[i]);
  fputc('\n', stderr);
}

static void complain_of_first(const char *word) {
  const char *names[MAX_NAMES] = {"help", "--help", "--version", "data"};
  size_t n = 4;
  for (size_t i = 0; i < cli_n_commands; i++) names[n++] = cli_commands[i]->name;
  const char *near = sprint_nearest(word, names, n);
  if (near)
    cli_print(stderr, "sprint: '%s' is not a command; did you mean '%s'?\n", word, near);
  else
    cli_print(stderr, "sprint: '%s' is not a command; `sprint --help` lists them\n", word);
}

const struct cli_command *cli_command_find(char **words, size_t n, size_t *ret_n) {
  const char *names[MAX_NAMES], *rest;
  for (size_t i = 0; i < cli_n_commands; i++) {
    if (!begins_with(cli_commands[i], words[0], &rest)) continue;
    if (rest && (n < 2 || strcmp(rest, words[1]) != 0)) continue;
    *ret_n = rest ? 2 : 1;
    return cli_commands[i];
  }
  size_t n_second = second_words(words[0], names);
  if (n_second)
    complain_of_second(words[0], n > 1 ? words[1] : NULL, names, n_second);
  else
    complain_of_first(words[0]);
  return NULL;
}
