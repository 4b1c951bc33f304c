/* Whether a network can learn the labels of a population. What cannot be meant is refused; of what may be meant the
 * model keeps a doubt, a sentence that whoever assesses a run passes on. */
#include <math.h>
#include <stdio.h>

#include "base/print.h"
#include "config/number.h"
#include "model/network.h"
#include "population/population.h"

/* What is looked at, and where complaints go. */
struct look {
  const struct sprint__section *section;
  sprint_model *model;
  const sprint_population *population;
  const char *last;       /* the last layer's name, */
  double least, greatest; /* and what it puts out; infinite: anything */
  const char *loss;
  double sharpness; /* log-odds for each unit of an output */
};

static sprint_status doubt(const struct look *look, char *sentence) {
  look->model->doubt = sprint__arena_keep(&look->model->arena, sentence);
  return sprint__arena_status(&look->model->arena);
}

/* Scores that are held back: log-odds from one end on, or scores from one end on of several classes, or both ends. */
static sprint_status doubt_scores(const struct look *look, bool single) {
  sprint_context *context = look->model->context;
  double low = look->sharpness * look->least, high = look->sharpness * look->greatest;
  if (isfinite(high)) {
    double n_others = (double)(look->model->n_classes - 1), most = single ? high : high - low;
    return doubt(look, sprint__printf(context,
                                      "the last layer, '%s', keeps scores within %g .. %g: no probability is beyond "
                                      "%.4g; a dense layer at the end is usual",
                                      look->last, look->least, look->greatest, 1 / (1 + n_others * exp(-most))));
  }
  if (!single)
    return doubt(look, sprint__printf(context,
                                      "the last layer, '%s', keeps scores from going below %g, which the loss '%s' has "
                                      "no need of; a dense layer at the end is usual",
                                      look->last, look->least, look->loss));
  return doubt(look, sprint__printf(context,
                                    "the last layer, '%s', keeps log-odds at %g or more: nobody is of class %s with a "
                                    "probability beyond %.4g; a dense layer at the end is usual",
                                    look->last, low, look->population->class_names[0], 1 / (1 + exp(low))));
}

/* The loss makes probabilities of any numbers: a last layer that puts out some alone holds them back. */
static sprint_status look_at_scores(const struct look *look) {
  bool above_zero = look->least >= 0, single = look->model->n_outputs == 1;
  if (above_zero && isfinite(look->greatest))
    return sprint__refuse(look->section, "layers",
                          "the loss '%s' makes probabilities itself, and would make them of the probabilities that "
                          "'%s' puts out; a dense layer at the end was expected",
                          look->loss, look->last);
  if (above_zero && single)
    return sprint__refuse(look->section, "layers",
                          "the loss '%s' takes log-odds of either sign, and those of '%s' are never below 0: nobody "
                          "would be of class %s; a dense layer at the end was expected",
                          look->loss, look->last, look->population->class_names[0]);
  return doubt_scores(look, single);
}

/* Whether the name of every class is a number, and whether it is the class's own. */
static void name_numbers(const sprint_population *population, bool *ret_numbers, bool *ret_own) {
  *ret_numbers = *ret_own = true;
  for (size_t c = 0; c < population->n_classes; c++) {
    const char *name = population->class_names[c];
    double number = NAN;
    if (sprint__number_real(name + (*name == '+'), &number) != SPRINT__NUMBER_OK) *ret_numbers = false;
    if (number != (double)c) *ret_own = false;
  }
}

/* A loss of values takes the number of a class for its value. */
static sprint_status look_at_classes(const struct look *look) {
  const sprint_population *population = look->population;
  size_t n = population->n_classes;
  bool numbers = true, own = true;
  name_numbers(population, &numbers, &own);
  if (own) return SPRINT_OK;
  SPRINT__SCOPED(sprint__free) char *names = sprint__population_class_list(population);
  if (!names) return SPRINT_ERROR_MEMORY;
  if (numbers)
    return sprint__refuse(look->section, "loss",
                          "'%s' would learn the class numbers 0 .. %zu in place of the labels %s; data.target: value "
                          "reads these as they are",
                          look->loss, n - 1, names);
  if (n > 2)
    return sprint__refuse(look->section, "loss",
                          "'%s' would take the classes %s for the values 0 .. %zu; loss: softmax and `dense %zu` tell "
                          "classes apart",
                          look->loss, names, n - 1, n);
  return doubt(look, sprint__printf(look->model->context,
                                    "the loss '%s' learns values: 0 where %s is %s, 1 where it is %s; loss: logistic "
                                    "learns classes",
                                    look->loss, population->label_name ? population->label_name : "the label",
                                    population->class_names[0], population->class_names[1]));
}

/* Values that the last layer never puts out; and of a table, whose labels somebody chose, values that are all alike. */
static sprint_status look_at_values(const struct look *look) {
  const sprint_population *population = look->population;
  double beyond = 0, least = INFINITY, greatest = -INFINITY;
  for (size_t i = 0; i < population->n; i++) {
    double y = (double)population->y[i];
    least = fmin(least, y);
    greatest = fmax(greatest, y);
    if (y < look->least || y > look->greatest) beyond += population->weight ? population->weight[i] : 1;
  }
  if (least == greatest && population->encoding && !population->source)
    return sprint__refuse(look->section, "loss", "'%s' has nothing to learn: every label is %g", look->loss, least);
  if (!(beyond > 0)) return SPRINT_OK;
  char range[64];
  sprint__snprintf(range, sizeof range, isinf(look->greatest) ? "below %g" : "beyond %g .. %g", look->least,
                   look->greatest);
  if (look->least > greatest || look->greatest < least)
    return sprint__refuse(look->section, "layers",
                          "the last layer, '%s', puts out nothing %s, where all labels are (%g to %g)", look->last,
                          range, least, greatest);
  return doubt(look, sprint__printf(look->model->context,
                                    "the last layer, '%s', puts out nothing %s, where %.3g %% of the labels are (%g to "
                                    "%g); a dense layer at the end reaches all",
                                    look->last, range, 100 * beyond / population->n_people, least, greatest));
}

sprint_status sprint__model_suits(const struct sprint__section *section, const sprint_population *population,
                                  sprint_model *model) {
  if (model->ops != &sprint__network_ops) return SPRINT_OK;
  const struct sprint__network *net = model->impl;
  enum sprint__taken taken = net->loss.ops->taken;
  size_t l = net->n_layers - 1;
  while (l > 0 && net->layers[l].kind == &sprint__layer_flatten) l--;
  const sprint_kind *last = net->layers[l].kind;
  const struct sprint__layer_ops *ops = last->ops;
  bool bounded = ops->least < ops->greatest;
  struct look look = {.section = section,
                      .model = model,
                      .population = population,
                      .last = last->name,
                      .least = bounded ? ops->least : -INFINITY,
                      .greatest = bounded ? ops->greatest : INFINITY,
                      .loss = sprint__get_section(section, "loss")->kind->name,
                      .sharpness = net->loss.sharpness};
  if (taken == SPRINT__TAKEN_AS_SCORES) return bounded ? look_at_scores(&look) : SPRINT_OK;
  if (taken != SPRINT__TAKEN_AS_VALUES) return SPRINT_OK;
  if (population->n_classes) SPRINT__TRY(look_at_classes(&look));
  return look_at_values(&look);
}
