/* Texts from files: see text.h. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* The character that starts here, and its bytes; 0 bytes where it is not UTF-8. */
static unsigned long decode(const char *text, size_t *ret_n) {
  const unsigned char *s = (const unsigned char *)text;
  static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
  unsigned long c = n == 1 ? s[0] : n ? s[0] & (0x7fu >> n) : 0;
  *ret_n = 0;
  for (size_t k = 1; k < n; k++) {
    if (s[k] >> 6 != 2) return 0;
    c = c << 6 | (s[k] & 0x3fu);
  }
  if (n == 0 || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
  *ret_n = n;
  return c;
}

/* Control characters, those that end or turn a line, and those that YAML does not take as they are. */
static bool is_unprintable(unsigned long c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

/* Writes what the character is written as into room (12); 0: as it is. */
static size_t escape(unsigned long c, bool quoted, char *room) {
  if (c == '\n' || c == '\t' || c == '\r')
    return (size_t)snprintf(room, 12, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
  if (quoted && (c == '"' || c == '\\')) return (size_t)snprintf(room, 12, "\\%c", (int)c);
  if (!is_unprintable(c)) return 0;
  return (size_t)snprintf(room, 12, c < 0x80 ? "\\x%02lx" : "\\u%04lx", c);
}

static char *escaped(const char *text, bool quoted) {
  char *copy = cli_room(strlen(text) * 6 + 1, 1), *to = copy;
  for (size_t n; *text; text += n) {
    char room[12];
    unsigned long c = decode(text, &n);
    size_t length = n ? escape(c, quoted, room) : (size_t)snprintf(room, sizeof room, "\\x%02x", (unsigned char)*text);
    if (!n) n = 1;
    memcpy(to, length ? room : text, length ? length : n);
    to += length ? length : n;
  }
  return copy;
}

static void print_freed(FILE *stream, const char *quote, char *text) {
  fprintf(stream, "%s%s%s", quote, text, quote);
  free(text);
}

char *cli_clean(const char *text) { return escaped(text, false); }
void cli_print_clean(FILE *stream, const char *text) { print_freed(stream, "", escaped(text, false)); }
void cli_print_quoted(FILE *stream, const char *text) { print_freed(stream, "\"", escaped(text, true)); }

bool cli_is_utf8(const char *text) {
  for (size_t n; *text; text += n) {
    decode(text, &n);
    if (!n) return false;
  }
  return true;
}

/* Columns of one character, as terminals have it: marks that stand on the letter before them take none, the scripts of
 * East Asia and pictures two. */
static int width_of(unsigned long c) {
  static const struct {
    unsigned long first, last;
    int width;
  } ranges[] = {
      {0x300, 0x36f, 0},     {0x1100, 0x115f, 2},   {0x200b, 0x200d, 0}, {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},
      {0x3041, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},
      {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
      {0x1f900, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (c >= ranges[i].first && c <= ranges[i].last) return ranges[i].width;
  return 1;
}

const char *cli_at_width(const char *text, int width) {
  for (size_t n; *text; text += n) {
    unsigned long c = decode(text, &n);
    width -= n ? width_of(c) : 1;
    if (width < 0) break;
    if (!n) n = 1;
  }
  return text;
}

int cli_width(const char *text) {
  int width = 0;
  for (size_t n; *text; text += n) {
    unsigned long c = decode(text, &n);
    width += n ? width_of(c) : 1;
    if (!n) n = 1;
  }
  return width;
}

void cli_print_padded(FILE *stream, const char *text, int width) { cli_print(stream, "%-*s", width, text); }
