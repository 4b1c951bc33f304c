/* sprint completion: what its files share. All of it is made from the tables of commands, options and kinds. */
#ifndef SPRINT_CLI_COMPLETION_H
#define SPRINT_CLI_COMPLETION_H

#include "cli.h"

/* The words that a value may be, calling `take` with each: choices, families, data sets, commands, or the settings of a
 * config with the values of those that have choices (KEY=, KEY=VALUE). Nothing where it may be anything. */
typedef void (*cli_word_taker)(void *user, const char *word);
void cli_words(enum cli_kind kind, const char *choices, cli_word_taker take, void *user);

/* The scripts, on standard output. */
void cli_completion_bash(void);
void cli_completion_zsh(void);
void cli_completion_fish(void);

/* Prints the words one after the other, each behind `before`. */
void cli_print_words(enum cli_kind kind, const char *choices, const char *before);

/* The first word of a command's name, and whether the command before it in the table has another one. */
bool cli_begins_group(size_t command);
int cli_group_length(const struct cli_command *command);

/* Prints the text without what would end a word in single quotes, or mean something to zsh's _arguments. */
void cli_print_plain(const char *text);

#endif
