/* Sequences of calls to a solver: each byte is a call, right or wrong. A wrong one is a sentence and changes nothing; a
 * solver that is saved, freed and loaded goes on.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

enum { N = 12, D = 2, MOST = 64, MOST_LOADS = 4 };

/* a ask, t tell all that is missing, 1 and 3 so many of it, s save and load, x discard, d drift, b older records and l
 * people without a reference record, where the method can; and what is wrong: n too many, z none and no more, m a
 * feature that is not a number, u nothing at all, o an older deployment, r another request, i an id twice, e no id; the
 * first byte picks the method. */
static const struct fuzz_input inputs[] = {
    TEXT("0atatatat"),       TEXT("1atatatatatat"),     TEXT("2aatatatnat"),   TEXT("3atmatzatuat"),
    TEXT("4ataotat"),        TEXT("5atatdat"),          TEXT("1a13s1ta1st"),   TEXT("0a1sa3ata1xat"),
    TEXT("1atatal1latlsbt"), TEXT("6a1t1sa3irt1eatat"), TEXT("7a111sa111atn"),
};
static const char *const tokens[] = {"at", "aa", "tt", "an", "am", "au", "ao", "d",
                                     "a1", "a3", "s",  "x",  "l",  "b",  "i"};
static const char *const methods[] = {"{kind: sgd, batch: 4}",
                                      "{kind: sprint, correction: coupled, batch: 4}",
                                      "{kind: saga, batch: 4}",
                                      "{kind: sarah, batch: 4}",
                                      "{kind: rgd}",
                                      "{kind: page, batch: 4}",
                                      "{kind: sprint, snapshot: fixed, sample: 7, batch: 5}",
                                      "{kind: rrm}"};

struct told {
  sprint_real x[MOST * D], y[MOST];
  uint32_t who[MOST];
  char names[MOST][4];
  const char *id[MOST];
  bool lacks[MOST];
};

struct talk {
  sprint_context *context;
  sprint_model *model;
  sprint_solver *solver;
  char spec[128], file[512];
  size_t loads;
};

static struct told told_of(void) {
  struct told told = {.lacks = {true, false, true}};
  for (size_t i = 0; i < MOST * D; i++) told.x[i] = (sprint_real)(i % 5) - 2;
  for (size_t i = 0; i < MOST; i++) {
    told.y[i] = (sprint_real)(i % 2);
    told.who[i] = (uint32_t)(i % N);
    snprintf(told.names[i], sizeof told.names[i], "%u", (unsigned)i % 100);
  }
  return told;
}

static sprint_solver *solver_of(struct talk *talk) {
  static const sprint_real theta[D + 1] = {0};
  sprint_solver *solver = NULL;
  sprint_solver_options options = {
      .size = sizeof options, .model = talk->model, .n = N, .n_strata = 1, .theta = theta, .spec = talk->spec};
  return sprint_solver_new(talk->context, &options, &solver) == SPRINT_OK ? solver : NULL;
}

/* Records that are missing, or so many of them, but for what the call gets wrong. */
static sprint_status tell(struct talk *talk, const sprint_want *want, char call, struct told *told) {
  sprint_told before = {.size = sizeof before};
  sprint_solver_told(talk->solver, &before);
  size_t missing = want->n - before.n <= MOST ? want->n - before.n : N, first = before.n < MOST / 2 ? before.n : 0;
  size_t n = call == '1' ? 1 : call == '3' ? 3 : call == 'n' ? missing + 1 : call == 'z' ? 0 : missing;
  if (n > MOST / 2) n = MOST / 2;
  if (call == 'u') return sprint_solver_tell(talk->solver, NULL);
  for (size_t i = 0; i < MOST; i++) told->id[i] = told->names[i];
  sprint_records records = {.size = sizeof records, .n = n, .y = told->y + first, .who = told->who + first};
  records.x = told->x + first * D;
  records.id = told->id + first;
  records.last = call == 'z' || n == missing;
  if (want->reference) records.x_reference = records.x;
  records.deployment = call == 'o' || call == 'b' ? want->deployment - 1 : want->deployment;
  if (call == 'b') records.stale_from = 1;
  if (call == 'l') records.lacks_reference = told->lacks;
  records.request = call == 'r' ? want->request + 1 : want->request;
  if (call == 'i' && first > 0) records.id = told->id;
  if (call == 'e') told->id[first] = NULL;
  sprint_real kept = told->x[first * D];
  if (call == 'm') told->x[first * D] = NAN;
  sprint_status status = sprint_solver_tell(talk->solver, &records);
  told->x[first * D] = kept;
  return status;
}

/* What a call that was refused must leave as it is. */
struct seen {
  sprint_real theta[D + 1];
  sprint_counters cost;
  sprint_told told;
};

static struct seen look(const sprint_solver *solver) {
  struct seen seen;
  memset(&seen, 0, sizeof seen);
  memcpy(seen.theta, sprint_solver_theta(solver), sizeof seen.theta);
  seen.cost = sprint_solver_counters(solver);
  seen.told.size = sizeof seen.told;
  sprint_solver_told(solver, &seen.told);
  return seen;
}

static void tell_and_look(struct talk *talk, const sprint_want *want, char call, struct told *told) {
  struct seen before = look(talk->solver), after;
  if (tell(talk, want, call, told) == SPRINT_OK) return;
  after = look(talk->solver);
  if (memcmp(&before, &after, sizeof before) != 0) abort();
}

static void save_and_load(struct talk *talk) {
  struct seen before = look(talk->solver), after;
  if (talk->loads++ == MOST_LOADS) talk->loads = MOST_LOADS;
  if (talk->loads == MOST_LOADS || sprint_solver_save(talk->solver, talk->file) != SPRINT_OK) return;
  sprint_solver_free(talk->solver);
  talk->solver = solver_of(talk);
  if (!talk->solver || sprint_solver_load(talk->solver, talk->file) != SPRINT_OK) abort();
  after = look(talk->solver);
  if (memcmp(&before, &after, sizeof before) != 0) abort();
  remove(talk->file);
}

static void call_one(struct talk *talk, char call, sprint_want *want, struct told *told) {
  if (call == 'a')
    sprint_solver_ask(talk->solver, want);
  else if (call == 'd')
    sprint_solver_drift(talk->solver, &(sprint_drift){.size = sizeof(sprint_drift)});
  else if (call == 's')
    save_and_load(talk);
  else if (call == 'x')
    sprint_solver_discard(talk->solver);
  else
    tell_and_look(talk, want, call, told);
}

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  struct told told = told_of();
  struct talk talk = {.context = context};
  sprint_population *population = NULL;
  sprint_want want = {.size = sizeof want};
  snprintf(talk.file, sizeof talk.file, "%s.solver", path);
  snprintf(talk.spec, sizeof talk.spec, "{method: %s, stop: {epochs: 3}}",
           methods[mutator->size ? mutator->bytes[0] % (sizeof methods / sizeof methods[0]) : 0]);
  if (sprint_population_new(context, N, D, told.x, told.y, 2, &population) != SPRINT_OK ||
      sprint_model_new(context, "{layers: dense 1}", population, &talk.model) != SPRINT_OK)
    exit(2);
  talk.solver = solver_of(&talk);
  sprint_status status = talk.solver ? SPRINT_OK : SPRINT_ERROR_INPUT;
  for (size_t i = 1; status == SPRINT_OK && i < mutator->size && i < 200; i++) {
    call_one(&talk, (char)mutator->bytes[i], &want, &told);
    for (size_t j = 0; j < D + 1; j++)
      if (!isfinite((double)sprint_solver_theta(talk.solver)[j]) &&
          sprint_solver_stop(talk.solver) != SPRINT_STOP_DIVERGED)
        abort();
  }
  sprint_solver_free(talk.solver);
  sprint_model_free(talk.model);
  sprint_population_free(population);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "ask_tell",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 400,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".calls",
                                 .feed = load});
}
