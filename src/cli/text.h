/* Texts that come from files, as a terminal or a config may have them. */
#ifndef SPRINT_CLI_TEXT_H
#define SPRINT_CLI_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* A copy on one line without control characters, to be freed: ESC as \x1b, a line end as \n, a byte that is not UTF-8
 * as \xff, characters that break or turn lines around as \u2028. */
char *cli_clean(const char *text);
void cli_print_clean(FILE *stream, const char *text);

/* Between double quotes, as YAML has them: what is read again is the text, which must be UTF-8. */
void cli_print_quoted(FILE *stream, const char *text);

bool cli_is_utf8(const char *text);

/* How many columns of a terminal a clean text takes; and where, at most, so many of them have gone by. */
int cli_width(const char *text);
const char *cli_at_width(const char *text, int width);

/* Prints the text and fills it up to a width. */
void cli_print_padded(FILE *stream, const char *text, int width);

#endif
