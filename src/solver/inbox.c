/* Records that wait: see inbox.h. */
#include "solver/inbox.h"

#include <string.h>

#include "solver/solver.h"

static void free_rows(struct sprint__inbox *inbox) {
  sprint__free(inbox->x);
  sprint__free(inbox->x_reference);
  sprint__free(inbox->y);
  sprint__free(inbox->stratum);
  sprint__free(inbox->who);
  sprint__free(inbox->weight);
}

static void free_inbox(void *user) {
  struct sprint__inbox *inbox = user;
  free_rows(inbox);
  sprint__index_clear(&inbox->ids);
}

sprint_status sprint__inbox_setup(sprint_solver *solver) {
  struct sprint__inbox *inbox = sprint__arena_take(&solver->arena, 1, sizeof *inbox);
  if (!inbox) return SPRINT_ERROR_MEMORY;
  inbox->ids.context = solver->context;
  sprint__arena_at_end(&solver->arena, free_inbox, inbox);
  solver->inbox = inbox;
  return SPRINT_OK;
}

/* Whether the record is one that its method goes by without a reference record, where one is wanted. */
static bool lacks(const sprint_records *records, size_t i) {
  return records->lacks_reference && records->lacks_reference[i];
}

static size_t n_lacking(const sprint_records *records) {
  size_t n = 0;
  for (size_t i = 0; i < records->n; i++) n += lacks(records, i);
  return n;
}

static unsigned fields_of(const sprint_records *records) {
  return (records->x_reference ? SPRINT__HAS_REFERENCE : 0u) | (records->stratum ? SPRINT__HAS_STRATUM : 0u) |
         (records->who ? SPRINT__HAS_WHO : 0u) | (records->weight ? SPRINT__HAS_WEIGHT : 0u) |
         (records->id ? SPRINT__HAS_ID : 0u);
}

/* Of those who lack one, nothing follows about reference records. */
static unsigned said_of(const sprint_records *records) {
  return n_lacking(records) < records->n ? SPRINT__HAS_ALL : SPRINT__HAS_ALL & ~(unsigned)SPRINT__HAS_REFERENCE;
}

sprint_status sprint__inbox_check(const sprint_solver *solver, const sprint_records *records) {
  static const char *const names[] = {"x_reference", "stratum", "who", "weight", "id"};
  const struct sprint__inbox *inbox = solver->inbox;
  unsigned compared = said_of(records), fields = fields_of(records);
  if (inbox->told == 0 || records->n == 0) return SPRINT_OK;
  if (inbox->told == inbox->lacking_now) compared &= ~(unsigned)SPRINT__HAS_REFERENCE;
  for (size_t i = 0; i < SPRINT__COUNT(names); i++) {
    unsigned bit = 1u << i;
    if (!(compared & bit & (fields ^ inbox->fields))) continue;
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "the %zu records told so far have %s`%s`, and these have %s; parts that are alike were expected",
                       inbox->told, inbox->fields & bit ? "" : "no ", names[i], inbox->fields & bit ? "none" : "it");
  }
  return SPRINT_OK;
}

static sprint_status take_rows(sprint_solver *solver, size_t room) {
  struct sprint__inbox *inbox = solver->inbox, rows = {.room = room};
  sprint_context *context = solver->context;
  size_t d = solver->model->n_features;
  rows.x = sprint__alloc(context, room, d * sizeof *rows.x);
  rows.x_reference = sprint__alloc(context, solver->coupled ? room : 0, d * sizeof *rows.x);
  rows.y = sprint__alloc(context, room, sizeof *rows.y);
  rows.stratum = sprint__alloc(context, room, sizeof *rows.stratum);
  rows.who = sprint__alloc(context, room, sizeof *rows.who);
  rows.weight = sprint__alloc(context, room, sizeof *rows.weight);
  if (!rows.x || !rows.x_reference || !rows.y || !rows.stratum || !rows.who || !rows.weight) {
    free_rows(&rows);
    return SPRINT_ERROR_MEMORY;
  }
  free_rows(inbox);
  inbox->x = rows.x;
  inbox->x_reference = rows.x_reference;
  inbox->y = rows.y;
  inbox->stratum = rows.stratum;
  inbox->who = rows.who;
  inbox->weight = rows.weight;
  inbox->room = room;
  return SPRINT_OK;
}

/* Rows wait only in room for all of a batch or piece: it is never taken while there are any. */
sprint_status sprint__inbox_reserve(sprint_solver *solver) {
  struct sprint__inbox *inbox = solver->inbox;
  bool batch = solver->wanted.kind == SPRINT_WANT_BATCH;
  size_t end = batch ? solver->wanted.n : sprint__piece_rows(solver->model->n_features);
  if (end > inbox->room) SPRINT__TRY(take_rows(solver, end));
  inbox->end = end;
  return SPRINT_OK;
}

sprint_status sprint__inbox_add_ids(sprint_solver *solver, const sprint_records *records) {
  struct sprint__index *ids = &solver->inbox->ids;
  size_t before = ids->n, number;
  for (size_t i = 0; records->id && i < records->n; i++) {
    size_t known = ids->n;
    sprint_status status = sprint__index_add(ids, records->id[i], &number);
    if (status == SPRINT_OK && number < known && !records->repeats)
      status = sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                           "record %zu is of id '%s', of whom a record was told already; `repeats` takes people more "
                           "than once, as in draws with replacement",
                           i, records->id[i]);
    if (status == SPRINT_OK) continue;
    sprint__index_cut(ids, before);
    return status;
  }
  return SPRINT_OK;
}

void sprint__inbox_hold(sprint_solver *solver, const sprint_records *records, size_t start, size_t n) {
  struct sprint__inbox *inbox = solver->inbox;
  size_t d = solver->model->n_features;
  for (size_t i = start; i < start + n; i++) {
    bool last = lacks(records, i);
    size_t at = last ? inbox->end - ++inbox->back : inbox->front++;
    if (records->x)
      memcpy(inbox->x + at * d, records->x + i * d, d * sizeof *inbox->x);
    else
      sprint__population_gather(records->images, &records->who[i], 0, 1, inbox->x + at * d);
    if (records->x_reference && !last)
      memcpy(inbox->x_reference + at * d, records->x_reference + i * d, d * sizeof *inbox->x);
    inbox->y[at] = records->y[i];
    inbox->stratum[at] = records->stratum ? records->stratum[i] : 0;
    inbox->who[at] = records->who ? records->who[i] : 0;
    inbox->weight[at] = records->weight ? records->weight[i] : 1;
  }
}

sprint_records sprint__inbox_records(const sprint_solver *solver) {
  const struct sprint__inbox *inbox = solver->inbox;
  return (sprint_records){.size = sizeof(sprint_records),
                          .n = inbox->front + inbox->back,
                          .x = inbox->x,
                          .y = inbox->y,
                          .x_reference = inbox->fields & SPRINT__HAS_REFERENCE ? inbox->x_reference : NULL,
                          .stratum = inbox->fields & SPRINT__HAS_STRATUM ? inbox->stratum : NULL,
                          .who = inbox->fields & SPRINT__HAS_WHO ? inbox->who : NULL,
                          .weight = inbox->fields & SPRINT__HAS_WEIGHT ? inbox->weight : NULL};
}

void sprint__inbox_count(sprint_solver *solver, const sprint_records *records) {
  struct sprint__inbox *inbox = solver->inbox;
  if (records->n > 0) inbox->fields |= fields_of(records) & said_of(records);
  inbox->told += records->n;
  inbox->lacking_now += n_lacking(records);
  inbox->stale_now += sprint__records_n_stale(solver, records);
}

void sprint__inbox_clear(sprint_solver *solver) {
  struct sprint__inbox *inbox = solver->inbox;
  inbox->told = inbox->front = inbox->back = 0;
  inbox->fields = 0;
  inbox->stale_now = inbox->lacking_now = 0;
  sprint__index_cut(&inbox->ids, 0);
}

void sprint__inbox_complete(sprint_solver *solver) {
  struct sprint__inbox *inbox = solver->inbox;
  inbox->stale += inbox->stale_now;
  inbox->lacking += inbox->lacking_now;
  sprint__inbox_clear(solver);
}

/* The texts, one behind the other, and read again one by one. */
static void ids_state(struct sprint__inbox *inbox, struct sprint__state *state) {
  struct sprint__index *ids = &inbox->ids;
  size_t n = ids->n_bytes, number;
  sprint__state_count(state, "ids.n_bytes", &n, state->reads ? (size_t)state->left : SIZE_MAX);
  if (!state->reads) {
    sprint__state_part(state, "ids.bytes", ids->bytes, n);
    return;
  }
  SPRINT__SCOPED(sprint__free) char *bytes = sprint__state_ok(state) ? sprint__alloc(ids->context, n + 1, 1) : NULL;
  if (!bytes && sprint__state_ok(state)) state->status = SPRINT_ERROR_MEMORY;
  sprint__state_part(state, "ids.bytes", bytes, n);
  for (size_t at = 0; sprint__state_ok(state) && at < n; at += strlen(bytes + at) + 1)
    state->status = sprint__index_add(ids, bytes + at, &number);
}

/* Rows start .. start + n of each array. */
static void rows_state(const sprint_solver *solver, size_t start, size_t n, struct sprint__state *state) {
  struct sprint__inbox *inbox = solver->inbox;
  size_t d = solver->model->n_features;
  if (n == 0) return;
  sprint__state_part(state, "inbox->x", inbox->x + start * d, n * d * sizeof *inbox->x);
  if (inbox->fields & SPRINT__HAS_REFERENCE)
    sprint__state_part(state, "inbox->x_reference", inbox->x_reference + start * d, n * d * sizeof *inbox->x);
  sprint__state_part(state, "inbox->y", inbox->y + start, n * sizeof *inbox->y);
  sprint__state_part(state, "inbox->stratum", inbox->stratum + start, n * sizeof *inbox->stratum);
  sprint__state_part(state, "inbox->who", inbox->who + start, n * sizeof *inbox->who);
  sprint__state_part(state, "inbox->weight", inbox->weight + start, n * sizeof *inbox->weight);
}

/* What is read leads to memory of this size: it must be in the file too, or nearly. */
static void take_room_read(sprint_solver *solver, struct sprint__state *state) {
  struct sprint__inbox *inbox = solver->inbox;
  size_t front = inbox->front, back = inbox->back;
  if (!sprint__state_ok(state) || front + back == 0) return;
  if ((inbox->fields & SPRINT__HAS_REFERENCE && !solver->coupled) || front > SIZE_MAX - back)
    state->status = sprint_fail(state->context, SPRINT_ERROR_INPUT, "%s: its records do not fit", state->path);
  else
    state->status = sprint__inbox_reserve(solver);
  if (sprint__state_ok(state) && front + back > inbox->end)
    state->status =
        sprint_fail(state->context, SPRINT_ERROR_INPUT, "%s: more records wait than there can be", state->path);
}

void sprint__inbox_state(sprint_solver *solver, struct sprint__state *state) {
  struct sprint__inbox *inbox = solver->inbox;
  size_t fields = inbox->fields;
  SPRINT__KEEP(state, inbox->request);
  sprint__state_count(state, "inbox->told", &inbox->told, solver->wanted.n);
  sprint__state_count(state, "inbox->fields", &fields, SPRINT__HAS_ALL);
  SPRINT__KEEP(state, inbox->stale_now);
  SPRINT__KEEP(state, inbox->lacking_now);
  SPRINT__KEEP(state, inbox->stale);
  SPRINT__KEEP(state, inbox->lacking);
  sprint__state_count(state, "inbox->front", &inbox->front, inbox->told);
  sprint__state_count(state, "inbox->back", &inbox->back, inbox->told);
  inbox->fields = (unsigned)fields;
  ids_state(inbox, state);
  if (state->reads) take_room_read(solver, state);
  if (sprint__state_ok(state)) {
    rows_state(solver, 0, inbox->front, state);
    rows_state(solver, inbox->end - inbox->back, inbox->back, state);
  }
  if (!sprint__state_ok(state) && state->reads) sprint__inbox_clear(solver);
}
