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
  const char *contents; /* SHA-256 of what gzip has packed, which others may have packed otherwise; NULL: not known */
};

/* What an archive is unpacked to. */
struct fetch_member {
  const char *name; /* in the archive */
  const char *path; /* in the data folder */
  uint64_t size;
  const char *sha256; /* NULL: not known, see fetch_set_sums */
  bool is_cifar10;    /* records of a label and an image */
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

/* The path in the data folder of what is missing, has another size than published or plainly other contents, such as
 * zeros; NULL: complete, as far as a quick look shows. */
const char *fetch_set_missing(const struct fetch_set *set, const char *folder);

/* The path in the data folder where `sprint data get` notes the sums of what it unpacked, as sha256sum writes them; to
 * be freed. */
char *fetch_set_sums(const struct fetch_set *set, const char *folder);

/* Whether the file has the labels of a batch of CIFAR-10: ten classes, about equally often. */
bool fetch_is_cifar10(const char *path);
enum { FETCH_CIFAR10_RECORD = 3073, FETCH_CIFAR10_RECORDS = 10000 }; /* bytes of one; how many in a batch */

/* Whether a file of the set is there, whatever its size. */
bool fetch_set_begun(const struct fetch_set *set, const char *folder);

#endif
