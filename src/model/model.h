/* A model: l(x, y; theta) over one flat theta. The lane driver in model.c cuts rows into lanes; an implementation
 * (network, test bed, callbacks) computes plain sums over the rows of one lane. */
#ifndef SPRINT_MODEL_MODEL_H
#define SPRINT_MODEL_MODEL_H

#include "base/lanes.h"
#include "base/vector.h"
#include "config/section.h"
#include "population/pixels.h"
#include "population/shape.h"

/* Rows of records: by value, or, where x is NULL, images by reference. */
struct sprint__rows {
  size_t n;
  const sprint_real *x; /* (n, d), or NULL */
  const sprint_real *y; /* (n), or NULL where no loss is wanted */
  const struct sprint__pixels *pixels;
  const uint32_t *who;  /* (n) whose images */
  const double *weight; /* (n) what each counts for in sums; NULL: 1 */
  double *losses;       /* (n) where a model that tells losses leaves that of each, times its weight; NULL: unwanted */
  /* Activations of a pass over records without weights: with the records, their gradients. Both (everybody, the model's
   * n_activations), and need `who`: */
  sprint_real *keep;           /* a sum leaves those of its rows here; NULL: it does not */
  const sprint_real *recalled; /* those at theta_b of a difference, which it then does not work out; NULL: it does */
};

/* Sums over rows, without the L2 penalty. gradient NULL: not wanted. */
struct sprint__sums {
  double loss;
  double correct;        /* rows that were classified right */
  sprint_real *gradient; /* (n_params) */
};

/* What is above a dense first layer, for an engine that works out that layer's products itself. The layer's parameters,
 * weights (n_features, out) and biases (out), are theta's first. */
struct sprint__upper {
  size_t out;   /* outputs of the first layer, a multiple of SPRINT__GROUP; 0: there is no such layer */
  size_t block; /* rows at a time, at most; half as many where activations are taken off */
};

/* Rows as they come to what is above a first layer. */
struct sprint__upper_rows {
  size_t n;
  const sprint_real *z;        /* (n, out) what the first layer puts out, before its relu; not copied where it is at the
                                  start of the lane's scratch */
  const sprint_real *y;        /* (n) */
  sprint_real *delta;          /* (n, out) for the gradient of each row's loss in z; NULL: it stays in the scratch */
  const uint32_t *who;         /* (n) whose activations; needed with either of: */
  sprint_real *keep;           /* as struct sprint__rows has it */
  const sprint_real *recalled; /* of a pass at other parameters: the gradients there are taken off; or NULL */
  double *losses;              /* (n) where the loss of each is left; NULL: unwanted */
};

/* The score that individuals want higher. */
struct sprint__score {
  size_t good;      /* the class wanted */
  bool probability; /* of the good class, instead of its log-odds */
  double sign;      /* +1 or -1 */
};

/* What one lane works with; two lanes never share one. */
struct sprint__lane {
  sprint_real *scratch;
  sprint_real *gradient; /* (n_params) partial sums */
  double loss, correct;
  bool late;      /* this sum leaves some of the gradient for later: see struct sprint__late */
  size_t row;     /* where, of the rows that are summed together, the lane's first is */
  char apart[64]; /* a line of a cache, as another thread may be writing the next lane's */
};

/* A range of parameters whose gradient is put together by one thread. */
struct sprint__part {
  size_t first, n;
  bool late;
  size_t layer, from, to; /* of a late one: rows from .. to of that layer's weights, the last with the biases */
};

/* What a sum over rows leaves until all of its lanes are done: the gradients of large layers, each a product over all
 * rows, cut by parameters. A lane would move their weights through its cache for a few rows, and its sums again. */
struct sprint__late {
  size_t rows;    /* of a sum, at most; more are summed in turns */
  size_t n_parts; /* of all parameters; 0: nothing is ever late */
  struct sprint__part *parts;
};

struct sprint__tensor_view {
  char name[32]; /* as PyTorch's nn.Sequential names it: "0.weight" */
  size_t offset; /* into theta */
  size_t n_dims, shape[4];
  bool by_input; /* two-dimensional, held in theta the other way round */
};

/* Where number i of a matrix (shape[0], shape[1]) is in its transpose. */
static inline size_t sprint__transposed(const size_t *shape, size_t i) {
  return i % shape[1] * shape[0] + i / shape[1];
}

/* Where number i of a tensor, in its own order, is in theta. */
static inline size_t sprint__tensor_at(const struct sprint__tensor_view *view, size_t i) {
  return view->offset + (view->by_input ? sprint__transposed(view->shape, i) : i);
}

static inline size_t sprint__tensor_size(const struct sprint__tensor_view *view) {
  size_t size = 1;
  for (size_t k = 0; k < view->n_dims; k++) size *= view->shape[k];
  return size;
}

struct sprint__model_ops {
  bool gives_gradient_x; /* whether sums can write gradient_x */
  bool reads_pixels;     /* whether rows may come by reference */
  bool tells_losses;     /* whether sums and differences write rows.losses, at theta */
  /* Adds to sums.loss and correct; writes sums.gradient unless NULL, and gradient_x (n, d) unless NULL. All of it is
   * weighted where rows are. */
  void (*sums)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
               const struct sprint__rows *rows, struct sprint__sums *sums, sprint_real *gradient_x);
  /* Writes to sums.gradient that at theta on rows, which have no weights, minus that at theta_b on the same
   * individuals' x_b (NULL: the rows themselves); loss and correct are those at theta. NULL: is put together from sums.
   */
  void (*difference)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                     const sprint_real *theta_b, const struct sprint__rows *rows, const sprint_real *x_b,
                     struct sprint__sums *sums);
  /* A sum, or, where `differs`, a difference, over these rows leaves something for later; its lanes follow. */
  void (*late_begin)(const sprint_model *model, const struct sprint__rows *rows, bool differs, const sprint_real *x_b);
  /* And here it is, for a late part; written to ret_gradient (part->n), or, where `adds`, added to it. */
  void (*late_part)(const sprint_model *model, const struct sprint__part *part, bool adds, sprint_real *ret_gradient);
  /* As sums, of what is above a first layer; written to sums.gradient, or, where `adds`, added to it. Returns where the
   * deltas are, until the lane is used again. NULL where sprint_model.upper.out is 0. */
  const sprint_real *(*upper_sums)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                   const struct sprint__upper_rows *rows, bool adds, struct sprint__sums *sums);
  /* The losses of SPRINT__INTERLEAVED records from a tile of z: see model/interleaved.h. */
  void (*upper_losses)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                       const sprint_real *z, const sprint_real *y, sprint_real *ret_losses);
  /* Writes (n, d). NULL: the model has no score. */
  void (*score_gradient)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                         const sprint_real *x, size_t n, const struct sprint__score *score, sprint_real *ret_dx);
  /* Writes (n_params): the sum over rows of the score's gradient in theta. NULL: it is not known. */
  void (*score_sums)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                     const sprint_real *x, size_t n, const struct sprint__score *score, sprint_real *ret_gradient);
  /* Writes (n, n_outputs). NULL: the model has no outputs. */
  void (*outputs)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta, const sprint_real *x,
                  size_t n, sprint_real *ret_outputs);
  void (*start)(const sprint_model *model, uint64_t seed, sprint_real *ret_theta);
  /* Whether threads share the parameters of a stretch in sums over rows that are too few for two lanes. NULL: never. */
  bool (*shares)(const sprint_model *model, size_t stretch);
};

struct sprint_model {
  sprint_context *context;
  struct sprint__arena arena; /* of all that it has */
  const struct sprint__model_ops *ops;
  void *impl; /* struct network and the like */
  size_t n_params, n_features, n_outputs, n_classes;
  bool classifies;
  bool own_score; /* a custom model's, which says by itself what people want higher */
  bool linear;    /* outputs are linear in the features */
  double l2;
  unsigned char *undecayed; /* (n_params) 1: L2 leaves it alone; NULL: all decay */
  double cost_per_row;      /* floating-point operations of a gradient, roughly */
  size_t scratch_size;      /* reals per lane */
  struct sprint__upper upper;
  struct sprint__late late;
  size_t n_activations; /* reals that a pass can keep of a record; 0: it cannot */
  double recall_saves;  /* floating-point operations that they spare the pass of the same record later on, roughly */
  size_t n_tensors;
  struct sprint__tensor_view *tensors;
  struct sprint__stretches stretches; /* of theta: the parameters of each layer, for sums over many rows */
  char *layers_text, *loss_text;      /* as a config would say them; NULL for custom models */
  char *doubt;                        /* why it may not be what was meant: see sprint__model_suits; or NULL */
  struct sprint__lane lanes[SPRINT__MAX_LANES];
  sprint_real *other; /* (n_params) for differences, where ops has none */
};

extern const sprint_family sprint__model_family;
extern const sprint_family sprint__layer_family;
extern const sprint_family sprint__init_family;
extern const sprint_family sprint__loss_family;

/* The model of a `model:` section for records of a shape and n_classes classes (0: values). */
sprint_status sprint__model_build(const struct sprint__section *section, struct sprint__shape shape, size_t n_classes,
                                  sprint_model **ret_model);

/* suits.c: whether it can learn the labels of a population; what may be meant, and need not, becomes its doubt. */
sprint_status sprint__model_suits(const struct sprint__section *section, const sprint_population *population,
                                  sprint_model *model);

/* Implementations fill the struct, then call this to allocate lanes; and a tensor "theta", where there are none, and
 * one stretch. */
sprint_status sprint__model_finish(sprint_model *model);

/* How theta is cut for threads where sums are over n rows; ret_all (the model's n_stretches). */
void sprint__model_stretches(const sprint_model *model, size_t n, struct sprint__stretch *ret_all);

static inline struct sprint__rows sprint__rows_of(const sprint_batch *batch) {
  return (struct sprint__rows){.n = batch->n, .x = batch->x, .y = batch->y};
}

/* Rows start .. end of all, of d features. */
static inline struct sprint__rows sprint__rows_part(const struct sprint__rows *rows, size_t d, size_t start,
                                                    size_t end) {
  struct sprint__rows part = *rows;
  part.n = end - start;
  if (rows->x) part.x += start * d;
  if (rows->y) part.y += start;
  if (rows->who) part.who += start;
  if (rows->weight) part.weight += start;
  if (rows->losses) part.losses += start;
  return part;
}

/* A sum over rows, cut into lanes: the one place where work on rows is shared and partial sums are put together. */
struct sprint__sum_work {
  size_t n_rows;
  double cost_per_row; /* floating-point operations */
  size_t first;        /* parameters before this one are not part of the gradient */
  /* Adds rows start .. end to sums->loss and correct, and writes their gradient unless sums->gradient is NULL. */
  void (*body)(void *user, struct sprint__lane *lane, size_t start, size_t end, struct sprint__sums *sums);
  void (*begin)(void *user, size_t start, size_t end); /* calls late_begin for these rows; NULL: nothing is late */
  void *user;
};

/* Where the gradient of such a sum goes. */
struct sprint__total {
  double *gradient; /* (n_params), or NULL: not wanted */
  double weight;    /* the gradient is multiplied by */
  bool adds;        /* to what is there; otherwise it is written */
};

/* Overwrites *ret_sums; the gradient, where ret_sums->gradient is not NULL, goes there. */
void sprint__model_sum(sprint_model *model, const struct sprint__sum_work *work, struct sprint__sums *ret_sums);
/* The same with the gradient going to the total. Loss and correct are the same to the bit whether or not a gradient is
 * wanted. */
void sprint__model_sum_to(sprint_model *model, const struct sprint__sum_work *work, const struct sprint__total *total,
                          struct sprint__sums *ret_sums);

/* Both, of rows. */
void sprint__model_sums(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                        struct sprint__sums *ret_sums, sprint_real *gradient_x);
void sprint__model_sums_to(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                           const struct sprint__total *total, struct sprint__sums *ret_sums);

/* Sums over rows at theta as the second of them has them: whoever passes over records may have a way of their own. */
typedef void (*sprint__sum_rows)(void *user, const sprint_real *theta, const struct sprint__rows *rows,
                                 const struct sprint__total *total, struct sprint__sums *ret_sums);

/* The gradient at theta on rows minus that at theta_b on the same individuals' x_b (NULL: the rows themselves), both
 * summed; loss and correct at theta. */
void sprint__model_difference(sprint_model *model, const sprint_real *theta, const sprint_real *theta_b,
                              const struct sprint__rows *rows, const sprint_real *x_b, struct sprint__sums *ret_sums);

/* Labels from outside: class numbers, where the model classifies. */
sprint_status sprint__model_check_labels(const sprint_model *model, const sprint_real *y, size_t n);

/* The L2 penalty and its gradient's element i. */
double sprint__model_penalty(const sprint_model *model, const sprint_real *theta);
static inline double sprint__model_decay(const sprint_model *model, const sprint_real *theta, size_t i) {
  return model->undecayed && model->undecayed[i] ? 0.0 : model->l2 * (double)theta[i];
}

/* Adds weight times the penalty's gradient at theta. */
void sprint__model_add_decay(const sprint_model *model, const sprint_real *theta, double weight, sprint_real *gradient);

/* What a network's outputs say: class probabilities (n, n_classes), or values (n) of a regression. */
sprint_status sprint__network_scores(const sprint_model *model, const sprint_real *outputs, size_t n,
                                     double *ret_scores);

/* The log-odds of a class, odds (n), from a network's outputs (n, n_outputs); room (n, n_outputs). */
void sprint__network_log_odds(const sprint_model *model, const sprint_real *outputs, size_t n, size_t class_number,
                              sprint_real *ret_odds, sprint_real *room);

void sprint__model_score_gradient(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                  const struct sprint__score *score, sprint_real *ret_dx);
/* The sum over rows of the score's gradient in theta goes to the total; for models whose ops have score_sums. */
void sprint__model_score_sums_to(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                 const struct sprint__score *score, const struct sprint__total *total);

#endif
