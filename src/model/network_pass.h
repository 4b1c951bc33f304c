/* Passes of a block of rows through a network and back: what network.c, network_upper.c and network_score.c share. */
#ifndef SPRINT_MODEL_NETWORK_PASS_H
#define SPRINT_MODEL_NETWORK_PASS_H

#include "model/network.h"

/* Where the numbers of one block are. */
struct sprint__tape {
  sprint_real *y[SPRINT__MAX_LAYERS];     /* y[l] (block, out_l): outputs of layer l */
  sprint_real *delta[SPRINT__MAX_LAYERS]; /* delta[l] (block, out_l): the gradient in them; of two layers that follow
                                             each other in different places, of others maybe in the same */
  sprint_real *x;                         /* (block, d) images unpacked */
  sprint_real *spare;                     /* (block, max_width) */
  sprint_real *past;    /* (block, net->past) what is recalled of a layer, where it cannot go behind the rows */
  sprint_real *scratch; /* the layers' */
  sprint_real *aside;   /* (net->aside) for a second gradient of a layer of windows, and what another thread works in */
  bool late;            /* the gradients of large layers are left for later, with: */
  size_t row;           /* where the block is among the rows that are summed together */
  int side;             /* 0: of theta; 1: of the parameters that are compared with it */
};

/* A block of records as the first layer takes them. */
struct sprint__block {
  size_t n;
  const sprint_real *x;
};

/* to (n) := -from, which may be the same. */
void sprint__negate(const sprint_real *from, size_t n, sprint_real *to);

/* Rows of a block where n go through in blocks that are as good as equal: what takes weights in takes them in as seldom
 * as it can. `most` of them fit. */
static inline size_t sprint__block_rows(size_t n, size_t most) {
  enum { STEP = 8 };
  size_t blocks = (n + most - 1) / most, rows = blocks ? (n + blocks - 1) / blocks : most;
  rows = (rows + STEP - 1) / STEP * STEP;
  return rows < most ? rows : most;
}

/* Fills the tape for rows from `start` on of the lane's. By its address: it has more places than most networks have
 * layers, and small batches would spend their time on clearing and copying them. */
void sprint__tape_fill(const struct sprint__network *net, const struct sprint__lane *lane, size_t start, int side,
                       struct sprint__tape *ret_tape);
struct sprint__block sprint__block_of(const struct sprint__network *net, const struct sprint__tape *tape,
                                      const struct sprint__rows *rows, size_t start, size_t block);

/* Through all layers before `end`, and through those of them above the first; returns what comes out. */
const sprint_real *sprint__forward_to(const struct sprint__network *net, const struct sprint__tape *tape,
                                      const sprint_real *theta, const struct sprint__block *input, size_t end);
const sprint_real *sprint__forward_above(const struct sprint__network *net, const struct sprint__tape *tape,
                                         const sprint_real *theta, size_t n, size_t end);

/* Adds the loss of n outputs f, with its slope in the last layer's delta where that is wanted; of the rows, their
 * labels, weights and losses are used, from `start` on. */
void sprint__add_loss(const struct sprint__network *net, const struct sprint__tape *tape, const sprint_real *f,
                      const struct sprint__rows *rows, size_t start, size_t n, bool slope, struct sprint__sums *sums);

/* Whose activations are kept, or recalled and taken off. */
struct sprint__whose {
  const uint32_t *who; /* (n) */
  sprint_real *keep;   /* as struct sprint__rows has them */
  const sprint_real *recalled;
};

/* From the last layer's delta back to the first layer's; and, unless gradient is NULL, to the parameters of the layers
 * above it: written, or added where `adds`. */
void sprint__backward_above(const struct sprint__network *net, const struct sprint__tape *tape,
                            const sprint_real *theta, size_t n, const struct sprint__whose *whose,
                            sprint_real *gradient, bool adds);

/* The same, minus the gradients that the recalled activations stand for; of the first layer's delta where `first`, the
 * records being the same. n is at most half a block. */
void sprint__backward_difference(const struct sprint__network *net, const struct sprint__tape *tape,
                                 const sprint_real *theta, size_t n, const struct sprint__whose *whose, bool first,
                                 sprint_real *gradient, bool adds);

/* From the first layer's delta to its parameters (unless NULL) and the records (unless NULL). */
void sprint__backward_first(const struct sprint__network *net, const struct sprint__tape *tape,
                            const sprint_real *theta, const struct sprint__block *input, sprint_real *gradient,
                            bool adds, sprint_real *dx);

/* Asks for what will be recalled of n records, which is spread over memory. */
void sprint__recall_ahead(const struct sprint__network *net, const struct sprint__whose *whose, size_t n);

/* to (n, layer's outputs) := minus the deltas of layer l that are recalled. */
void sprint__recall_delta(const struct sprint__network *net, const struct sprint__whose *whose, size_t n, size_t l,
                          sprint_real *to);

/* The gradient in the parameters of layer l, not a late one, minus that of the recalled activations: of x (n, in), and
 * of x_recalled, NULL: what is recalled of the layer below. Written, or added where `adds`. */
void sprint__layer_difference(const struct sprint__network *net, const struct sprint__tape *tape,
                              const sprint_real *theta, size_t n, const struct sprint__whose *whose, size_t l,
                              const sprint_real *x, const sprint_real *x_recalled, sprint_real *gradient, bool adds);

#endif
