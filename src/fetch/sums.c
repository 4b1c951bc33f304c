/* Sums of files, by OpenSSL, as they are or as gzip has packed them. */
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "cli.h"
#include "fetch.h"

#define BLOCK_SIZE 65536

struct sum {
  char text[2 * EVP_MAX_MD_SIZE + 1];
};

/* Bytes read into the block; 0: the end; negative: it cannot be read. */
typedef int read_block(void *stream, unsigned char *block);

static int read_plain(void *stream, unsigned char *block) {
  size_t n = fread(block, 1, BLOCK_SIZE, stream);
  return n == 0 && ferror((FILE *)stream) ? -1 : (int)n;
}

/* One that is cut off reads as if it ended there; closing it tells. */
static int read_packed(void *stream, unsigned char *block) { return gzread(stream, block, BLOCK_SIZE); }

static bool digest(void *stream, read_block *read, const EVP_MD *kind, struct sum *ret_sum) {
  unsigned char block[BLOCK_SIZE], sum[EVP_MAX_MD_SIZE];
  unsigned n_sum = 0;
  int n = 0;
  EVP_MD_CTX *state = EVP_MD_CTX_new();
  bool ok = state && EVP_DigestInit_ex(state, kind, NULL);
  while (ok && (n = read(stream, block)) > 0) ok = EVP_DigestUpdate(state, block, (size_t)n);
  ok = ok && n == 0 && EVP_DigestFinal_ex(state, sum, &n_sum);
  EVP_MD_CTX_free(state);
  for (unsigned i = 0; i < n_sum; i++) snprintf(ret_sum->text + 2 * i, 3, "%02x", sum[i]);
  return ok;
}

static sprint_status take(sprint_context *context, const char *path, const char *name, const EVP_MD *kind,
                          struct sum *ret_sum) {
  FILE *stream = fopen(path, "rb");
  if (!stream) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  bool ok = digest(stream, read_plain, kind, ret_sum);
  fclose(stream);
  return ok ? SPRINT_OK : sprint_fail(context, SPRINT_ERROR_IO, "%s: its %s sum cannot be taken", path, name);
}

static sprint_status compare(sprint_context *context, const char *path, const char *name, const struct sum *sum,
                             const char *expected) {
  if (strcasecmp(sum->text, expected) == 0) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: has the %s sum %s, %s was expected", path, name, sum->text,
                     expected);
}

static sprint_status check(sprint_context *context, const char *path, const char *name, const EVP_MD *kind,
                           const char *expected) {
  struct sum sum = {""};
  if (!expected) return SPRINT_OK;
  sprint_status status = take(context, path, name, kind, &sum);
  return status == SPRINT_OK ? compare(context, path, name, &sum, expected) : status;
}

sprint_status fetch_check_sums(sprint_context *context, const char *path, const struct fetch_file *file) {
  sprint_status status = check(context, path, "SHA-256", EVP_sha256(), file->sha256);
  return status == SPRINT_OK ? check(context, path, "MD5", EVP_md5(), file->md5) : status;
}

sprint_status fetch_check_contents(sprint_context *context, const char *path, const char *sha256) {
  struct sum sum = {""};
  gzFile stream = gzopen(path, "rb");
  if (!stream) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  bool ok = digest(stream, read_packed, EVP_sha256(), &sum);
  ok = gzclose(stream) == Z_OK && ok;
  if (!ok) return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: is damaged: it cannot be unpacked to its end", path);
  return compare(context, path, "SHA-256", &sum, sha256);
}

sprint_status fetch_note_sums(sprint_context *context, const struct fetch_set *set, const char *folder) {
  char *text = cli_format("%s", "");
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < set->n_members && status == SPRINT_OK; i++) {
    struct sum sum = {""};
    char *path = cli_format("%s/%s", folder, set->members[i].path);
    status = take(context, path, "SHA-256", EVP_sha256(), &sum);
    char *longer = cli_format("%s%s  %s\n", text, sum.text, set->members[i].path);
    free(path);
    free(text);
    text = longer;
  }
  char *sums = fetch_set_sums(set, folder);
  if (status == SPRINT_OK) status = sprint_file_write(context, sums, text, strlen(text));
  free(sums);
  free(text);
  return status;
}
