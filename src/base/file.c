/* Atomic files: see file.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_SIZE = 65536 }; /* bytes read at once, at least */

sprint_status sprint__file_create(sprint_context *context, const char *path, struct sprint__file *ret_file) {
  struct sprint__file file = {NULL, sprint__strdup(context, path),
                              sprint__printf(context, "%s.part-%ld", path, (long)getpid())};
  if (!file.path || !file.part) {
    sprint__file_abandon(&file);
    return SPRINT_ERROR_MEMORY;
  }
  file.stream = fopen(file.part, "wb");
  if (!file.stream) {
    sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    sprint__free(file.path);
    sprint__free(file.part);
    return SPRINT_ERROR_IO;
  }
  *ret_file = file;
  return SPRINT_OK;
}

void sprint__file_abandon(struct sprint__file *file) {
  if (file->stream) {
    fclose(file->stream);
    unlink(file->part);
  }
  sprint__free(file->path);
  sprint__free(file->part);
  *file = (struct sprint__file){NULL, NULL, NULL};
}

sprint_status sprint__file_commit(sprint_context *context, struct sprint__file *file) {
  bool ok = !ferror(file->stream) && fflush(file->stream) == 0 && fsync(fileno(file->stream)) == 0 &&
            rename(file->part, file->path) == 0;
  if (!ok) {
    sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", file->path, strerror(errno));
    sprint__file_abandon(file);
    return SPRINT_ERROR_IO;
  }
  fclose(file->stream);
  file->stream = NULL;
  sprint__file_abandon(file);
  return SPRINT_OK;
}

sprint_status sprint__folder_make(sprint_context *context, const char *path) {
  char *prefix = sprint__strdup(context, path);
  if (!prefix) return SPRINT_ERROR_MEMORY;
  sprint_status status = SPRINT_OK;
  size_t length = strlen(prefix);
  for (size_t i = 1; i <= length && status == SPRINT_OK; i++) {
    if (prefix[i] != '/' && prefix[i] != '\0') continue;
    char cut = prefix[i];
    prefix[i] = '\0';
    if (mkdir(prefix, 0777) != 0 && errno != EEXIST)
      status = sprint_fail(context, SPRINT_ERROR_IO, "%s: the folder cannot be made: %s", path, strerror(errno));
    prefix[i] = cut;
  }
  sprint__free(prefix);
  struct stat info;
  if (status == SPRINT_OK && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
    status = sprint_fail(context, SPRINT_ERROR_IO, "%s: is not a folder", path);
  return status;
}

sprint_status sprint__file_open(sprint_context *context, const char *path, FILE **ret_stream) {
  struct stat info;
  FILE *stream = fopen(path, "rb");
  if (!stream) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
    fclose(stream);
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: is a folder, a file was expected", path);
  }
  *ret_stream = stream;
  return SPRINT_OK;
}

sprint_status sprint__file_read(sprint_context *context, const char *path, size_t most, char **ret_bytes,
                                size_t *ret_size) {
  FILE *stream = NULL;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  void *bytes = NULL;
  size_t size = 0, room = 0, got = 1;
  sprint_status status = SPRINT_OK;
  while (got && size < most && status == SPRINT_OK) {
    status = sprint__grow(context, &bytes, size, &room, size + BLOCK_SIZE, 1);
    if (status == SPRINT_OK) size += got = fread((char *)bytes + size, 1, room - size, stream);
  }
  if (status == SPRINT_OK && ferror(stream)) status = sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read", path);
  fclose(stream);
  if (status != SPRINT_OK) {
    sprint__free(bytes);
    return status;
  }
  *ret_bytes = bytes;
  *ret_size = size;
  return SPRINT_OK;
}

bool sprint__path_ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcmp(path + length - tail, ending) == 0;
}
