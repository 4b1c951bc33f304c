/* Location family: z = z_0 + A theta', the test bed with closed forms. */
#include "shift/shift.h"

struct location {
  double epsilon;      /* A = epsilon I, where there is no matrix */
  sprint_array matrix; /* (d, n_params) */
  sprint_real *offset; /* (d) A theta' */
};

static void location_free(sprint_shift *shift) {
  struct location *s = shift->impl;
  if (s) sprint_array_clear(&s->matrix);
}

static sprint_status read_matrix(sprint_shift *shift, const struct sprint__section *section, const char *path) {
  struct location *s = shift->impl;
  SPRINT__TRY(sprint_npy_read(shift->context, path, &s->matrix));
  if (s->matrix.n_dims != 2 || s->matrix.shape[0] != shift->population->d ||
      s->matrix.shape[1] != shift->model->n_params)
    return sprint__refuse(section, "matrix",
                          "%s: its shape does not fit; (%zu, %zu), features by parameters, was expected", path,
                          shift->population->d, shift->model->n_params);
  return SPRINT_OK;
}

static sprint_status location_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct location *s = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->offset = sprint__arena_take(&shift->arena, shift->population->d, sizeof *s->offset);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  shift->affine = true;
  shift->pulls = true;
  s->epsilon = sprint__get_real(section, "epsilon");
  SPRINT__TRY(sprint__shift_say(shift, sprint__printf(shift->context, "everybody's record moves by A theta")));
  const char *path = sprint__get_text(section, "matrix");
  if (path[0]) return read_matrix(shift, section, path);
  if (shift->model->n_params != shift->population->d)
    return sprint__refuse(section, "epsilon",
                          "A = epsilon I needs as many parameters as features; there are %zu and %zu (give a matrix)",
                          shift->model->n_params, shift->population->d);
  return SPRINT_OK;
}

static void location_offset(const sprint_shift *shift, const sprint_real *deployed) {
  const struct location *s = shift->impl;
  size_t p = shift->model->n_params;
  for (size_t j = 0; j < shift->population->d; j++) {
    double sum = s->matrix.data ? 0 : s->epsilon * (double)deployed[j];
    for (size_t k = 0; s->matrix.data && k < p; k++) sum += s->matrix.data[j * p + k] * (double)deployed[k];
    s->offset[j] = (sprint_real)sum;
  }
}

static sprint_status location_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                      const sprint_real *y, size_t n, sprint_real *x) {
  (void)who;
  (void)y;
  const struct location *s = shift->impl;
  size_t d = shift->population->d;
  location_offset(shift, deployed);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) x[i * d + j] += s->offset[j];
  return SPRINT_OK;
}

/* dz/dtheta = A. */
static void location_pull(sprint_shift *shift, const sprint_real *deployed, const sprint_real *y, size_t n,
                          const sprint_real *x, const sprint_real *u, double *ret_sum) {
  (void)deployed;
  (void)y;
  (void)x;
  const struct location *s = shift->impl;
  size_t d = shift->population->d, p = shift->model->n_params;
  for (size_t j = 0; j < d; j++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)u[i * d + j];
    if (!s->matrix.data) ret_sum[j] += s->epsilon * sum;
    for (size_t k = 0; s->matrix.data && k < p; k++) ret_sum[k] += s->matrix.data[j * p + k] * sum;
  }
}

static const struct sprint__shift_ops location_ops = {
    .setup = location_setup,
    .resumes = true,
    .free = location_free,
    .respond = location_respond,
    .pull = location_pull,
};

static const sprint_param location_params[] = {
    SPRINT__REAL("epsilon", "0.5", -1e6, 1e6, "A = epsilon I, for as many parameters as features"),
    SPRINT__TEXT("matrix", "", "A as a .npy file of shape (features, parameters), instead of epsilon"),
};

const sprint_kind sprint__shift_location = {"location", "location family: z + A theta, the test bed with closed forms",
                                            location_params, SPRINT__COUNT(location_params), &location_ops};
