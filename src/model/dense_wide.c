/* Dense products by vectors of 64 bytes, without copies of what is multiplied: see dense.h. A tile's sums, so many rows
 * times so many vectors of columns, fill the registers; the last vector of a row is masked, or half of one. */
#include "base/transpose.h"
#include "base/wide.h"
#include "model/dense.h"

#if SPRINT__TWICE

/* C (rows, columns) = f(A B + what it starts from); A (rows, depth), B (depth, columns). */
struct product {
  const sprint_real *a;
  size_t a_row, a_step; /* numbers from one row of A to the next, and from one column */
  const sprint_real *b;
  size_t b_row;
  size_t depth;
  size_t
      next; /* rows of B behind these that are asked for meanwhile: what is behind the last one may be another core's */
  sprint_real *c;
  size_t c_row;
  const sprint_real *start; /* a row for all of C, `start_row` 0, or one for each; NULL: zero */
  size_t start_row;
  bool relu;                /* f is max(., 0); otherwise nothing, */
  const sprint_real *where; /* but that C is zero where this is not above it; rows as C's; NULL: nowhere */
};

/* Sums of a tile at most, and its rows and vectors. */
enum { SUMS = 24, MOST_ROWS = 8, MOST_VECTORS = 8, HALF = WIDE / 2 };

/* Columns of a tile: whole vectors, the last of which is as `last` says, and behind them half of one, as `rest` says.
 */
struct columns {
  size_t first, vectors;
  wide_mask last;
  bool half;
  __mmask8 rest;
};

/* A tile's sums. */
struct sums {
  wide whole[SUMS]; /* (rows, vectors) */
  half rest[MOST_ROWS];
};

/* Which numbers of vector g there are. */
SPRINT__WIDE_INLINE wide_mask there_of(const struct columns *columns, size_t g) {
  return g + 1 < columns->vectors ? wide_first(WIDE) : columns->last;
}

/* sums := `rows` rows from `from` on, or zeros where that is NULL. */
SPRINT__WIDE_INLINE void begin(const sprint_real *from, size_t row, size_t rows, const struct columns *columns,
                               struct sums *sums) {
  size_t vectors = columns->vectors;
#pragma GCC unroll 24
  for (size_t s = 0; s < rows * vectors; s++) sums->whole[s] = WIDE_OP(setzero)();
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++) sums->rest[r] = HALF_OP(setzero)();
  if (!from) return;
#pragma GCC unroll 24
  for (size_t s = 0; s < rows * vectors; s++) {
    size_t g = s % vectors;
    sums->whole[s] = wide_load(from + s / vectors * row + g * WIDE, there_of(columns, g));
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++)
    if (columns->half) sums->rest[r] = half_load(from + r * row + vectors * WIDE, columns->rest);
}

/* What is not above zero becomes zero; and what is where `where` is not. */
SPRINT__WIDE_INLINE void rectify(size_t rows, const struct columns *columns, struct sums *sums) {
#pragma GCC unroll 24
  for (size_t s = 0; s < rows * columns->vectors; s++) sums->whole[s] = wide_positive(sums->whole[s]);
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++)
    if (columns->half) sums->rest[r] = half_positive(sums->rest[r]);
}

SPRINT__WIDE_INLINE void mask(const sprint_real *where, size_t row, size_t rows, const struct columns *columns,
                              struct sums *sums) {
  size_t vectors = columns->vectors;
#pragma GCC unroll 24
  for (size_t s = 0; s < rows * vectors; s++) {
    size_t g = s % vectors;
    wide open = wide_load(where + s / vectors * row + g * WIDE, there_of(columns, g));
    sums->whole[s] = wide_masked(sums->whole[s], open);
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++)
    if (columns->half)
      sums->rest[r] = half_masked(sums->rest[r], half_load(where + r * row + vectors * WIDE, columns->rest));
}

SPRINT__WIDE_INLINE void put(const struct sums *sums, size_t rows, const struct columns *columns, size_t row,
                             sprint_real *to) {
  size_t vectors = columns->vectors;
#pragma GCC unroll 24
  for (size_t s = 0; s < rows * vectors; s++) {
    size_t g = s % vectors;
    wide_store(to + s / vectors * row + g * WIDE, there_of(columns, g), sums->whole[s]);
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++)
    if (columns->half) half_store(to + r * row + vectors * WIDE, columns->rest, sums->rest[r]);
}

/* `rows` of C from row i on. */
SPRINT__WIDE_INLINE void tile(const struct product *of, size_t i, size_t rows, struct columns columns) {
  size_t vectors = columns.vectors, c = columns.first, next = i == 0 ? of->next : 0;
  const sprint_real *a = of->a + i * of->a_row, *b = of->b + c;
  struct sums sums;
  begin(of->start ? of->start + i * of->start_row + c : NULL, of->start_row, rows, &columns, &sums);
  for (size_t k = 0; k < of->depth; k++, a += of->a_step, b += of->b_row) {
    wide v[MOST_VECTORS];
    half u = HALF_OP(setzero)();
#pragma GCC unroll 8
    for (size_t g = 0; g < vectors; g++) v[g] = wide_load(b + g * WIDE, there_of(&columns, g));
    if (columns.half) u = half_load(b + vectors * WIDE, columns.rest);
#pragma GCC unroll 8
    for (size_t g = 0; k < next && g < vectors; g++) _mm_prefetch(b + of->depth * of->b_row + g * WIDE, _MM_HINT_T0);
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) {
      wide factor = WIDE_OP(set1)(a[r * of->a_row]);
#pragma GCC unroll 8
      for (size_t g = 0; g < vectors; g++)
        sums.whole[r * vectors + g] = WIDE_OP(fmadd)(factor, v[g], sums.whole[r * vectors + g]);
      if (columns.half) sums.rest[r] = HALF_OP(fmadd)(HALF_OP(set1)(a[r * of->a_row]), u, sums.rest[r]);
    }
  }
  if (of->relu) rectify(rows, &columns, &sums);
  if (of->where) mask(of->where + i * of->c_row + c, of->c_row, rows, &columns, &sums);
  put(&sums, rows, &columns, of->c_row, of->c + i * of->c_row + c);
}

/* Columns that do not fill a vector: more than half of one count as one. */
SPRINT__WIDE_INLINE size_t n_over(size_t columns) { return columns % WIDE <= HALF ? columns % WIDE : 0; }
SPRINT__WIDE_INLINE size_t n_vectors(size_t columns) { return (columns - n_over(columns) + WIDE - 1) / WIDE; }

/* A tile of the first `vectors` of those that are `left`, and of half a one behind them; and on to the next. */
SPRINT__WIDE_INLINE void next_tile(const struct product *of, size_t i, size_t rows, size_t vectors, bool with_half,
                                   size_t columns, size_t *left) {
  size_t over = columns % WIDE;
  struct columns some = {(n_vectors(columns) - *left) * WIDE, vectors, wide_first(WIDE), with_half, 0};
  if (*left == vectors && over > HALF) some.last = wide_first(over);
  if (with_half) some.rest = (__mmask8)wide_first(over);
  tile(of, i, rows, some);
  *left -= vectors;
}

/* The same, where half a vector goes along with the last whole ones. */
SPRINT__WIDE_INLINE void last_tile(const struct product *of, size_t i, size_t rows, size_t vectors, size_t columns,
                                   size_t *left) {
  if (*left == vectors && n_over(columns))
    next_tile(of, i, rows, vectors, true, columns, left);
  else
    next_tile(of, i, rows, vectors, false, columns, left);
}

/* `rows` rows of all columns, `most` vectors at a time, and what is left by fewer. */
SPRINT__WIDE_INLINE void strip(const struct product *of, size_t i, size_t rows, size_t columns, size_t most) {
  size_t left = n_vectors(columns);
  while (left >= most) next_tile(of, i, rows, most, false, columns, &left);
  if (left == 0 && n_over(columns)) next_tile(of, i, rows, 0, true, columns, &left);
  if (most > 4 && left >= 4) last_tile(of, i, rows, 4, columns, &left);
  if (most > 2 && left >= 2) last_tile(of, i, rows, 2, columns, &left);
  if (left) last_tile(of, i, rows, 1, columns, &left);
}

/* All rows and columns by tiles of about as many rows each. */
SPRINT__FOR_WIDE static void multiply(const struct product *of, size_t rows, size_t columns) {
  size_t tiles = (rows + MOST_ROWS - 1) / MOST_ROWS;
  for (size_t t = 0, i = 0, end; t < tiles; t++, i = end) {
    end = rows * (t + 1) / tiles;
    switch (end - i) {
      case 1:
        strip(of, i, 1, columns, 8);
        break;
      case 2:
        strip(of, i, 2, columns, 8);
        break;
      case 3:
        strip(of, i, 3, columns, 8);
        break;
      case 4:
        strip(of, i, 4, columns, 4);
        break;
      case 5:
        strip(of, i, 5, columns, 3);
        break;
      case 6:
        strip(of, i, 6, columns, 3);
        break;
      case 7:
        strip(of, i, 7, columns, 3);
        break;
      default:
        strip(of, i, MOST_ROWS, columns, 3);
    }
  }
}

/* The same in blocks of about as much depth, `most` each: as much of B as the second cache holds with the next one. */
static void multiply_blocks(const struct product *all, size_t rows, size_t columns, size_t most) {
  size_t blocks = (all->depth + most - 1) / most;
  for (size_t b = 0, k = 0, end; b < blocks; b++, k = end) {
    end = all->depth * (b + 1) / blocks;
    struct product of = *all;
    of.a += k * of.a_step;
    of.b += k * of.b_row;
    of.depth = end - k;
    if (k > 0) {
      of.start = of.c;
      of.start_row = of.c_row;
    }
    if (b + 1 < blocks) {
      size_t behind = all->depth * (b + 2) / blocks - end;
      of.relu = false;
      of.next = behind < of.depth ? behind : of.depth;
    }
    multiply(&of, rows, columns);
  }
}

/* A part of W^T that the first cache holds: so many columns, and rows at most. */
enum { PANEL_COLUMNS = 3 * WIDE, PANEL_ROWS = 24 * 1024 / sizeof(sprint_real) / PANEL_COLUMNS };

void sprint__wide_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y) {
  enum { DEPTH = 64 };
  const sprint_real *w = dense->theta;
  bool far = sprint__dense_is_far(dense);
  multiply_blocks(&(struct product){.a = x,
                                    .a_row = sprint__dense_apart(dense),
                                    .a_step = 1,
                                    .b = w,
                                    .b_row = dense->out,
                                    .depth = dense->in,
                                    .c = ret_y,
                                    .c_row = dense->out,
                                    .start = dense->bare ? NULL : w + dense->in * dense->out,
                                    .relu = dense->relu},
                  n, dense->out, far ? DEPTH : dense->in);
}

void sprint__wide_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                         bool adds, sprint_real *gradient) {
  enum { DEPTH = 128 };
  multiply_blocks(&(struct product){.a = x,
                             .a_row = 1,
                             .a_step = sprint__dense_apart(dense),
                             .b = dy,
                             .b_row = dense->out,
                             .depth = n,
                             .c = gradient,
                             .c_row = dense->out,
                             .start = adds ? gradient : NULL,
                             .start_row = dense->out},
           dense->in, dense->out, DEPTH);
}

/* W^T is written out panel by panel. */
void sprint__wide_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                        sprint_real *ret_dx) {
  sprint_real panel[PANEL_ROWS * PANEL_COLUMNS];
  size_t in = dense->in, out = dense->out, blocks = (out + PANEL_ROWS - 1) / PANEL_ROWS;
  for (size_t k = 0; k < in; k += PANEL_COLUMNS) {
    size_t columns = in - k < PANEL_COLUMNS ? in - k : PANEL_COLUMNS;
    for (size_t block = 0; block < blocks; block++) {
      size_t o = out * block / blocks, end = out * (block + 1) / blocks;
      sprint__transpose(dense->theta + k * out + o, columns, end - o, out, PANEL_COLUMNS, panel);
      struct product of = {.a = dy + o, .a_row = out, .a_step = 1, .b = panel, .b_row = PANEL_COLUMNS};
      of.depth = end - o;
      of.c = ret_dx + k;
      of.start = block > 0 ? of.c : NULL;
      of.c_row = of.start_row = sprint__dense_apart(dense);
      of.where = relu_x && block + 1 == blocks ? relu_x + k : NULL;
      multiply(&of, n, columns);
    }
  }
}

#else /* nobody asks for them */

void sprint__wide_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y) {
  (void)dense, (void)x, (void)n, (void)ret_y;
}

void sprint__wide_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                         bool adds, sprint_real *gradient) {
  (void)dense, (void)x, (void)dy, (void)n, (void)adds, (void)gradient;
}

void sprint__wide_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                        sprint_real *ret_dx) {
  (void)dense, (void)dy, (void)n, (void)relu_x, (void)ret_dx;
}

#endif
