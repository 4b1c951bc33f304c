/* Text: checked, shortened for messages, and put together. */
#ifndef SPRINT_CONFIG_TEXT_H
#define SPRINT_CONFIG_TEXT_H

#include "base/context.h"

/* A string that grows. Failure sticks, so that only sprint__text_take needs a check. Start with the context alone:
 * {.context = context}. */
struct sprint__text {
  sprint_context *context;
  char *items;
  size_t n, n_room;
  bool failed;
};

void sprint__text_put(struct sprint__text *text, const char *bytes, size_t n);
void sprint__text_add(struct sprint__text *text, const char *string);

/* The string, yours to free, or NULL with the error set. */
char *sprint__text_take(struct sprint__text *text);

/* A foreign text as a message may show it: on one line, without control characters, cut where it is long. */
struct sprint__shown {
  char text[84];
};
struct sprint__shown sprint__show(const char *text);

/* The position of the first byte that is NUL or not UTF-8, or n. */
size_t sprint__text_check(const char *bytes, size_t n);

#endif
