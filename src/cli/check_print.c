/* sprint check: the page for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "text.h"

enum { MAX_SHOWN = 30 }; /* methods and points */

static void print_doubt(void *user, const char *doubt) {
  (void)user;
  cli_print(stdout, "warning: %s\n", doubt);
}

static void print_data(const struct cli_check *check) {
  const struct cli_data_look *data = &check->data;
  const sprint_population *population = sprint_experiment_population(check->experiment);
  fputs("\ndata\n", stdout);
  if (!isnan(data->majority))
    cli_print(stdout, "  %.4g %% are of the largest class, %s: an accuracy below that is worth nothing\n",
              100 * data->majority, data->largest);
  if (data->minority < 0.02)
    cli_print(stdout,
              "  only %.3g %% are of the class %s: look at AUC, recall and precision, not at accuracy; see "
              "data.class_weights\n",
              100 * data->minority, data->rarest);
  if (data->n_constant)
    cli_print(stdout, "  %zu feature%s the same value in every row, first %s: ignore %s\n", data->n_constant,
              data->n_constant == 1 ? " has" : "s have", sprint_population_feature_name(population, data->constant),
              data->n_constant == 1 ? "it" : "them");
  if (isnan(data->majority) && !data->n_constant) puts("  nothing to say");
}

/* "0.168 .. 0.2", the largest step that stayed and the least that was left. */
static void print_range(const sprint_step_check *step) {
  char text[48];
  if (isinf(step->least_left))
    snprintf(text, sizeof text, "%.3g or more", step->largest);
  else if (step->largest == step->least_left)
    snprintf(text, sizeof text, "%.3g", step->largest);
  else
    snprintf(text, sizeof text, "%.3g .. %.3g", step->largest, step->least_left);
  cli_print(stdout, "  %-18s", text);
}

static void print_verdict(const struct cli_checked *it) {
  const sprint_step_check *step = &it->step;
  if (it->level == CHECK_UNSAFE && step->left)
    printf("  NOT SAFE: %zu of %zu starts ran away", step->left, step->starts);
  else if (it->level == CHECK_UNSAFE)
    fputs("  NOT SAFE: it swings about the stable point", stdout);
  else if (it->level == CHECK_THIN && step->least_left < 2.5 * step->step)
    printf("  stays, but %.2g times it does not", step->least_left / step->step);
  else
    fputs("  safe", stdout);
  if (step->edge >= 1.5 && it->level != CHECK_UNSAFE) fputs(", at the edge of the curvature", stdout);
}

static int name_width(const struct cli_check *check) {
  int width = (int)strlen("method");
  for (size_t i = 0; i < check->n; i++) {
    int own = cli_width(sprint_experiment_method_name(check->experiment, check->checked[i].method)) + 2 +
              cli_width(sprint_experiment_point_name(check->experiment, check->checked[i].point));
    if (own > width) width = own;
  }
  return width;
}

static void print_name(const struct cli_check *check, const struct cli_checked *it, int width) {
  const char *point = sprint_experiment_point_name(check->experiment, it->point);
  char *name =
      cli_format("%s%s%s", point, *point ? "  " : "", sprint_experiment_method_name(check->experiment, it->method));
  fputs("  ", stdout);
  cli_print_padded(stdout, name, width);
  free(name);
}

/* Where the method bears the smallest steps. */
static const struct cli_checked *worst_of(const struct cli_check *check, size_t method) {
  const struct cli_checked *worst = NULL;
  for (size_t i = 0; i < check->n; i++) {
    const struct cli_checked *it = &check->checked[i];
    if (it->method == method && (!worst || it->step.largest < worst->step.largest)) worst = it;
  }
  return worst;
}

/* Of many, those that are not safe and the worst of each method. */
static bool is_shown(const struct cli_check *check, const struct cli_checked *it) {
  return check->n <= MAX_SHOWN || it->level == CHECK_UNSAFE || it->level == CHECK_THIN ||
         it == worst_of(check, it->method);
}

static void print_steps(const struct cli_check *check, int width) {
  const sprint_step_check *first = &check->checked[0].step;
  cli_print(stdout, "\nis the step safe? (%zu starts each)\n  %-*s  %-9s  %-18s\n", first->starts, width, "method",
            "step", "largest that stays");
  for (size_t i = 0; i < check->n; i++) {
    const struct cli_checked *it = &check->checked[i];
    if (!is_shown(check, it)) continue;
    print_name(check, it, width);
    if (it->level == CHECK_NO_STEP) {
      puts("  does not go by steps");
      continue;
    }
    printf("  %-9.4g", it->step.step);
    print_range(&it->step);
    print_verdict(it);
    if (it->step.planned > 0 && it->step.epochs < 0.99 * it->step.planned && !it->step.left)
      printf(" (in %.3g of %.4g epochs)", it->step.epochs, it->step.planned);
    putchar('\n');
  }
  if (check->n > MAX_SHOWN)
    puts("  (of each method where it bears least, and all that are not safe; --json has the others)");
}

static void print_cost(const sprint_step_check *step) {
  double seconds = step->epoch_seconds * step->planned;
  if (step->rows > 0)
    cli_print(stdout, "  %9.5g  %10.4g  %10.4g  %11.4g  %9s  %6.0f\n", step->planned, (double)step->cost.ifo,
              (double)step->cost.samples, (double)step->cost.deployments,
              isfinite(seconds) ? cli_time(seconds).text : "-", step->rows);
  else if (isnan(step->step) && step->planned > 0)
    printf("  %9.5g  as many passes over everybody as its minimisations take\n", step->planned);
  else
    puts("  as far as time or the gradient lets it go: no bound on epochs, steps, IFO or the like");
}

static void print_costs(const struct cli_check *check, int width) {
  size_t n_runs = cli_n_runs(check->experiment);
  cli_print(stdout, "\nwhat a run costs, about%s\n  %-*s  %9s  %10s  %10s  %11s  %9s  %6s\n",
            sprint_experiment_n_points(check->experiment) > 1 ? ", at the first point" : "", width, "method", "epochs",
            "IFO", "samples", "deployments", "time", "rows");
  for (size_t i = 0; i < sprint_experiment_n_methods(check->experiment); i++) {
    print_name(check, &check->checked[i], width);
    print_cost(&check->checked[i].step);
  }
  if (isfinite(check->seconds))
    cli_print(stdout, "  all %zu run%s: about %s one after the other; %.0f MB of memory, as seen here\n", n_runs,
              n_runs == 1 ? "" : "s", cli_time(check->seconds).text, check->memory / 1e6);
}

/* A hint and the methods that it is for. */
struct grouped {
  char *hint, *names;
};

static size_t add_hint(struct grouped *groups, size_t n, char *hint, const char *name) {
  for (size_t g = 0; g < n; g++)
    if (strcmp(groups[g].hint, hint) == 0) {
      char *names = cli_format("%s, %s", groups[g].names, name);
      free(groups[g].names);
      groups[g].names = names;
      free(hint);
      return n;
    }
  groups[n] = (struct grouped){hint, cli_format("%s", name)};
  return n + 1;
}

/* The hints of every method at the point where it is worst off. */
static void print_hints(const struct cli_check *check) {
  size_t n_methods = sprint_experiment_n_methods(check->experiment), n = 0;
  struct grouped *groups = cli_room(n_methods * CHECK_MAX_HINTS, sizeof *groups);
  for (size_t m = 0; m < n_methods; m++) {
    char *hints[CHECK_MAX_HINTS];
    cli_check_hints(worst_of(check, m), hints);
    for (size_t i = 0; i < CHECK_MAX_HINTS && hints[i]; i++)
      n = add_hint(groups, n, hints[i], sprint_experiment_method_name(check->experiment, m));
  }
  if (n) puts("\nwhat to change");
  for (size_t g = 0; g < n; g++) {
    cli_print(stdout, "  %s: %s\n", groups[g].names, groups[g].hint);
    free(groups[g].names);
    free(groups[g].hint);
  }
  free(groups);
}

static void print_advice(const struct cli_check *check) {
  const sprint_advice *advice = &check->advice;
  bool optimal = false;
  for (size_t m = 0; m < sprint_experiment_n_methods(check->experiment); m++)
    optimal = optimal || sprint_experiment_method_kind(check->experiment, m)->optimal;
  cli_print(stdout, "\nwhich method? method: %s%s%s\n  %s.\n  Or %s.\n", advice->method,
            *advice->deploy ? ", deploy: " : "", advice->deploy, advice->because, advice->instead);
  if (optimal)
    puts(
        "  That is for a stable point. perfgd, perfgd-full, dfo and two-stage seek the performative optimum, another "
        "goal.");
}

void cli_check_print(const struct cli_check *check) {
  const sprint_experiment *experiment = check->experiment;
  const sprint_population *population = sprint_experiment_population(experiment);
  int width = name_width(check);
  cli_print(stdout, "%s: %zu rows, %zu features; %zu point(s) x %zu method(s) x %zu seed(s)\n",
            sprint_experiment_name(experiment), sprint_population_n(population),
            sprint_population_n_features(population), sprint_experiment_n_points(experiment),
            sprint_experiment_n_methods(experiment), sprint_experiment_n_seeds(experiment));
  cli_print_people(experiment, stdout);
  cli_each_doubt(experiment, print_doubt, NULL);
  print_data(check);
  print_steps(check, width);
  print_costs(check, width);
  print_hints(check);
  print_advice(check);
}
