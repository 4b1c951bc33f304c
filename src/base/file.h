/* Files that appear whole or not at all: written under a temporary name, synced, renamed, the folder synced. A link
 * stays, and what it leads to is replaced; what is no regular file, such as a device or a FIFO, is written to as it is.
 */
#ifndef SPRINT_BASE_FILE_H
#define SPRINT_BASE_FILE_H

#include <stdio.h>

#include "base/arena.h"

struct sprint__file {
  FILE *stream;        /* write here with stdio; errors are found at commit */
  char *path;          /* as it was named */
  char *target, *part; /* where links lead; the temporary file beside it. NULL: written to as it is */
};

sprint_status sprint__file_create(sprint_context *context, const char *path, struct sprint__file *ret_file);

/* Flushes, syncs, renames and syncs the folder, unless JSON of this thread lacks something (base/json.h); on failure
 * removes the part. The struct is done with either way. */
sprint_status sprint__file_commit(sprint_context *context, struct sprint__file *file);
void sprint__file_abandon(struct sprint__file *file);

/* Refuses an output that is the same file as an input, by whatever names. */
sprint_status sprint__file_differs(sprint_context *context, const char *path, const char *input);

/* Whether there is anything of this name; where that cannot be told, a failure: what is there must not pass for gone.
 */
sprint_status sprint__file_exists(sprint_context *context, const char *path, bool *ret_exists);

/* Takes a file away, where there is one. */
sprint_status sprint__file_remove(sprint_context *context, const char *path);

/* Renames, whatever is there under the new name. */
sprint_status sprint__file_rename(sprint_context *context, const char *from, const char *to);

/* Takes away the files in a folder; and the folder too, where there is one. Folders within it are refused, and links
 * instead of it. */
sprint_status sprint__folder_clear(sprint_context *context, const char *path);
sprint_status sprint__folder_remove(sprint_context *context, const char *path);

/* What was renamed in it stays so, whatever happens to the machine; a failure where that cannot be said. File systems
 * that sync no folders do what they can. */
sprint_status sprint__folder_sync(sprint_context *context, const char *path);

/* The folder and its parents, where missing. */
sprint_status sprint__folder_make(sprint_context *context, const char *path);

static inline void fclose_at(FILE **stream) { /* for SPRINT__SCOPED */
  if (*stream) fclose(*stream);
}

/* Opens to read, or says why not. A folder is refused. */
sprint_status sprint__file_open(sprint_context *context, const char *path, FILE **ret_stream);

/* The same of a file that has an end: a device or a FIFO is refused as not being `what`, such as "a model". */
sprint_status sprint__file_open_regular(sprint_context *context, const char *path, const char *what, FILE **ret_stream);
bool sprint__file_is_regular(FILE *stream);

/* Whether there is a regular file of this name. */
bool sprint__file_is_there(const char *path);

/* All bytes of a file, yours to free; of a larger one than `most`, at least so many. */
sprint_status sprint__file_read(sprint_context *context, const char *path, size_t most, char **ret_bytes,
                                size_t *ret_size);
sprint_status sprint__file_take(sprint_context *context, const char *path, FILE *stream, size_t most, char **ret_bytes,
                                size_t *ret_size); /* of one that is open */

/* Bytes of a regular file; 0 of anything else. */
double sprint__file_size(const char *path);

/* Whether the path ends in `ending`, such as ".npy". */
bool sprint__path_ends_in(const char *path, const char *ending);

#endif
