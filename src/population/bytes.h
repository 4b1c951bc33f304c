/* Files of bytes, plain or gzip, read from front to end. */
#ifndef SPRINT_POPULATION_BYTES_H
#define SPRINT_POPULATION_BYTES_H

#include "base/arena.h"

struct sprint__bytes;

/* Opens the file; gzip is known by its first bytes, not by its name. `path` is lent until the reader is closed. */
sprint_status sprint__bytes_open(sprint_context *context, const char *path, struct sprint__bytes **ret_reader);
void sprint__bytes_close(struct sprint__bytes *reader);
SPRINT__FREE_AT(sprint__bytes_close, struct sprint__bytes)

/* The next n bytes; fewer (*ret_n) at the end alone. A gzip stream that is damaged, cut short or followed by something
 * else is refused, and so is one that unpacks out of all proportion. */
sprint_status sprint__bytes_read(struct sprint__bytes *reader, void *ret_bytes, size_t n, size_t *ret_n);

/* A bound on how many bytes it can hold, from the size of the file: for checking a header before memory is taken. */
uint64_t sprint__bytes_at_most(const struct sprint__bytes *reader);

/* Refuses n bytes that a gzip file of its size should not unpack to: see bytes.c. Asked before memory is taken. */
sprint_status sprint__bytes_expect(const struct sprint__bytes *reader, uint64_t n);
bool sprint__bytes_is_gzip(const struct sprint__bytes *reader);

#endif
