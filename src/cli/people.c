/* What people want and do, said before anything is trained. */
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
  for (size_t i = 0; i < all; i++) said += !was_said(experiment, i);
  for (size_t i = 0; i < all; i++) {
    const char *point = sprint_experiment_point_name(experiment, i / n);
    if (was_said(experiment, i)) continue;
    if (said > 1)
      cli_print(stream, "%s%s%s: ", point, *point ? "/" : "", sprint_experiment_method_name(experiment, i % n));
    cli_print(stream, "%s\n", sentence(experiment, i));
  }
}
