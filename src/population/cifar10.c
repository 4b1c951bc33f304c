/* CIFAR-10's binary batches: see cifar10.h. */
#include "population/cifar10.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "config/names.h"

static const char *const published[SPRINT__CIFAR10_CLASSES] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                               "dog",      "frog",       "horse", "ship", "truck"};

sprint_status sprint__cifar10_open(sprint_context *context, const char *path, FILE **ret_stream, size_t *ret_n) {
  FILE *stream;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  long end = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
  sprint_status status = SPRINT_OK;
  if (end < 0 || fseek(stream, 0, SEEK_SET) != 0)
    status = sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be searched; a plain file is needed", path);
  else if (end == 0 || end % SPRINT__CIFAR10_RECORD)
    status = sprint_fail(context, SPRINT_ERROR_INPUT,
                         "%s: has %ld bytes, a whole number of CIFAR-10's records of %d bytes was expected", path, end,
                         SPRINT__CIFAR10_RECORD);
  if (status != SPRINT_OK) {
    fclose(stream);
    return status;
  }
  *ret_stream = stream;
  *ret_n = (size_t)end / SPRINT__CIFAR10_RECORD;
  return SPRINT_OK;
}

sprint_status sprint__cifar10_read(sprint_context *context, const char *path, FILE *stream, size_t n,
                                   uint8_t *ret_labels, uint8_t *ret_pixels) {
  for (size_t i = 0; i < n; i++) {
    uint8_t *pixels = ret_pixels + i * SPRINT__CIFAR10_PIXELS;
    if (fread(&ret_labels[i], 1, 1, stream) != 1 ||
        fread(pixels, 1, SPRINT__CIFAR10_PIXELS, stream) != SPRINT__CIFAR10_PIXELS)
      return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read to its end", path);
    if (ret_labels[i] >= SPRINT__CIFAR10_CLASSES)
      return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: record %zu has the label %d, 0 to %d were expected", path, i,
                         ret_labels[i], SPRINT__CIFAR10_CLASSES - 1);
  }
  return SPRINT_OK;
}

/* The next line of a meta file that is not blank, without its end; false at the end. */
static bool next_name(FILE *stream, char *line, int size) {
  while (fgets(line, size, stream)) {
    line[strcspn(line, "\r\n")] = '\0';
    if (*line) return true;
  }
  return false;
}

static sprint_status read_names(sprint_context *context, const char *path, FILE *stream, char **names) {
  char line[128];
  size_t n = 0;
  for (; next_name(stream, line, sizeof line); n++)
    if (n < SPRINT__CIFAR10_CLASSES && !(names[n] = sprint__strdup(context, line))) return SPRINT_ERROR_MEMORY;
  if (n == SPRINT__CIFAR10_CLASSES) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: has %zu class names, %d were expected", path, n,
                     SPRINT__CIFAR10_CLASSES);
}

static sprint_status read_meta(sprint_context *context, const char *path, char ***ret_names) {
  FILE *stream;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  char **names = sprint__alloc(context, SPRINT__CIFAR10_CLASSES, sizeof *names);
  sprint_status status = names ? read_names(context, path, stream, names) : SPRINT_ERROR_MEMORY;
  fclose(stream);
  if (status == SPRINT_OK)
    *ret_names = names;
  else
    sprint__names_free(names, SPRINT__CIFAR10_CLASSES);
  return status;
}

sprint_status sprint__cifar10_names(sprint_context *context, const char *folder, char ***ret_names) {
  char *path = sprint__printf(context, "%s/batches.meta.txt", folder);
  if (!path) return SPRINT_ERROR_MEMORY;
  struct stat info;
  sprint_status status = SPRINT_OK;
  if (stat(path, &info) == 0)
    status = read_meta(context, path, ret_names);
  else if (!(*ret_names = sprint__names_copy(context, published, SPRINT__CIFAR10_CLASSES)))
    status = SPRINT_ERROR_MEMORY;
  sprint__free(path);
  return status;
}
