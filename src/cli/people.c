/* What people want and do, and what may not be meant, said before anything is trained. */
#include <string.h>

#include "cli.h"

static const char *sentence(const sprint_experiment *experiment, size_t i) {
  size_t n = sprint_experiment_n_methods(experiment);
  return sprint_experiment_people(experiment, i / n, i % n);
}

/* Whether one before it has the same sentence. */
static bool was_said(const sprint_experiment *experiment, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (strcmp(sentence(experiment, k), sentence(experiment, i)) == 0) return true;
  return false;
}

void cli_print_people(const sprint_experiment *experiment, FILE *stream) {
  size_t n = sprint_experiment_n_methods(experiment), all = n * sprint_experiment_n_points(experiment), said = 0;
  if (!sprint_experiment_names_data(experiment))
    fputs("the config has no `data`: these people are made up\n", stream);
  for (size_t i = 0; i < all; i++) said += !was_said(experiment, i);
  for (size_t i = 0; i < all; i++) {
    const char *point = sprint_experiment_point_name(experiment, i / n);
    if (was_said(experiment, i)) continue;
    if (said > 1)
      cli_print(stream, "%s%s%s: ", point, *point ? "/" : "", sprint_experiment_method_name(experiment, i % n));
    cli_print(stream, "%s\n", sentence(experiment, i));
  }
}

/* A doubt of the i-th method and point, unless one before it has the same. */
static const char *new_doubt(const sprint_experiment *experiment, size_t i, sprint_warning_kind kind) {
  size_t n = sprint_experiment_n_methods(experiment);
  const char *doubt = sprint_experiment_doubt(experiment, i / n, i % n, kind);
  for (size_t k = 0; doubt && k < i; k++) {
    const char *other = sprint_experiment_doubt(experiment, k / n, k % n, kind);
    if (other && strcmp(other, doubt) == 0) return NULL;
  }
  return doubt;
}

void cli_each_doubt(const sprint_experiment *experiment, void (*take)(void *user, const char *doubt), void *user) {
  size_t n = sprint_experiment_n_methods(experiment) * sprint_experiment_n_points(experiment);
  for (size_t i = 0; i < n; i++)
    for (sprint_warning_kind kind = 0; kind < SPRINT_N_WARNINGS; kind++) {
      const char *doubt = new_doubt(experiment, i, kind);
      if (doubt) take(user, doubt);
    }
}
