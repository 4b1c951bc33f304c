/* What a reader of the page should know first: see page.h. */
#include <string.h>

#include "report/page.h"

enum { MOST_COMPLAINTS = 12 }; /* that are said one by one; each run has its own beside it in any case */

struct notes {
  struct sprint__arena *arena;
  const char **items;
  size_t n;
};

static void add(struct notes *notes, char *sentence) {
  notes->items[notes->n++] = sprint__arena_keep(notes->arena, sentence);
}

static void add_complaints(struct notes *notes, const struct sprint__results *results) {
  size_t n = 0;
  for (size_t i = 0; i < results->n_runs; i++) {
    const char *complaint = results->runs[i].complaint;
    if (complaint && n++ < MOST_COMPLAINTS) add(notes, sprint__strdup(notes->arena->context, complaint));
  }
  if (n > MOST_COMPLAINTS)
    add(notes, sprint__printf(notes->arena->context, "and %zu more runs with something to say of their files",
                              n - MOST_COMPLAINTS));
}

static size_t n_in_state(const struct sprint__results *results, enum sprint__result_state state) {
  size_t n = 0;
  for (size_t i = 0; i < results->n_runs; i++) n += results->runs[i].state == state;
  return n;
}

static void add_states(struct notes *notes, const struct sprint__results *results) {
  static const char *const words[SPRINT__N_RESULT_STATES] = {
      [SPRINT__RESULT_PARTIAL] = "not finished, still going on or killed: shown as far as there are rows",
      [SPRINT__RESULT_DIVERGED] = "diverged: not in the means of others",
      [SPRINT__RESULT_INTERRUPTED] = "stopped by somebody before the end",
  };
  for (int state = 0; state < SPRINT__N_RESULT_STATES; state++) {
    size_t n = n_in_state(results, (enum sprint__result_state)state);
    if (n && words[state])
      add(notes, sprint__printf(notes->arena->context, "of %zu run%s, %zu %s", results->n_runs,
                                results->n_runs == 1 ? "" : "s", n, words[state]));
  }
}

static const char *text_of(const struct sprint__result *run, const char *key) {
  const char *text = json_string_value(json_object_get(run->json, key));
  return text ? text : "";
}

/* Where two runs differ in something that decides numbers, said once. */
static void add_mixture(struct notes *notes, const struct sprint__results *results, const char *key, const char *what) {
  const struct sprint__result *first = NULL;
  for (size_t i = 0; i < results->n_runs; i++) {
    const struct sprint__result *run = &results->runs[i];
    if (!*text_of(run, key)) continue;
    if (!first) first = run;
    if (strcmp(text_of(first, key), text_of(run, key)) == 0) continue;
    add(notes, sprint__printf(notes->arena->context,
                              "the runs are of different %s: %s (as %s) and %s (as %s); they may not be comparable",
                              what, text_of(first, key), first->folder, text_of(run, key), run->folder));
    return;
  }
}

/* The settings of a run without what leaves it the same; a new reference, or NULL. */
static json_t *own_settings(const struct sprint__result *run) {
  static const char *const others[] = {"name", "seeds", "out", "compare", "grid", "quick"};
  json_t *json = json_copy(json_object_get(run->json, "settings"));
  for (size_t i = 0; json && i < SPRINT__COUNT(others); i++) json_object_del(json, others[i]);
  return json;
}

static bool same_settings(const struct sprint__result *a, const struct sprint__result *b) {
  SPRINT__SCOPED(json_decref) json_t *x = own_settings(a);
  SPRINT__SCOPED(json_decref) json_t *y = own_settings(b);
  return !x || !y || json_equal(x, y);
}

/* Runs that count as seeds of one method must differ in nothing but the seed: an older run may be left in the folder.
 */
static void add_settings(struct notes *notes, const struct sprint__results *results) {
  for (size_t i = 1; i < results->n_runs; i++) {
    const struct sprint__result *a = &results->runs[i - 1], *b = &results->runs[i];
    if (strcmp(a->point, b->point) != 0 || strcmp(a->method, b->method) != 0 || same_settings(a, b)) continue;
    add(notes,
        sprint__printf(notes->arena->context, "%s and %s differ in more than the seed: a mean over them says little",
                       a->folder, b->folder));
    return;
  }
}

sprint_status sprint__page_notes(struct sprint__arena *arena, const struct sprint__results *results,
                                 const char ***ret_notes, size_t *ret_n_notes) {
  size_t most = MOST_COMPLAINTS + 1 + SPRINT__N_RESULT_STATES + 3;
  struct notes notes = {.arena = arena, .items = sprint__arena_take(arena, most, sizeof *notes.items)};
  SPRINT__TRY(sprint__arena_status(arena));
  add_mixture(&notes, results, "sprint", "versions");
  add_mixture(&notes, results, "precision", "precisions");
  add_settings(&notes, results);
  add_states(&notes, results);
  add_complaints(&notes, results);
  *ret_notes = notes.items;
  *ret_n_notes = notes.n;
  return sprint__arena_status(arena);
}
