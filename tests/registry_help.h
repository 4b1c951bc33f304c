/* Every kind of a family, with every choice that it offers, as the registry has them: tests that loop over these meet a
 * new kind by themselves. */
#ifndef SPRINT_TESTS_REGISTRY_HELP_H
#define SPRINT_TESTS_REGISTRY_HELP_H

#include "help.h"

enum { MOST_SPECS = 128, SPEC = 256 };

static inline const sprint_family *family_of(const char *name) {
  size_t n = 0;
  const sprint_family *const *families = sprint_families(&n);
  for (size_t i = 0; i < n; i++)
    if (strcmp(families[i]->name, name) == 0) return families[i];
  fail_msg("there is no family '%s'", name);
  return NULL;
}

/* What is said of a kind besides: samples are small enough to be samples; what people want is never guessed. */
static inline const char *besides(const sprint_kind *kind, const char *more, char *text) {
  int n = snprintf(text, SPEC / 2, "%s", more);
  for (size_t p = 0; p < kind->n_params; p++) {
    const sprint_param *param = &kind->params[p];
    bool people = param->type == SPRINT_PARAM_KIND && strcmp(param->standard, "strategic") == 0;
    if (strcmp(param->name, "sample") == 0) n += snprintf(text + n, SPEC / 2 - (size_t)n, ", sample: 50");
    if (strcmp(param->name, "good") == 0) n += snprintf(text + n, SPEC / 2 - (size_t)n, ", good: 0");
    if (people) n += snprintf(text + n, SPEC / 2 - (size_t)n, ", %s: {kind: strategic, good: 0}", param->name);
  }
  assert_true(n < SPEC / 2);
  return text;
}

/* Every kind that the context knows of a family: as it comes, and with each choice that it offers. */
static inline size_t specs_of(const sprint_context *context, const char *family, const char *all,
                              char specs[MOST_SPECS][SPEC]) {
  const sprint_family *f = family_of(family);
  const sprint_kind *kind = NULL;
  size_t n = 0;
  for (size_t k = 0; (kind = sprint_context_kind(context, f, k)); k++) {
    char text[SPEC / 2];
    const char *more = besides(kind, all, text);
    snprintf(specs[n++], SPEC, "{kind: %s%s}", kind->name, more);
    for (size_t p = 0; p < kind->n_params; p++) {
      if (kind->params[p].type != SPRINT_PARAM_CHOICE) continue;
      char choices[SPEC], *rest = choices, *choice;
      snprintf(choices, sizeof choices, "%s", kind->params[p].choices);
      while ((choice = strsep(&rest, "|"))) {
        assert_true(n < MOST_SPECS);
        snprintf(specs[n++], SPEC, "{kind: %s, %s: '%s'%s}", kind->name, kind->params[p].name, choice, more);
      }
    }
  }
  return n;
}

/* The shifts of specs_of, and some in which their parts meet. */
static inline size_t shifts_of(const sprint_context *context, char shifts[MOST_SPECS][SPEC]) {
  size_t n_shifts = specs_of(context, "shifts", "", shifts);
  snprintf(shifts[n_shifts++], SPEC, "{kind: decay, of: {kind: retention, losses: exact, alpha: 2}}");
  snprintf(shifts[n_shifts++], SPEC, "{kind: decay, of: {kind: retention, losses: snapshot, alpha: 2}}");
  snprintf(shifts[n_shifts++], SPEC, "{kind: strategic, good: 0, alpha: 30, bounds: observed, budget: 2}");
  snprintf(shifts[n_shifts++], SPEC,
           "{kind: strategic, good: 1, alpha: 30, memory: accumulating, integers: [x3], only_up: [x4], cost: {x5: 2}}");
  snprintf(shifts[n_shifts++], SPEC, "{kind: both, response: {kind: opinion, of: {kind: strategic, good: 0}}}");
  assert_true(n_shifts <= MOST_SPECS);
  return n_shifts;
}

#endif
