/* sprint predict --label: how good a model is on new data. */
#ifndef SPRINT_CLI_PREDICT_H
#define SPRINT_CLI_PREDICT_H

#include "cli.h"

struct cli_tested {
  const char *model, *data, *label; /* as they were named */
  const sprint_predictor *predictor;
  const sprint_metrics *metrics;
};

/* predict_print.c: the page for people; the same as JSON. */
void cli_predict_print(const struct cli_tested *tested, FILE *stream);
void cli_predict_print_json(const struct cli_tested *tested, FILE *stream);

#endif
