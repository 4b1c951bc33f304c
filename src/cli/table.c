/* Blocks of columns: see table.h. */
#include "table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { NAME_WIDTH = 40, GAP = 2 };

struct column {
  char *title;
  int group, width;
  char **cells; /* (n_rows) or NULL each */
};

struct cli_table {
  const char *title; /* lent */
  size_t n_rows, n_columns;
  char **names; /* (n_rows) */
  struct column columns[CLI_MAX];
  char *headings[CLI_MAX]; /* of groups, or NULL */
};

struct cli_table *cli_table_new(const char *title, size_t n_rows) {
  struct cli_table *table = cli_room(1, sizeof *table);
  table->title = title;
  table->n_rows = n_rows;
  table->names = cli_room(n_rows, sizeof *table->names);
  return table;
}

static void free_texts(char **texts, size_t n) {
  for (size_t i = 0; i < n; i++) free(texts[i]);
  free(texts);
}

void cli_table_free(struct cli_table *table) {
  if (!table) return;
  for (size_t c = 0; c < table->n_columns; c++) {
    free_texts(table->columns[c].cells, table->n_rows);
    free(table->columns[c].title);
  }
  for (size_t g = 0; g < CLI_MAX; g++) free(table->headings[g]);
  free_texts(table->names, table->n_rows);
  free(table);
}

void cli_table_name(struct cli_table *table, size_t row, const char *text) {
  char *name = cli_clean(text); /* a line end would break the table */
  int n = cli_width(name), half = NAME_WIDTH / 2;
  const char *cut = cli_at_width(name, half - 1);
  free(table->names[row]);
  table->names[row] = n <= NAME_WIDTH ? cli_format("%s", name)
                                      : cli_format("%.*s…%s", (int)(cut - name), name, cli_at_width(name, n - half));
  free(name);
}

void cli_table_column(struct cli_table *table, int group, const char *title) {
  assert(table->n_columns < CLI_MAX);
  char *clean = cli_clean(title);
  table->columns[table->n_columns++] = (struct column){
      .title = clean, .group = group, .width = cli_width(clean), .cells = cli_room(table->n_rows, sizeof(char *))};
}

void cli_table_heading(struct cli_table *table, int group, const char *heading) {
  assert(group >= 0 && group < CLI_MAX);
  free(table->headings[group]);
  table->headings[group] = cli_clean(heading);
}

void cli_table_cell(struct cli_table *table, size_t row, const char *format, ...) {
  struct column *column = &table->columns[table->n_columns - 1];
  char text[128];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  free(column->cells[row]);
  column->cells[row] = cli_clean(text);
  if (cli_width(column->cells[row]) > column->width) column->width = cli_width(column->cells[row]);
}

static bool has_cells(const struct cli_table *table, const struct column *column) {
  for (size_t r = 0; r < table->n_rows; r++)
    if (column->cells[r]) return true;
  return false;
}

static bool is_shown(const struct cli_table *table, size_t row) {
  for (size_t c = 0; c < table->n_columns; c++)
    if (table->columns[c].cells[row]) return true;
  return false;
}

/* Of the columns from `first` on that are in its group. */
static int group_width(const struct cli_table *table, size_t first) {
  int width = 0;
  for (size_t c = first; c < table->n_columns && table->columns[c].group == table->columns[first].group; c++)
    if (has_cells(table, &table->columns[c])) width += GAP + table->columns[c].width;
  return width;
}

static int name_width(const struct cli_table *table) {
  int width = cli_width(table->title);
  for (size_t r = 0; r < table->n_rows; r++)
    if (is_shown(table, r) && cli_width(table->names[r]) > width) width = cli_width(table->names[r]);
  return width;
}

/* The first column that no longer fits beside those from `first` on. */
static size_t block_end(const struct cli_table *table, size_t first, int used) {
  size_t c = first;
  for (; c < table->n_columns; c++) {
    const struct column *column = &table->columns[c];
    bool begins = c == first || column->group != column[-1].group;
    int wanted = begins ? group_width(table, c) : has_cells(table, column) ? GAP + column->width : 0;
    if (c > first && used + wanted > CLI_TABLE_WIDTH) break;
    if (has_cells(table, column)) used += GAP + column->width;
  }
  return c;
}

/* A line of a block: the titles, or a row. */
static void print_line(const struct cli_table *table, const size_t *row, size_t first, size_t end, FILE *stream) {
  int pending = name_width(table);
  const char *text = row ? table->names[*row] : table->title;
  for (size_t c = first; c < end; c++) {
    const struct column *column = &table->columns[c];
    if (!has_cells(table, column)) continue;
    cli_print_padded(stream, text, pending + GAP);
    text = !row ? column->title : column->cells[*row] ? column->cells[*row] : "-";
    pending = column->width;
  }
  fprintf(stream, "%s\n", text);
}

/* The headings of the groups of a block, cut where a group is narrower. */
static void print_headings(const struct cli_table *table, size_t first, size_t end, FILE *stream) {
  int width = name_width(table);
  const char *text = "";
  bool any = false;
  for (size_t c = first; c < end; c++) any = any || table->headings[table->columns[c].group];
  if (!any) return;
  for (size_t c = first; c < end; c++) {
    if (c > first && table->columns[c].group == table->columns[c - 1].group) continue;
    int shown = cli_width(text) < width ? cli_width(text) : width;
    fprintf(stream, "%.*s%*s", (int)(cli_at_width(text, shown) - text), text, width + GAP - shown, "");
    text = table->headings[table->columns[c].group] ? table->headings[table->columns[c].group] : "";
    width = group_width(table, c) - GAP;
  }
  fprintf(stream, "%s\n", text);
}

static bool block_has_cells(const struct cli_table *table, size_t first, size_t end) {
  for (size_t c = first; c < end; c++)
    if (has_cells(table, &table->columns[c])) return true;
  return false;
}

void cli_table_print(const struct cli_table *table, FILE *stream) {
  for (size_t first = 0, end; first < table->n_columns; first = end) {
    end = block_end(table, first, name_width(table));
    if (!block_has_cells(table, first, end)) continue;
    if (first > 0) fputc('\n', stream);
    print_headings(table, first, end, stream);
    print_line(table, NULL, first, end, stream);
    for (size_t r = 0; r < table->n_rows; r++)
      if (is_shown(table, r)) print_line(table, &r, first, end, stream);
  }
}
