/* Fetching public data sets: transfer, sums, unpacking. A file appears under its name whole and checked, or not at all.
 */
#ifndef SPRINT_FETCH_FETCH_H
#define SPRINT_FETCH_FETCH_H

#include <stdio.h>

#include "fetch_sets.h"

/* Puts the set into the folder, which is made where it is missing; what is there is kept. Says what it does on stdout,
 * and shows a bar on stderr where that is a terminal. With SPRINT_MIRROR=ADDRESS in the environment, files come from
 * ADDRESS/SET/NAME alone. */
sprint_status fetch_set_get(sprint_context *context, const struct fetch_set *set, const char *folder);

/* Transfers the address to the file `part`, from where an earlier transfer broke off; goes on while a server that
 * breaks off gives more. At most `size` bytes; fewer are an error. */
sprint_status fetch_transfer(sprint_context *context, const char *address, const char *part, uint64_t size);

/* Whether the file has the sums; the sentence has both. */
sprint_status fetch_check_sums(sprint_context *context, const char *path, const struct fetch_file *file);

/* The same of what gzip has packed in it. */
sprint_status fetch_check_contents(sprint_context *context, const char *path, const char *sha256);

/* Notes the SHA-256 sums of the set's members at fetch_set_sums. */
sprint_status fetch_note_sums(sprint_context *context, const struct fetch_set *set, const char *folder);

/* Checks all of a set, and says on stdout what is right. What is wrong is handed to `wrong`, and the rest is looked at
 * too; NULL: the first that is wrong ends it. */
sprint_status fetch_set_check(sprint_context *context, const struct fetch_set *set, const char *folder,
                              void (*wrong)(const sprint_context *context));

/* Unpacks the members of the archive into the folder; none is put there before all are unpacked. */
sprint_status fetch_unpack(sprint_context *context, const char *archive, const struct fetch_member *members, size_t n,
                           const char *folder);

/* Opens a part to append to, and locks it against a second program that fetches the same. A link, or a file that
 * others may have a hand in, is refused. */
sprint_status fetch_part_open(sprint_context *context, const char *part, FILE **ret_stream);

/* Fails with "PATH: cannot be written: " and the reason that errno has. */
sprint_status fetch_unwritable(sprint_context *context, const char *path);

/* The folder that the file is in and its parents, where missing. */
sprint_status fetch_make_folder_of(sprint_context *context, const char *path);

/* A bar on a terminal. */
struct fetch_progress {
  const char *name;
  uint64_t total;
  double started, printed; /* clock */
  uint64_t first;          /* bytes that were there before */
  bool terminal;
};

void fetch_progress_start(struct fetch_progress *progress, const char *name, uint64_t first, uint64_t total);
void fetch_progress_show(struct fetch_progress *progress, uint64_t done);
void fetch_progress_end(struct fetch_progress *progress);

#endif
