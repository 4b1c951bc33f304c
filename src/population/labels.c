/* Class labels: see labels.h. */
#include "population/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/names.h"
#include "config/text.h"
#include "population/cell.h"

/* A text while classes are being settled. */
struct ranked {
  const char *text;
  size_t id;
  double value;
};

static sprint_status refuse_many(const struct sprint__labels *labels) {
  if (labels->column)
    return sprint_fail(labels->context, SPRINT_ERROR_INPUT,
                       "%s: column '%s' has more than %d distinct values, which are too many for categories; is it a "
                       "number, a date or an id?",
                       labels->file, labels->column, SPRINT__MAX_CLASSES);
  return sprint_fail(
      labels->context, SPRINT_ERROR_INPUT,
      "%s: the label has more than %d distinct values; where it is a number to predict, say target: value",
      labels->file, SPRINT__MAX_CLASSES);
}

sprint_status sprint__labels_add(struct sprint__labels *labels, const char *text, size_t *ret_id) {
  labels->texts.context = labels->context;
  if (sprint__index_find(&labels->texts, text, ret_id)) return SPRINT_OK;
  if (labels->texts.n == SPRINT__MAX_CLASSES) return refuse_many(labels);
  if (sprint__text_check(text, strlen(text)) < strlen(text))
    return sprint_fail(labels->context, SPRINT_ERROR_INPUT, "%s: the %s '%s' is not UTF-8", labels->file,
                       labels->column ? "level" : "label", sprint__show(text).text);
  return sprint__index_add(&labels->texts, text, ret_id);
}

static int by_value(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

static int by_text(const void *left, const void *right) {
  return strcmp(((const struct ranked *)left)->text, ((const struct ranked *)right)->text);
}

static bool is_aside(const struct sprint__labels *labels, const char *text) {
  return labels->aside && strcmp(text, labels->aside) == 0;
}

/* Copies the texts that are present and orders them as classes; says whether all are numbers. */
static bool rank(const struct sprint__labels *labels, const bool *present, struct ranked *ranks, size_t *ret_n) {
  bool numeric = true;
  size_t n = 0;
  for (size_t i = 0; i < labels->texts.n; i++) {
    if (present && !present[i]) continue;
    struct ranked *r = &ranks[n++];
    *r = (struct ranked){sprint__index_text(&labels->texts, i), i, INFINITY};
    if (!is_aside(labels, r->text) && sprint__cell_parse(r->text, &r->value) != SPRINT__CELL_NUMBER) numeric = false;
  }
  qsort(ranks, n, sizeof *ranks, numeric ? by_value : by_text);
  *ret_n = n;
  return numeric;
}

sprint_status sprint__labels_settle(struct sprint__labels *labels, const bool *present) {
  SPRINT__SCRATCH(room, labels->context);
  size_t n = 0, n_texts = labels->texts.n;
  struct ranked *ranks = sprint__arena_take(&room, n_texts, sizeof *ranks);
  const char **names = sprint__arena_take(&room, n_texts, sizeof *names);
  SPRINT__TRY(sprint__arena_status(&room));
  bool numeric = rank(labels, present, ranks, &n);
  labels->class_of = sprint__alloc(labels->context, n_texts, sizeof *labels->class_of);
  if (numeric) labels->values = sprint__alloc(labels->context, n_texts, sizeof *labels->values);
  if (!labels->class_of || (numeric && !labels->values)) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < n_texts; i++) labels->class_of[i] = SPRINT__NO_CLASS;
  for (size_t i = 0; i < n; i++) {
    bool repeats = numeric && i > 0 && ranks[i].value == ranks[i - 1].value;
    if (!repeats) names[labels->n++] = ranks[i].text;
    if (numeric) labels->values[labels->n - 1] = ranks[i].value;
    labels->class_of[ranks[i].id] = labels->n - 1;
  }
  labels->names = sprint__names_copy(labels->context, names, labels->n);
  return labels->names ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

sprint_status sprint__labels_finish(struct sprint__labels *labels, double *y, size_t n, size_t *ret_n_classes,
                                    char ***ret_class_names) {
  SPRINT__TRY(sprint__labels_settle(labels, NULL));
  if (labels->n < 2)
    return sprint_fail(labels->context, SPRINT_ERROR_INPUT, "%s: every label is '%s'; at least two classes are needed",
                       labels->file, sprint__show(labels->n ? labels->names[0] : "").text);
  *ret_class_names = sprint__names_copy(labels->context, (const char *const *)labels->names, labels->n);
  if (!*ret_class_names) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) y[i] = (double)labels->class_of[(size_t)y[i]];
  *ret_n_classes = labels->n;
  return SPRINT_OK;
}

/* A number may be spelt in a way that has not been seen. */
static bool find_number(const struct sprint__labels *labels, const char *text, size_t *ret_class) {
  double value;
  if (!labels->values || sprint__cell_parse(text, &value) != SPRINT__CELL_NUMBER) return false;
  size_t low = 0, high = labels->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (labels->values[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == labels->n || labels->values[low] != value) return false;
  *ret_class = low;
  return true;
}

bool sprint__labels_find(const struct sprint__labels *labels, const char *text, size_t *ret_class) {
  size_t id;
  if (!sprint__index_find(&labels->texts, text, &id)) return find_number(labels, text, ret_class);
  if (labels->class_of[id] == SPRINT__NO_CLASS) return find_number(labels, text, ret_class);
  *ret_class = labels->class_of[id];
  return true;
}

void sprint__labels_clear(struct sprint__labels *labels) {
  sprint__index_clear(&labels->texts);
  sprint__free(labels->names);
  sprint__free(labels->class_of);
  sprint__free(labels->values);
  *labels = (struct sprint__labels){.context = labels->context, .file = labels->file, .column = labels->column};
}
