/* Matrices turned round, of any size, with room between their rows: every number where it belongs, and nothing else
 * touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/transpose.h"

enum { MOST = 40, MOST_ROOM = 3 };

/* Numbers of `from` count up; those of `to` are below 0 until they are written. The arrays are as long as they need to
 * be, so that AddressSanitizer sees what is read or written outside. */
static void turn(size_t rows, size_t columns, size_t room) {
  size_t from_stride = columns + room, to_stride = rows + room;
  size_t n_from = (rows - 1) * from_stride + columns, n_to = (columns - 1) * to_stride + rows;
  sprint_real *from = malloc(n_from * sizeof *from), *to = malloc(n_to * sizeof *to);
  assert_non_null(from);
  assert_non_null(to);
  for (size_t i = 0; i < n_from; i++) from[i] = (sprint_real)i;
  for (size_t i = 0; i < n_to; i++) to[i] = -1;
  sprint__transpose(from, rows, columns, from_stride, to_stride, to);
  for (size_t i = 0; i < n_to; i++) {
    size_t r = i % to_stride, c = i / to_stride;
    assert_true(to[i] == (r < rows ? (sprint_real)(r * from_stride + c) : -1));
  }
  free(from);
  free(to);
}

static void test_transpose__sizes(void **state) {
  (void)state;
  for (size_t rows = 1; rows <= MOST; rows++)
    for (size_t columns = 1; columns <= MOST; columns++)
      for (size_t room = 0; room <= MOST_ROOM; room++) turn(rows, columns, room);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_transpose__sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
