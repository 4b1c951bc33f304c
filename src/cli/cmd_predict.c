/* sprint predict: score the rows of a CSV with a saved model. */
#include "cli.h"

static int predict_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  sprint_predictor *predictor = NULL;
  sprint_predictor_options opening = {.size = sizeof opening, .anyway = cli_value(options, "anyway") != NULL};
  sprint_status status = sprint_predictor_open(context, options->arguments[0], &opening, &predictor);
  if (status == SPRINT_OK) status = sprint_predictor_score_csv(predictor, options->arguments[1], options->out);
  sprint_predictor_free(predictor);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_predict = {
    "predict",   "score rows with a saved model: row, prediction, class probabilities",
    predict_run, {{"MODEL.safetensors", CLI_FILE, ".safetensors"}, {"DATA.csv", CLI_FILE}},
    2,
};
