/* Losses of a network's outputs, and the scalar test-bed losses that need no network. */
#ifndef SPRINT_MODEL_LOSS_H
#define SPRINT_MODEL_LOSS_H

#include "model/model.h"

struct sprint__loss;

/* What is known of rows beside their slopes. */
struct sprint__tally {
  size_t correct; /* counts rows right */
  double *losses; /* (n) is given the loss of each; NULL: they are not wanted */
};

/* What a network's outputs are to a loss. */
enum sprint__taken {
  SPRINT__TAKEN_AS_IS,     /* its own affair */
  SPRINT__TAKEN_AS_SCORES, /* numbers of any sign and size, of which it makes probabilities */
  SPRINT__TAKEN_AS_VALUES, /* what the label should be */
};

struct sprint__loss_ops {
  bool test_bed; /* a function of record and theta: no layers */
  bool classifies;
  enum sprint__taken taken;
  /* How many outputs it needs for n_classes classes (0: values); 0: the classes do not fit it. */
  size_t (*n_outputs)(size_t n_classes);
  const char *needs; /* what it expects, for messages */
  /* Reads the section; takes what it needs from the model's arena. NULL: there is nothing to read. */
  sprint_status (*setup)(struct sprint__loss *loss, const struct sprint__section *section, struct sprint__arena *arena);
  /* The sum of losses of n rows of outputs f (n, n_outputs); writes delta = dl/df unless NULL. tally NULL: the slopes
   * alone are wanted, the sum is not. */
  double (*sum)(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y, size_t n,
                sprint_real *delta, struct sprint__tally *tally);
  /* The losses of the SPRINT__INTERLEAVED records of a tile f. NULL: has no such form. */
  void (*interleaved)(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y,
                      sprint_real *ret_losses);
  /* The log-odds of a class and its gradient in f: odds (n), delta (n, n_outputs). */
  bool odds_linear; /* that gradient is the same whatever f is: f may then be NULL, and odds are not written */
  void (*log_odds)(const struct sprint__loss *loss, const sprint_real *f, size_t n, size_t class_number,
                   sprint_real *odds, sprint_real *delta);
};

struct sprint__loss {
  const struct sprint__loss_ops *ops;
  size_t n_outputs, n_classes;
  double sharpness; /* c of the sigmoid loss */
  void *impl;       /* of a kind that needs more */
};

extern const sprint_kind sprint__loss_softmax, sprint__loss_logistic, sprint__loss_sigmoid, sprint__loss_squared,
    sprint__loss_mean, sprint__loss_linear;

/* The model l(z; theta) of a test-bed loss over d features. */
sprint_status sprint__test_bed_build(const struct sprint__section *section, size_t d, sprint_model **ret_model);

#endif
