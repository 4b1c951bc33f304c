/* The trace in files: trace.csv, timing.csv, and rows as JSON. */
#ifndef SPRINT_RUN_TRACE_H
#define SPRINT_RUN_TRACE_H

#include <jansson.h>
#include <stdio.h>

#include "run/run.h"

/* All rows below a header, or one row. Time is the one thing that no two runs share: it has a file of its own. */
void sprint__trace_print(const sprint_run *run, FILE *stream);
void sprint__trace_print_row(const sprint_run *run, size_t row, FILE *stream);
void sprint__timing_print(const sprint_run *run, FILE *stream);
void sprint__timing_print_row(const sprint_run *run, size_t row, FILE *stream);

/* A row as run.json has it: a new reference. */
json_t *sprint__row_json(const sprint_trace_row *row);

/* And back; what is missing or null is NaN, or 0 of counts. Seconds are not part of it. */
void sprint__row_read(const json_t *json, sprint_trace_row *ret_row);

#endif
