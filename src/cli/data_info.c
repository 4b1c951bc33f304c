/* sprint data info: rows, columns, classes, missing values and ranges of a data file; a first config for a CSV; what a
 * model is. Names and values are whatever somebody put into a file: they are printed clean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "data_info.h"
#include "text.h"

enum { MAX_COLUMNS = 50 };

/* "60000 rows of 28 x 28" */
static void print_size(const sprint_file_info *info) {
  printf("%zu rows", info->n_rows);
  if (!info->n_dims) printf(", %zu columns", info->n_columns);
  for (size_t k = 1; k < info->n_dims; k++) cli_print(stdout, "%s%zu", k == 1 ? " of " : " x ", info->shape[k]);
  putchar('\n');
}

static int width_of(const sprint_file_info *info, size_t n_columns) {
  int width = 6;
  for (size_t j = 0; j < n_columns; j++) {
    char *name = cli_clean(info->columns[j].name);
    if (cli_width(name) > width) width = cli_width(name);
    free(name);
  }
  return width;
}

static void print_number(double value) {
  if (isnan(value))
    cli_print(stdout, "  %12s", "-");
  else
    printf("  %12.6g", value);
}

static void print_column(const sprint_column_info *column, int width) {
  char *name = cli_clean(column->name);
  cli_print(stdout, "%s%*s  %8zu  %8zu", name, width - cli_width(name), "", column->n_missing, column->n_texts);
  free(name);
  print_number(column->min);
  print_number(column->max);
  print_number(column->mean);
  putchar('\n');
}

/* The distinct values of a column that has few, and at least one of them more than once on average. */
static void print_values(const sprint_column_info *column, size_t n_rows) {
  if (!column->n_values || column->n_values * 2 > n_rows) return;
  cli_print_clean(stdout, column->name);
  printf(", %zu values:", column->n_values);
  for (size_t i = 0; i < column->n_values; i++) {
    fputs(i ? ", " : " ", stdout);
    cli_print_clean(stdout, column->values[i].text);
    printf(" %zu", column->values[i].n);
  }
  putchar('\n');
}

static void print_info(const sprint_file_info *info) {
  size_t n = info->n_columns < MAX_COLUMNS ? info->n_columns : MAX_COLUMNS, n_missing = 0;
  int width = width_of(info, n);
  cli_print_clean(stdout, info->path);
  cli_print(stdout, ": %s, ", info->format);
  print_size(info);
  for (size_t j = 0; j < info->n_columns; j++) n_missing += info->columns[j].n_missing;
  cli_print(stdout, "%zu missing values\n\n%-*s  %8s  %8s  %12s  %12s  %12s\n", n_missing, width, "column", "missing",
            "texts", "from", "to", "mean");
  for (size_t j = 0; j < n; j++) print_column(&info->columns[j], width);
  if (n < info->n_columns) printf("... and %zu more columns\n", info->n_columns - n);
  putchar('\n');
  for (size_t j = 0; j < n; j++) print_values(&info->columns[j], info->n_rows);
}

static int show_model(sprint_context *context, const char *path) {
  sprint_model_info *info = NULL;
  if (sprint_model_info_read(context, path, &info) != SPRINT_OK) return cli_failed(context);
  cli_print_model_info(info);
  sprint_model_info_free(info);
  return CLI_OK;
}

/* A path that was found by --data is written as it was found: the config has to do without the option. */
static int show(sprint_context *context, const struct cli_command *command, const struct cli_options *options,
                const sprint_file_info *info) {
  const char *label = cli_value(options, "label"), *path = options->arguments[0];
  bool config = cli_value(options, "config") != NULL;
  if (config && strcmp(info->format, "csv") != 0)
    return cli_misused(command, "--config is for CSVs, and %s is %s", path, info->format);
  if (config) return cli_data_config(info, cli_value(options, "data") ? info->path : path, label);
  if (strcmp(info->format, "safetensors") == 0) return show_model(context, path);
  print_info(info);
  return CLI_OK;
}

static int info_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  sprint_file_info *info = NULL;
  if (cli_value(options, "label") && !cli_value(options, "config"))
    return cli_misused(command, "--label goes with --config");
  if (sprint_file_info_read(context, options->arguments[0], &info) != SPRINT_OK) return cli_failed(context);
  int code = show(context, command, options, info);
  sprint_file_info_free(info);
  return code;
}

const struct cli_command cli_data_info = {
    "data info",
    "rows, columns, classes, missing values and ranges of a data file; a first config for a CSV; what a "
    "model is",
    info_run,
    {{"FILE", CLI_FILE}},
    1,
};
