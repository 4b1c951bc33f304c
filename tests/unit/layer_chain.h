/* A list of layers, run as a network runs it, one record beside the other. */
#ifndef SPRINT_TESTS_LAYER_CHAIN_H
#define SPRINT_TESTS_LAYER_CHAIN_H

#include "help.h"

#include "base/team.h"
#include "model/layer.h"

enum { N = 19, MOST = 8 };

/* Of layers that nobody else works on. */
static sprint_context alone = {.n_threads = 1};

/* A list of layers and what they read and write. */
struct chain {
  size_t n;
  size_t records; /* that are there, of room for N */
  struct sprint__layer layers[MOST];
  sprint_real *theta, *x, *dy, *y[MOST], *delta[MOST]; /* delta[l]: in what layer l reads */
  sprint_real *gradient, *scratch;
};

static sprint_real *new_zeros(size_t n) {
  sprint_real *values = calloc(n + 1, sizeof *values);
  assert_non_null(values);
  return values;
}

static void add_layer(struct chain *chain, const sprint_kind *kind, const struct sprint__argument *arguments,
                      struct sprint__shape *shape) {
  struct sprint__layer *layer = &chain->layers[chain->n++];
  *layer = (struct sprint__layer){.kind = kind, .ops = kind->ops, .from = *shape, .in = sprint__shape_size(shape)};
  layer->context = &alone;
  if (chain->n > 1) layer->offset = layer[-1].offset + layer[-1].n_weights + layer[-1].n_biases;
  assert_null(layer->ops->setup(layer, arguments));
  layer->out = sprint__shape_size(&layer->to);
  *shape = layer->to;
}

static size_t n_theta(const struct chain *chain) {
  const struct sprint__layer *last = &chain->layers[chain->n - 1];
  return last->offset + last->n_weights + last->n_biases;
}

static size_t n_y(const struct chain *chain) { return N * sprint__shape_size(&chain->layers[chain->n - 1].to); }

/* Rooms for all that the chain's layers read and write. */
static void take_rooms(struct chain *chain) {
  chain->records = N;
  size_t scratch = 0;
  for (size_t l = 0; l < chain->n; l++) {
    const struct sprint__layer *layer = &chain->layers[l];
    chain->y[l] = new_zeros(N * (layer->out + layer->saved));
    chain->delta[l] = new_zeros(N * layer->in);
    if (layer->scratch > scratch) scratch = layer->scratch;
  }
  chain->theta = new_zeros(n_theta(chain));
  chain->gradient = new_zeros(n_theta(chain));
  chain->x = new_zeros(N * chain->layers[0].in);
  chain->dy = new_zeros(n_y(chain));
  chain->scratch = new_zeros(scratch);
  memset(chain->scratch, 0xff, scratch * sizeof *chain->scratch); /* other layers may have left anything: here NaN */
}

static void free_chain(struct chain *chain) {
  for (size_t l = 0; l < chain->n; l++) {
    free(chain->y[l]);
    free(chain->delta[l]);
  }
  free(chain->theta);
  free(chain->gradient);
  free(chain->x);
  free(chain->dy);
  free(chain->scratch);
}

/* The outputs. */
static const sprint_real *forward(struct chain *chain) {
  const sprint_real *x = chain->x;
  for (size_t l = 0; l < chain->n; l++) {
    const struct sprint__layer *layer = &chain->layers[l];
    if (layer->absorbed) continue;
    layer->ops->forward(layer, chain->theta + layer->offset, x, chain->records, chain->y[l], chain->scratch);
    x = chain->y[l];
  }
  return x;
}

/* To the gradient, where wanted, and to delta[0], where wanted. */
static void backward(struct chain *chain, bool gradient, bool adds, bool dx) {
  const sprint_real *dy = chain->dy;
  for (size_t l = chain->n; l-- > 0;) {
    const struct sprint__layer *layer = &chain->layers[l];
    if (layer->absorbed) continue;
    size_t before = l;
    while (before > 0 && chain->layers[before - 1].absorbed) before--;
    layer->ops->backward(layer, chain->theta + layer->offset, l ? chain->y[before - 1] : chain->x, chain->y[l],
                         chain->records, dy, l || dx ? chain->delta[l] : NULL,
                         gradient ? chain->gradient + layer->offset : NULL, adds, chain->scratch);
    dy = chain->delta[l];
  }
}

static sprint_status there_and_back(void *user) {
  struct chain *chain = user;
  forward(chain);
  backward(chain, true, chain->records == 2, true);
  return SPRINT_OK;
}

/* Two chains of the same layers and numbers, one by itself and one with the threads of a context: to the bit the same
 * for so many records. Frees both. */
static void assert_shared(struct chain *one, struct chain *many, size_t records, sprint_context *context) {
  one->records = many->records = records;
  for (size_t l = 0; l < many->n; l++) many->layers[l].context = context;
  assert_int_equal(there_and_back(one), SPRINT_OK);
  assert_int_equal(sprint__team_run(context, there_and_back, many), SPRINT_OK);
  for (size_t l = 0; l < one->n; l++)
    assert_memory_equal(one->y[l], many->y[l], records * one->layers[l].out * sizeof *one->x);
  assert_memory_equal(one->delta[0], many->delta[0], records * one->layers[0].in * sizeof *one->x);
  assert_memory_equal(one->gradient, many->gradient, n_theta(one) * sizeof *one->x);
  free_chain(one);
  free_chain(many);
}

/* Whole numbers of size at most `most`, times `unit`. */
static void fill(sprint_real *values, size_t n, uint32_t *seed, uint32_t most, sprint_real unit) {
  for (size_t i = 0; i < n; i++) {
    *seed = *seed * 1664525u + 1013904223u;
    values[i] = unit * ((sprint_real)((*seed >> 16) % (2 * most + 1)) - (sprint_real)most);
  }
}

#endif
