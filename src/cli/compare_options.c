/* What `sprint compare` is asked for: budgets, criterion, seeds, step sizes; and the configs that this makes. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define MAX_COUNT   1e15 /* of a budget that is counted */
#define MAX_SECONDS 1e9

enum { MAX_SEEDS = 10000, TUNING_SEEDS = 3 };

#define CRITERION(WORD, TITLE, FIELD, LARGER, LOG, STABLE, MISSING) \
  { WORD, TITLE, offsetof(sprint_trace_row, FIELD), LARGER, LOG, STABLE, MISSING }

static const struct cli_criterion criteria[] = {
    CRITERION("grad", "|grad J|^2", gradient_sq, false, true, true, "it cannot be measured"),
    CRITERION("grad-mean", "|grad J|^2, mean over rows", gradient_sq_mean, false, true, true, "it cannot be measured"),
    CRITERION("loss", "loss on D(theta)", loss, false, false, false, "it cannot be measured"),
    CRITERION("accuracy", "accuracy on D(theta)", accuracy, true, false, false, "the model does not classify"),
    CRITERION("distance", "|theta - reference|", distance, false, true, false, "eval.reference names no point"),
};

enum { N_CRITERIA = sizeof criteria / sizeof criteria[0] };

/* A number as configs have them, and nothing else. */
static bool read_number(const char *text, double *ret_number) {
  char *end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end || strspn(text, "0123456789.eE+-") != strlen(text) || !isfinite(number)) return false;
  *ret_number = number;
  return true;
}

/* KEY=AMOUNT. */
static bool read_budget(const char *text, struct cli_budget *ret_budget) {
  static const char *const keys[] = {"ifo", "deployments", "samples", "seconds", "epochs", "steps"};
  const char *equals = strchr(text, '=');
  double amount = 0;
  if (!equals || !read_number(equals + 1, &amount)) return false;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (strlen(keys[i]) != (size_t)(equals - text) || strncmp(keys[i], text, strlen(keys[i])) != 0) continue;
    bool counts = strcmp(keys[i], "seconds") != 0;
    if (amount <= 0 || amount > (counts ? MAX_COUNT : MAX_SECONDS) || (counts && amount != floor(amount))) return false;
    ret_budget->key = keys[i];
    snprintf(ret_budget->amount, sizeof ret_budget->amount, counts ? "%.0f" : "%.9g", amount);
    return true;
  }
  return false;
}

static int read_budgets(const struct cli_command *command, struct cli_comparison *comparison) {
  const struct cli_options *options = comparison->options;
  for (size_t i = 0; i < options->n_budgets; i++) {
    struct cli_budget *budget = &comparison->budgets[comparison->n_budgets++];
    if (!read_budget(options->budgets[i], budget))
      return cli_misused(
          command,
          "--budget: '%s' is not ifo, deployments, samples, epochs or steps = a whole number above 0, or "
          "seconds = a number above 0",
          options->budgets[i]);
    for (const struct cli_budget *other = comparison->budgets; other < budget; other++)
      if (strcmp(other->key, budget->key) == 0 && strcmp(other->amount, budget->amount) == 0)
        return cli_misused(command, "--budget: %s=%s is there twice", budget->key, budget->amount);
  }
  return CLI_OK;
}

static int read_criterion(const struct cli_command *command, struct cli_comparison *comparison) {
  const char *word = comparison->options->by ? comparison->options->by : criteria[0].word;
  for (size_t i = 0; i < N_CRITERIA; i++)
    if (strcmp(criteria[i].word, word) == 0) comparison->by = &criteria[i];
  if (comparison->by) return CLI_OK;
  return cli_misused(command, "--by: '%s' is not grad, grad-mean, loss, accuracy or distance", word);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* "0.01,0.1", or "": the grid that is usual, two a decade. */
static int read_sizes(const struct cli_command *command, struct cli_comparison *comparison) {
  static const char usual[] = "0.001,0.003,0.01,0.03,0.1,0.3,1";
  const char *said = comparison->options->tune;
  if (!said) return CLI_OK;
  if (strncmp(said, "steps=", strlen("steps=")) == 0) said += strlen("steps=");
  char *list = cli_format("%s", *said ? said : usual), *rest = list;
  bool fits = true;
  for (const char *word; fits && rest;) {
    size_t n = strcspn(rest, ",");
    word = rest;
    rest = word[n] ? rest + n + 1 : NULL;
    list[word - list + (ptrdiff_t)n] = '\0';
    double *size = &comparison->sizes[comparison->n_sizes];
    fits = comparison->n_sizes < CLI_MAX && read_number(word, size) && *size > 0;
    comparison->n_sizes++;
  }
  free(list);
  qsort(comparison->sizes, fits ? comparison->n_sizes : 0, sizeof(double), by_size);
  for (size_t i = 1; fits && i < comparison->n_sizes; i++) fits = comparison->sizes[i] != comparison->sizes[i - 1];
  if (fits) return CLI_OK;
  return cli_misused(command, "--tune: '%s' is not a list of up to %d different step sizes above 0, such as 0.01,0.1",
                     said, CLI_MAX);
}

/* N, or S,S,...: checked here, used when the config's own seeds are known. */
static int check_seeds(const struct cli_command *command, const char *text) {
  int n = 0;
  if (!text) return CLI_OK;
  bool fits = strspn(text, "0123456789,") == strlen(text);
  fits = fits && (strchr(text, ',') ? text[0] != ',' && !strstr(text, ",,") : cli_whole(text, 1, MAX_SEEDS, &n));
  if (fits) return CLI_OK;
  return cli_misused(command, "--seeds: '%s' is neither how many, 1 .. %d, nor a list such as 2024,2025", text,
                     MAX_SEEDS);
}

int cli_compare_parse(const struct cli_command *command, const struct cli_options *options,
                      struct cli_comparison *comparison) {
  comparison->options = options;
  if (cli_jobs_option(command, options, &comparison->n_jobs) != CLI_OK) return CLI_USAGE;
  int code = read_budgets(command, comparison);
  if (code == CLI_OK) code = read_criterion(command, comparison);
  if (code == CLI_OK) code = read_sizes(command, comparison);
  return code == CLI_OK ? check_seeds(command, options->seeds) : code;
}

/* Every stop rule that 0 turns off, as an assignment that does so; those that it does not (`explosion`) stay on. */
static size_t add_stop_sets(const struct cli_budget *budget, char **sets, size_t n) {
  size_t n_families = 0;
  const sprint_family *const *families = sprint_families(&n_families);
  for (size_t f = 0; f < n_families; f++) {
    if (strcmp(families[f]->key, "stop") != 0) continue;
    const sprint_kind *rules = families[f]->kinds[0];
    for (size_t i = 0; i < rules->n_params; i++) {
      bool number = rules->params[i].type == SPRINT_PARAM_INTEGER || rules->params[i].type == SPRINT_PARAM_REAL;
      if (number && rules->params[i].min <= 0) sets[n++] = cli_format("stop.%s=0", rules->params[i].name);
    }
  }
  sets[n++] = cli_format("stop.%s=%s", budget->key, budget->amount);
  return n;
}

static char *seeds_set(const struct cli_comparison *comparison) {
  char *set = cli_format("seeds=[");
  for (size_t i = 0; i < comparison->n_seeds + comparison->n_tuning; i++) {
    char *longer = cli_format("%s%s%llu", set, i ? "," : "", (unsigned long long)comparison->seeds[i]);
    free(set);
    set = longer;
  }
  char *whole = cli_format("%s]", set);
  free(set);
  return whole;
}

sprint_status cli_compare_load(const struct cli_comparison *comparison, const struct cli_budget *budget, bool all,
                               sprint_experiment **ret_experiment) {
  const struct cli_options *options = comparison->options;
  char *sets[3 * CLI_MAX];
  size_t n = 0;
  for (size_t i = 0; i < options->n_sets; i++) sets[n++] = cli_format("%s", options->sets[i]);
  n = add_stop_sets(budget, sets, n);
  if (all)
    sets[n++] = seeds_set(comparison);
  else if (options->seeds && strchr(options->seeds, ','))
    sets[n++] = cli_format("seeds=[%s]", options->seeds);
  sprint_experiment_options plan = {.size = sizeof plan,
                                    .quick = options->quick,
                                    .sets = (const char *const *)sets,
                                    .n_sets = n,
                                    .methods = options->methods,
                                    .step_sizes = comparison->sizes,
                                    .n_step_sizes = all ? comparison->n_sizes : 0};
  sprint_status status = sprint_experiment_open(comparison->context, options->arguments[0], &plan, ret_experiment);
  for (size_t i = 0; i < n; i++) free(sets[i]);
  return status;
}

/* The config's seeds, as many as are wanted, and the whole numbers above the largest of them. */
static void count_seeds(struct cli_comparison *comparison, const sprint_experiment *experiment) {
  int n = (int)sprint_experiment_n_seeds(experiment);
  const char *said = comparison->options->seeds;
  if (said && !strchr(said, ',')) cli_whole(said, 1, MAX_SEEDS, &n);
  comparison->n_seeds = (size_t)n;
  if (comparison->n_sizes)
    comparison->n_tuning = comparison->n_seeds < TUNING_SEEDS ? comparison->n_seeds : TUNING_SEEDS;
}

void cli_compare_size_up(struct cli_comparison *comparison, const sprint_experiment *experiment) {
  count_seeds(comparison, experiment);
  size_t n = comparison->n_seeds + comparison->n_tuning;
  comparison->n_points = sprint_experiment_n_points(experiment);
  comparison->n_methods = sprint_experiment_n_methods(experiment);
  comparison->seeds = cli_room(n, sizeof *comparison->seeds);
  comparison->names = cli_room(comparison->n_methods, sizeof *comparison->names);
  for (size_t m = 0; m < comparison->n_methods; m++)
    comparison->names[m] = cli_format("%s", sprint_experiment_method_name(experiment, m));
  comparison->optimal = cli_room(comparison->n_methods, sizeof *comparison->optimal);
  for (size_t m = 0; m < comparison->n_methods; m++)
    comparison->optimal[m] = sprint_experiment_method_kind(experiment, m)->optimal;
  uint64_t largest = 0;
  for (size_t i = 0; i < n; i++) {
    bool own = i < comparison->n_seeds && i < sprint_experiment_n_seeds(experiment);
    comparison->seeds[i] = own ? sprint_experiment_seed(experiment, i) : largest + 1;
    if (comparison->seeds[i] > largest) largest = comparison->seeds[i];
  }
}
