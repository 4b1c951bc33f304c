/* What is inside a saved model, for those who look at more than its scores. */
#ifndef SPRINT_RUN_PREDICTOR_H
#define SPRINT_RUN_PREDICTOR_H

#include "model/model.h"
#include "population/population.h"

/* As sprint_predictor_load, but test beds, which have parameters and nothing to predict, are fine too. */
sprint_status sprint__predictor_load_any(sprint_context *context, const char *path, sprint_predictor **ret_predictor);

sprint_model *sprint__predictor_model(const sprint_predictor *predictor);
const sprint_real *sprint__predictor_theta(const sprint_predictor *predictor);
const struct sprint__column *sprint__predictor_column(const sprint_predictor *predictor, size_t feature);
size_t sprint__predictor_n_classes(const sprint_predictor *predictor);
const char *sprint__predictor_class(const sprint_predictor *predictor, size_t class_number);
const char *sprint__predictor_label(const sprint_predictor *predictor); /* the column it was trained on, or "" */
struct sprint__encoding *sprint__predictor_encoding(const sprint_predictor *predictor); /* of CSVs; encoding.h */

#endif
