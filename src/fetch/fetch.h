/* Fetching public data sets: transfer, sums, unpacking. A file appears under its name whole and checked, or not at all.
 */
#ifndef SPRINT_FETCH_FETCH_H
#define SPRINT_FETCH_FETCH_H

#include "sprint.h"

enum { FETCH_MAX_MIRRORS = 4 };

/* A file as its publisher has it. */
struct fetch_file {
  const char *name; /* at the mirrors, below their addresses */
  const char *path; /* in the data folder */
  uint64_t size;
  const char *sha256, *md5; /* in hexadecimal; NULL: not checked */
};

/* What an archive is unpacked to. */
struct fetch_member {
  const char *name; /* in the archive */
  const char *path; /* in the data folder */
  uint64_t size;
};

struct fetch_set {
  const char *name, *title;
  const char *mirrors[FETCH_MAX_MIRRORS]; /* addresses that end in '/', tried in order; the rest NULL */
  const struct fetch_file *files;
  size_t n_files;
  const struct fetch_member *members; /* of the one file, an archive; NULL: the files are wanted as they are */
  size_t n_members;
};

/* The known sets. */
extern const struct fetch_set *const fetch_sets[];
extern const size_t n_fetch_sets;
const struct fetch_set *fetch_set_find(const char *name); /* NULL: none */

/* The path in the data folder of what is missing or has another size than published, or NULL: complete. */
const char *fetch_set_missing(const struct fetch_set *set, const char *folder);

/* Whether a file of the set is there, whatever its size. */
bool fetch_set_begun(const struct fetch_set *set, const char *folder);

/* Puts the set into the folder, which is made where it is missing; what is there is kept. Says what it does on stdout,
 * and shows a bar on stderr where that is a terminal. With SPRINT_MIRROR=ADDRESS in the environment, files come from
 * ADDRESS/SET/NAME alone. */
sprint_status fetch_set_get(sprint_context *context, const struct fetch_set *set, const char *folder);

/* Transfers the address to the file `part`, from where an earlier transfer broke off; goes on while a server that
 * breaks off gives more. At most `size` bytes; fewer are an error. */
sprint_status fetch_transfer(sprint_context *context, const char *address, const char *part, uint64_t size);

/* Whether the file has the sums; the sentence has both. */
sprint_status fetch_check_sums(sprint_context *context, const char *path, const struct fetch_file *file);

/* Unpacks the members of the archive into the folder; none is put there before all are unpacked. */
sprint_status fetch_unpack(sprint_context *context, const char *archive, const struct fetch_member *members, size_t n,
                           const char *folder);

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
