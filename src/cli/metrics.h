/* Metrics of a set of records: their numbers by name, and the rest of them as JSON. */
#ifndef SPRINT_CLI_METRICS_H
#define SPRINT_CLI_METRICS_H

#include "files.h"

/* Single numbers but for the loss: accuracy, auc, ...; NaN where there are no metrics (NULL) or they have no such
 * thing. */
size_t cli_n_metrics(void);
const char *cli_metric_name(size_t metric);
double cli_metric_of(const sprint_metrics *metrics, size_t metric);

/* What they have beyond these: counts, calibration, confusion. A new reference. */
json_t *cli_metrics_json(const sprint_metrics *metrics);

#endif
