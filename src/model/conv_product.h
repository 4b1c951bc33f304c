/* The products of conv.h that a convolution layer is made of: one forward, and for the gradient in its inputs one for
 * each phase. A stride of s has s * s phases: a phase gives every s-th row and column of dx, from every s-th place of
 * the kernel, which slides over dy one output at a time. */
#ifndef SPRINT_MODEL_CONV_PRODUCT_H
#define SPRINT_MODEL_CONV_PRODUCT_H

#include "model/conv.h"

struct sprint__product {
  struct sprint__conv of;
  size_t from, to; /* where the first window starts in the image, and the first output goes */
  bool winograd;
  bool narrow; /* by conv_narrow.h: whoever runs it says so, for the records at hand */
  struct sprint__winograd tiles;
  /* How theta's weights are read as panels: (rows, columns, depth) of a window for each of `of.filters`. */
  size_t rows, columns, depth;
  ptrdiff_t start, row, column, deep, filter; /* where they begin, and the way from one to the next */
};

struct sprint__product sprint__product_forward(const struct sprint__layer *layer);
size_t sprint__product_phases(const struct sprint__layer *layer);
struct sprint__product sprint__product_backward(const struct sprint__layer *layer, size_t phase);

/* Rows or columns (k: 0, 1) of zeros before dy, for the windows that are not all within it; and all, with those behind.
 */
size_t sprint__dy_before(const struct sprint__layer *layer, int k);
size_t sprint__dy_length(const struct sprint__layer *layer, int k);

/* Numbers that its weights take, and that it works in; for as many threads as share a product. */
enum { SPRINT__PRODUCT_BANDS = 4 };
size_t sprint__product_weights(const struct sprint__product *product);
size_t sprint__product_room(const struct sprint__product *product);

/* theta's weights as the product's kernel takes them. */
void sprint__product_order(const struct sprint__product *product, const sprint_real *theta, sprint_real *room,
                           sprint_real *ret_weights);

/* The same as (window, filters). */
void sprint__product_order_plain(const struct sprint__product *product, const sprint_real *theta,
                                 sprint_real *ret_weights);

/* y from the image x, as sprint__conv_multiply has it; its rows are shared by threads that have nothing else to do. */
void sprint__product_run(sprint_context *context, const struct sprint__product *product, const sprint_real *x,
                         const sprint_real *weights, const sprint_real *bias, bool relu, sprint_real *room,
                         sprint_real *y);

/* Panels of dw and the lanes of db to theta's order, for the product forward: added where `adds`, else written. */
void sprint__product_gradient(const struct sprint__product *product, const sprint_real *dw, const sprint_real *db,
                              bool adds, sprint_real *gradient);

/* The same of dw (window, filters) and db (filters). */
void sprint__product_gradient_plain(const struct sprint__product *product, const sprint_real *dw, const sprint_real *db,
                                    bool adds, sprint_real *gradient);

#endif
