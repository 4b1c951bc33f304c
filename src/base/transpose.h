/* Matrices turned round, by squares of a group. */
#ifndef SPRINT_BASE_TRANSPOSE_H
#define SPRINT_BASE_TRANSPOSE_H

#include "sprint.h"

/* to (columns, rows) = from (rows, columns), rows of `from` and of `to` so far apart. */
void sprint__transpose(const sprint_real *from, size_t rows, size_t columns, size_t from_stride, size_t to_stride,
                       sprint_real *to);

#endif
