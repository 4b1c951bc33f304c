/* What the image kinds share: names, and labels that are bytes. */
#include "population/build.h"

sprint_status sprint__table_name_pixels(struct sprint__table *table) {
  table->names = sprint__names_numbered(table->context, "x", table->d);
  table->label_name = sprint__strdup(table->context, "label");
  return table->names && table->label_name ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

/* Classes without an image would be strata without individuals. */
static sprint_status check_classes(const struct sprint__table *table, const char *file) {
  size_t counts[256] = {0};
  for (size_t i = 0; i < table->n; i++) counts[(size_t)table->y[i]]++;
  for (size_t k = 0; k < table->n_classes; k++)
    if (!counts[k])
      return sprint_fail(table->context, SPRINT_ERROR_INPUT,
                         "%s: no image is of class %s, all of 0 .. %zu were expected", file, table->class_names[k],
                         table->n_classes - 1);
  return SPRINT_OK;
}

static size_t largest(const uint8_t *labels, size_t n) {
  size_t most = 0;
  for (size_t i = 0; i < n; i++)
    if (labels[i] > most) most = labels[i];
  return most;
}

sprint_status sprint__table_set_labels(struct sprint__table *table, const char *file, const uint8_t *labels,
                                       const char *const *names, size_t n_names) {
  size_t n_classes = names ? n_names : largest(labels, table->n) + 1;
  if (n_classes < 2)
    return sprint_fail(table->context, SPRINT_ERROR_INPUT, "%s: every label is 0; at least two classes are needed",
                       file);
  table->n_classes = n_classes;
  table->y = sprint__alloc(table->context, table->n, sizeof *table->y);
  table->class_names = names ? sprint__names_copy(table->context, names, n_classes)
                             : sprint__names_numbered(table->context, "", n_classes);
  if (!table->y || !table->class_names) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < table->n; i++) table->y[i] = labels[i];
  return check_classes(table, file);
}
