/* What a convolution layer works in: its scratch cut into rooms, and records and slopes brought there in the order that
 * the kernels of conv.h take, with their zeros around them. */
#ifndef SPRINT_MODEL_CONV_ROOM_H
#define SPRINT_MODEL_CONV_ROOM_H

#include "model/conv_product.h"

/* What the scratch holds. Where records may go side by side, images, outputs and dy are those of as many
 * records as can be. */
struct sprint__conv_room {
  sprint_real *x;                  /* an image in its padding, and a line and a group that may be read */
  sprint_real *y, *dx;             /* one record's, channels last */
  sprint_real *dy;                 /* within its zeros, and as much behind them */
  sprint_real *weights;            /* forward, or of all phases */
  sprint_real *work;               /* what products work in */
  sprint_real *bias, *dw, *db;     /* dw: panels, or for each of many records */
  sprint_real *sums;               /* dw of all of them, (window, filters) */
  sprint_real *places, *tiles;     /* of the weights' gradient by Winograd's way: its sums, and what it works in */
  sprint_real *other_y, *other_dy; /* y and dy of one record, for another thread */
  size_t n_x, n_dy;                /* numbers of x and dy that one record takes */
};

/* The rooms of a layer in its scratch; and how many numbers that has, unless NULL. */
struct sprint__conv_room sprint__conv_room_of(const struct sprint__layer *layer, sprint_real *scratch,
                                              size_t *ret_size);

static inline void sprint__conv_zero(sprint_real *from, size_t n) { memset(from, 0, n * sizeof *from); }

/* Zeros around images, in lines of `line` numbers, and around dy: of `records` records side by side or, 0, of one. */
void sprint__conv_clear_x(const struct sprint__layer *layer, const struct sprint__conv_room *room, size_t line,
                          size_t records);
void sprint__conv_clear_dy(const struct sprint__layer *layer, const struct sprint__conv_room *room, size_t records);

/* Records from x on into the room, `abreast` on `side` sides or, 0, one. */
void sprint__conv_place_x(const struct sprint__layer *layer, const struct sprint__conv_room *room, size_t line,
                          const sprint_real *x, size_t abreast, size_t side);

/* The same for slopes, zero where a relu that the layer has taken in let nothing of the outputs y through. */
void sprint__conv_place_dy(const struct sprint__layer *layer, const struct sprint__conv_room *room,
                           const sprint_real *dy, const sprint_real *y, size_t abreast, size_t side);

/* Where dy starts within its zeros. */
size_t sprint__dy_at(const struct sprint__layer *layer);

#endif
