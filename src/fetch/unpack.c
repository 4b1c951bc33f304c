/* Unpacking tar.gz and zip over libarchive: known members alone, to names of our own. */
#define _POSIX_C_SOURCE 200809L
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "fetch.h"

#define BLOCK_SIZE 65536

struct unpacking {
  sprint_context *context;
  const char *archive;
  struct archive *reader;
  const struct fetch_member *members;
  size_t n;
  char **paths, **parts; /* (n) */
  FILE **streams;        /* (n) its part, open and locked until it has its name; NULL: not unpacked */
};

static sprint_status refuse_archive(const struct unpacking *u) {
  const char *reason = archive_error_string(u->reader);
  return sprint_fail(u->context, SPRINT_ERROR_INPUT, "%s: cannot be unpacked: %s", u->archive,
                     reason ? reason : "it is damaged");
}

static size_t find_member(const struct unpacking *u, const char *name) {
  if (strncmp(name, "./", 2) == 0) name += 2;
  size_t i = 0;
  while (i < u->n && strcmp(u->members[i].name, name) != 0) i++;
  return i;
}

static sprint_status copy(const struct unpacking *u, FILE *stream, size_t i) {
  char block[BLOCK_SIZE];
  uint64_t size = 0;
  la_ssize_t n;
  while ((n = archive_read_data(u->reader, block, sizeof block)) > 0) {
    size += (uint64_t)n;
    if (size > u->members[i].size) break;
    if (fwrite(block, 1, (size_t)n, stream) != (size_t)n) return fetch_unwritable(u->context, u->parts[i]);
  }
  if (n < 0) return refuse_archive(u);
  if (size != u->members[i].size)
    return sprint_fail(u->context, SPRINT_ERROR_INPUT, "%s: its member %s does not have the %llu bytes expected",
                       u->archive, u->members[i].name, (unsigned long long)u->members[i].size);
  return SPRINT_OK;
}

static sprint_status unpack_member(const struct unpacking *u, size_t i) {
  sprint_status status = fetch_make_folder_of(u->context, u->paths[i]);
  if (status != SPRINT_OK) return status;
  if (u->streams[i])
    return sprint_fail(u->context, SPRINT_ERROR_INPUT, "%s: has two members %s", u->archive, u->members[i].name);
  status = fetch_part_open(u->context, u->parts[i], &u->streams[i]);
  if (status != SPRINT_OK) return status;
  FILE *stream = u->streams[i];
  if (ftruncate(fileno(stream), 0) != 0) return fetch_unwritable(u->context, u->parts[i]);
  status = copy(u, stream, i);
  if (status == SPRINT_OK && (fflush(stream) != 0 || fsync(fileno(stream)) != 0))
    return fetch_unwritable(u->context, u->parts[i]);
  return status;
}

static sprint_status unpack_all(const struct unpacking *u) {
  struct archive_entry *entry;
  int code;
  while ((code = archive_read_next_header(u->reader, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) {
    const char *name = archive_entry_pathname(entry);
    size_t i = name ? find_member(u, name) : u->n;
    sprint_status status = i < u->n ? unpack_member(u, i) : SPRINT_OK;
    if (status != SPRINT_OK) return status;
  }
  if (code != ARCHIVE_EOF) return refuse_archive(u);
  for (size_t i = 0; i < u->n; i++)
    if (!u->streams[i])
      return sprint_fail(u->context, SPRINT_ERROR_INPUT, "%s: has no member %s", u->archive, u->members[i].name);
  return SPRINT_OK;
}

static sprint_status rename_all(const struct unpacking *u) {
  for (size_t i = 0; i < u->n; i++) {
    if (rename(u->parts[i], u->paths[i]) != 0) return fetch_unwritable(u->context, u->paths[i]);
    cli_print(stdout, "%s: unpacked, %llu bytes\n", u->paths[i], (unsigned long long)u->members[i].size);
  }
  return SPRINT_OK;
}

static sprint_status unpack(const struct unpacking *u) {
  archive_read_support_filter_gzip(u->reader);
  archive_read_support_format_tar(u->reader);
  archive_read_support_format_zip(u->reader);
  if (archive_read_open_filename(u->reader, u->archive, BLOCK_SIZE) != ARCHIVE_OK) return refuse_archive(u);
  sprint_status status = unpack_all(u);
  return status == SPRINT_OK ? rename_all(u) : status;
}

static void unpacking_clear(struct unpacking *u, bool remove_parts) {
  for (size_t i = 0; i < u->n && u->paths && u->parts; i++) {
    bool there = u->streams && u->streams[i];
    if (there && remove_parts) unlink(u->parts[i]);
    if (there) fclose(u->streams[i]);
    free(u->paths[i]);
    free(u->parts[i]);
  }
  free(u->paths);
  free(u->parts);
  free(u->streams);
  if (u->reader) archive_read_free(u->reader);
}

sprint_status fetch_unpack(sprint_context *context, const char *archive, const struct fetch_member *members, size_t n,
                           const char *folder) {
  struct unpacking u = {.context = context, .archive = archive, .members = members, .n = n};
  u.reader = archive_read_new();
  u.paths = calloc(n, sizeof *u.paths);
  u.parts = calloc(n, sizeof *u.parts);
  u.streams = calloc(n, sizeof *u.streams);
  sprint_status status = SPRINT_ERROR_MEMORY;
  if (u.reader && u.paths && u.parts && u.streams) {
    for (size_t i = 0; i < n; i++) {
      u.paths[i] = cli_format("%s/%s", folder, members[i].path);
      u.parts[i] = cli_format("%s.part", u.paths[i]);
    }
    status = unpack(&u);
  } else {
    sprint_fail(context, status, "out of memory for unpacking %s", archive);
  }
  unpacking_clear(&u, status != SPRINT_OK);
  return status;
}
