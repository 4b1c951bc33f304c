/* The public data sets that `sprint data get` fetches: where they are, what is in them, whether they are here. */
#ifndef SPRINT_CLI_FETCH_SETS_H
#define SPRINT_CLI_FETCH_SETS_H

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

#endif
