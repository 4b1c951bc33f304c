/* Tuning: every method with every step size on seeds that the ranking does not use. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "table.h"
#include "text.h"

/* One method at one point, a step size taking the place of a method: the same order, then, as in a ranking. */
static double *values_of(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  double *values = cli_room(all->n_sizes * all->n_tuning, sizeof *values);
  for (size_t i = 0; i < all->n_sizes * all->n_tuning; i++)
    values[i] = cli_match_value(match, point, method, i / all->n_tuning, all->n_seeds + i % all->n_tuning);
  return values;
}

/* The standings of the step sizes, best first; to be freed. Equals are in the order of size, the smallest first. */
static struct cli_standing *standings_of(const struct cli_match *match, size_t point, size_t method,
                                         struct cli_contest *ret_contest) {
  const struct cli_comparison *all = match->all;
  double *values = values_of(match, point, method);
  struct cli_standing *standings = cli_room(all->n_sizes, sizeof *standings);
  *ret_contest = (struct cli_contest){
      .n_methods = all->n_sizes, .n_seeds = all->n_tuning, .values = values, .larger_wins = all->by->larger_wins};
  ret_contest->logarithmic = all->by->logarithmic && cli_all_positive(values, all->n_sizes * all->n_tuning);
  double *room = cli_room(all->n_sizes * all->n_tuning, sizeof *room);
  cli_rank(ret_contest, room, standings);
  free(room);
  free(values);
  return standings;
}

void cli_match_pick(struct cli_match *match) {
  for (size_t i = 0; i < match->all->n_points * match->all->n_methods; i++) {
    struct cli_contest contest;
    struct cli_standing *standings =
        standings_of(match, i / match->all->n_methods, i % match->all->n_methods, &contest);
    match->picks[i] = standings[0].method;
    free(standings);
  }
}

/* "0.00123*", with a star at the pick; "2 of 3 diverged". */
static void print_cell(const struct cli_match *match, const struct cli_contest *contest,
                       const struct cli_standing *standing, bool picked) {
  char text[64];
  if (standing->n_diverged)
    snprintf(text, sizeof text, "%zu of %zu diverged%s", standing->n_diverged, match->all->n_tuning, picked ? "*" : "");
  else
    snprintf(text, sizeof text, "%.4g%s", cli_uncompared(contest, standing->compared.mean), picked ? "*" : "");
  cli_print(stdout, "  %-15s", text);
}

static void print_row(const struct cli_match *match, size_t point, size_t method, int width) {
  const struct cli_comparison *all = match->all;
  struct cli_contest contest;
  struct cli_standing *standings = standings_of(match, point, method, &contest);
  size_t pick = match->picks[point * all->n_methods + method];
  cli_print_padded(stdout, all->names[method], width);
  for (size_t s = 0; s < all->n_sizes; s++)
    for (size_t i = 0; i < all->n_sizes; i++)
      if (standings[i].method == s) print_cell(match, &contest, &standings[i], s == pick);
  putchar('\n');
  free(standings);
}

/* Whether no step size did better than another: the method does not go by them, or took no step. */
static bool all_alike(const struct cli_standing *standings, size_t n_sizes) {
  for (size_t i = 1; i < n_sizes; i++)
    if (standings[i].compared.mean != standings[0].compared.mean) return false;
  return n_sizes > 1;
}

/* A pick that could be better still, or that is none. */
static void print_warning(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  size_t pick = match->picks[point * all->n_methods + method];
  bool smallest = pick == 0, largest = pick == all->n_sizes - 1;
  struct cli_contest contest;
  struct cli_standing *standings = standings_of(match, point, method, &contest);
  if (standings[0].n_diverged)
    cli_print(stdout, "warning: %s: runs diverged with every step size; %g has the fewest\n", all->names[method],
              all->sizes[pick]);
  else if (all_alike(standings, all->n_sizes))
    cli_print(stdout, "warning: %s: every step size gives the same: it does not go by `step.size`, or made no step\n",
              all->names[method]);
  else if (smallest || largest)
    cli_print(stdout, "warning: %s: the pick, %g, is at the edge of the grid: %s steps may do better\n",
              all->names[method], all->sizes[pick],
              smallest && largest ? "other"
              : smallest          ? "smaller"
                                  : "larger");
  free(standings);
}

void cli_match_print_tuning(const struct cli_match *match, size_t point) {
  const struct cli_comparison *all = match->all;
  const char *name = sprint_experiment_point_name(match->experiment, point);
  int width = (int)strlen("method");
  for (size_t m = 0; m < all->n_methods; m++)
    if (cli_width(all->names[m]) > width) width = cli_width(all->names[m]);
  cli_print(stdout, "\ntuning to %s=%s%s%s: %s by step size, mean over seeds", match->budget->key,
            match->budget->amount, *name ? ", " : "", name, all->by->title);
  for (size_t i = 0; i < all->n_tuning; i++)
    cli_print(stdout, "%s%llu", i ? ", " : " ", (unsigned long long)all->seeds[all->n_seeds + i]);
  cli_print(stdout, " (not ranked by); * is picked\n%-*s", width, "method");
  for (size_t s = 0; s < all->n_sizes; s++) printf("  %-15g", all->sizes[s]);
  putchar('\n');
  for (size_t m = 0; m < all->n_methods; m++) print_row(match, point, m, width);
  for (size_t m = 0; m < all->n_methods; m++) print_warning(match, point, m);
}
