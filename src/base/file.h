/* Files that appear whole or not at all: written under a temporary name, synced, renamed. */
#ifndef SPRINT_BASE_FILE_H
#define SPRINT_BASE_FILE_H

#include <stdio.h>

#include "base/arena.h"

struct sprint__file {
  FILE *stream; /* write here with stdio; errors are found at commit */
  char *path, *part;
};

sprint_status sprint__file_create(sprint_context *context, const char *path, struct sprint__file *ret_file);

/* Flushes, syncs and renames; on failure removes the part. The struct is done with either way. */
sprint_status sprint__file_commit(sprint_context *context, struct sprint__file *file);
void sprint__file_abandon(struct sprint__file *file);

/* The folder and its parents, where missing. */
sprint_status sprint__folder_make(sprint_context *context, const char *path);

static inline void fclose_at(FILE **stream) { /* for SPRINT__SCOPED */
  if (*stream) fclose(*stream);
}

/* Opens to read, or says why not. A folder is refused. */
sprint_status sprint__file_open(sprint_context *context, const char *path, FILE **ret_stream);

/* All bytes of a file, yours to free; of a larger one than `most`, at least so many. */
sprint_status sprint__file_read(sprint_context *context, const char *path, size_t most, char **ret_bytes,
                                size_t *ret_size);

/* Whether the path ends in `ending`, such as ".npy". */
bool sprint__path_ends_in(const char *path, const char *ending);

#endif
