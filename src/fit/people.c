/* Who is who: the records of all logs, those of a person together. With an id people are found again, and those who
 * are in one log only are left out; without one, every record is a person of its own. */
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"

/* A row of a log, to be sorted. */
struct entry {
  const char *id;
  uint32_t log, row;
  size_t line;
};

/* A person, to be sorted by the logs that they are in. */
struct person {
  const struct entry *first;
  size_t n;
};

static int by_id(const void *a, const void *b) {
  const struct entry *p = a, *q = b;
  int order = strcmp(p->id, q->id);
  return order ? order : (p->log > q->log) - (p->log < q->log);
}

static int by_logs(const void *a, const void *b) {
  const struct person *p = a, *q = b;
  for (size_t i = 0; i < p->n && i < q->n; i++)
    if (p->first[i].log != q->first[i].log) return p->first[i].log < q->first[i].log ? -1 : 1;
  return (p->n > q->n) - (p->n < q->n);
}

/* By logs, and within the same logs in the order of ids or rows: no sort of the C library decides anything. */
static int by_logs_in_order(const void *a, const void *b) {
  const struct person *p = a, *q = b;
  int order = by_logs(a, b);
  return order ? order : (p->first > q->first) - (p->first < q->first);
}

static sprint_status check_twice(const sprint_fit *fit, const struct entry *entries, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const struct entry *a = &entries[i - 1], *b = &entries[i];
    if (a->log != b->log || strcmp(a->id, b->id) != 0) continue;
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                       "%s:%zu: %s '%s' is there already, on line %zu; a person has one row in a log",
                       fit->logs[a->log].data, a->line > b->line ? a->line : b->line, fit->options.id, a->id,
                       a->line < b->line ? a->line : b->line);
  }
  return SPRINT_OK;
}

/* Cuts entries (n) into people; those of one record are left out where people are found by id. */
static size_t cut(sprint_fit *fit, const struct entry *entries, size_t n, struct person *ret_people) {
  size_t n_people = 0;
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && fit->options.id && strcmp(entries[i].id, entries[end].id) == 0; end++) continue;
    if (fit->options.id && end == i + 1 && !fit->kind->keeps_alone)
      fit->logs[entries[i].log].n_alone++;
    else
      ret_people[n_people++] = (struct person){&entries[i], end - i};
  }
  return n_people;
}

static sprint_status take_room(sprint_fit *fit, size_t n, size_t n_records) {
  struct sprint__fit_people *people = &fit->people;
  people->start = sprint__arena_take(&fit->arena, n + 1, sizeof *people->start);
  people->group = sprint__arena_take(&fit->arena, n + 1, sizeof *people->group);
  people->log = sprint__arena_take(&fit->arena, n_records, sizeof *people->log);
  people->x = sprint__arena_take(&fit->arena, n_records, fit->d * sizeof *people->x);
  if (fit->kind->asks_label) people->label = sprint__arena_take(&fit->arena, n_records, sizeof *people->label);
  return sprint__arena_status(&fit->arena);
}

static void fill(sprint_fit *fit, const struct sprint__fit_rows *rows, const struct person *sorted, size_t n) {
  struct sprint__fit_people *people = &fit->people;
  size_t d = fit->d, at = 0;
  people->n = n;
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || by_logs(&sorted[i - 1], &sorted[i]) != 0) people->group[people->n_groups++] = i;
    people->start[i] = at;
    for (size_t r = 0; r < sorted[i].n; r++, at++) {
      const struct entry *entry = &sorted[i].first[r];
      people->log[at] = entry->log;
      fit->logs[entry->log].n_rows++;
      memcpy(people->x + at * d, rows[entry->log].x + entry->row * d, d * sizeof *people->x);
      if (people->label) people->label[at] = rows[entry->log].label[entry->row];
    }
  }
  people->group[people->n_groups] = n;
  people->start[n] = people->n_records = at;
}

static sprint_status sort_people(sprint_fit *fit, const struct sprint__fit_rows *rows, struct sprint__arena *room) {
  size_t n = 0, at = 0, n_records = 0;
  for (size_t k = 0; k < fit->n_logs; k++) n += rows[k].n;
  struct entry *entries = sprint__arena_take(room, n, sizeof *entries);
  struct person *sorted = sprint__arena_take(room, n, sizeof *sorted);
  SPRINT__TRY(sprint__arena_status(room));
  for (size_t k = 0; k < fit->n_logs; k++)
    for (size_t i = 0; i < rows[k].n; i++)
      entries[at++] = (struct entry){rows[k].id ? rows[k].id[i] : "", (uint32_t)k, (uint32_t)i, rows[k].line[i]};
  if (fit->options.id) {
    qsort(entries, n, sizeof *entries, by_id);
    SPRINT__TRY(check_twice(fit, entries, n));
  }
  size_t n_people = cut(fit, entries, n, sorted);
  if (n_people == 0)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                       "no %s is in two logs; leave the id out, and distributions are compared", fit->options.id);
  qsort(sorted, n_people, sizeof *sorted, by_logs_in_order);
  for (size_t i = 0; i < n_people; i++) n_records += sorted[i].n;
  SPRINT__TRY(take_room(fit, n_people, n_records));
  fill(fit, rows, sorted, n_people);
  return SPRINT_OK;
}

sprint_status sprint__fit_gather(sprint_fit *fit) {
  SPRINT__SCRATCH(room, fit->context);
  struct sprint__fit_rows *rows = sprint__arena_take(&room, fit->n_logs, sizeof *rows);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t k = 0; k < fit->n_logs; k++) {
    SPRINT__TRY(sprint__fit_read_rows(fit, k, &room, &rows[k]));
    fit->logs[k].n_missing = rows[k].n_missing;
  }
  return sort_people(fit, rows, &room);
}
