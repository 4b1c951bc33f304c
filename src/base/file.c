/* Atomic files: see file.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/outlet.h"
#include "base/part.h"

enum { BLOCK_SIZE = 65536 }; /* bytes read at once, at least */

static sprint_status cannot_write(sprint_context *context, const char *path) {
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", path,
                     errno ? strerror(errno) : "a write failed on the way");
}

/* Beside the target, after what processes that died have left there. */
static sprint_status open_part(sprint_context *context, struct sprint__file *file, int *ret_descriptor) {
  SPRINT__TRY(sprint__outlet_follow(context, file->path, &file->target));
  sprint__parts_sweep(file->target);
  sprint_status status = sprint__part_open(context, file->target, &file->part, ret_descriptor);
  return status == SPRINT_ERROR_IO ? cannot_write(context, file->path) : status;
}

static bool was_read(const sprint_context *context, const struct sprint__outlet *outlet) {
  for (size_t i = 0; i < context->n_inputs; i++)
    if (context->inputs[i].device == outlet->device && context->inputs[i].inode == outlet->inode) return true;
  return false;
}

static sprint_status check_outlet(sprint_context *context, const char *path, const struct sprint__outlet *outlet) {
  if (outlet->type == SPRINT__OUTLET_FOLDER)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: is a folder, a file was expected", path);
  if (outlet->type == SPRINT__OUTLET_FILE && context->protects_inputs && was_read(context, outlet))
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "%s: has been read, and would be overwritten; another file was expected", path);
  return SPRINT_OK;
}

/* Of what is to be written to as it is, or of the part. */
static sprint_status open_to_write(sprint_context *context, struct sprint__file *file,
                                   const struct sprint__outlet *outlet, int *ret_descriptor) {
  if (outlet->type != SPRINT__OUTLET_OPEN && outlet->type != SPRINT__OUTLET_OTHER)
    return open_part(context, file, ret_descriptor);
  *ret_descriptor = outlet->type == SPRINT__OUTLET_OPEN ? fcntl(outlet->descriptor, F_DUPFD_CLOEXEC, 0)
                                                        : open(file->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return *ret_descriptor < 0 ? cannot_write(context, file->path) : SPRINT_OK;
}

sprint_status sprint__file_create(sprint_context *context, const char *path, struct sprint__file *ret_file) {
  SPRINT__CLEARED(sprint__file_abandon) struct sprint__file file = {.path = sprint__strdup(context, path)};
  struct sprint__outlet outlet = sprint__outlet_of(path);
  int descriptor = -1;
  if (!file.path) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(check_outlet(context, path, &outlet));
  SPRINT__TRY(open_to_write(context, &file, &outlet, &descriptor));
  file.stream = fdopen(descriptor, "wb");
  if (!file.stream) close(descriptor);
  if (!file.stream || (outlet.type == SPRINT__OUTLET_FILE && fchmod(descriptor, outlet.mode) != 0))
    return cannot_write(context, path);
  *ret_file = file;
  file = (struct sprint__file){0};
  return SPRINT_OK;
}

void sprint__file_abandon(struct sprint__file *file) {
  if (file->stream && file->part) unlink(file->part);
  if (file->stream) fclose(file->stream);
  sprint__free(file->path);
  sprint__free(file->target);
  sprint__free(file->part);
  *file = (struct sprint__file){0};
}

/* What some file systems say of every folder: there is nothing that could be asked of them. */
static bool is_never_synced(int error) {
  return error == EINVAL || error == EBADF || error == ENOTSUP || error == EOPNOTSUPP || error == ENOSYS ||
         error == EROFS;
}

/* 0, or what went wrong. A folder that may be written to and not read cannot be opened, and need not be. */
static int sync_error(const char *path) {
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  int error = 0;
  do error = fsync(descriptor) == 0 ? 0 : errno;
  while (error == EINTR);
  close(descriptor);
  return is_never_synced(error) ? 0 : error;
}

sprint_status sprint__folder_sync(sprint_context *context, const char *path) {
  int error = sync_error(path);
  if (error == 0) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_IO,
                     "%s: cannot be synced, its newest files may be lost with the machine: %s", path, strerror(error));
}

/* Of the folder that a path is in, which is cut short for it: nothing is to fail here that could be avoided. */
static sprint_status sync_parent(sprint_context *context, char *path) {
  char *slash = strrchr(path, '/');
  if (!slash || slash == path) return sprint__folder_sync(context, slash ? "/" : ".");
  *slash = '\0';
  sprint_status status = sprint__folder_sync(context, path);
  *slash = '/';
  return status;
}

/* stdio remembers that a write failed, and not why: one more into the part, which goes, fails in the same way. Half of
 * one may fit first. */
static void ask_why(const struct sprint__file *file) {
  static const char block[BLOCK_SIZE];
  for (int tries = 0; tries < 2 && errno == 0; tries++)
    if (write(fileno(file->stream), block, sizeof block) == (ssize_t)sizeof block) break;
}

/* Whether all has arrived; if not, errno says why, or is 0. */
static bool is_flushed(const struct sprint__file *file) {
  bool failed = ferror(file->stream) != 0;
  if (fflush(file->stream) != 0) return false;
  if (failed && file->part) ask_why(file);
  return !failed;
}

/* Devices and FIFOs have nothing to sync, and say what is wrong when they are written to. */
static bool settle(const struct sprint__file *file) {
  if (!is_flushed(file)) return false;
  return !file->part || (fsync(fileno(file->stream)) == 0 && rename(file->part, file->target) == 0);
}

sprint_status sprint__file_commit(sprint_context *context, struct sprint__file *file) {
  errno = 0;
  sprint_status status = sprint__json_status(context);
  if (status == SPRINT_OK && !settle(file)) status = cannot_write(context, file->path);
  if (status == SPRINT_OK) fclose(sprint__give(&file->stream));
  if (status == SPRINT_OK && file->part) status = sync_parent(context, file->target);
  sprint__file_abandon(file);
  return status;
}

sprint_status sprint__file_exists(sprint_context *context, const char *path, bool *ret_exists) {
  bool exists = access(path, F_OK) == 0;
  if (!exists && errno != ENOENT && errno != ENOTDIR)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be looked for: %s", path, strerror(errno));
  *ret_exists = exists;
  return SPRINT_OK;
}

sprint_status sprint__file_remove(sprint_context *context, const char *path) {
  if (remove(path) == 0 || errno == ENOENT) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be replaced: %s", path, strerror(errno));
}

sprint_status sprint__file_rename(sprint_context *context, const char *from, const char *to) {
  if (rename(from, to) == 0) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be renamed to %s: %s", from, to, strerror(errno));
}

sprint_status sprint__folder_clear(sprint_context *context, const char *path) {
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
  bool cleared = folder || (descriptor < 0 && errno == ENOENT);
  for (const struct dirent *entry; cleared && folder && (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      cleared = unlinkat(dirfd(folder), entry->d_name, 0) == 0;
  sprint_status status =
      cleared ? SPRINT_OK : sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be emptied: %s", path, strerror(errno));
  if (folder)
    closedir(folder);
  else if (descriptor >= 0)
    close(descriptor);
  return status;
}

sprint_status sprint__folder_remove(sprint_context *context, const char *path) {
  SPRINT__TRY(sprint__folder_clear(context, path));
  return sprint__file_remove(context, path);
}

sprint_status sprint_file_write(sprint_context *context, const char *path, const void *bytes, size_t size) {
  struct sprint__file file;
  SPRINT__REQUIRE(context, path);
  if (size) SPRINT__REQUIRE(context, bytes);
  SPRINT__TRY(sprint__file_create(context, path, &file));
  if (size) fwrite(bytes, 1, size, file.stream);
  return sprint__file_commit(context, &file);
}

sprint_status sprint__file_differs(sprint_context *context, const char *path, const char *input) {
  struct sprint__outlet a = sprint__outlet_of(path), b = sprint__outlet_of(input);
  if (a.type != SPRINT__OUTLET_FILE || b.type != SPRINT__OUTLET_FILE || a.device != b.device || a.inode != b.inode)
    return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT,
                     "%s: is the same file as %s, which is read; another file was expected", path, input);
}

sprint_status sprint__folder_make(sprint_context *context, const char *path) {
  SPRINT__SCOPED(sprint__free) char *prefix = sprint__strdup(context, path);
  if (!prefix) return SPRINT_ERROR_MEMORY;
  size_t length = strlen(prefix);
  for (size_t i = 1; i <= length; i++) {
    if (prefix[i] != '/' && prefix[i] != '\0') continue;
    char cut = prefix[i];
    prefix[i] = '\0';
    if (mkdir(prefix, 0777) == 0)
      SPRINT__TRY(sync_parent(context, prefix));
    else if (errno != EEXIST)
      return sprint_fail(context, SPRINT_ERROR_IO, "%s: the folder cannot be made: %s", path, strerror(errno));
    prefix[i] = cut;
  }
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: is not a folder", path);
}

void sprint_context_protect_inputs(sprint_context *context) {
  if (context) context->protects_inputs = true;
}

static void remember_input(sprint_context *context, const struct stat *info) {
  struct sprint__outlet outlet = {.device = (uint64_t)info->st_dev, .inode = (uint64_t)info->st_ino};
  if (was_read(context, &outlet)) return;
  context->inputs[context->next_input] = (struct sprint__input){outlet.device, outlet.inode};
  context->next_input = (context->next_input + 1) % SPRINT__MOST_INPUTS;
  if (context->n_inputs < SPRINT__MOST_INPUTS) context->n_inputs++;
}

sprint_status sprint__file_open(sprint_context *context, const char *path, FILE **ret_stream) {
  struct stat info;
  SPRINT__SCOPED(fclose) FILE *stream = fopen(path, "rb");
  if (!stream || fstat(fileno(stream), &info) != 0)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode)) return sprint_fail(context, SPRINT_ERROR_IO, "%s: is a folder, a file was expected", path);
  remember_input(context, &info);
  *ret_stream = sprint__give(&stream);
  return SPRINT_OK;
}

bool sprint__file_is_regular(FILE *stream) {
  struct stat info;
  return fstat(fileno(stream), &info) == 0 && S_ISREG(info.st_mode);
}

bool sprint__file_is_there(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

sprint_status sprint__file_open_regular(sprint_context *context, const char *path, const char *what,
                                        FILE **ret_stream) {
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  if (!sprint__file_is_regular(stream))
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: is not a regular file, which %s is", path, what);
  *ret_stream = sprint__give(&stream);
  return SPRINT_OK;
}

sprint_status sprint__file_read(sprint_context *context, const char *path, size_t most, char **ret_bytes,
                                size_t *ret_size) {
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  return sprint__file_take(context, path, stream, most, ret_bytes, ret_size);
}

sprint_status sprint__file_take(sprint_context *context, const char *path, FILE *stream, size_t most, char **ret_bytes,
                                size_t *ret_size) {
  SPRINT__SCOPED(sprint__free) void *bytes = NULL;
  size_t size = 0, room = 0, got = 1;
  while (got && size < most) {
    SPRINT__TRY(sprint__grow(context, &bytes, size, &room, size + BLOCK_SIZE, 1));
    size += got = fread((char *)bytes + size, 1, room - size, stream);
  }
  if (ferror(stream)) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read", path);
  *ret_bytes = sprint__give(&bytes);
  *ret_size = size;
  return SPRINT_OK;
}

double sprint__file_size(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (double)info.st_size : 0;
}

bool sprint__path_ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcmp(path + length - tail, ending) == 0;
}
