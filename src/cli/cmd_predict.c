/* sprint predict: score the rows of a CSV with a saved model; with --label, say how good the scores are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict.h"

/* Options that are about labels, and do nothing without one. */
static int check_options(const struct cli_command *command, const struct cli_options *options) {
  static const char *const about_labels[] = {"weight", "unweighted", "json"};
  for (size_t i = 0; i < sizeof about_labels / sizeof about_labels[0]; i++)
    if (cli_value(options, about_labels[i]) && !cli_value(options, "label"))
      return cli_misused(command, "--%s goes with --label COLUMN", about_labels[i]);
  if (cli_value(options, "weight") && cli_value(options, "unweighted"))
    return cli_misused(command, "--weight and --unweighted are two answers to one question");
  return CLI_OK;
}

static int read_threshold(const struct cli_command *command, const char *text, double *ret_threshold) {
  char *end = NULL;
  *ret_threshold = strtod(text, &end);
  if (end != text && !*end && *ret_threshold >= 0 && *ret_threshold <= 1) return CLI_OK;
  return cli_misused(command, "--threshold: '%s' is not a probability within 0 .. 1", text);
}

/* The metrics are the result, and go where results go, unless the rows are there. */
static sprint_status assess(sprint_predictor *predictor, const struct cli_options *options) {
  const char *label = cli_value(options, "label");
  const sprint_metrics *metrics = NULL;
  sprint_labelled labelled = {.size = sizeof labelled,
                              .label = label,
                              .weight = cli_value(options, "weight"),
                              .unweighted = cli_value(options, "unweighted") != NULL,
                              .out = options->out};
  sprint_status status = sprint_predictor_assess_csv(predictor, options->arguments[1], &labelled, &metrics);
  if (status != SPRINT_OK) return status;
  struct cli_tested tested = {options->arguments[0], options->arguments[1], label, predictor, metrics};
  FILE *stream = options->out && strcmp(options->out, "-") == 0 ? stderr : stdout;
  (options->json ? cli_predict_print_json : cli_predict_print)(&tested, stream);
  return SPRINT_OK;
}

/* Rows alone do not show that a prediction is not the likelier class. */
static sprint_status score(sprint_predictor *predictor, const struct cli_options *options) {
  double threshold = sprint_predictor_threshold(predictor);
  sprint_status status = sprint_predictor_score_csv(predictor, options->arguments[1], options->out);
  if (status != SPRINT_OK || isnan(threshold) || threshold == 0.5) return status;
  cli_print(stderr, "sprint: the prediction is '%s' from a probability of %.6g on\n",
            sprint_predictor_class(predictor, sprint_predictor_positive(predictor)), threshold);
  return status;
}

static int predict_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  sprint_predictor *predictor = NULL;
  const char *threshold = cli_value(options, "threshold");
  double from = 0;
  int code = check_options(command, options);
  if (code == CLI_OK && threshold) code = read_threshold(command, threshold, &from);
  if (code != CLI_OK) return code;
  sprint_predictor_options opening = {.size = sizeof opening,
                                      .anyway = cli_value(options, "anyway") != NULL,
                                      .positive = cli_value(options, "positive"),
                                      .threshold = threshold ? &from : NULL};
  sprint_status status = sprint_predictor_open(context, options->arguments[0], &opening, &predictor);
  if (status == SPRINT_OK && cli_value(options, "label"))
    status = assess(predictor, options);
  else if (status == SPRINT_OK)
    status = score(predictor, options);
  sprint_predictor_free(predictor);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_predict = {
    "predict",   "score rows with a saved model; with --label, say how good it is on them",
    predict_run, {{"MODEL.safetensors", CLI_FILE, ".safetensors"}, {"DATA.csv", CLI_FILE}},
    2,
};
