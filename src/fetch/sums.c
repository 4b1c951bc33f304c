/* Sums of files, by OpenSSL. */
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fetch.h"

#define BLOCK_SIZE 65536

static bool digest_stream(FILE *stream, EVP_MD_CTX *digest, const EVP_MD *kind,
                          char ret_text[2 * EVP_MAX_MD_SIZE + 1]) {
  unsigned char block[BLOCK_SIZE], sum[EVP_MAX_MD_SIZE];
  unsigned n_sum = 0;
  size_t n;
  if (!digest || !EVP_DigestInit_ex(digest, kind, NULL)) return false;
  while ((n = fread(block, 1, sizeof block, stream)) > 0)
    if (!EVP_DigestUpdate(digest, block, n)) return false;
  if (ferror(stream) || !EVP_DigestFinal_ex(digest, sum, &n_sum)) return false;
  for (unsigned i = 0; i < n_sum; i++) snprintf(ret_text + 2 * i, 3, "%02x", sum[i]);
  return true;
}

static sprint_status check(sprint_context *context, const char *path, const char *name, const EVP_MD *kind,
                           const char *expected) {
  char sum[2 * EVP_MAX_MD_SIZE + 1] = "";
  if (!expected) return SPRINT_OK;
  FILE *stream = fopen(path, "rb");
  if (!stream) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  EVP_MD_CTX *digest = EVP_MD_CTX_new();
  bool ok = digest_stream(stream, digest, kind, sum);
  EVP_MD_CTX_free(digest);
  fclose(stream);
  if (!ok) return sprint_fail(context, SPRINT_ERROR_IO, "%s: its %s sum cannot be taken", path, name);
  if (strcasecmp(sum, expected) == 0) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: has the %s sum %s, %s was expected", path, name, sum, expected);
}

sprint_status fetch_check_sums(sprint_context *context, const char *path, const struct fetch_file *file) {
  sprint_status status = check(context, path, "SHA-256", EVP_sha256(), file->sha256);
  return status == SPRINT_OK ? check(context, path, "MD5", EVP_md5(), file->md5) : status;
}
