/* The keys of a config: see sections.h. A new key is one line in one of the lists. */
#include "run/sections.h"

#include <string.h>

#include "config/names.h"

#define ENTRY      SPRINT__OF_ENTRY
#define GRID       SPRINT__OF_GRID
#define EXPERIMENT SPRINT__OF_EXPERIMENT

#define SECTION(KEY, STANDARD) .type = SPRINT_PARAM_KIND, .standard = STANDARD, .family = &sprint__##KEY##_family

/* X(name, scopes, the rest of its sprint_param), in the order of a config. */
#define SOLVER_KEYS(X)                                                                 \
  X(method, ENTRY | GRID, SECTION(method, "sprint"), .help = "the gradient estimator") \
  X(step, ENTRY | GRID, SECTION(step, "constant"), .help = "step sizes")               \
  X(deploy, ENTRY | GRID, SECTION(deploy, "greedy"), .help = "when to deploy")         \
  X(stop, GRID, SECTION(stop, ""), .help = "when to stop")

#define RUN_KEYS(X)                                     \
  SOLVER_KEYS(X)                                        \
  X(eval, GRID, SECTION(eval, ""), .help = "the trace") \
  X(engine, GRID, SECTION(engine, "auto"), .help = "who works on records")

/* `data` cannot be an axis: all points of a grid share one population. */
#define CONFIG_KEYS(X)                                                                                               \
  X(name, ENTRY | EXPERIMENT, .type = SPRINT_PARAM_TEXT, .standard = "run", .help = "what the experiment is called") \
  X(data, 0, SECTION(data, "lending"), .help = "the population")                                                     \
  X(model, GRID, SECTION(model, ""), .help = "what is learnt")                                                       \
  X(shift, GRID, SECTION(shift, "none"), .help = "how the population reacts")                                        \
  RUN_KEYS(X)                                                                                                        \
  X(compare, EXPERIMENT, .type = SPRINT_PARAM_MAPS, .standard = "",                                                  \
    .help = "methods to compare: a list of {name, method, step, deploy} laid over the sections above")               \
  X(grid, EXPERIMENT, .type = SPRINT_PARAM_MAP, .standard = "",                                                      \
    .help = "settings to go through: a map from keys to lists of values; every combination is laid over the config") \
  X(quick, EXPERIMENT, .type = SPRINT_PARAM_MAP, .standard = "",                                                     \
    .help = "laid over the config where a quick run is asked for: maps merge, all else replaces")                    \
  X(seeds, EXPERIMENT, .type = SPRINT_PARAM_REALS, .standard = "1", .min = 0, .max = 9007199254740991.0,             \
    .help = "one run each; whole numbers below 2^53, which are exact")                                               \
  X(out, EXPERIMENT, .type = SPRINT_PARAM_TEXT, .standard = "", .help = "folder of the results (--out goes first)")

#define PARAM(key, scopes, ...)  {.name = #key, __VA_ARGS__},
#define SCOPES(key, scopes, ...) scopes,
#define PLACE(key, scopes, ...)  AT_##key,
#define ONE(key, scopes, ...)    +1

static const sprint_param params[] = {CONFIG_KEYS(PARAM)};
static const int scopes_of[] = {CONFIG_KEYS(SCOPES)};
enum { CONFIG_KEYS(PLACE) };

/* The specs of solvers and runs have a part of the config's keys, which starts at `method`. */
static const sprint_kind config_kind = {"", "a whole experiment", params, SPRINT__COUNT(params), NULL};
static const sprint_kind run_kind = {"", "", params + AT_method, 0 RUN_KEYS(ONE), NULL};
static const sprint_kind solver_kind = {"", "", params + AT_method, 0 SOLVER_KEYS(ONE), NULL};
static const sprint_kind *const kinds[] = {&config_kind, &run_kind, &solver_kind};

const sprint_family sprint__config_family = {
    .name = "config", .key = "", .help = "the sections of a config file", .kinds = kinds, .n_kinds = 1};
const sprint_family sprint__run_family = {.name = "run", .key = "run", .kinds = kinds + 1, .n_kinds = 1};
const sprint_family sprint__solver_family = {.name = "solver", .key = "solver", .kinds = kinds + 2, .n_kinds = 1};

bool sprint__key_is(const char *key, size_t length, enum sprint__scope scope) {
  for (size_t i = 0; i < SPRINT__COUNT(params); i++)
    if (scopes_of[i] & (int)scope && strlen(params[i].name) == length && strncmp(params[i].name, key, length) == 0)
      return true;
  return false;
}

const sprint_family *sprint__key_family(const char *key) {
  for (size_t i = 0; i < SPRINT__COUNT(params); i++)
    if (strcmp(params[i].name, key) == 0) return params[i].family;
  return NULL;
}

char *sprint__keys_join(sprint_context *context, enum sprint__scope scope, const char *last) {
  const char *names[SPRINT__COUNT(params)];
  size_t n = 0;
  for (size_t i = 0; i < SPRINT__COUNT(params); i++)
    if (scopes_of[i] & (int)scope) names[n++] = params[i].name;
  return sprint__names_join(context, names, n, last);
}
