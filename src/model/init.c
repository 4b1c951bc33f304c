/* Starting points, as PyTorch's torch.nn.init names them. Each number depends on the seed, the layer and its place. */
#include <math.h>

#include "base/random.h"
#include "model/network.h"

enum law { UNIFORM, NORMAL };

/* Fills values (n) by a law of half-width or standard deviation `scale`; `stream` keeps layers apart. `shape`: they are
 * the transpose of a matrix of that shape, whose order counts; NULL: they are not. */
static void fill(enum law law, double scale, uint64_t seed, uint64_t stream, const size_t *shape, sprint_real *values,
                 size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct sprint__random words = sprint__random_words(seed, SPRINT__FOR_START, stream, (uint32_t)i);
    double unit = law == NORMAL ? sprint__normal(&words) : 2 * sprint__uniform(words.a) - 1;
    values[shape ? sprint__transposed(shape, i) : i] = (sprint_real)(scale * unit);
  }
}

static const size_t *shape_of(const struct sprint__layer *layer) { return layer->by_input ? layer->dims : NULL; }

static void zeros(sprint_real *values, size_t n) {
  for (size_t i = 0; i < n; i++) values[i] = 0;
}

/* nn.Linear and nn.Conv2d: kaiming_uniform_(a = sqrt 5) is U(-1/sqrt fan_in, 1/sqrt fan_in), biases alike. */
static void init_torch(const struct sprint__layer *layer, uint64_t seed, size_t number, sprint_real *ret_weights,
                       sprint_real *ret_biases) {
  double bound = 1.0 / sqrt((double)layer->fan_in);
  fill(UNIFORM, bound, seed, 2 * number, shape_of(layer), ret_weights, layer->n_weights);
  fill(UNIFORM, bound, seed, 2 * number + 1, NULL, ret_biases, layer->n_biases);
}

/* Defines an initialisation with weights by LAW of SCALE and biases of zero. */
#define INIT(NAME, LAW, SCALE)                                                                                       \
  static void init_##NAME(const struct sprint__layer *layer, uint64_t seed, size_t number, sprint_real *ret_weights, \
                          sprint_real *ret_biases) {                                                                 \
    double in = (double)layer->fan_in, out = (double)layer->fan_out;                                                 \
    (void)in;                                                                                                        \
    (void)out;                                                                                                       \
    fill(LAW, SCALE, seed, 2 * number, shape_of(layer), ret_weights, layer->n_weights);                              \
    zeros(ret_biases, layer->n_biases);                                                                              \
  }

INIT(kaiming_uniform, UNIFORM, sqrt(6.0 / in))
INIT(kaiming_normal, NORMAL, sqrt(2.0 / in))
INIT(xavier_uniform, UNIFORM, sqrt(6.0 / (in + out)))
INIT(xavier_normal, NORMAL, sqrt(2.0 / (in + out)))
INIT(zeros, UNIFORM, 0.0)

#define KIND(NAME, TEXT, HELP)                                     \
  static const struct sprint__init_ops ops_##NAME = {init_##NAME}; \
  static const sprint_kind kind_##NAME = {TEXT, HELP, NULL, 0, &ops_##NAME}

KIND(torch, "torch", "PyTorch's default of nn.Linear and nn.Conv2d: U(-1/sqrt fan_in, 1/sqrt fan_in), biases too");
KIND(kaiming_uniform, "kaiming-uniform", "U(-b, b), b = sqrt(6 / fan_in), biases 0");
KIND(kaiming_normal, "kaiming-normal", "N(0, 2 / fan_in), biases 0");
KIND(xavier_uniform, "xavier-uniform", "U(-b, b), b = sqrt(6 / (fan_in + fan_out)), biases 0");
KIND(xavier_normal, "xavier-normal", "N(0, 2 / (fan_in + fan_out)), biases 0");
KIND(zeros, "zeros", "all zero: for linear models");

static const sprint_kind *const init_kinds[] = {
    &kind_torch, &kind_kaiming_uniform, &kind_kaiming_normal, &kind_xavier_uniform, &kind_xavier_normal, &kind_zeros,
};

const sprint_family sprint__init_family = {
    .name = "inits",
    .key = "model.init",
    .help = "starting points, a function of the seed",
    .kinds = init_kinds,
    .n_kinds = SPRINT__COUNT(init_kinds),
    .standard = "torch",
};
