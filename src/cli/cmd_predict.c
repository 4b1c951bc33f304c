/* sprint predict: score the rows of a CSV with a saved model. */
#include "cli.h"

static int predict_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  sprint_predictor *predictor = NULL;
  sprint_status status = sprint_predictor_load(context, options->arguments[0], &predictor);
  if (status == SPRINT_OK) status = sprint_predictor_score_csv(predictor, options->arguments[1], options->out);
  sprint_predictor_free(predictor);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_predict = {
    "predict",
    "MODEL.safetensors DATA.csv [--out FILE.csv] [--threads N] [--plugin FILE.so]...",
    "score rows with a saved model: row, prediction, class probabilities",
    "out threads plugin",
    2,
    2,
    predict_run,
};
