/* How far runs are, in text: see sprint_progress_print in sprint.h. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/print.h"
#include "base/sized.h"
#include "report/figure.h"

/* Rows that a rate is over; columns beside the name; letters of a name; seconds without a row that are told. */
enum { ROWS_BACK = 10, NUMBERS = 58, LEAST_NAME = 14, MOST_NAME = 40, STALE = 120 };

struct standing {
  size_t n_ended, n_diverged, n_going;
  const struct sprint__result *slowest; /* of those that are not finished and have rows */
  double epoch, ifo, loss, rate, left;  /* its own; NaN: not known. The rate is in epochs a second of training */
};

static double last_of(const struct sprint__result *run, const char *column) {
  const double *values = sprint__result_column(run, column);
  return values && run->n_rows ? values[run->n_rows - 1] : NAN;
}

static bool is_going(const struct sprint__result *run) {
  return run->state == SPRINT__RESULT_PARTIAL || run->state == SPRINT__RESULT_INTERRUPTED;
}

/* Over the last rows, that earlier ones do not count for long. */
static double rate_of(const struct sprint__result *run) {
  const double *epoch = sprint__result_column(run, "epoch"), *seconds = sprint__result_column(run, "seconds");
  if (!epoch || !seconds || run->n_rows < 2) return NAN;
  size_t last = run->n_rows - 1, first = last > ROWS_BACK ? last - ROWS_BACK : 0;
  double spent = seconds[last] - seconds[first];
  return spent > 0 ? (epoch[last] - epoch[first]) / spent : NAN;
}

/* The epochs that a run of the group will make: those of a finished one, else of any that is. */
static double planned(const struct sprint__results *results, const struct sprint__group *group) {
  double own = NAN, any = NAN;
  for (size_t i = 0; i < results->n_runs; i++) {
    const struct sprint__result *run = &results->runs[i];
    bool inside = run >= group->runs && run < group->runs + group->n_runs;
    if (run->state != SPRINT__RESULT_FINISHED) continue;
    if (inside) own = fmax(last_of(run, "epoch"), isnan(own) ? 0 : own);
    any = fmax(last_of(run, "epoch"), isnan(any) ? 0 : any);
  }
  return isnan(own) ? any : own;
}

static struct standing standing_of(const struct sprint__results *results, const struct sprint__group *group) {
  struct standing it = {.epoch = NAN, .ifo = NAN, .loss = NAN, .rate = NAN, .left = NAN};
  for (size_t i = 0; i < group->n_runs; i++) {
    const struct sprint__result *run = &group->runs[i];
    it.n_ended += !is_going(run);
    it.n_diverged += run->state == SPRINT__RESULT_DIVERGED;
    it.n_going += is_going(run);
    if (!is_going(run) || run->n_rows == 0) continue;
    if (!it.slowest || last_of(run, "epoch") < it.epoch) it.slowest = run;
    it.epoch = last_of(it.slowest, "epoch");
  }
  const struct sprint__result *shown = it.slowest ? it.slowest : &group->runs[group->n_runs - 1];
  it.epoch = last_of(shown, "epoch");
  it.ifo = last_of(shown, "ifo");
  it.loss = last_of(shown, "loss");
  it.rate = rate_of(shown);
  double epochs = planned(results, group);
  if (it.n_going && !isnan(epochs)) it.left = fmax(0, epochs - it.epoch) / it.rate;
  return it;
}

/* "-" where it is not known; a time as people say it. */
static void write_time(double seconds, char *ret_text, size_t size) {
  if (!isfinite(seconds))
    snprintf(ret_text, size, "-");
  else if (seconds < 100)
    sprint__snprintf(ret_text, size, "%.0f s", seconds);
  else if (seconds < 6000)
    sprint__snprintf(ret_text, size, "%.0f min", seconds / 60);
  else
    sprint__snprintf(ret_text, size, "%.1f h", seconds / 3600);
}

/* "-" where it is not known; 40.96k; 4.87e+36 of a loss that ran away. */
static void write_number(double value, char *ret_text, size_t size) {
  static const char suffixes[] = " kMGT";
  size_t power = 0;
  if (!isfinite(value)) {
    snprintf(ret_text, size, "-");
    return;
  }
  if (fabs(value) < 1e15)
    for (; fabs(value) >= 1e4 || (power && fabs(value) >= 1e3); power++) value /= 1e3;
  sprint__snprintf(ret_text, size, power ? "%.4g%c" : fabs(value) < 1e15 ? "%.4g" : "%.3g", value, suffixes[power]);
}

static void print_row(const struct sprint__group *group, const struct standing *it, size_t n_name, sprint_listener line,
                      void *user) {
  char ended[48], text[512], numbers[4][32], left[32], note[64] = "";
  struct sprint__shown name = sprint__name_show(group->method, n_name);
  const double values[] = {it->epoch, it->ifo, it->loss, it->rate};
  for (size_t i = 0; i < SPRINT__COUNT(values); i++) write_number(values[i], numbers[i], sizeof numbers[i]);
  snprintf(ended, sizeof ended, "%zu of %zu", it->n_ended, group->n_runs);
  write_time(it->left, left, sizeof left);
  if (it->n_diverged) snprintf(note, sizeof note, "  %zu diverged", it->n_diverged);
  double silent = it->slowest ? difftime(time(NULL), (time_t)it->slowest->modified) : 0;
  if (silent > STALE) {
    char how_long[32];
    write_time(silent, how_long, sizeof how_long);
    snprintf(note, sizeof note, "  no row for %s", how_long);
  }
  snprintf(text, sizeof text, "%s%*s %9s %7s %8s %9s %9s %7s%s", name.text,
           (int)(n_name - sprint__n_letters(name.text)), "", ended, numbers[0], numbers[1], numbers[2], numbers[3],
           left, note);
  line(user, text);
}

/* "at alpha = 0.2", above its methods. */
static void print_point(struct sprint__arena *arena, const char *point, sprint_listener line, void *user) {
  char text[128];
  const char *title = sprint__point_title(arena, point, true);
  if (!title || !*title) return;
  snprintf(text, sizeof text, "at %s", sprint__show(title).text);
  line(user, text);
}

static void print_total(const struct sprint__results *results, size_t n_going, sprint_listener line, void *user) {
  char text[128];
  if (n_going)
    snprintf(text, sizeof text, "%zu of the %zu runs that have begun are finished", results->n_runs - n_going,
             results->n_runs);
  else
    snprintf(text, sizeof text, "all %zu runs here are finished", results->n_runs);
  line(user, text);
}

sprint_status sprint_progress_print(sprint_context *context, const sprint_plot_options *options, sprint_listener line,
                                    size_t *ret_going) {
  SPRINT__REQUIRE(context, options, ret_going);
  if (!line) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "sprint_progress_print: NULL was given for `line`");
  SPRINT__SCRATCH(arena, context);
  SPRINT__SCOPED(sprint__results_free) struct sprint__results *results = NULL;
  sprint_plot_options own;
  struct sprint__group *groups = NULL;
  size_t n_groups = 0, n_going = 0;
  char head[200];
  SPRINT__SIZED_TAKE(context, sprint_plot_options, options, &own);
  SPRINT__REQUIRE(context, own.folders);
  if (own.n_folders == 0) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "there is no folder to look at");
  SPRINT__TRY(sprint__results_read(context, own.folders, own.n_folders, &results));
  SPRINT__TRY(sprint__results_group(&arena, results, &groups, &n_groups));
  size_t columns = own.columns ? own.columns : 80;
  size_t n_name = columns > NUMBERS + LEAST_NAME ? columns - NUMBERS : LEAST_NAME;
  if (n_name > MOST_NAME) n_name = MOST_NAME;
  snprintf(head, sizeof head, "%-*s %9s %7s %8s %9s %9s %7s", (int)n_name, "slowest run of", "finished", "epoch", "IFO",
           "loss", "epochs/s", "left");
  line(own.user, head);
  for (size_t g = 0; g < n_groups; g++) {
    struct standing standing = standing_of(results, &groups[g]);
    bool first = g == 0 || strcmp(groups[g].point, groups[g - 1].point) != 0;
    if (first) print_point(&arena, groups[g].point, line, own.user);
    print_row(&groups[g], &standing, n_name, line, own.user);
    n_going += standing.n_going;
  }
  print_total(results, n_going, line, own.user);
  for (size_t i = 0; i < results->n_runs; i++) /* what has no rows yet is no fault of a run that begins */
    if (results->runs[i].complaint && results->runs[i].state == SPRINT__RESULT_CORRUPT)
      line(own.user, results->runs[i].complaint);
  SPRINT__TRY(sprint__arena_status(&arena));
  *ret_going = n_going;
  return SPRINT_OK;
}
