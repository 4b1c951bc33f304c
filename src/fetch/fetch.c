/* Fetching a set: what is missing, from which mirror, checked, unpacked. */
#define _POSIX_C_SOURCE 200809L
#include "fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

sprint_status fetch_unwritable(sprint_context *context, const char *path) {
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

sprint_status fetch_make_folder_of(sprint_context *context, const char *path) {
  char *folder = cli_format("%s", path);
  sprint_status status = SPRINT_OK;
  for (char *at = folder + 1; (at = strchr(at, '/')) && status == SPRINT_OK; at++) {
    *at = '\0';
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
      status = sprint_fail(context, SPRINT_ERROR_IO, "%s: the folder cannot be made: %s", folder, strerror(errno));
    *at = '/';
  }
  free(folder);
  return status;
}

/* A file of the set on its way. */
struct job {
  sprint_context *context;
  const struct fetch_set *set;
  const struct fetch_file *file;
  char *path, *part;
};

static char *address_of(const struct job *job, const char *mirror) {
  const char *other = getenv("SPRINT_MIRROR");
  if (!other || !*other) return cli_format("%s%s", mirror, job->file->name);
  size_t length = strlen(other);
  return cli_format("%.*s/%s/%s", (int)(other[length - 1] == '/' ? length - 1 : length), other, job->set->name,
                    job->file->name);
}

static sprint_status keep(const struct job *job) {
  if (rename(job->part, job->path) != 0) return fetch_unwritable(job->context, job->path);
  cli_print(stdout, "%s: %llu bytes, sums are right\n", job->path, (unsigned long long)job->file->size);
  return SPRINT_OK;
}

/* One transfer and its check. What does not have the sums is removed; where some of it was there before, that may have
 * been the fault, and it is tried once more from the start. */
static sprint_status fetch_from(const struct job *job, const char *address) {
  struct stat info;
  bool resumed = stat(job->part, &info) == 0 && info.st_size > 0;
  sprint_status status = SPRINT_OK;
  for (int attempt = 0; attempt < (resumed ? 2 : 1); attempt++) {
    cli_print(stdout, "%s %s\n", resumed && attempt == 0 ? "resuming" : "fetching", address);
    fflush(stdout);
    status = fetch_transfer(job->context, address, job->part, job->file->size);
    if (status != SPRINT_OK) return status;
    status = fetch_check_sums(job->context, job->part, job->file);
    if (status == SPRINT_OK) return keep(job);
    unlink(job->part);
  }
  return status;
}

static sprint_status fetch_from_mirrors(const struct job *job) {
  bool other = getenv("SPRINT_MIRROR") && *getenv("SPRINT_MIRROR");
  for (size_t i = 0; i < FETCH_MAX_MIRRORS && job->set->mirrors[i]; i++) {
    char *address = address_of(job, job->set->mirrors[i]);
    sprint_status status = fetch_from(job, address);
    free(address);
    if (status == SPRINT_OK) return SPRINT_OK;
    bool last = other || i + 1 == FETCH_MAX_MIRRORS || !job->set->mirrors[i + 1];
    if (last) break;
    cli_print(stdout, "%s\n", sprint_context_error(job->context));
  }
  char *reason = cli_format("%s", sprint_context_error(job->context));
  sprint_fail(job->context, SPRINT_ERROR_IO, "%s; without a network, put the file %s at %s", reason, job->file->name,
              job->path);
  free(reason);
  return SPRINT_ERROR_IO;
}

/* The sentence of what is wrong with a file, and what to do. */
static sprint_status left_alone(sprint_context *context, sprint_status status) {
  char *reason = cli_format("%s", sprint_context_error(context));
  sprint_fail(context, status, "%s; it was there already and is left as it is: move it away to fetch it", reason);
  free(reason);
  return status;
}

/* Whether files of all members are there, whatever is in them. */
static bool members_are_there(const struct fetch_set *set, const char *folder) {
  bool all = true;
  for (size_t i = 0; i < set->n_members && all; i++) {
    struct stat info;
    char *path = cli_format("%s/%s", folder, set->members[i].path);
    all = stat(path, &info) == 0;
    free(path);
  }
  return all;
}

/* A file that is there is checked and never written over. */
static sprint_status get_file(const struct job *job, bool *ret_fetched) {
  struct stat info;
  *ret_fetched = stat(job->path, &info) != 0;
  if (*ret_fetched) {
    sprint_status status = fetch_make_folder_of(job->context, job->path);
    return status == SPRINT_OK ? fetch_from_mirrors(job) : status;
  }
  sprint_status status = fetch_check_sums(job->context, job->path, job->file);
  if (status == SPRINT_OK) {
    cli_print(stdout, "%s: is there already, sums are right\n", job->path);
    return SPRINT_OK;
  }
  return left_alone(job->context, status);
}

static sprint_status get_one(sprint_context *context, const struct fetch_set *set, const struct fetch_file *file,
                             const char *folder) {
  struct job job = {context, set, file, cli_format("%s/%s", folder, file->path),
                    cli_format("%s/%s.part", folder, file->path)};
  bool fetched = false;
  sprint_status status = get_file(&job, &fetched);
  if (status == SPRINT_OK && set->members) {
    status = fetch_unpack(context, job.path, set->members, set->n_members, folder);
    if (status == SPRINT_OK) status = fetch_note_sums(context, set, folder);
    if (status == SPRINT_OK && fetched) unlink(job.path);
  }
  free(job.path);
  free(job.part);
  return status;
}

sprint_status fetch_set_get(sprint_context *context, const struct fetch_set *set, const char *folder) {
  if (set->members && members_are_there(set, folder)) {
    sprint_status status = fetch_set_check(context, set, folder, NULL);
    return status == SPRINT_OK ? SPRINT_OK : left_alone(context, status);
  }
  for (size_t i = 0; i < set->n_files; i++) {
    sprint_status status = get_one(context, set, &set->files[i], folder);
    if (status != SPRINT_OK) return status;
  }
  return SPRINT_OK;
}
