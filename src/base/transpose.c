/* See transpose.h. */
#include "base/transpose.h"

#include "base/group.h"

/* G rows of G numbers. */
SPRINT__INLINE void transpose_block(const sprint_real *from, size_t from_stride, size_t to_stride, sprint_real *to) {
  group rows[G];
#pragma GCC unroll 8
  for (size_t r = 0; r < G; r++) rows[r] = load(from + r * from_stride);
  turn_square(rows);
#pragma GCC unroll 8
  for (size_t r = 0; r < G; r++) store(to + r * to_stride, rows[r]);
}

/* One by one: fewer rows or columns than a block has. */
SPRINT__INLINE void transpose_few(const sprint_real *from, size_t rows, size_t columns, size_t from_stride,
                                  size_t to_stride, sprint_real *to) {
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++) to[c * to_stride + r] = from[r * from_stride + c];
}

/* The last blocks begin early where they would not be full. */
SPRINT__FAST void sprint__transpose(const sprint_real *from, size_t rows, size_t columns, size_t from_stride,
                                    size_t to_stride, sprint_real *to) {
  if (rows < G || columns < G) {
    transpose_few(from, rows, columns, from_stride, to_stride, to);
    return;
  }
  for (size_t row = 0; row < rows; row += G)
    for (size_t column = 0; column < columns; column += G) {
      size_t r = row + G <= rows ? row : rows - G, c = column + G <= columns ? column : columns - G;
      transpose_block(from + r * from_stride + c, from_stride, to_stride, to + c * to_stride + r);
    }
}
