/* Whether a set that is here is what was published: by the sums of its files, of what gzip packed in them, or those
 * noted when an archive of the right sum was unpacked; where there are none, by what is in it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "fetch.h"

static sprint_status found(const char *path, const char *how) {
  cli_print(stdout, "%s: right, by %s\n", path, how);
  return SPRINT_OK;
}

static sprint_status check_file(sprint_context *context, const struct fetch_file *file, const char *path) {
  if (fetch_check_sums(context, path, file) == SPRINT_OK) return found(path, "its SHA-256 sum");
  if (!file->contents) return SPRINT_ERROR_INPUT;
  sprint_status status = fetch_check_contents(context, path, file->contents);
  return status == SPRINT_OK ? found(path, "the SHA-256 sum of its contents, which are packed otherwise") : status;
}

/* The sum noted for the path, to be freed; NULL: none. */
static char *noted_sum(const char *sums, const char *path) {
  char line[1024], sum[65] = "", name[512] = "", *noted = NULL;
  FILE *stream = fopen(sums, "r");
  while (stream && !noted && fgets(line, sizeof line, stream))
    if (sscanf(line, "%64[0-9a-f]  %511[^\n]", sum, name) == 2 && strcmp(name, path) == 0)
      noted = cli_format("%s", sum);
  if (stream) fclose(stream);
  return noted;
}

/* Images that are one colour throughout, of which there are none. */
static sprint_status check_images(sprint_context *context, const char *path) {
  unsigned char record[FETCH_CIFAR10_RECORD];
  FILE *stream = fopen(path, "rb");
  size_t i = 0;
  bool flat = false;
  for (; stream && !flat && fread(record, sizeof record, 1, stream) == 1; i++)
    flat = memcmp(record + 1, record + 2, sizeof record - 2) == 0;
  if (stream) fclose(stream);
  if (flat)
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: image %zu is one value throughout, as none that was published",
                       path, i - 1);
  if (i != FETCH_CIFAR10_RECORDS)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: has %zu records, %d were expected", path, i,
                       FETCH_CIFAR10_RECORDS);
  return SPRINT_OK;
}

static sprint_status check_size(sprint_context *context, const char *path, uint64_t size) {
  struct stat info;
  if (stat(path, &info) != 0) return sprint_fail(context, SPRINT_ERROR_IO, "%s: is missing", path);
  if ((uint64_t)info.st_size == size) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: has %llu bytes, %llu were expected", path,
                     (unsigned long long)info.st_size, (unsigned long long)size);
}

static sprint_status check_member(sprint_context *context, const struct fetch_member *member, const char *path,
                                  const char *noted) {
  sprint_status status = check_size(context, path, member->size);
  if (status != SPRINT_OK) return status;
  const struct fetch_file as_file = {.sha256 = member->sha256 ? member->sha256 : noted};
  if (as_file.sha256) {
    status = fetch_check_sums(context, path, &as_file);
    return status == SPRINT_OK ? found(path, member->sha256 ? "its SHA-256 sum" : "the sum noted when it was unpacked")
                               : status;
  }
  if (!member->is_cifar10) return found(path, "its size; there is no sum to hold it against");
  if (!fetch_is_cifar10(path))
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "%s: does not have ten classes about equally often, as was published", path);
  status = check_images(context, path);
  return status == SPRINT_OK ? found(path, "its labels and images; there is no sum to hold it against") : status;
}

sprint_status fetch_set_check(sprint_context *context, const struct fetch_set *set, const char *folder,
                              void (*wrong)(const sprint_context *context)) {
  char *sums = fetch_set_sums(set, folder);
  sprint_status worst = SPRINT_OK;
  for (size_t i = 0; i < (set->members ? set->n_members : set->n_files); i++) {
    const char *name = set->members ? set->members[i].path : set->files[i].path;
    char *path = cli_format("%s/%s", folder, name), *noted = noted_sum(sums, name);
    sprint_status status =
        set->members ? check_member(context, &set->members[i], path, noted) : check_file(context, &set->files[i], path);
    if (status != SPRINT_OK && wrong) wrong(context);
    if (status != SPRINT_OK) worst = status;
    free(path);
    free(noted);
    if (worst != SPRINT_OK && !wrong) break;
  }
  free(sums);
  return worst;
}
