/* CSV files row by row: what the loader and the scorer share. */
#ifndef SPRINT_POPULATION_CSV_READER_H
#define SPRINT_POPULATION_CSV_READER_H

#include "base/arena.h"

/* A row, lent for the time of a call. */
struct sprint__csv_row {
  size_t line; /* the physical line where it starts, from 1 */
  size_t n;
  const char *text;     /* its fields, each ended by a NUL */
  const size_t *starts; /* (n) into text */
};

static inline const char *sprint__csv_field(const struct sprint__csv_row *row, size_t column) {
  return row->text + row->starts[column];
}

/* Who takes the rows. The header comes first, with a guess at the number of rows (0: no idea); every later row has as
 * many fields as it. A status other than SPRINT_OK ends the reading and is returned. */
struct sprint__csv_sink {
  void *user;
  sprint_status (*header)(void *user, const struct sprint__csv_row *row, size_t n_rows_guess);
  sprint_status (*row)(void *user, const struct sprint__csv_row *row);
};

/* Reads the whole file. Quoted fields, CRLF, a byte-order mark and blank lines are fine; no header, no rows, ragged
 * rows, stray or unclosed quotes and NUL bytes are refused with the line. */
sprint_status sprint__csv_read(sprint_context *context, const char *path, char separator,
                               const struct sprint__csv_sink *sink);

/* The same for bytes that come from anywhere: make a reader, feed it, finish it. The path, which is lent, stands for
 * where they come from. */
struct sprint__csv_reader;
sprint_status sprint__csv_reader_new(sprint_context *context, const char *path, char separator,
                                     const struct sprint__csv_sink *sink, struct sprint__csv_reader **ret_reader);
void sprint__csv_reader_free(struct sprint__csv_reader *reader);
SPRINT__FREE_AT(sprint__csv_reader_free, struct sprint__csv_reader)

/* Takes the bytes to the end of the first line, or all; *ret_used says how many. At most one row comes of it. */
sprint_status sprint__csv_feed_line(struct sprint__csv_reader *reader, const char *bytes, size_t size,
                                    size_t *ret_used);
size_t sprint__csv_line(const struct sprint__csv_reader *reader); /* that the next byte is on, from 1 */

/* Nothing follows: a last row without a line end may come. */
sprint_status sprint__csv_finish(struct sprint__csv_reader *reader);

/* The column names, kept in an arena. */
struct sprint__csv_header {
  sprint_context *context;
  const char *path; /* lent */
  size_t line, n;
  char **names; /* (n) */
};

sprint_status sprint__csv_header_keep(struct sprint__arena *arena, const char *path, const struct sprint__csv_row *row,
                                      struct sprint__csv_header *ret_header);

/* The column of this name; a name that is not there (the nearest is suggested) or there twice is refused. */
sprint_status sprint__csv_header_find(const struct sprint__csv_header *header, const char *name, size_t *ret_column);

/* The field as a number, NaN where it is missing; else refused with line, column and value. */
sprint_status sprint__csv_number(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, double *ret_value);

/* Fails with "FILE:LINE: column N 'NAME': " and the rest. */
sprint_status sprint__csv_refuse(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, const char *rest);

#endif
