/* Choosing rows: by the keys select, per_class, size, seed and holdout of the data section.
 *
 * A seeded choice shuffles all candidates once and takes the first so many of each class, so the choice within a class
 * is uniform and the classes are independent. */
#include <math.h>

#include "base/random.h"
#include "population/build.h"

enum select { SELECT_ALL, SELECT_FIRST, SELECT_BALANCED };

/* The choice in progress. Where the target is a value, all rows are of one class. */
struct chooser {
  const struct sprint__section *section;
  const struct sprint__table *table;
  size_t n_classes;
  size_t *wanted;  /* (n_classes) rows still to take */
  sprint_real *y;  /* (n) class numbers; NULL where the target is a value */
  uint32_t *order; /* (n) candidates, shuffled */
  uint8_t *mark;   /* (n) */
};

enum mark { MARK_LEFT_OUT, MARK_TRAIN, MARK_HELDOUT };

static size_t class_of(const struct chooser *c, size_t row) { return c->y ? (size_t)c->y[row] : 0; }

/* Goes through `order` (NULL: 0, 1, ...) and turns rows marked `from` into `to` while their class wants some. */
static void take(struct chooser *c, const uint32_t *order, size_t n, enum mark from, enum mark to) {
  for (size_t i = 0; i < n; i++) {
    size_t row = order ? order[i] : i;
    if (c->mark[row] != from || !c->wanted[class_of(c, row)]) continue;
    c->wanted[class_of(c, row)]--;
    c->mark[row] = (uint8_t)to;
  }
}

static void count_classes(const struct chooser *c, enum mark mark, size_t *ret_counts) {
  for (size_t k = 0; k < c->n_classes; k++) ret_counts[k] = 0;
  for (size_t i = 0; i < c->table->n; i++)
    if (c->mark[i] == mark) ret_counts[class_of(c, i)]++;
}

static uint32_t shuffle_marked(struct chooser *c, enum mark mark, enum sprint__purpose purpose) {
  uint32_t n = 0;
  for (size_t i = 0; i < c->table->n; i++)
    if (c->mark[i] == mark) c->order[n++] = (uint32_t)i;
  sprint__shuffle((uint64_t)sprint__get_integer(c->section, "seed"), purpose, c->order, n);
  return n;
}

/* After a choice: whatever is still wanted was not there. */
static sprint_status check_enough(const struct chooser *c, const char *key, const size_t *asked) {
  for (size_t k = 0; k < c->n_classes; k++)
    if (c->wanted[k])
      return sprint__refuse(c->section, key, "needs %zu rows of class %s, and there are %zu", asked[k],
                            c->table->class_names[k], asked[k] - c->wanted[k]);
  return SPRINT_OK;
}

/* How many rows of each class `first` and `balanced` ask for. */
static sprint_status ask(struct chooser *c, enum select select, size_t *ret_asked) {
  const char *key = select == SELECT_FIRST ? "per_class" : "size";
  size_t number = (size_t)sprint__get_integer(c->section, key);
  size_t total = select == SELECT_FIRST ? number * c->n_classes : number;
  if (!c->table->n_classes)
    return sprint__refuse(c->section, "select", "'%s' is for class labels, and the target here is a value",
                          sprint__get_text(c->section, "select"));
  if (!sprint__get(c->section, key)->given)
    return sprint__refuse(c->section, "select", "'%s' needs `%s`, how many rows %s, which is not there",
                          sprint__get_text(c->section, "select"), key,
                          select == SELECT_FIRST ? "of each class" : "in all");
  if (total < c->n_classes)
    return sprint__refuse(c->section, key, "select: %s needs at least %zu here, got %zu",
                          sprint__get_text(c->section, "select"), select == SELECT_FIRST ? (size_t)1 : c->n_classes,
                          number);
  for (size_t k = 0; k < c->n_classes; k++) ret_asked[k] = total / c->n_classes + (k < total % c->n_classes ? 1 : 0);
  return SPRINT_OK;
}

static sprint_status choose_per_class(struct chooser *c, enum select select, size_t *asked) {
  SPRINT__TRY(ask(c, select, asked));
  for (size_t k = 0; k < c->n_classes; k++) c->wanted[k] = asked[k];
  bool balanced = select == SELECT_BALANCED;
  size_t n = balanced ? shuffle_marked(c, MARK_LEFT_OUT, SPRINT__FOR_SELECT) : c->table->n;
  take(c, balanced ? c->order : NULL, n, MARK_LEFT_OUT, MARK_TRAIN);
  return check_enough(c, select == SELECT_FIRST ? "per_class" : "size", asked);
}

static sprint_status choose(struct chooser *c, enum select select, size_t *asked) {
  if (select != SELECT_ALL) return choose_per_class(c, select, asked);
  for (size_t i = 0; i < c->table->n; i++) c->mark[i] = MARK_TRAIN;
  return SPRINT_OK;
}

static sprint_status refuse_holdout(const struct chooser *c, size_t class_number, size_t n_rows) {
  const char *left = c->wanted[class_number] ? "none to learn from" : "none to hold out";
  if (!c->table->n_classes) return sprint__refuse(c->section, "holdout", "of %zu rows it leaves %s", n_rows, left);
  return sprint__refuse(c->section, "holdout", "of the %zu rows of class %s it leaves %s", n_rows,
                        c->table->class_names[class_number], left);
}

static sprint_status hold_out(struct chooser *c, size_t *counts) {
  double fraction = sprint__get_real(c->section, "holdout");
  if (fraction == 0) return SPRINT_OK;
  count_classes(c, MARK_TRAIN, counts);
  for (size_t k = 0; k < c->n_classes; k++) {
    c->wanted[k] = (size_t)round(fraction * (double)counts[k]);
    if (!c->wanted[k] || c->wanted[k] == counts[k]) return refuse_holdout(c, k, counts[k]);
  }
  uint32_t n = shuffle_marked(c, MARK_TRAIN, SPRINT__FOR_HOLDOUT);
  take(c, c->order, n, MARK_TRAIN, MARK_HELDOUT);
  return SPRINT_OK;
}

/* Row numbers by mark, into the order array, which then belongs to the selection. */
static void collect(struct chooser *c, struct sprint__selection *ret_selection) {
  struct sprint__selection s = {.train = c->order};
  for (size_t i = 0; i < c->table->n; i++)
    if (c->mark[i] == MARK_TRAIN) s.train[s.n_train++] = (uint32_t)i;
  s.heldout = s.train + s.n_train;
  for (size_t i = 0; i < c->table->n; i++)
    if (c->mark[i] == MARK_HELDOUT) s.heldout[s.n_heldout++] = (uint32_t)i;
  *ret_selection = s;
}

static sprint_status choose_some(struct chooser *c, enum select select, struct sprint__selection *ret_selection) {
  SPRINT__SCRATCH(room, c->table->context);
  SPRINT__SCOPED(sprint__free) uint32_t *order = sprint__alloc(room.context, c->table->n, sizeof *order);
  c->order = order;
  c->wanted = sprint__arena_take(&room, c->n_classes, sizeof *c->wanted);
  c->mark = sprint__arena_take(&room, c->table->n, sizeof *c->mark);
  size_t *counts = sprint__arena_take(&room, c->n_classes, sizeof *counts);
  if (c->table->n_classes) c->y = sprint__arena_take(&room, c->table->n, sizeof *c->y);
  if (!order || room.failed) return SPRINT_ERROR_MEMORY;
  if (c->y) SPRINT__TRY(sprint__table_labels(c->table, c->y));
  SPRINT__TRY(choose(c, select, counts));
  SPRINT__TRY(hold_out(c, counts));
  collect(c, ret_selection);
  sprint__give(&order);
  return SPRINT_OK;
}

sprint_status sprint__select_rows(const struct sprint__section *section, const struct sprint__table *table,
                                  struct sprint__selection *ret_selection) {
  enum select select = (enum select)sprint__get_choice(section, "select");
  if (select != SELECT_FIRST && sprint__get_integer(section, "per_class") > 0)
    return sprint__refuse(section, "per_class", "is for select: first alone");
  if (select != SELECT_BALANCED && sprint__get_integer(section, "size") > 0)
    return sprint__refuse(section, "size", "is for select: balanced alone");
  if (select == SELECT_ALL && sprint__get_real(section, "holdout") == 0) {
    *ret_selection = (struct sprint__selection){.n_train = table->n};
    return SPRINT_OK;
  }
  struct chooser c = {.section = section, .table = table, .n_classes = table->n_classes ? table->n_classes : 1};
  return choose_some(&c, select, ret_selection);
}

void sprint__selection_clear(struct sprint__selection *selection) {
  sprint__free(selection->train);
  *selection = (struct sprint__selection){NULL, NULL, 0, 0};
}
