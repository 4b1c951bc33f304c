/* The `shift:` section of a fit, to be pasted into a config: see fit.h. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/print.h"
#include "fit/fit.h"

void sprint__fit_print_text(const char *text, FILE *stream) {
  bool plain = sprint__ascii_is_letter(*text);
  for (const char *at = text; *at; at++)
    plain = plain && (sprint__ascii_is_letter(*at) || sprint__ascii_is_digit(*at) || strchr("_-.", *at));
  static const char *const words[] = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"};
  for (size_t i = 0; i < SPRINT__COUNT(words); i++) plain = plain && !sprint__ascii_same(text, words[i], SIZE_MAX);
  if (plain) {
    fputs(text, stream);
    return;
  }
  fputc('"', stream);
  for (size_t n; *text; text += n ? n : 1)
    if (!(n = sprint__print_control(stream, text)))
      fprintf(stream, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  fputc('"', stream);
}

/* Whether the response in a column is told: of kinds that have no parameter by column it is that of all. */
static bool is_told(const sprint_fit *fit, size_t j) {
  return fit->n_parameters != fit->m || !isnan(fit->parameters[j].value);
}

void sprint__fit_print_columns(const sprint_fit *fit, FILE *stream) {
  size_t told = 0;
  for (size_t j = 0; j < fit->m; j++) told += is_told(fit, j);
  if (told == fit->d) return;
  fputs("  columns: [", stream);
  for (size_t j = 0, n = 0; j < fit->m; j++) {
    if (!is_told(fit, j)) continue;
    if (n++) fputs(", ", stream);
    sprint__fit_print_text(fit->names[fit->columns[j]], stream);
  }
  fputs("]\n", stream);
}

static void print_section(const sprint_fit *fit, FILE *stream) {
  if (!fit->summary.response) {
    sprint__fprintf(stream, "shift: none  # no response was told from %s (p = %.2g, level %g)\n",
                    fit->drift ? "chance and drift" : "chance", fit->summary.p, fit->summary.level);
    return;
  }
  fprintf(stream, "shift:\n  kind: %s\n", fit->kind->name);
  fit->kind->section(fit, stream);
}

/* open_memstream would leave out what there is no memory for without a word. */
struct printed {
  sprint_context *context;
  char *text;
  size_t size, room;
};

static ssize_t take_printed(void *user, const char *bytes, size_t size) {
  struct printed *p = user;
  if (sprint__grow(p->context, (void **)&p->text, p->size, &p->room, p->size + size + 1, 1) != SPRINT_OK) return 0;
  memcpy(p->text + p->size, bytes, size);
  p->size += size;
  p->text[p->size] = '\0';
  return (ssize_t)size;
}

sprint_status sprint__fit_write_section(sprint_fit *fit) {
  struct printed printed = {.context = fit->context};
  FILE *stream = fopencookie(&printed, "w", (cookie_io_functions_t){.write = take_printed});
  if (!stream) return sprint_fail(fit->context, SPRINT_ERROR_MEMORY, "out of memory");
  print_section(fit, stream);
  bool failed = ferror(stream);
  failed = fclose(stream) != 0 || failed || !printed.text;
  fit->section = failed ? NULL : sprint__arena_strdup(&fit->arena, printed.text);
  sprint__free(printed.text);
  return failed ? sprint_fail(fit->context, SPRINT_ERROR_MEMORY, "out of memory") : sprint__arena_status(&fit->arena);
}
