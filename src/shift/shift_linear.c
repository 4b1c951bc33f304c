/* Linear best response (Perdomo et al., "Performative prediction", 2020): x_S' = x_S - epsilon w_S, w the weights of a
 * deployed linear model. */
#include "config/text.h"
#include "shift/shift.h"

struct linear {
  double epsilon;
  size_t n_columns, *columns;
  bool only_one;
  size_t only_class;
};

/* Linear: the first d parameters are the weights, at most a bias follows. */
static bool is_linear(const sprint_model *model) {
  return sprint__tensor_size(&model->tensors[0]) == model->n_features && model->n_params <= model->n_features + 1;
}

static sprint_status describe(sprint_shift *shift) {
  const struct linear *s = shift->impl;
  const sprint_population *population = shift->population;
  struct sprint__text text = {.context = shift->context};
  sprint__shift_say_columns(population, s->columns, s->n_columns, &text);
  SPRINT__SCOPED(sprint__free) char *columns = sprint__text_take(&text);
  if (!columns) return SPRINT_ERROR_MEMORY;
  return sprint__shift_say(
      shift,
      sprint__printf(shift->context, "people%s%s%s%s move by %g times the model's weights; they can change %s",
                     s->only_one ? " of " : "", s->only_one ? population->label_name : "", s->only_one ? " = " : "",
                     s->only_one ? population->class_names[s->only_class] : "", -s->epsilon, columns));
}

static sprint_status linear_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct linear *s = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  if (!is_linear(shift->model))
    return sprint__refuse(section, "kind",
                          "'linear' needs a linear model (layers: dense 1); this one has %zu parameters",
                          shift->model->n_params);
  shift->affine = true;
  s->epsilon = sprint__get_real(section, "epsilon");
  s->only_one = sprint__get_text(section, "only_label")[0] != '\0';
  if (s->only_one) SPRINT__TRY(sprint__shift_class(section, "only_label", shift->population, &s->only_class));
  shift->pulls = true;
  SPRINT__TRY(sprint__shift_columns(shift, section, &s->columns, &s->n_columns));
  return describe(shift);
}

static sprint_status linear_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                    const sprint_real *y, size_t n, sprint_real *x) {
  (void)who;
  const struct linear *s = shift->impl;
  size_t d = shift->population->d;
  for (size_t i = 0; i < n; i++) {
    if (s->only_one && (size_t)y[i] != s->only_class) continue;
    for (size_t k = 0; k < s->n_columns; k++)
      x[i * d + s->columns[k]] -= (sprint_real)s->epsilon * deployed[s->columns[k]];
  }
  return SPRINT_OK;
}

/* dx_S/dw_S = -epsilon I for whoever responds. */
static void linear_pull(sprint_shift *shift, const sprint_real *deployed, const sprint_real *y, size_t n,
                        const sprint_real *x, const sprint_real *u, double *ret_sum) {
  (void)deployed;
  (void)x;
  const struct linear *s = shift->impl;
  size_t d = shift->population->d;
  for (size_t i = 0; i < n; i++) {
    if (s->only_one && (size_t)y[i] != s->only_class) continue;
    for (size_t k = 0; k < s->n_columns; k++) ret_sum[s->columns[k]] -= s->epsilon * (double)u[i * d + s->columns[k]];
  }
}

static const struct sprint__shift_ops linear_ops = {
    .setup = linear_setup,
    .resumes = true,
    .respond = linear_respond,
    .pull = linear_pull,
};

static const sprint_param linear_params[] = {
    SPRINT__REAL("epsilon", "1", -1e6, 1e6, "strength of the response"),
    SPRINT__TEXTS("columns", "", "the features that people can change, by name; default all that are numbers"),
    SPRINT__TEXT("only_label", "", "only people of this class respond; default everybody"),
};

const sprint_kind sprint__shift_linear = {"linear", "best response to a linear model: x_S - epsilon theta_S",
                                          linear_params, SPRINT__COUNT(linear_params), &linear_ops};
