/* CSV files row by row: what the loader and the scorer share. */
#ifndef SPRINT_POPULATION_CSV_READER_H
#define SPRINT_POPULATION_CSV_READER_H

#include "population/dialect.h"
#include "population/index.h"

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

/* Reads the whole file, plain or gzip. Quoted fields, CRLF, a byte-order mark and blank lines are fine; no header, no
 * rows, ragged rows, stray or unclosed quotes and NUL bytes are refused with the line. What the dialect does not say is
 * found first, from the header and the first rows. */
sprint_status sprint__csv_read(sprint_context *context, const char *path, struct sprint__dialect *dialect,
                               const struct sprint__csv_sink *sink);

/* The same for bytes that come from anywhere: make a reader, feed it, finish it. The path, which is lent, stands for
 * where they come from; a separator that is to be found is found from the header alone. */
struct sprint__csv_reader;
sprint_status sprint__csv_reader_new(sprint_context *context, const char *path, struct sprint__dialect *dialect,
                                     const struct sprint__csv_sink *sink, struct sprint__csv_reader **ret_reader);
void sprint__csv_reader_free(struct sprint__csv_reader *reader);
SPRINT__FREE_AT(sprint__csv_reader_free, struct sprint__csv_reader)

/* Takes the bytes to the end of the first line, or all; *ret_used says how many. At most one row comes of it. */
sprint_status sprint__csv_feed_line(struct sprint__csv_reader *reader, const char *bytes, size_t size,
                                    size_t *ret_used);

/* Nothing follows: a last row without a line end may come. */
sprint_status sprint__csv_finish(struct sprint__csv_reader *reader);

/* The column names, kept in an arena. */
struct sprint__csv_header {
  sprint_context *context;
  const char *path; /* lent */
  size_t line, n;
  char **names;                    /* (n) */
  struct sprint__dialect *dialect; /* lent */
  struct sprint__index *index;     /* of the names; by number of these: */
  size_t *first, *next;            /* the first column so called; by column: the next one so called, or n */
};

sprint_status sprint__csv_header_keep(struct sprint__arena *arena, const char *path, const struct sprint__csv_row *row,
                                      struct sprint__dialect *dialect, struct sprint__csv_header *ret_header);

/* The first column of this name, or n. */
size_t sprint__csv_header_first(const struct sprint__csv_header *header, const char *name);

/* The column of this name; a name that is not there (the nearest is suggested) or there twice is refused. */
sprint_status sprint__csv_header_find(const struct sprint__csv_header *header, const char *name, size_t *ret_column);

/* The field as a number, NaN where it is missing; else refused with line, column and value. */
sprint_status sprint__csv_number(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, double *ret_value);

/* The same of a feature, which may have to be another kind of column: that is then said. */
sprint_status sprint__csv_feature(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                  size_t column, double *ret_value);

/* The same: 1 or 0 of a boolean, the days of a date. */
sprint_status sprint__csv_boolean(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                  size_t column, double *ret_value);
sprint_status sprint__csv_date(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                               size_t column, double *ret_value);

/* The field as the name of a class or level, which `what` says: whether it is missing. One that can hardly be a name
 * (inf, NULL where that is not listed as missing) is refused. */
sprint_status sprint__csv_name(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                               size_t column, const char *what, bool *ret_missing);

/* Fails with "FILE:LINE: column N 'NAME': " and the rest. */
sprint_status sprint__csv_refuse(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, const char *rest);

#endif
