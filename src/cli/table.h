/* Tables for people: columns as wide as what is in them, broken into blocks that fit a screen. */
#ifndef SPRINT_CLI_TABLE_H
#define SPRINT_CLI_TABLE_H

#include "cli.h"

enum { CLI_TABLE_WIDTH = 120 };

struct cli_table;

/* Of so many rows, which are named by the first column. All texts that are given are shown as cli_clean shows them. */
struct cli_table *cli_table_new(const char *title, size_t n_rows);
void cli_table_free(struct cli_table *table);

/* What row is called; what is very long is cut in the middle. */
void cli_table_name(struct cli_table *table, size_t row, const char *name);

/* One more column. Those of a group stay together where they can. */
void cli_table_column(struct cli_table *table, int group, const char *title);

/* What stands above the columns of a group, from 0 on. */
void cli_table_heading(struct cli_table *table, int group, const char *heading);

/* Row's text in the newest column, printf style. What is not set is "-"; a column of which nothing is set is left out.
 */
void cli_table_cell(struct cli_table *table, size_t row, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Rows without any cell are left out. */
void cli_table_print(const struct cli_table *table, FILE *stream);

#endif
