/* Text: see text.h. */
#include "config/text.h"

#include <string.h>

#include "base/arena.h"
#include "base/print.h"

void sprint__text_put(struct sprint__text *text, const char *bytes, size_t n) {
  if (!text->failed)
    text->failed =
        sprint__grow(text->context, (void **)&text->items, text->n, &text->n_room, text->n + n + 1, 1) != SPRINT_OK;
  if (text->failed) return;
  memcpy(text->items + text->n, bytes, n);
  text->n += n;
  text->items[text->n] = '\0';
}

void sprint__text_add(struct sprint__text *text, const char *string) { sprint__text_put(text, string, strlen(string)); }

char *sprint__text_take(struct sprint__text *text) {
  sprint__text_put(text, "", 0);
  if (text->failed) sprint__free(sprint__give(&text->items));
  return sprint__give(&text->items);
}

struct sprint__shown sprint__show(const char *text) {
  static const char dots[] = "...";
  struct sprint__shown shown = {""};
  size_t n = sprint__one_line(text, shown.text, sizeof shown.text - sizeof dots + 1);
  if (text[n]) memcpy(shown.text + strlen(shown.text), dots, sizeof dots);
  return shown;
}

/* Bytes of the UTF-8 character at `bytes` (n left), 0 where there is none: RFC 3629, table of section 4. */
static size_t character_size(const unsigned char *bytes, size_t n) {
  unsigned char first = bytes[0], low = 0x80, high = 0xbf;
  if (first < 0x80) return first ? 1 : 0;
  size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0 || size > n) return 0;
  if (first == 0xe0) low = 0xa0;  /* overlong */
  if (first == 0xed) high = 0x9f; /* surrogates */
  if (first == 0xf0) low = 0x90;  /* overlong */
  if (first == 0xf4) high = 0x8f; /* above U+10FFFF */
  if (bytes[1] < low || bytes[1] > high) return 0;
  for (size_t i = 2; i < size; i++)
    if ((bytes[i] & 0xc0) != 0x80) return 0;
  return size;
}

size_t sprint__text_check(const char *bytes, size_t n) {
  size_t at = 0;
  while (at < n) {
    size_t size = character_size((const unsigned char *)bytes + at, n - at);
    if (size == 0) break;
    at += size;
  }
  return at;
}
