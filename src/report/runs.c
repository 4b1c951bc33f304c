/* Finding runs in folders, and what they are called: see runs.h. */
#define _XOPEN_SOURCE 700
#include "report/runs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "config/number.h"
#include "config/text.h"

enum { MOST_DEPTH = 8 }; /* of folders below the one asked for */

const char *sprint__result_state_word(enum sprint__result_state state) {
  static const char *const words[SPRINT__N_RESULT_STATES] = {"finished", "partial", "diverged", "interrupted",
                                                             "corrupt"};
  return state < SPRINT__N_RESULT_STATES ? words[state] : NULL;
}

/* Folders of runs, while they are looked for. */
struct search {
  struct sprint__results *results;
  size_t n_room;
  const char *origin;
  struct sprint__input *seen; /* (n_seen) folders that links must not lead to again */
  size_t n_seen, n_seen_room;
};

int sprint__compare_names(const char *a, const char *b) {
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      char *a_end, *b_end;
      double x = sprint__number_strtod_end(a, &a_end), y = sprint__number_strtod_end(b, &b_end);
      if (x != y) return x < y ? -1 : 1;
      a = a_end;
      b = b_end;
    } else if (*a != *b) {
      break;
    } else {
      a++;
      b++;
    }
  }
  return strcmp(a, b);
}

static int order_entries(const struct dirent **a, const struct dirent **b) {
  return sprint__compare_names((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry) { return *entry->d_name != '.'; }

/* The number behind "seed-", or false. */
static bool seed_in(const char *name, uint64_t *ret_seed) {
  char *end;
  if (strncmp(name, "seed-", 5) != 0 || !isdigit((unsigned char)name[5])) return false;
  errno = 0;
  uint64_t seed = strtoull(name + 5, &end, 10);
  if (*end || errno) return false;
  *ret_seed = seed;
  return true;
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Whether a folder is a run's: it has its files, or its name. */
static sprint_status is_run(sprint_context *context, const char *folder, bool *ret_is) {
  static const char *const files[] = {"trace.csv", "run.json", "complete/trace.csv", "unfinished/trace.csv"};
  uint64_t seed;
  *ret_is = seed_in(last_part(folder), &seed);
  for (size_t i = 0; i < SPRINT__COUNT(files) && !*ret_is; i++) {
    SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s/%s", folder, files[i]);
    if (!path) return SPRINT_ERROR_MEMORY;
    *ret_is = sprint__file_is_there(path);
  }
  return SPRINT_OK;
}

/* A name that is not UTF-8 cannot be shown: its odd bytes become question marks. */
static void make_readable(char *name) {
  for (size_t n = strlen(name), at; (at = sprint__text_check(name, n)) < n;) name[at] = '?';
}

/* The parts of a path from its end, as far as there are any: "" before that. The arena's. */
static const char *part_before(struct sprint__arena *arena, const char *path, size_t back) {
  char *copy = sprint__arena_strdup(arena, path);
  if (copy) make_readable(copy);
  for (char *slash; copy && back && (slash = strrchr(copy, '/')); back--) *slash = '\0';
  return !copy || back ? "" : last_part(copy);
}

/* What a run is called by its place, METHOD/seed-S; in any other, its run.json has the names. `inner` is its path
 * within the origin, "" for the origin itself; `whole` is the full path, for names that are outside of the origin. */
static void name_by_place(struct sprint__arena *arena, const char *inner, const char *whole,
                          struct sprint__result *run) {
  bool seeded = run->seeded = seed_in(last_part(whole), &run->seed);
  char *point = sprint__arena_strdup(arena, inner), *slash;
  if (point) make_readable(point);
  run->method = part_before(arena, whole, seeded ? 1 : 0);
  for (int drop = seeded ? 2 : 0; point && drop && *point; drop--) {
    slash = strrchr(point, '/');
    *(slash ? slash : point) = '\0';
  }
  run->point = point;
}

static sprint_status see(struct search *search, const struct stat *info, bool *ret_before) {
  struct sprint__input it = {(uint64_t)info->st_dev, (uint64_t)info->st_ino};
  *ret_before = false;
  for (size_t i = 0; i < search->n_seen && !*ret_before; i++)
    *ret_before = search->seen[i].device == it.device && search->seen[i].inode == it.inode;
  if (*ret_before) return SPRINT_OK;
  SPRINT__TRY(sprint__grow(search->results->context, (void **)&search->seen, search->n_seen, &search->n_seen_room,
                           search->n_seen + 1, sizeof *search->seen));
  search->seen[search->n_seen++] = it;
  return SPRINT_OK;
}

static sprint_status no_memory(const struct search *search) {
  return sprint_fail(search->results->context, SPRINT_ERROR_MEMORY, "out of memory");
}

static sprint_status add_run(struct search *search, const char *folder, const char *inner) {
  struct sprint__results *results = search->results;
  struct sprint__arena *arena = &results->arena;
  char *whole = realpath(folder, NULL);
  if (!whole && errno == ENOMEM) return no_memory(search);
  struct sprint__result run = {.kind = "", .correction = "", .origin = search->origin};
  run.folder = sprint__arena_strdup(arena, folder);
  name_by_place(arena, inner, whole ? whole : folder, &run);
  free(whole);
  SPRINT__TRY(sprint__arena_status(arena));
  SPRINT__TRY(sprint__result_load(arena, &run));
  SPRINT__TRY(sprint__grow(results->context, (void **)&results->runs, results->n_runs, &search->n_room,
                           results->n_runs + 1, sizeof run));
  results->runs[results->n_runs++] = run;
  return SPRINT_OK;
}

static sprint_status walk(struct search *search, const char *folder, const char *inner, int depth);

static sprint_status walk_into(struct search *search, const char *folder, const char *inner, const char *name,
                               int depth) {
  sprint_context *context = search->results->context;
  struct stat info;
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s/%s", folder, name);
  SPRINT__SCOPED(sprint__free) char *within = sprint__printf(context, "%s%s%s", inner, *inner ? "/" : "", name);
  if (!path || !within) return SPRINT_ERROR_MEMORY;
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return SPRINT_OK;
  return walk(search, path, within, depth + 1);
}

/* Folders that cannot be looked into are passed by. */
static sprint_status walk(struct search *search, const char *folder, const char *inner, int depth) {
  struct dirent **entries = NULL;
  struct stat info;
  bool before = false, run = false;
  if (stat(folder, &info) != 0 || depth > MOST_DEPTH) return SPRINT_OK;
  SPRINT__TRY(see(search, &info, &before));
  if (before) return SPRINT_OK;
  SPRINT__TRY(is_run(search->results->context, folder, &run));
  if (run) return add_run(search, folder, inner);
  int n = scandir(folder, &entries, is_visible, order_entries);
  sprint_status status = n < 0 && errno == ENOMEM ? no_memory(search) : SPRINT_OK;
  for (int i = 0; i < n; i++) {
    if (status == SPRINT_OK) status = walk_into(search, folder, inner, entries[i]->d_name, depth);
    free(entries[i]);
  }
  free(entries);
  return status;
}

/* A folder's path without slashes at its end; the arena's. */
static char *trimmed(struct sprint__arena *arena, const char *path) {
  char *copy = sprint__arena_strdup(arena, path);
  for (size_t n = copy ? strlen(copy) : 0; n > 1 && copy[n - 1] == '/'; n--) copy[n - 1] = '\0';
  return copy;
}

static sprint_status search_in(struct search *search, const char *path) {
  sprint_context *context = search->results->context;
  struct stat info;
  char *folder = trimmed(&search->results->arena, path);
  SPRINT__TRY(sprint__arena_status(&search->results->arena));
  if (stat(folder, &info) != 0)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  if (!S_ISDIR(info.st_mode))
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: is not a folder; a folder of runs was expected", path);
  search->origin = folder;
  return walk(search, folder, "", 0);
}

/* Whether the origin's runs are of one method and point: then it is a part of something, and has no name of its own. */
static bool is_part(const struct sprint__results *results, const char *origin) {
  const struct sprint__result *first = NULL;
  for (size_t i = 0; i < results->n_runs; i++) {
    const struct sprint__result *run = &results->runs[i];
    if (run->origin != origin) continue;
    if (!first) first = run;
    if (strcmp(run->method, first->method) != 0 || strcmp(run->point, first->point) != 0 || *run->point) return false;
  }
  return true;
}

/* What tells an origin apart from the others: its last part, or all of it where another one ends so too. */
static const char *label_of(struct sprint__results *results, const char *origin) {
  const char *label = last_part(origin);
  for (size_t i = 0; i < results->n_runs; i++) {
    const char *other = results->runs[i].origin;
    if (other != origin && strcmp(last_part(other), label) == 0) return origin;
  }
  return strcmp(label, ".") == 0 || strcmp(label, "..") == 0 ? origin : label;
}

static void name_origins(struct sprint__results *results) {
  struct sprint__arena *arena = &results->arena;
  for (size_t i = 0, next; i < results->n_runs; i = next) {
    const char *origin = results->runs[i].origin, *label = label_of(results, origin);
    bool part = is_part(results, origin);
    for (next = i; next < results->n_runs && results->runs[next].origin == origin; next++) {
      struct sprint__result *run = &results->runs[next];
      if (!part)
        run->point = sprint__arena_keep(
            arena, sprint__printf(arena->context, "%s%s%s", label, *run->point ? "/" : "", run->point));
    }
  }
}

static bool same_curve(const struct sprint__result *a, const struct sprint__result *b) {
  return strcmp(a->point, b->point) == 0 && strcmp(a->method, b->method) == 0;
}

/* Whether a run of the same point, method and seed is in another origin, or one of its own curve's runs has that. */
static bool is_double(const struct sprint__results *results, const struct sprint__result *run) {
  for (size_t i = 0; i < results->n_runs; i++) {
    const struct sprint__result *own = &results->runs[i];
    if (own->origin != run->origin || !same_curve(own, run)) continue;
    for (size_t k = 0; k < results->n_runs; k++) {
      const struct sprint__result *other = &results->runs[k];
      if (other->origin != own->origin && other->seed == own->seed && same_curve(other, own)) return true;
    }
  }
  return false;
}

static void tell_apart(struct sprint__results *results) {
  struct sprint__arena *arena = &results->arena;
  const char **methods = sprint__arena_take(arena, results->n_runs, sizeof *methods);
  for (size_t i = 0; methods && i < results->n_runs; i++) {
    const struct sprint__result *run = &results->runs[i];
    methods[i] = run->method;
    if (is_double(results, run))
      methods[i] = sprint__arena_keep(
          arena, sprint__printf(arena->context, "%s (%s)", run->method, label_of(results, run->origin)));
  }
  for (size_t i = 0; methods && i < results->n_runs; i++) results->runs[i].method = methods[i];
}

static int order_runs(const void *a, const void *b) {
  const struct sprint__result *x = a, *y = b;
  int order = sprint__compare_names(x->point, y->point);
  if (order == 0) order = sprint__compare_names(x->method, y->method);
  if (order == 0) order = (x->seed > y->seed) - (x->seed < y->seed);
  return order ? order : strcmp(x->folder, y->folder);
}

static sprint_status none_found(sprint_context *context, const char *const *folders, size_t n_folders) {
  return sprint_fail(context, SPRINT_ERROR_INPUT,
                     "%s%s: no run is here; a folder of `sprint run` was expected, with trace.csv in METHOD/seed-S/",
                     folders[0], n_folders > 1 ? " and the others" : "");
}

sprint_status sprint__results_read(sprint_context *context, const char *const *folders, size_t n_folders,
                                   struct sprint__results **ret_results) {
  SPRINT__SCOPED(sprint__results_free) struct sprint__results *results = sprint__alloc(context, 1, sizeof *results);
  if (!results) return SPRINT_ERROR_MEMORY;
  results->context = results->arena.context = context;
  struct search search = {.results = results};
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; status == SPRINT_OK && i < n_folders; i++) status = search_in(&search, folders[i]);
  sprint__free(search.seen);
  SPRINT__TRY(status);
  if (results->n_runs == 0) return none_found(context, folders, n_folders);
  if (n_folders > 1) name_origins(results);
  if (n_folders > 1) tell_apart(results);
  SPRINT__TRY(sprint__arena_status(&results->arena));
  qsort(results->runs, results->n_runs, sizeof *results->runs, order_runs);
  *ret_results = sprint__give(&results);
  return SPRINT_OK;
}

void sprint__results_free(struct sprint__results *results) {
  if (!results) return;
  sprint__free(results->runs);
  sprint__arena_free(&results->arena);
  sprint__free(results);
}
