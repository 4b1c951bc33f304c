/* What people want of the model, as a section says it: see shift.h. */
#include <string.h>

#include "config/text.h"
#include "shift/shift.h"

sprint_status sprint__wish_class(const struct sprint__section *section, const sprint_population *population,
                                 size_t *ret_class) {
  const char *name = sprint__get_text(section, "good");
  if (*name) return sprint__population_class(section, "good", population, name, ret_class);
  SPRINT__SCOPED(sprint__free) char *all = sprint__population_class_list(population);
  if (!all) return SPRINT_ERROR_MEMORY;
  return sprint__refuse(section, "good", "what do people want '%s' to be? One of %s was expected",
                        population->label_name, all);
}

/* Of a model that predicts values; the two classes that it may have been given are the numbers 0 and 1. */
static sprint_status wish_value(const sprint_shift *shift, const struct sprint__section *section,
                                struct sprint__score *score) {
  const sprint_population *population = shift->population;
  const char *good = sprint__get_text(section, "good");
  bool lower = strcmp(good, "lower") == 0, two = population->n_classes == 2;
  if (score->probability)
    return sprint__refuse(section, "score", "'probability' needs a loss of classes; this model has none");
  for (size_t c = 0; two && c < 2; c++)
    if (strcmp(good, population->class_names[c]) == 0) lower = c == 0, good = "higher";
  if (lower || strcmp(good, "higher") == 0 || (!*good && shift->model->own_score)) {
    if (lower) score->sign = -score->sign;
    return SPRINT_OK;
  }
  if (!*good)
    return sprint__refuse(section, "good",
                          "do people want the model's value of '%s' to be higher or lower? One of the "
                          "two was expected",
                          population->label_name);
  return sprint__refuse(section, "good", "'%s' is not what a value can be; higher or lower was expected", good);
}

void sprint__wish_say(const sprint_shift *shift, const struct sprint__score *score, struct sprint__text *text) {
  const sprint_population *population = shift->population;
  bool classes = shift->model->classifies;
  if (shift->model->own_score) {
    sprint__text_add(text,
                     score->sign > 0 ? "people want the model's score higher" : "people want the model's score lower");
    return;
  }
  sprint__text_add(text, !classes && score->sign > 0 ? "people want a higher "
                         : !classes                  ? "people want a lower "
                         : score->sign > 0           ? "people want "
                                                     : "people want to get away from ");
  sprint__text_add(text, population->label_name);
  if (classes) sprint__text_add(text, " = ");
  if (classes) sprint__text_add(text, population->class_names[score->good]);
}

sprint_status sprint__wish_read(const sprint_shift *shift, const struct sprint__section *section,
                                struct sprint__score *ret_score) {
  const char *sign = sprint__get_text(section, "sign");
  struct sprint__score score = {.sign = strcmp(sign, "-") == 0 || strcmp(sign, "minus") == 0 ? -1 : 1};
  score.probability = strcmp(sprint__get_text(section, "score"), "probability") == 0;
  if (shift->model->classifies)
    SPRINT__TRY(sprint__wish_class(section, shift->population, &score.good));
  else
    SPRINT__TRY(wish_value(shift, section, &score));
  *ret_score = score;
  return SPRINT_OK;
}
