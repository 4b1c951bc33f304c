/* Contacts: see contacts.h. Files are an NPY matrix (n, n) of weights, row i those that individual i gives the others;
 * or a CSV with the columns listener, speaker, weight. Rows are divided by their sums. */
#include "shift/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One weight as a file has it. */
struct edge {
  uint32_t listener, speaker;
  double weight;
};

struct edges {
  size_t n;
  struct edge *items; /* of the arena of whoever reads them */
};

/* Room for n_edges contacts of everybody, and of those who have none with themselves. */
static sprint_status allocate(sprint_shift *shift, size_t n_edges, struct sprint__contacts *contacts) {
  struct sprint__arena *arena = &shift->arena;
  size_t n = contacts->n = shift->population->n;
  contacts->start = sprint__arena_take(arena, n + 1, sizeof *contacts->start);
  contacts->whom = sprint__arena_take(arena, n_edges + n, sizeof *contacts->whom);
  contacts->weight = sprint__arena_take(arena, n_edges + n, sizeof *contacts->weight);
  return sprint__arena_status(arena);
}

/* The edges of one listener, from number `at` on, which end before the number returned: weights by their sum. */
static size_t add_listener(struct sprint__contacts *contacts, uint32_t i, const struct edges *edges, size_t at) {
  size_t end = at, to = contacts->start[i];
  double sum = 0;
  for (; end < edges->n && edges->items[end].listener == i; end++) sum += edges->items[end].weight;
  for (; sum > 0 && at < end; at++) {
    if (edges->items[at].weight == 0) continue;
    contacts->whom[to] = edges->items[at].speaker;
    contacts->weight[to++] = (sprint_real)(edges->items[at].weight / sum);
  }
  if (sum == 0) {
    contacts->whom[to] = i;
    contacts->weight[to++] = 1;
  }
  contacts->start[i + 1] = to;
  return end;
}

/* The edges are in order. */
static sprint_status take_edges(sprint_shift *shift, const struct edges *edges, struct sprint__contacts *contacts) {
  size_t at = 0;
  SPRINT__TRY(allocate(shift, edges->n, contacts));
  for (uint32_t i = 0; i < contacts->n; i++) at = add_listener(contacts, i, edges, at);
  return SPRINT_OK;
}

static bool is_weight(double weight) { return weight >= 0 && isfinite(weight); }

static sprint_status read_matrix(sprint_shift *shift, const struct sprint__section *section, const char *path,
                                 struct sprint__arena *arena, struct edges *ret_edges) {
  size_t n = shift->population->n;
  SPRINT__CLEARED(sprint_array_clear) sprint_array matrix = {0};
  SPRINT__TRY(sprint_npy_read(shift->context, path, &matrix));
  if (matrix.n_dims != 2 || matrix.shape[0] != n || matrix.shape[1] != n)
    return sprint__refuse(section, "network",
                          "%s: its shape does not fit; (%zu, %zu), everybody by everybody, was expected", path, n, n);
  ret_edges->items = sprint__arena_take(arena, n * n, sizeof *ret_edges->items);
  if (!ret_edges->items) return SPRINT_ERROR_MEMORY;
  for (size_t k = 0; k < n * n; k++) {
    if (!is_weight(matrix.data[k]))
      return sprint__refuse(section, "network", "%s: row %zu, column %zu: %g is no weight; 0 or more was expected",
                            path, k / n, k % n, matrix.data[k]);
    if (matrix.data[k] > 0)
      ret_edges->items[ret_edges->n++] = (struct edge){(uint32_t)(k / n), (uint32_t)(k % n), matrix.data[k]};
  }
  return SPRINT_OK;
}

/* Listener by listener, and speaker by speaker. */
static int by_listener(const void *a, const void *b) {
  const struct edge *p = a, *q = b;
  if (p->listener != q->listener) return p->listener < q->listener ? -1 : 1;
  return p->speaker < q->speaker ? -1 : p->speaker > q->speaker;
}

static sprint_status put_in_order(const struct sprint__section *section, const char *path, struct edges *edges) {
  qsort(edges->items, edges->n, sizeof *edges->items, by_listener);
  for (size_t k = 1; k < edges->n; k++)
    if (by_listener(&edges->items[k - 1], &edges->items[k]) == 0)
      return sprint__refuse(section, "network", "%s: listener %u and speaker %u come twice", path,
                            (unsigned)edges->items[k].listener, (unsigned)edges->items[k].speaker);
  return SPRINT_OK;
}

static bool is_individual(const sprint_population *population, double number) {
  return number >= 0 && number < (double)population->n && number == floor(number);
}

static sprint_status read_list(sprint_shift *shift, const struct sprint__section *section, const char *path,
                               struct sprint__arena *arena, struct edges *ret_edges) {
  static const char *const names[3] = {"listener", "speaker", "weight"};
  static const double no_fill[3] = {NAN, NAN, NAN};
  double *rows = NULL;
  size_t n = 0;
  SPRINT__TRY(sprint__csv_read_columns(shift->context, path, names, no_fill, 3, &n, &rows));
  sprint__arena_keep(arena, rows);
  ret_edges->items = sprint__arena_take(arena, n, sizeof *ret_edges->items);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t k = 0; k < n; k++) {
    const double *row = rows + 3 * k;
    for (size_t j = 0; j < 2; j++)
      if (!is_individual(shift->population, row[j]))
        return sprint__refuse(section, "network", "%s: row %zu: %s %g is not one of the individuals 0 .. %zu", path,
                              k + 1, names[j], row[j], shift->population->n - 1);
    if (!is_weight(row[2]))
      return sprint__refuse(section, "network", "%s: row %zu: %g is no weight; 0 or more was expected", path, k + 1,
                            row[2]);
    ret_edges->items[ret_edges->n++] = (struct edge){(uint32_t)row[0], (uint32_t)row[1], row[2]};
  }
  return put_in_order(section, path, ret_edges);
}

/* Everybody listens to as many on either side, all alike. */
static sprint_status make_ring(sprint_shift *shift, const struct sprint__section *section,
                               struct sprint__contacts *contacts) {
  size_t n = shift->population->n, each = (size_t)sprint__get_integer(section, "neighbours");
  if (2 * each >= n)
    return sprint__refuse(section, "neighbours", "a ring of %zu people has no %zu different ones on either side", n,
                          each);
  SPRINT__TRY(allocate(shift, 2 * each * n, contacts));
  for (size_t i = 0; i < n; i++) {
    size_t at = contacts->start[i] = 2 * each * i;
    for (size_t k = 1; k <= each; k++) {
      contacts->whom[at++] = (uint32_t)((i + n - k) % n);
      contacts->whom[at++] = (uint32_t)((i + k) % n);
    }
    for (size_t k = 0; k < 2 * each; k++) contacts->weight[contacts->start[i] + k] = (sprint_real)(0.5 / (double)each);
  }
  contacts->start[n] = 2 * each * n;
  return SPRINT_OK;
}

sprint_status sprint__contacts_read(sprint_shift *shift, const struct sprint__section *section,
                                    struct sprint__contacts *ret_contacts) {
  const char *path = sprint__get_text(section, "network"), *end = strrchr(path, '.');
  if (!path[0]) return make_ring(shift, section, ret_contacts);
  SPRINT__SCRATCH(room, shift->context);
  struct edges edges = {0};
  bool matrix = end && strcmp(end, ".npy") == 0;
  SPRINT__TRY((matrix ? read_matrix : read_list)(shift, section, path, &room, &edges));
  return take_edges(shift, &edges, ret_contacts);
}
