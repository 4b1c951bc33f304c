/* What is inside a saved model, for those who look at more than its scores. */
#ifndef SPRINT_RUN_PREDICTOR_H
#define SPRINT_RUN_PREDICTOR_H

#include "model/model.h"
#include "population/csv_columns.h"
#include "population/population.h"

struct sprint_predictor {
  sprint_context *context;
  bool anyway;                /* whatever became of its run */
  struct sprint__arena arena; /* of all but the model */
  char *path;
  sprint_model *model;
  sprint_real *theta;
  size_t n_features, n_classes;
  struct sprint__shape shape;
  struct sprint__column *columns;
  struct sprint__encoding *encoding; /* of CSVs */
  char **class_names;
  char *label;     /* "" where the file does not say */
  bool any;        /* test beds are fine */
  size_t positive; /* of two classes, the one that is said from the threshold on */
  double threshold;
  struct sprint__arena assessed; /* of the newest metrics, which are lent */
  sprint_metrics metrics;
  char *weighed; /* the column that they count people by, or NULL */
};

/* As sprint_predictor_load, but test beds, which have parameters and nothing to predict, are fine too. */
sprint_status sprint__predictor_load_any(sprint_context *context, const char *path, sprint_predictor **ret_predictor);

/* The rows of a CSV ("-": standard input) as the model was trained to read them, with all that is wanted of them. */
sprint_status sprint__predictor_read_csv(sprint_predictor *predictor, const char *path,
                                         const struct sprint__csv_wanted *wanted, struct sprint__csv_scored *ret_rows);

/* The classes in the order of their names, which is how a label is looked up; number (n_classes) is each one's in the
 * model. */
sprint_status sprint__predictor_index_classes(const sprint_predictor *predictor, struct sprint__labels *labels,
                                              size_t *number);

/* Raw features of n rows as the model takes them. */
void sprint__predictor_features(const sprint_predictor *predictor, const double *raw, size_t n, sprint_real *ret_x);

sprint_model *sprint__predictor_model(const sprint_predictor *predictor);
const sprint_real *sprint__predictor_theta(const sprint_predictor *predictor);
const struct sprint__column *sprint__predictor_column(const sprint_predictor *predictor, size_t feature);
size_t sprint__predictor_n_classes(const sprint_predictor *predictor);
const char *sprint__predictor_class(const sprint_predictor *predictor, size_t class_number);

/* The class that a text names: the same text, or the same number. */
bool sprint__predictor_find_class(const sprint_predictor *predictor, const char *text, size_t *ret_class);
const char *sprint__predictor_label(const sprint_predictor *predictor); /* the column it was trained on, or "" */
struct sprint__encoding *sprint__predictor_encoding(const sprint_predictor *predictor); /* of CSVs; encoding.h */

#endif
