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

/* Fewer columns than a block has: its rows are read beyond their ends, as far as there are numbers. Returns how many
 * rows are done. */
SPRINT__INLINE size_t transpose_narrow(const sprint_real *from, size_t rows, size_t columns, size_t from_stride,
                                       size_t to_stride, sprint_real *to) {
  size_t r = 0, end = (rows - 1) * from_stride + columns;
  for (; (r + G - 1) * from_stride + G <= end; r += G) {
    group block[G];
#pragma GCC unroll 8
    for (size_t i = 0; i < G; i++) block[i] = load(from + (r + i) * from_stride);
    turn_square(block);
#pragma GCC unroll 8
    for (size_t c = 0; c < G; c++)
      if (c < columns) store(to + c * to_stride + r, block[c]);
  }
  return r;
}

/* The last blocks begin early where they would not be full. */
SPRINT__FAST void sprint__transpose(const sprint_real *from, size_t rows, size_t columns, size_t from_stride,
                                    size_t to_stride, sprint_real *to) {
  if (rows < G || columns < G) {
    size_t done = rows > G ? transpose_narrow(from, rows, columns, from_stride, to_stride, to) : 0;
    transpose_few(from + done * from_stride, rows - done, columns, from_stride, to_stride, to + done);
    return;
  }
  for (size_t row = 0; row < rows; row += G)
    for (size_t column = 0; column < columns; column += G) {
      size_t r = row + G <= rows ? row : rows - G, c = column + G <= columns ? column : columns - G;
      transpose_block(from + r * from_stride + c, from_stride, to_stride, to + c * to_stride + r);
    }
}
