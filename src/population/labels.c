/* Class labels: see labels.h. */
#include "population/labels.h"

#include <stdlib.h>
#include <string.h>

#include "config/names.h"
#include "config/text.h"
#include "population/cell.h"

/* A label while classes are being settled. */
struct ranked {
  struct sprint__label label;
  double value;
};

/* The place of `text` in the ordered items, or the place where it belongs. */
static size_t find(const struct sprint__labels *labels, const char *text, bool *ret_found) {
  size_t low = 0, high = labels->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(labels->items[middle].text, text);
    if (order == 0) {
      *ret_found = true;
      return middle;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *ret_found = false;
  return low;
}

sprint_status sprint__labels_add(struct sprint__labels *labels, const char *text, size_t *ret_id) {
  bool found;
  size_t place = find(labels, text, &found);
  if (!found) {
    if (labels->n == SPRINT__MAX_CLASSES)
      return sprint_fail(
          labels->context, SPRINT_ERROR_INPUT,
          "%s: the label has more than %d distinct values; where it is a number to predict, say target: value",
          labels->file, SPRINT__MAX_CLASSES);
    if (sprint__text_check(text, strlen(text)) < strlen(text))
      return sprint_fail(labels->context, SPRINT_ERROR_INPUT, "%s: the label '%s' is not UTF-8", labels->file,
                         sprint__show(text).text);
    SPRINT__TRY(sprint__grow(labels->context, (void **)&labels->items, labels->n, &labels->n_room, labels->n + 1,
                             sizeof *labels->items));
    char *copy = sprint__strdup(labels->context, text);
    if (!copy) return SPRINT_ERROR_MEMORY;
    memmove(labels->items + place + 1, labels->items + place, (labels->n - place) * sizeof *labels->items);
    labels->items[place] = (struct sprint__label){.text = copy, .id = labels->n};
    labels->n++;
  }
  *ret_id = labels->items[place].id;
  return SPRINT_OK;
}

static int by_value(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->label.id < b->label.id ? -1 : a->label.id > b->label.id;
}

/* Copies the items and orders them as classes; says whether all are numbers. */
static bool rank(const struct sprint__labels *labels, struct ranked *ranks) {
  bool numeric = true;
  for (size_t i = 0; i < labels->n; i++) {
    ranks[i].label = labels->items[i];
    if (sprint__cell_parse(labels->items[i].text, &ranks[i].value) != SPRINT__CELL_NUMBER) numeric = false;
  }
  if (numeric) qsort(ranks, labels->n, sizeof *ranks, by_value);
  return numeric;
}

sprint_status sprint__labels_finish(struct sprint__labels *labels, double *y, size_t n, size_t *ret_n_classes,
                                    char ***ret_class_names) {
  SPRINT__SCRATCH(room, labels->context);
  struct ranked *ranks = sprint__arena_take(&room, labels->n, sizeof *ranks);
  double *class_of = sprint__arena_take(&room, labels->n, sizeof *class_of); /* by id */
  const char **names = sprint__arena_take(&room, labels->n, sizeof *names);
  SPRINT__TRY(sprint__arena_status(&room));
  bool numeric = rank(labels, ranks);
  size_t n_classes = 0;
  for (size_t i = 0; i < labels->n; i++) {
    bool repeats = numeric && i > 0 && ranks[i].value == ranks[i - 1].value;
    if (!repeats) names[n_classes++] = ranks[i].label.text;
    class_of[ranks[i].label.id] = (double)(n_classes - 1);
  }
  if (n_classes < 2)
    return sprint_fail(labels->context, SPRINT_ERROR_INPUT, "%s: every label is '%s'; at least two classes are needed",
                       labels->file, sprint__show(n_classes ? names[0] : "").text);
  if (!(*ret_class_names = sprint__names_copy(labels->context, names, n_classes))) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) y[i] = class_of[(size_t)y[i]];
  for (size_t i = 0; i < labels->n; i++) labels->items[i].class_number = (size_t)class_of[labels->items[i].id];
  labels->numeric = numeric;
  *ret_n_classes = n_classes;
  return SPRINT_OK;
}

/* A number may be spelt in a way that has not been seen. */
static bool find_number(const struct sprint__labels *labels, const char *text, size_t *ret_class) {
  double value, known;
  if (!labels->numeric || sprint__cell_parse(text, &value) != SPRINT__CELL_NUMBER) return false;
  for (size_t i = 0; i < labels->n; i++) {
    sprint__cell_parse(labels->items[i].text, &known);
    if (known != value) continue;
    *ret_class = labels->items[i].class_number;
    return true;
  }
  return false;
}

bool sprint__labels_find(const struct sprint__labels *labels, const char *text, size_t *ret_class) {
  bool found;
  size_t place = find(labels, text, &found);
  if (!found) return find_number(labels, text, ret_class);
  *ret_class = labels->items[place].class_number;
  return true;
}

void sprint__labels_clear(struct sprint__labels *labels) {
  for (size_t i = 0; i < labels->n; i++) sprint__free(labels->items[i].text);
  sprint__free(labels->items);
  *labels = (struct sprint__labels){.context = labels->context, .file = labels->file};
}
