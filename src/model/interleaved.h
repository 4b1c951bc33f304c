/* Records side by side: a group holds one number of several records, so that sums over units or classes need no
 * shuffling. A tile is SPRINT__INTERLEAVED records, held (numbers, SPRINT__INTERLEAVED). */
#ifndef SPRINT_MODEL_INTERLEAVED_H
#define SPRINT_MODEL_INTERLEAVED_H

#include "model/dense.h"

enum { SPRINT__INTERLEAVED_GROUPS = 3, SPRINT__INTERLEAVED = SPRINT__INTERLEAVED_GROUPS * SPRINT__GROUP };

/* Rows that share a load of the tile: what sprint__interleaved_pack puts together. */
enum { SPRINT__INTERLEAVED_UNITS = 4 };

/* n <= SPRINT__INTERLEAVED records (n, width) to a tile, zeros for those that lack; and back. */
void sprint__interleaved_from_rows(const sprint_real *rows, size_t n, size_t width, sprint_real *ret_tile);
void sprint__interleaved_to_rows(const sprint_real *tile, size_t n, size_t width, sprint_real *ret_rows);

/* packed (out / SPRINT__INTERLEAVED_UNITS, n, SPRINT__INTERLEAVED_UNITS) := factor * d (n, out) */
void sprint__interleaved_pack(const sprint_real *d, sprint_real factor, size_t n, size_t out, sprint_real *ret_packed);

/* What a tile is moved by: d^T k - size * p. */
struct sprint__interleaved_update {
  size_t n;
  const sprint_real *d; /* (n, out) as packed */
  const sprint_real *k; /* a tile of n numbers */
  const sprint_real *p; /* a tile of `out` numbers, or NULL */
  sprint_real size;

  /* Fetched from memory meanwhile: */
  const sprint_real *const *next_k; /* (n) rows, of which SPRINT__INTERLEAVED numbers are wanted */
  size_t next_at;                   /* from here on */
  const sprint_real *next_tile;     /* and a tile, and its p, as large as the one worked on; each NULL: none */
  const sprint_real *next_p;
};

/* tile (out) += what it is moved by */
void sprint__interleaved_add(const struct sprint__interleaved_update *move, size_t out, sprint_real *tile);

/* As sprint__dense_forward, of a tile x, or, where relu_x, of max(x, 0). */
void sprint__interleaved_forward(const struct sprint__dense *dense, const sprint_real *x, bool relu_x,
                                 sprint_real *ret_y);

#endif
