/* Rows of d numbers that are picked from many, or put among them, by the context's threads. */
#ifndef SPRINT_BASE_ROWS_H
#define SPRINT_BASE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "sprint.h"

/* ret_rows (n, d) := the rows of `all` that are numbered `who` (n). */
void sprint__rows_take(sprint_context *context, const sprint_real *all, size_t d, const uint32_t *who, size_t n,
                       sprint_real *ret_rows);

/* The rows of ret_all that are numbered `who` (n), no number twice, := rows (n, d). */
void sprint__rows_put(sprint_context *context, const sprint_real *rows, size_t d, const uint32_t *who, size_t n,
                      sprint_real *ret_all);

/* A number that is moved through memory takes the time of so many floating-point operations. */
#define SPRINT__COST_OF_MOVING 50.0

#endif
