/* SHA-256 sums: see sum.h. */
#include "base/sum.h"

enum { BLOCK = 16384 };

void sprint__sum_text(struct sha256_ctx *sum, char ret_text[SPRINT__SUM_TEXT]) {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(sum, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; i++) snprintf(ret_text + 2 * i, 3, "%02x", digest[i]);
}

uint64_t sprint__sum_of_stream(FILE *stream, uint64_t size, char ret_text[SPRINT__SUM_TEXT]) {
  uint8_t block[BLOCK];
  uint64_t done = 0;
  struct sha256_ctx sum;
  sha256_init(&sum);
  for (size_t n = 1; n > 0 && done < size; done += n) {
    n = fread(block, 1, size - done < BLOCK ? (size_t)(size - done) : BLOCK, stream);
    sha256_update(&sum, n, block);
  }
  sprint__sum_text(&sum, ret_text);
  return done;
}

bool sprint__sum_of_file(const char *path, char ret_text[SPRINT__SUM_TEXT]) {
  FILE *stream = fopen(path, "rb");
  if (!stream) return false;
  sprint__sum_of_stream(stream, UINT64_MAX, ret_text);
  bool read = !ferror(stream);
  fclose(stream);
  return read;
}
