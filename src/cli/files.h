/* Files of results: written whole or not at all, as CSV and JSON. */
#ifndef SPRINT_CLI_FILES_H
#define SPRINT_CLI_FILES_H

#include <jansson.h>

#include "cli.h"

/* Writes FOLDER/NAME by `print`. */
typedef void (*cli_printer)(const void *user, FILE *stream);
sprint_status cli_write_file(sprint_context *context, const char *folder, const char *name, cli_printer print,
                             const void *user);

/* A field of a CSV behind others: ",0.1", ",nan", ",text" quoted where it has to be. */
void cli_csv_real(FILE *stream, double value);
void cli_csv_text(FILE *stream, const char *text);
void cli_csv_first(FILE *stream, const char *text); /* a text that begins a row */

/* A number; null where it is not finite. */
json_t *cli_json_real(double value);

/* The JSON, which is done with after it, indented and to the last digit, or to so many. */
void cli_json_print(json_t *json, FILE *stream);
void cli_json_print_digits(json_t *json, size_t digits, FILE *stream);

#endif
