/* Whole files, and what is written into them: see files.h. */
#define _GNU_SOURCE
#include "files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A text while it is printed: open_memstream, but that one leaves out what there is no memory for without a word. */
struct text {
  char *bytes;
  size_t size;
};

static ssize_t add_text(void *user, const char *bytes, size_t size) {
  struct text *text = user;
  char *longer = realloc(text->bytes, text->size + size + 1);
  if (!longer) return 0;
  memcpy(longer + text->size, bytes, size);
  text->bytes = longer;
  text->size += size;
  return (ssize_t)size;
}

sprint_status cli_write_file(sprint_context *context, const char *folder, const char *name, cli_printer print,
                             const void *user) {
  char *path = cli_format("%s/%s", folder, name);
  struct text text = {NULL, 0};
  FILE *stream = fopencookie(&text, "w", (cookie_io_functions_t){.write = add_text});
  bool printed = stream != NULL;
  if (stream) {
    print(user, stream);
    printed = !ferror(stream);
    printed = fclose(stream) == 0 && printed;
  }
  sprint_status status = printed ? sprint_file_write(context, path, text.bytes, text.size)
                                 : sprint_fail(context, SPRINT_ERROR_MEMORY, "%s: out of memory", path);
  free(text.bytes);
  free(path);
  return status;
}

void cli_csv_real(FILE *stream, double value) {
  if (isnan(value))
    fputs(",nan", stream);
  else
    fprintf(stream, ",%.17g", value);
}

void cli_csv_first(FILE *stream, const char *text) {
  bool quoted = strpbrk(text, ",\"\r\n") != NULL;
  if (quoted) fputc('"', stream);
  for (; *text; text++) fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
  if (quoted) fputc('"', stream);
}

void cli_csv_text(FILE *stream, const char *text) {
  fputc(',', stream);
  cli_csv_first(stream, text);
}

json_t *cli_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

/* JSON leaves control characters from U+007F on as they are: a terminal gets them escaped. */
void cli_json_print_digits(json_t *json, size_t digits, FILE *stream) {
  bool terminal = isatty(fileno(stream));
  char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(digits) | (terminal ? JSON_ENSURE_ASCII : 0));
  for (const char *at = text; text && *at; at++) fprintf(stream, terminal && *at == 0x7f ? "\\u%04x" : "%c", *at);
  fputc('\n', stream);
  free(text);
  json_decref(json);
}

void cli_json_print(json_t *json, FILE *stream) { cli_json_print_digits(json, 17, stream); }
