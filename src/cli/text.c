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

int cli_width(const char *clean) {
  int width = 0;
  for (; *clean; clean++)
    if ((unsigned char)*clean >> 6 != 2) width++;
  return width;
}
