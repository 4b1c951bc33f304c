/* How far people moved, in the units of the data: see summary.h. */
#include <stdlib.h>
#include <string.h>

#include "summary.h"
#include "table.h"

enum { MOST_ROWS = 20, MOST_CELLS = 4 }; /* columns of the data; points x methods that are shown by themselves */

/* The columns of the data in which anybody moved at a point, by name; lent by the assessments. */
struct names {
  size_t n, n_room;
  const char **items;
};

static void add_name(struct names *names, const char *name) {
  for (size_t i = 0; i < names->n; i++)
    if (strcmp(names->items[i], name) == 0) return;
  if (names->n == names->n_room) {
    const char **larger = cli_room(names->n_room * 2 + MOST_ROWS, sizeof *larger);
    if (names->n) memcpy(larger, names->items, names->n * sizeof *larger);
    free(names->items);
    names->items = larger;
    names->n_room = names->n_room * 2 + MOST_ROWS;
  }
  names->items[names->n++] = name;
}

static struct names names_of(const struct cli_summary *summary, size_t point) {
  struct names names = {0};
  for (size_t i = 0; i < summary->n_methods * summary->n_seeds; i++) {
    const struct cli_saved *run = cli_summary_run(summary, point, i / summary->n_seeds, i % summary->n_seeds);
    for (size_t k = 0; run && k < sprint_assessment_n_moves(run->assessment); k++)
      add_name(&names, sprint_assessment_move(run->assessment, k)->name);
  }
  return names;
}

/* Of a run, in a column; where nobody moved, all is 0. */
static sprint_column_move move_of(const struct cli_saved *run, const char *name) {
  for (size_t k = 0; k < sprint_assessment_n_moves(run->assessment); k++)
    if (strcmp(sprint_assessment_move(run->assessment, k)->name, name) == 0)
      return *sprint_assessment_move(run->assessment, k);
  return (sprint_column_move){.size = sizeof(sprint_column_move)};
}

/* Three columns of the table: a method's. */
static void put_method(const struct cli_summary *summary, size_t point, size_t method, const struct names *names,
                       int group, struct cli_table *table) {
  static const char *const titles[] = {"median move", "95 %", "left, %"};
  cli_table_heading(table, group, sprint_experiment_method_name(summary->experiment, method));
  for (size_t t = 0; t < sizeof titles / sizeof titles[0]; t++) {
    cli_table_column(table, group, titles[t]);
    for (size_t i = 0; i < names->n && i < MOST_ROWS; i++) {
      struct cli_moments mean = {0};
      for (size_t s = 0; s < summary->n_seeds; s++) {
        const struct cli_saved *run = cli_summary_run(summary, point, method, s);
        if (!cli_summary_counts(run)) continue;
        sprint_column_move move = move_of(run, names->items[i]);
        cli_moments_add(&mean, t == 0 ? move.median : t == 1 ? move.q95 : 100 * move.left);
      }
      if (mean.n) cli_table_cell(table, i, t == 2 ? "%.1f" : "%.4g", mean.mean);
    }
  }
}

/* Points x methods of which there are runs. */
static size_t n_cells(const struct cli_summary *summary) {
  size_t n = 0;
  for (size_t i = 0; i < summary->n_points * summary->n_methods; i++)
    n += cli_summary_tally(summary, i / summary->n_methods, i % summary->n_methods).n > 0;
  return n;
}

void cli_summary_print_moves(const struct cli_summary *summary, size_t point, FILE *stream) {
  struct names names = names_of(summary, point);
  size_t n = names.n < MOST_ROWS ? names.n : MOST_ROWS;
  if (n > 0 && n_cells(summary) <= MOST_CELLS) {
    struct cli_table *table = cli_table_new("people's moves", n);
    for (size_t i = 0; i < n; i++) cli_table_name(table, i, names.items[i]);
    int group = 0;
    for (size_t m = 0; m < summary->n_methods; m++)
      if (cli_summary_tally(summary, point, m).n > 0) put_method(summary, point, m, &names, group++, table);
    cli_table_print(table, stream);
    cli_table_free(table);
    fputs("(in the units of the data; 95 %: so many moved by no more; left: moved out of the range of the data)\n",
          stream);
    if (names.n > n) fprintf(stream, "%zu more columns are in summary.json\n", names.n - n);
    fputc('\n', stream);
  }
  free(names.items);
}
