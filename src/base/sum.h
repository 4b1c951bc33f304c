/* SHA-256 sums, as people write them: 64 hexadecimal digits. */
#ifndef SPRINT_BASE_SUM_H
#define SPRINT_BASE_SUM_H

#include <nettle/sha2.h>
#include <stdio.h>

#include "base/context.h"

enum { SPRINT__SUM_TEXT = 2 * SHA256_DIGEST_SIZE + 1 };

/* What was added up, and from here on nothing. */
void sprint__sum_text(struct sha256_ctx *sum, char ret_text[SPRINT__SUM_TEXT]);

/* Of the next `size` bytes of a stream, or of all up to its end where it has fewer. Returns how many there were; a
 * stream that cannot be read has an error. */
uint64_t sprint__sum_of_stream(FILE *stream, uint64_t size, char ret_text[SPRINT__SUM_TEXT]);

/* Of a file. Returns false where it cannot be read. */
bool sprint__sum_of_file(const char *path, char ret_text[SPRINT__SUM_TEXT]);

#endif
