/* Making figures of results: see figure.h. */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/names.h"
#include "config/number.h"

static bool has_column(const struct sprint__results *results, const char *name) {
  for (size_t i = 0; i < results->n_runs; i++)
    if (sprint__result_column(&results->runs[i], name)) return true;
  return false;
}

/* Of the run that has most of them. */
static const struct sprint__result *widest(const struct sprint__results *results) {
  const struct sprint__result *best = &results->runs[0];
  for (size_t i = 1; i < results->n_runs; i++)
    if (results->runs[i].n_columns > best->n_columns) best = &results->runs[i];
  return best;
}

static sprint_status refuse_column(struct sprint__arena *arena, const struct sprint__results *results,
                                   const char *name) {
  const struct sprint__result *run = widest(results);
  const char **names = sprint__arena_take(arena, run->n_columns, sizeof *names);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t c = 0; c < run->n_columns; c++) names[c] = run->columns[c].name;
  if (run->n_columns == 0)
    return sprint_fail(arena->context, SPRINT_ERROR_INPUT, "%s",
                       run->complaint ? run->complaint : "no run has a trace yet");
  const char *near = sprint__nearest(name, names, run->n_columns);
  SPRINT__SCOPED(sprint__free) char *all = sprint__names_join(arena->context, names, run->n_columns, ", ");
  if (!all) return SPRINT_ERROR_MEMORY;
  return sprint_fail(arena->context, SPRINT_ERROR_INPUT, "no run has a column '%s'%s%s%s (one of %s)",
                     sprint__show(name).text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
}

static sprint_status find_measure(struct sprint__arena *arena, const struct sprint__results *results, const char *name,
                                  struct sprint__measure *ret_measure) {
  *ret_measure = sprint__measure_find(arena, name);
  SPRINT__TRY(sprint__arena_status(arena));
  return has_column(results, ret_measure->column) ? SPRINT_OK : refuse_column(arena, results, name);
}

/* Costs grow from row to row. Against anything else that does not, most rows would be left out. */
static sprint_status check_x(const struct sprint__results *results, const struct sprint__measure *x) {
  for (size_t i = 0; i < results->n_runs && !x->cost; i++) {
    const struct sprint__result *run = &results->runs[i];
    const double *values = sprint__result_column(run, x->column);
    for (size_t r = 1; values && r < run->n_rows; r++)
      if (values[r] < values[r - 1])
        return sprint_fail(results->context, SPRINT_ERROR_INPUT,
                           "column '%s' does not only grow (%s), and nothing can be drawn against it; epoch, ifo, "
                           "samples, deployments or seconds was expected",
                           x->column, run->folder);
  }
  return SPRINT_OK;
}

static sprint_status find_measures(struct sprint__arena *arena, const struct sprint__results *results,
                                   const struct sprint__figure_wish *wish, struct sprint__figure *figure) {
  SPRINT__SCOPED(sprint__free) char **names = sprint__names_cut(arena->context, wish->y, ',', &figure->n_y);
  if (!names) return SPRINT_ERROR_MEMORY;
  figure->y = sprint__arena_take(arena, figure->n_y, sizeof *figure->y);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t i = 0; i < figure->n_y; i++) SPRINT__TRY(find_measure(arena, results, names[i], &figure->y[i]));
  SPRINT__TRY(find_measure(arena, results, wish->x, &figure->x));
  return check_x(results, &figure->x);
}

/* The number of a name in a list, which it is added to where it is new. */
static size_t number_of(const char **names, size_t *n, const char *name) {
  for (size_t i = 0; i < *n; i++)
    if (strcmp(names[i], name) == 0) return i;
  names[*n] = name;
  return (*n)++;
}

static sprint_status find_methods(struct sprint__arena *arena, const struct sprint__group *groups, size_t n,
                                  struct sprint__figure *figure) {
  struct sprint__styled *styled = sprint__arena_take(arena, n, sizeof *styled);
  figure->methods = sprint__arena_take(arena, n, sizeof *figure->methods);
  figure->styles = sprint__arena_take(arena, n, sizeof *figure->styles);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t g = 0; g < n; g++) {
    size_t m = number_of(figure->methods, &figure->n_methods, groups[g].method);
    if (!styled[m].name || !*styled[m].kind)
      styled[m] = (struct sprint__styled){groups[g].method, groups[g].kind, groups[g].correction};
  }
  sprint__styles_assign(styled, figure->n_methods, figure->styles);
  return SPRINT_OK;
}

static const struct {
  const char *word, *letter;
} letters[] = {
    {"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},
    {"kappa", "κ"}, {"lambda", "λ"}, {"sigma", "σ"}, {"epsilon", "ε"},
};

static const char *letter_of(const char *word, size_t n) {
  for (size_t i = 0; i < SPRINT__COUNT(letters); i++)
    if (strlen(letters[i].word) == n && strncmp(letters[i].word, word, n) == 0) return letters[i].letter;
  return NULL;
}

/* KEY-NUMBER at the beginning of a part: the bytes of the key, and of both; false: it is none. */
static bool is_setting(const char *text, size_t *ret_key, size_t *ret_all) {
  const char *dash = text;
  while ((dash = strpbrk(dash, "-/")) && *dash == '-' && !strchr("0123456789.-", dash[1])) dash++;
  if (!dash || *dash == '/' || dash == text || !dash[1]) return false;
  char *end;
  sprint__number_strtod_end(dash + 1, &end);
  *ret_key = (size_t)(dash - text);
  *ret_all = (size_t)(end - text);
  return end > dash + 1 && (!*end || *end == '_' || *end == '/');
}

static void add_setting(struct sprint__text *title, const char *text, size_t key, size_t all, bool plain) {
  const char *letter = plain ? NULL : letter_of(text, key), *value = text + key + 1;
  if (letter)
    sprint__text_add(title, letter);
  else
    sprint__text_put(title, text, key);
  sprint__text_add(title, " = ");
  if (*value == '-' && !plain) sprint__text_add(title, "−");
  size_t sign = *value == '-' && !plain;
  sprint__text_put(title, value + sign, all - key - 1 - sign);
}

const char *sprint__point_title(struct sprint__arena *arena, const char *point, bool plain) {
  struct sprint__text title = {.context = arena->context};
  for (const char *at = point; *at;) {
    size_t key, all;
    bool setting = is_setting(at, &key, &all);
    if (setting) add_setting(&title, at, key, all, plain);
    if (!setting) sprint__text_put(&title, at, all = strcspn(at, "/"));
    at += all;
    if (*at) sprint__text_add(&title, ", ");
    at += *at != '\0';
  }
  return sprint__arena_keep(arena, sprint__text_take(&title));
}

size_t sprint__n_letters(const char *text) {
  size_t n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

struct sprint__shown sprint__name_show(const char *name, size_t most) {
  static const char dots[] = "...";
  struct sprint__shown shown = sprint__show(name);
  if (sprint__n_letters(shown.text) <= most) return shown;
  size_t n_kept = 0, n = 0;
  for (; n_kept + sizeof dots - 1 <= most; n++) n_kept += ((unsigned char)shown.text[n] & 0xc0) != 0x80;
  memcpy(&shown.text[n - 1], dots, sizeof dots);
  return shown;
}

static bool wants_log(const struct sprint__figure *figure, const struct sprint__figure_wish *wish, size_t y) {
  const struct sprint__measure *measure = &figure->y[y];
  if (strcmp(wish->log, "*") == 0) return !measure->share || figure->n_y == 1;
  size_t length = strlen(measure->column);
  for (const char *at = wish->log; (at = strstr(at, measure->column)); at += length)
    if ((at == wish->log || at[-1] == ',') && (at[length] == ',' || !at[length])) return true;
  return false;
}

static void widen(struct sprint__figure_panel *panel, double x, double y) {
  if (panel->log && !(y > 0)) return;
  panel->least = fmin(panel->least, y);
  panel->greatest = fmax(panel->greatest, y);
  panel->first = fmin(panel->first, x);
  panel->last = fmax(panel->last, x);
}

/* Bands that reach far down on a logarithmic axis do not make room for themselves. */
static void widen_by(struct sprint__figure_panel *panel, const struct sprint__curve *curve) {
  for (size_t i = 0; i < curve->n; i++) {
    double error = isnan(curve->error[i]) ? 0 : curve->error[i], low = curve->mean[i] - error;
    widen(panel, curve->x[i], curve->mean[i]);
    widen(panel, curve->x[i], panel->log ? fmax(low, curve->mean[i] / 10) : low);
    widen(panel, curve->x[i], curve->mean[i] + error);
  }
}

static bool has_rows(const struct sprint__figure_panel *panel, const struct sprint__curve *curve) {
  for (size_t i = 0; i < curve->n; i++)
    if (!panel->log || curve->mean[i] > 0) return true;
  return false;
}

static sprint_status make_curve(struct sprint__figure *figure, struct sprint__figure_panel *panel,
                                const struct sprint__group *group, bool seeds, struct sprint__figure_curve *curve,
                                bool *ret_drawn) {
  const char *x = figure->x.column, *y = figure->y[panel->y].column;
  *curve = (struct sprint__figure_curve){.method = number_of(figure->methods, &figure->n_methods, group->method),
                                         .group = group};
  SPRINT__TRY(sprint__group_curve(figure->arena, group, x, y, &curve->mean));
  *ret_drawn = has_rows(panel, &curve->mean);
  widen_by(panel, &curve->mean);
  for (size_t i = 0; i < curve->mean.n; i++) {
    size_t n = curve->mean.n_seeds[i];
    if (!figure->most_seeds || n < figure->least_seeds) figure->least_seeds = n;
    if (n > figure->most_seeds) figure->most_seeds = n;
  }
  if (!seeds) return SPRINT_OK;
  curve->seeds = sprint__arena_take(figure->arena, group->n_runs, sizeof *curve->seeds);
  SPRINT__TRY(sprint__arena_status(figure->arena));
  for (size_t i = 0; i < group->n_runs; i++) {
    struct sprint__curve *seed = &curve->seeds[curve->n_seeds];
    SPRINT__TRY(sprint__result_curve(figure->arena, &group->runs[i], x, y, seed));
    if (!has_rows(panel, seed)) continue;
    if (group->runs[i].state != SPRINT__RESULT_DIVERGED) widen_by(panel, seed);
    curve->n_seeds++;
    *ret_drawn = *ret_drawn || group->runs[i].state != SPRINT__RESULT_DIVERGED;
  }
  return SPRINT_OK;
}

/* "sgd: 2 of 3 diverged" */
static sprint_status note_diverged(struct sprint__arena *arena, const struct sprint__group *group,
                                   struct sprint__figure_panel *panel) {
  if (!group->n_diverged) return SPRINT_OK;
  panel->notes[panel->n_notes++] =
      sprint__arena_keep(arena, sprint__printf(arena->context, "%s: %zu of %zu diverged",
                                               sprint__name_show(group->method, SPRINT__NOTE_NAME).text,
                                               group->n_diverged, group->n_runs));
  return sprint__arena_status(arena);
}

/* "sprint-paper: 40 rows not above 0", which have no place on a logarithmic axis. One is where nothing has happened
 * yet.
 */
static sprint_status note_missing(struct sprint__arena *arena, const struct sprint__figure_curve *curve,
                                  struct sprint__figure_panel *panel) {
  size_t n = 0;
  for (size_t i = 0; i < curve->mean.n; i++) n += curve->mean.mean[i] <= 0;
  if (!panel->log || n < 2) return SPRINT_OK;
  panel->notes[panel->n_notes++] =
      sprint__arena_keep(arena, sprint__printf(arena->context, "%s: %zu rows not above 0",
                                               sprint__name_show(curve->group->method, SPRINT__NOTE_NAME).text, n));
  return sprint__arena_status(arena);
}

static sprint_status make_panel(struct sprint__figure *figure, const struct sprint__group *groups, size_t n_groups,
                                bool seeds, struct sprint__figure_panel *panel) {
  struct sprint__arena *arena = figure->arena;
  panel->title = sprint__point_title(arena, panel->point, false);
  panel->plain = sprint__point_title(arena, panel->point, true);
  panel->curves = sprint__arena_take(arena, n_groups, sizeof *panel->curves);
  panel->notes = sprint__arena_take(arena, 2 * n_groups, sizeof *panel->notes);
  panel->least = panel->first = INFINITY;
  panel->greatest = panel->last = -INFINITY;
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t g = 0; g < n_groups; g++) {
    bool drawn = false;
    if (strcmp(groups[g].point, panel->point) != 0) continue;
    SPRINT__TRY(make_curve(figure, panel, &groups[g], seeds, &panel->curves[panel->n_curves], &drawn));
    SPRINT__TRY(note_diverged(arena, &groups[g], panel));
    SPRINT__TRY(note_missing(arena, &panel->curves[panel->n_curves], panel));
    panel->n_curves += drawn;
  }
  return SPRINT_OK;
}

static sprint_status make_panels(struct sprint__figure *figure, const struct sprint__group *groups, size_t n_groups,
                                 const struct sprint__figure_wish *wish) {
  const char **points = sprint__arena_take(figure->arena, n_groups, sizeof *points);
  SPRINT__TRY(sprint__arena_status(figure->arena));
  for (size_t g = 0; g < n_groups; g++) number_of(points, &figure->n_points, groups[g].point);
  figure->panels = sprint__arena_take(figure->arena, figure->n_y * figure->n_points, sizeof *figure->panels);
  SPRINT__TRY(sprint__arena_status(figure->arena));
  for (size_t i = 0; i < figure->n_y * figure->n_points; i++) {
    struct sprint__figure_panel *panel = &figure->panels[i];
    panel->y = i / figure->n_points;
    panel->point = points[i % figure->n_points];
    panel->log = wants_log(figure, wish, panel->y);
    SPRINT__TRY(make_panel(figure, groups, n_groups, wish->seeds, panel));
  }
  return SPRINT_OK;
}

/* Why nothing can be drawn. */
static sprint_status refuse_empty(const struct sprint__figure *figure, const struct sprint__results *results,
                                  bool log) {
  size_t n_diverged = 0, n_rows = 0;
  for (size_t i = 0; i < results->n_runs; i++) {
    n_diverged += results->runs[i].state == SPRINT__RESULT_DIVERGED;
    n_rows += results->runs[i].n_rows;
  }
  sprint_context *context = results->context;
  if (n_rows == 0)
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: no run has a row to draw yet", results->runs[0].origin);
  if (n_diverged == results->n_runs)
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: all %zu runs diverged, and have no mean to draw",
                       results->runs[0].origin, n_diverged);
  return sprint_fail(context, SPRINT_ERROR_INPUT, "column '%s' has no values%s in these runs", figure->y[0].column,
                     log ? " above 0" : "");
}

sprint_status sprint__figure_make(struct sprint__arena *arena, const struct sprint__results *results,
                                  const struct sprint__figure_wish *wish, struct sprint__figure *ret_figure) {
  struct sprint__figure figure = {.arena = arena, .title = wish->title};
  struct sprint__group *groups = NULL;
  size_t n_groups = 0, n_curves = 0;
  SPRINT__TRY(find_measures(arena, results, wish, &figure));
  SPRINT__TRY(sprint__results_group(arena, results, &groups, &n_groups));
  SPRINT__TRY(find_methods(arena, groups, n_groups, &figure));
  SPRINT__TRY(make_panels(&figure, groups, n_groups, wish));
  for (size_t i = 0; i < figure.n_y * figure.n_points; i++) n_curves += figure.panels[i].n_curves;
  if (n_curves == 0) return refuse_empty(&figure, results, figure.panels[0].log);
  *ret_figure = figure;
  return SPRINT_OK;
}
