/* Convolution as products of register tiles, without the matrix of windows being written out.
 *
 * An image is (rows, columns, channels) with its padding around it: a row of a filter's window is then one run of
 * consecutive numbers. Outputs are (rows, columns, filters). Any stride is a matter of where the next window starts;
 * the gradient in the image is the same product of dy with the weights turned round, for a stride of s by s * s of
 * them, each of which gives every s-th row and column. */
#ifndef SPRINT_MODEL_CONV_H
#define SPRINT_MODEL_CONV_H

#include "base/group.h"
#include "base/transpose.h"
#include "model/layer.h"

/* One product: what is read as windows of an image, and what is beside it, outputs or dy. */
struct sprint__conv {
  size_t rows, columns;    /* of outputs */
  size_t down, across;     /* numbers from one output's window to that of the next row, of the next column */
  size_t lines_down;       /* the first of them in lines of the image */
  size_t kernel_rows, run; /* a window: so many runs of consecutive numbers, */
  size_t line;             /* so far apart */
  size_t blank,
      end;        /* lines before `blank`, counted from the image's first window's first, and from `end` on are zeros */
  size_t top;     /* the first window's first line, counted likewise: above 0 where rows before it are left out */
  size_t filters; /* numbers of one output */
  size_t to_down, to_across; /* from one output to that in the next row, in the next column */
};

/* Weights come in panels of two groups of filters, the last of one where groups are odd: each (kernel_rows * run,
 * width). Where filters do not fill the last group it starts early and overlaps the one before; a single group that is
 * not full has zeros. */
static inline size_t sprint__conv_groups(size_t filters) { return (filters + SPRINT__GROUP - 1) / SPRINT__GROUP; }
static inline size_t sprint__conv_lanes(size_t filters) { return sprint__conv_groups(filters) * SPRINT__GROUP; }
static inline size_t sprint__conv_first(size_t filters, size_t g) { /* the first filter of group g */
  size_t first = g * SPRINT__GROUP;
  return first + SPRINT__GROUP <= filters || g == 0 ? first : filters - SPRINT__GROUP;
}
/* Where the first row's part of group g is in panels of k rows, and how far its next row is. */
static inline size_t sprint__conv_panel(size_t filters, size_t k, size_t g, size_t *ret_width) {
  size_t panel = g / 2 * 2;
  *ret_width = panel + 1 < sprint__conv_groups(filters) ? 2 * SPRINT__GROUP : SPRINT__GROUP;
  return panel * SPRINT__GROUP * k + (g - panel) * SPRINT__GROUP;
}

/* y = bias + windows . weights, or max(., 0). bias (lanes), group by group; NULL: none. */
void sprint__conv_multiply(const struct sprint__conv *of, const sprint_real *x, const sprint_real *panels,
                           const sprint_real *bias, bool relu, sprint_real *y);

/* The same for windows of 3x3 or 5x5 and a stride of 1 by Winograd's filtering, with fewer than half of the products:
 * tiles of four outputs. Where rows and columns of outputs are odd, a line behind the image is read, and a pixel behind
 * that, by whole groups of 64 bytes: they are to be numbers, as what comes of them is multiplied by zero. */
struct sprint__winograd {
  size_t channels, lanes; /* lanes: filters in whole groups, in panels of two */
  size_t line;            /* as above */
  size_t rows, columns;   /* of tiles */
  size_t side;            /* of the part of the image that a tile sees: that of a window and one more */
};
enum { SPRINT__WINOGRAD_WORTH = 8 /* channels from which on it pays */ };

static inline size_t sprint__winograd_places(const struct sprint__winograd *of) { return of->side * of->side; }

/* weights: panels of channels * width for each place, from those of the window; room: so many numbers. */
void sprint__winograd_weights(const struct sprint__winograd *of, const sprint_real *panels, sprint_real *ret_weights);
size_t sprint__winograd_room(const struct sprint__winograd *of);
void sprint__winograd_plain(const struct sprint__winograd *of, const struct sprint__conv *plain, const sprint_real *x,
                            const sprint_real *weights, const sprint_real *bias, bool relu, sprint_real *room,
                            sprint_real *y);

/* Each four pooled to y (rows, columns, lanes) with its codes: see conv_pool.h. */
void sprint__winograd_pool(const struct sprint__winograd *of, const sprint_real *x, const sprint_real *weights,
                           const sprint_real *bias, sprint_real *room, sprint_real *ret_y, unsigned char *ret_codes);

/* The gradient of the weights by Winograd's way: sums (those of all places) += those of an image and its dy, which has
 * zeros behind its rows and columns, and db (lanes) += dy; and dw (panels) from the sums of all images. */
size_t sprint__winograd_sums(const struct sprint__winograd *of);
size_t sprint__winograd_weights_room(const struct sprint__winograd *of);
void sprint__winograd_correlate(const struct sprint__winograd *of, const struct sprint__conv *windows,
                                const sprint_real *x, const sprint_real *dy, sprint_real *room, sprint_real *sums,
                                sprint_real *db);
void sprint__winograd_gradient(const struct sprint__winograd *of, const sprint_real *sums, sprint_real *ret_dw);

/* dw (panels) += windows^T dy and db (lanes) += dy, over all outputs. dy: a group more may be read. */
void sprint__conv_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy, sprint_real *dw,
                            sprint_real *db);

/* An image, (rows, columns, channels) where `last`, else planes, into the order of the kernels, lines `line` apart. */
void sprint__conv_place(const struct sprint__shape *shape, bool last, const sprint_real *x, size_t line,
                        sprint_real *to);

/* A part of a layer's scratch: n numbers from *used on, 0 at first, in lines of cache; `base` NULL: only counted.
 * *used and a line more is then enough. */
enum { SPRINT__LINE = 64 / sizeof(sprint_real) };
sprint_real *sprint__conv_take(sprint_real *base, size_t *used, size_t n);

#endif
