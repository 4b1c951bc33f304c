/* The page of results: one file of HTML with everything in it. page/ holds its text, which page/embed.py makes arrays
 * of when the library is built; between them goes the data, as page/src/data.js reads it. */
#ifndef SPRINT_REPORT_PAGE_H
#define SPRINT_REPORT_PAGE_H

#include <stdio.h>

#include "report/runs.h"

SPRINT__FREE_AT(json_decref, json_t)

/* Made by page/embed.py. */
extern const char *const sprint__page_missing; /* why there is no page in this build; NULL: there is */
extern const unsigned char sprint__page_before[], sprint__page_after[]; /* UTF-8 around the data */
extern const size_t sprint__page_before_size, sprint__page_after_size;

/* page_notes.c: what a reader should know of the runs as a whole, sentences of the arena: files that are not what they
 * should be, runs that have not ended, versions that differ. */
sprint_status sprint__page_notes(struct sprint__arena *arena, const struct sprint__results *results,
                                 const char ***ret_notes, size_t *ret_n_notes);

/* page_data.c: what is known of all runs but for their traces, a new reference; of use where the arena did not fail. */
json_t *sprint__page_json(struct sprint__arena *arena, const struct sprint__results *results, const char *folder,
                          const char *const *notes, size_t n_notes);

/* page_trace.c: the traces as a JSON array, reals with so many significant digits. */
void sprint__page_traces(const struct sprint__results *results, int digits, FILE *stream);

#endif
