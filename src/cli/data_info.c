/* sprint data info: rows, columns, classes, missing values and ranges of a data file. */
#include <math.h>
#include <string.h>

#include "cmd_data.h"

enum { MAX_COLUMNS = 50 };

/* "60000 rows of 28 x 28" */
static void print_size(const sprint_file_info *info) {
  printf("%zu rows", info->n_rows);
  if (!info->n_dims) printf(", %zu columns", info->n_columns);
  for (size_t k = 1; k < info->n_dims; k++) printf("%s%zu", k == 1 ? " of " : " x ", info->shape[k]);
  putchar('\n');
}

static int width_of(const sprint_file_info *info, size_t n_columns) {
  int width = 6;
  for (size_t j = 0; j < n_columns; j++)
    if ((int)strlen(info->columns[j].name) > width) width = (int)strlen(info->columns[j].name);
  return width;
}

static void print_number(double value) {
  if (isnan(value))
    printf("  %12s", "-");
  else
    printf("  %12.6g", value);
}

static void print_column(const sprint_column_info *column, int width) {
  printf("%-*s  %8zu  %8zu", width, column->name, column->n_missing, column->n_texts);
  print_number(column->min);
  print_number(column->max);
  print_number(column->mean);
  putchar('\n');
}

/* The distinct values of a column that has few, and at least one of them more than once on average. */
static void print_values(const sprint_column_info *column, size_t n_rows) {
  if (!column->n_values || column->n_values * 2 > n_rows) return;
  printf("%s, %zu values:", column->name, column->n_values);
  for (size_t i = 0; i < column->n_values; i++)
    printf("%s %s %zu", i ? "," : "", column->values[i].text, column->values[i].n);
  putchar('\n');
}

static void print_info(const sprint_file_info *info) {
  size_t n = info->n_columns < MAX_COLUMNS ? info->n_columns : MAX_COLUMNS, n_missing = 0;
  int width = width_of(info, n);
  printf("%s: %s, ", info->path, info->format);
  print_size(info);
  for (size_t j = 0; j < info->n_columns; j++) n_missing += info->columns[j].n_missing;
  printf("%zu missing values\n\n%-*s  %8s  %8s  %12s  %12s  %12s\n", n_missing, width, "column", "missing", "texts",
         "from", "to", "mean");
  for (size_t j = 0; j < n; j++) print_column(&info->columns[j], width);
  if (n < info->n_columns) printf("... and %zu more columns\n", info->n_columns - n);
  putchar('\n');
  for (size_t j = 0; j < n; j++) print_values(&info->columns[j], info->n_rows);
}

int cli_data_info(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  sprint_file_info *info = NULL;
  if (sprint_file_info_read(context, options->arguments[1], &info) != SPRINT_OK) return cli_failed(context);
  print_info(info);
  sprint_file_info_free(info);
  return CLI_OK;
}
