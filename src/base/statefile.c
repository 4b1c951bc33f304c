/* Files of what goes on: see statefile.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/statefile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { DIGITS = SPRINT__SUM_TEXT - 1 };

static void put(struct sprint__state *state, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, state->stream);
  sha256_update(&state->sum, size, bytes);
}

static void put_all(struct sprint__state *state, const struct sprint__statefile_frame *frame) {
  uint64_t length = strlen(frame->identity);
  char digits[SPRINT__SUM_TEXT];
  sha256_init(&state->sum);
  put(state, frame->magic, strlen(frame->magic));
  put(state, &length, sizeof length);
  put(state, frame->identity, length);
  frame->visit(frame->user, state);
  sprint__sum_text(&state->sum, digits);
  fwrite(digits, 1, DIGITS, state->stream);
}

sprint_status sprint__statefile_write(sprint_context *context, const char *path, const char *before,
                                      const struct sprint__statefile_frame *frame) {
  struct sprint__file file;
  SPRINT__TRY(sprint__file_create(context, path, &file));
  struct sprint__state state = {.context = context, .stream = file.stream, .path = path};
  put_all(&state, frame);
  if (before && rename(path, before) != 0 && errno != ENOENT) {
    sprint__file_abandon(&file);
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be renamed: %s", path, strerror(errno));
  }
  return sprint__file_commit(context, &file);
}

uint64_t sprint__statefile_size(sprint_context *context, const struct sprint__statefile_frame *frame) {
  struct sprint__state state = {.context = context};
  frame->visit(frame->user, &state);
  return state.left;
}

/* Leaves the stream at the first part of a good file. */
static enum sprint__statefile_found examine(FILE *stream, uint64_t size, const struct sprint__statefile_frame *frame) {
  char digits[DIGITS], sum[SPRINT__SUM_TEXT];
  uint64_t length = 0, expected = strlen(frame->identity);
  if (size < strlen(frame->magic) + sizeof length + DIGITS) return SPRINT__STATEFILE_DAMAGED;
  if (sprint__sum_of_stream(stream, size - DIGITS, sum) != size - DIGITS) return SPRINT__STATEFILE_DAMAGED;
  if (fread(digits, 1, DIGITS, stream) != DIGITS || memcmp(digits, sum, DIGITS) != 0) return SPRINT__STATEFILE_DAMAGED;
  rewind(stream);
  for (const char *at = frame->magic; *at; at++)
    if (fgetc(stream) != (unsigned char)*at) return SPRINT__STATEFILE_OTHER;
  if (fread(&length, sizeof length, 1, stream) != 1 || length != expected) return SPRINT__STATEFILE_OTHER;
  for (const char *at = frame->identity; *at; at++)
    if (fgetc(stream) != (unsigned char)*at) return SPRINT__STATEFILE_OTHER;
  return SPRINT__STATEFILE_GOOD;
}

enum sprint__statefile_found sprint__statefile_open(const char *path, const struct sprint__statefile_frame *frame,
                                                    struct sprint__statefile *ret_file) {
  struct sprint__statefile file = {.path = path, .stream = fopen(path, "rb")};
  struct stat info;
  enum sprint__statefile_found found = SPRINT__STATEFILE_DAMAGED;
  if (!file.stream) return SPRINT__STATEFILE_NONE;
  if (fstat(fileno(file.stream), &info) == 0 && S_ISREG(info.st_mode))
    found = examine(file.stream, (uint64_t)info.st_size, frame);
  if (found == SPRINT__STATEFILE_GOOD) {
    file.left = (uint64_t)info.st_size - (uint64_t)ftello(file.stream) - DIGITS;
    *ret_file = file;
  } else {
    fclose(file.stream);
  }
  return found;
}

sprint_status sprint__statefile_read(sprint_context *context, struct sprint__statefile *file,
                                     const struct sprint__statefile_frame *frame) {
  struct sprint__state state = {
      .context = context, .stream = file->stream, .path = file->path, .reads = true, .left = file->left};
  frame->visit(frame->user, &state);
  if (sprint__state_ok(&state) && state.left > 0)
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: %" PRIu64 " bytes too many", file->path, state.left);
  return state.status;
}

void sprint__statefile_close(struct sprint__statefile *file) {
  if (file->stream) fclose(file->stream);
  file->stream = NULL;
}
