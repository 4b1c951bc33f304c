/* CIFAR-10's binary batches: see cifar10.h. */
#include "population/cifar10.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "config/names.h"

static const char *const published[SPRINT__CIFAR10_CLASSES] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                               "dog",      "frog",       "horse", "ship", "truck"};

sprint_status sprint__cifar10_open(sprint_context *context, const char *path, FILE **ret_stream, size_t *ret_n) {
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  long end = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
  if (end < 0 || fseek(stream, 0, SEEK_SET) != 0)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be searched; a plain file is needed", path);
  if (end == 0 || end % SPRINT__CIFAR10_RECORD)
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "%s: has %ld bytes, a whole number of CIFAR-10's records of %d bytes was expected", path, end,
                       SPRINT__CIFAR10_RECORD);
  *ret_stream = sprint__give(&stream);
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

sprint_status sprint__cifar10_names(sprint_context *context, const char *folder, char ***ret_names) {
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s/batches.meta.txt", folder);
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  char lines[SPRINT__CIFAR10_CLASSES + 1][128]; /* one to read on into */
  const char *names[SPRINT__CIFAR10_CLASSES];
  struct stat info;
  if (!path) return SPRINT_ERROR_MEMORY;
  bool read = stat(path, &info) == 0;
  if (read) SPRINT__TRY(sprint__file_open_regular(context, path, "a list of names", &stream));
  size_t n = 0;
  while (read && next_name(stream, lines[n < SPRINT__COUNT(names) ? n : SPRINT__COUNT(names)], sizeof lines[0])) n++;
  if (read && n != SPRINT__COUNT(names))
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: has %zu class names, %d were expected", path, n,
                       SPRINT__CIFAR10_CLASSES);
  for (size_t k = 0; k < SPRINT__COUNT(names); k++) names[k] = read ? lines[k] : published[k];
  *ret_names = sprint__names_copy(context, names, SPRINT__COUNT(names));
  return *ret_names ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}
