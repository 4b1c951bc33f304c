/* A tree as one line of JSON, and a section as one line of a config. Plain scalars that read as a number, true, false
 * or null stay so, all else is a string. Numbers come out as JSON and jansson take them: 0.5 for .5, and with a
 * fraction where they pass int64. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "config/number.h"
#include "config/section.h"
#include "config/text.h"

/* The escape of the character at `at`, or "" where it stands for itself, and how many bytes it has. Characters that
 * YAML takes for line breaks, or does not take at all, are escaped too: C1, U+2028, U+2029, U+FEFF, U+FFFE, U+FFFF. */
static size_t escape(const char *at, char ret_escape[8]) {
  unsigned byte = (unsigned char)at[0], second = byte ? (unsigned char)at[1] : 0,
           third = second ? (unsigned char)at[2] : 0;
  unsigned wide = (byte & 0xf) << 12 | (second & 0x3f) << 6 | (third & 0x3f);
  bool odd = wide == 0x2028 || wide == 0x2029 || wide == 0xfeff || wide >= 0xfffe;
  ret_escape[0] = '\0';
  if (byte == '"' || byte == '\\')
    snprintf(ret_escape, 8, "\\%c", (int)byte);
  else if (byte == '\n' || byte == '\t')
    snprintf(ret_escape, 8, byte == '\n' ? "\\n" : "\\t");
  else if (byte < 0x20 || byte == 0x7f)
    snprintf(ret_escape, 8, "\\u%04x", byte);
  else if (byte == 0xc2 && second < 0xa0)
    snprintf(ret_escape, 8, "\\u%04x", second);
  else if (byte >= 0xe0 && byte < 0xf0 && odd)
    snprintf(ret_escape, 8, "\\u%04x", wide & 0xffff);
  return !ret_escape[0] || byte < 0x80 ? 1 : byte < 0xe0 ? 2 : 3;
}

static void print_string(struct sprint__text *out, const char *string) {
  sprint__text_add(out, "\"");
  for (const char *at = string; *at;) {
    char escaped[8];
    size_t n = escape(at, escaped);
    if (escaped[0])
      sprint__text_add(out, escaped);
    else
      sprint__text_put(out, at, n);
    at += n;
  }
  sprint__text_add(out, "\"");
}

static void print_number(struct sprint__text *out, const char *number) {
  int64_t integer;
  bool big = !strpbrk(number, ".eE") && sprint__number_integer(number, &integer) != SPRINT__NUMBER_OK;
  for (const char *at = number; *at; at++) {
    bool point = *at == '.';
    if (point && (at == number || at[-1] == '-')) sprint__text_add(out, "0");
    sprint__text_put(out, at, 1);
    if (point && !isdigit((unsigned char)at[1])) sprint__text_add(out, "0");
  }
  if (big) sprint__text_add(out, ".0");
}

static void print_scalar(struct sprint__text *out, const struct sprint__node *node) {
  double real;
  if (node->quoted)
    print_string(out, node->text);
  else if (sprint__node_is_null(node))
    sprint__text_add(out, "null");
  else if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)
    sprint__text_add(out, node->text);
  else if (sprint__number_real(node->text, &real) == SPRINT__NUMBER_OK)
    print_number(out, node->text);
  else
    print_string(out, node->text);
}

static void print_node(struct sprint__text *out, const struct sprint__node *node) {
  if (node->type == SPRINT__NODE_SCALAR) {
    print_scalar(out, node);
    return;
  }
  bool map = node->type == SPRINT__NODE_MAP;
  sprint__text_add(out, map ? "{" : "[");
  for (size_t i = 0; i < node->n_children; i++) {
    if (i > 0) sprint__text_add(out, ", ");
    if (map) print_string(out, node->children[i]->key);
    if (map) sprint__text_add(out, ": ");
    print_node(out, node->children[i]);
  }
  sprint__text_add(out, map ? "}" : "]");
}

char *sprint__node_print(sprint_context *context, const struct sprint__node *node) {
  struct sprint__text out = {.context = context};
  print_node(&out, node);
  return sprint__text_take(&out);
}

static void print_real(struct sprint__text *out, double real) {
  char number[40];
  sprint__snprintf(number, sizeof number, "%.17g", real);
  sprint__text_add(out, number);
}

static void print_items(struct sprint__text *out, const struct sprint__value *value) {
  sprint__text_add(out, "[");
  for (size_t i = 0; i < value->n_items; i++) {
    if (i > 0) sprint__text_add(out, ", ");
    if (value->reals)
      print_real(out, value->reals[i]);
    else
      print_string(out, value->texts[i]);
  }
  sprint__text_add(out, "]");
}

static void print_value(struct sprint__text *out, const struct sprint__value *value) {
  char number[32];
  switch (value->param->type) {
    case SPRINT_PARAM_BOOL:
      sprint__text_add(out, value->flag ? "true" : "false");
      break;
    case SPRINT_PARAM_INTEGER:
      snprintf(number, sizeof number, "%lld", (long long)value->integer);
      sprint__text_add(out, number);
      break;
    case SPRINT_PARAM_REAL:
      print_real(out, value->real);
      break;
    case SPRINT_PARAM_TEXT:
    case SPRINT_PARAM_CHOICE:
      print_string(out, value->text);
      break;
    default:
      print_items(out, value);
  }
}

/* A default of "" is no value, and cannot be said either. */
static bool has_value(const struct sprint__value *value) {
  bool single = value->param->type <= SPRINT_PARAM_REALS;
  return single && (value->given || value->param->standard[0]);
}

char *sprint__section_text(const struct sprint__section *section) {
  struct sprint__text out = {.context = section->context};
  bool bare = section->n_values == 0;
  sprint__text_add(&out, bare ? "" : "{kind: ");
  sprint__text_add(&out, section->kind->name);
  for (size_t i = 0; i < section->n_values; i++) {
    if (!has_value(&section->values[i])) continue;
    sprint__text_add(&out, ", ");
    sprint__text_add(&out, section->values[i].param->name);
    sprint__text_add(&out, ": ");
    print_value(&out, &section->values[i]);
  }
  sprint__text_add(&out, bare ? "" : "}");
  return sprint__text_take(&out);
}
