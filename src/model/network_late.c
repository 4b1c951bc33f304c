/* Large dense layers: their gradients are products over all rows of a sum, cut by parameters. See struct sprint__late.
 */
#include "model/dense.h"
#include "model/network.h"

/* Reals of activations and deltas that may wait for such products, of both sides: 32 MB of floats. */
#define LATE_REALS (8 << 20)

/* Rows of a sum then, at most and at least. */
enum { MOST_ROWS = 1024, LEAST_ROWS = 64 };

/* Rows of the weights in one part, at most; as many as this are halved; parts begin at multiples of STEP. */
enum { PART_ROWS = 256, WORTH_HALVING = 16, STEP = 4 };

/* Parameters in a part that is not late. */
enum { PLAIN = 4096 };

/* Few inputs cannot be cut for threads that then read all of dy, part of it from each other's caches: the gradients of
 * such a layer are added up by lane as long as that takes less. */
static bool is_large(const struct sprint__layer *layer) {
  enum { FEW_INPUTS = 32, EASILY_ADDED = 1 << 15 };
  struct sprint__dense dense = {layer->in, layer->out, NULL, false};
  if (layer->kind != &sprint__layer_dense || layer->out < SPRINT__GROUP || sprint__dense_is_small(&dense)) return false;
  return layer->in >= FEW_INPUTS || layer->n_weights > EASILY_ADDED;
}

void sprint__network_mark_late(struct sprint__network *net) {
  for (size_t l = 0, below = 0; l < net->n_layers; l++) {
    struct sprint__layer *layer = &net->layers[l];
    if (layer->absorbed) continue;
    layer->late = is_large(layer);
    if (l > 0 && layer->late) net->layers[below].feeds = l;
    below = l;
  }
}

/* Whether the first layer's records may come without a place of their own. */
static bool unpacks(const struct sprint__layer *layer) { return layer->from.height * layer->from.width > 1; }

/* Reals of one row's that wait, of one side. */
static size_t waiting(const struct sprint__network *net) {
  size_t reals = 0;
  for (size_t l = 0; l < net->n_layers; l++)
    if (net->layers[l].late) reals += net->layers[l].in + net->layers[l].out;
  return reals;
}

static size_t late_rows(const struct sprint__network *net) {
  size_t reals = waiting(net), rows = reals ? LATE_REALS / (2 * reals) / LEAST_ROWS * LEAST_ROWS : 0;
  if (reals == 0) return 0;
  return rows > MOST_ROWS ? MOST_ROWS : rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

double sprint__network_late_need(const struct sprint__network *net) {
  return 2.0 * (double)late_rows(net) * (double)waiting(net);
}

static void take_room(sprint_model *model, struct sprint__network *net) {
  struct sprint__arena *arena = &model->arena;
  for (size_t l = 0; l < net->n_layers; l++) {
    const struct sprint__layer *layer = &net->layers[l];
    for (int side = 0; layer->late && side < 2; side++) {
      if (l > 0 || (side == 0 && unpacks(layer)))
        net->late[l].room[side] = sprint__arena_take(arena, model->late.rows, layer->in * sizeof(sprint_real));
      net->late[l].dy[side] = sprint__arena_take(arena, model->late.rows, layer->out * sizeof(sprint_real));
    }
  }
}

static size_t slabs_of(const struct sprint__layer *layer) {
  size_t slabs = (layer->in + PART_ROWS - 1) / PART_ROWS;
  return slabs == 1 && layer->in >= WORTH_HALVING ? 2 : slabs;
}

/* Adds the parts of a layer's parameters; `parts` NULL: only counts them. */
static size_t cut_layer(const struct sprint__layer *layer, size_t l, struct sprint__part *parts) {
  size_t slabs = layer->late ? slabs_of(layer) : 1, all = layer->n_weights + layer->n_biases, n = 0;
  for (size_t s = 0; layer->late && s < slabs; s++) {
    size_t from = layer->in * s / slabs / STEP * STEP,
           to = s + 1 == slabs ? layer->in : layer->in * (s + 1) / slabs / STEP * STEP;
    struct sprint__part part = {layer->offset + from * layer->out, (to - from) * layer->out, true, l, from, to};
    if (s + 1 == slabs) part.n += layer->n_biases;
    if (parts) parts[n] = part;
    n++;
  }
  for (size_t at = 0; !layer->late && at < all; at += PLAIN, n++)
    if (parts) parts[n] = (struct sprint__part){.first = layer->offset + at, .n = all - at < PLAIN ? all - at : PLAIN};
  return n;
}

void sprint__network_plan_late(sprint_model *model) {
  struct sprint__network *net = model->impl;
  struct sprint__late *late = &model->late;
  size_t n = 0;
  net->late = sprint__arena_take(&model->arena, net->n_layers, sizeof *net->late);
  late->rows = late_rows(net);
  if (late->rows == 0 || !net->late) return;
  take_room(model, net);
  for (size_t l = 0; l < net->n_layers; l++) n += cut_layer(&net->layers[l], l, NULL);
  late->parts = sprint__arena_take(&model->arena, n, sizeof *late->parts);
  for (size_t l = 0; late->parts && l < net->n_layers; l++)
    late->n_parts += cut_layer(&net->layers[l], l, late->parts + late->n_parts);
  for (size_t p = 0; p < late->n_parts; p++)
    if (late->parts[p].late && late->parts[p].n > model->scratch_size) model->scratch_size = late->parts[p].n;
}
