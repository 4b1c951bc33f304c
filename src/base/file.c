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
  sprint_status status = file.path && file.part ? SPRINT_OK : SPRINT_ERROR_MEMORY;
  if (status == SPRINT_OK && !(file.stream = fopen(file.part, "wb")))
    status = sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
  if (status == SPRINT_OK)
    *ret_file = file;
  else
    sprint__file_abandon(&file);
  return status;
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
  if (ok)
    fclose(sprint__give(&file->stream));
  else
    sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", file->path, strerror(errno));
  sprint__file_abandon(file);
  return ok ? SPRINT_OK : SPRINT_ERROR_IO;
}

sprint_status sprint__folder_make(sprint_context *context, const char *path) {
  SPRINT__SCOPED(sprint__free) char *prefix = sprint__strdup(context, path);
  if (!prefix) return SPRINT_ERROR_MEMORY;
  size_t length = strlen(prefix);
  for (size_t i = 1; i <= length; i++) {
    if (prefix[i] != '/' && prefix[i] != '\0') continue;
    char cut = prefix[i];
    prefix[i] = '\0';
    if (mkdir(prefix, 0777) != 0 && errno != EEXIST)
      return sprint_fail(context, SPRINT_ERROR_IO, "%s: the folder cannot be made: %s", path, strerror(errno));
    prefix[i] = cut;
  }
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: is not a folder", path);
}

sprint_status sprint__file_open(sprint_context *context, const char *path, FILE **ret_stream) {
  struct stat info;
  SPRINT__SCOPED(fclose) FILE *stream = fopen(path, "rb");
  if (!stream) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode))
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: is a folder, a file was expected", path);
  *ret_stream = sprint__give(&stream);
  return SPRINT_OK;
}

sprint_status sprint__file_read(sprint_context *context, const char *path, size_t most, char **ret_bytes,
                                size_t *ret_size) {
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  SPRINT__SCOPED(sprint__free) void *bytes = NULL;
  size_t size = 0, room = 0, got = 1;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  while (got && size < most) {
    SPRINT__TRY(sprint__grow(context, &bytes, size, &room, size + BLOCK_SIZE, 1));
    size += got = fread((char *)bytes + size, 1, room - size, stream);
  }
  if (ferror(stream)) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read", path);
  *ret_bytes = sprint__give(&bytes);
  *ret_size = size;
  return SPRINT_OK;
}

bool sprint__path_ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcmp(path + length - tail, ending) == 0;
}
