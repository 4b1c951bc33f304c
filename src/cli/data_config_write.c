/* A first config, written: names are quoted, so that any will do, and every guess has a comment with its evidence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "data_config.h"
#include "text.h"

enum { MAX_SHOWN = 8, MAX_EXAMPLES = 3, MAX_LENGTH = 40, FEW_ROWS = 100 };

/* Of a long text the start. */
static void print_short(const char *text) {
  char *clean = cli_clean(text);
  size_t n = strlen(clean), cut = MAX_LENGTH;
  if (n > cut) {
    while (cut > 0 && (unsigned char)clean[cut] >> 6 == 2) cut--;
    clean[cut] = '\0';
  }
  cli_print(stdout, "%s%s", clean, n > MAX_LENGTH ? "..." : "");
  free(clean);
}

static void print_texts(char **texts, size_t n, size_t most) {
  for (size_t i = 0; i < n && i < most; i++) {
    fputs(i ? ", " : " ", stdout);
    print_short(texts[i]);
  }
  if (n > most) fputs(", ...", stdout);
}

static void print_range(const sprint_column_info *column) {
  bool whole = strcmp(column->guess, "number") != 0;
  cli_print(stdout, "%s from %.6g to %.6g", whole ? "whole numbers" : "numbers", column->min, column->max);
  if (whole && column->n_values > column->n_words)
    printf(", %zu different: a category, if they are codes", column->n_values - column->n_words);
  if (whole && column->distinct) fputs(", no two alike: an id, if they say who somebody is", stdout);
}

/* What speaks for a guess. */
static void print_evidence(const struct cli_draft *draft, size_t j) {
  const sprint_column_info *column = &draft->info->columns[j];
  enum cli_role role = draft->roles[j];
  bool levels = role == CLI_A_CATEGORY || role == CLI_A_BOOLEAN;
  if (levels) cli_print(stdout, "%zu %s:", column->n_levels, role == CLI_A_CATEGORY ? "levels" : "values");
  if (role == CLI_A_NUMBER) print_range(column);
  if (role == CLI_A_DATE) fputs(column->n_levels ? "dates:" : "dates, more than 1000 different", stdout);
  if (role == CLI_AN_ID) fputs(column->n_levels ? "no value comes twice:" : "no value comes twice", stdout);
  if (role == CLI_IGNORED) cli_print(stdout, "%s%s", draft->why[j], column->n_levels ? ":" : "");
  if (role != CLI_A_NUMBER) print_texts(column->levels, column->n_levels, levels ? MAX_SHOWN : MAX_EXAMPLES);
  if (column->n_seem_missing) printf("; %zu missing", column->n_seem_missing);
  cli_print_hint(column, role);
}

static bool has_role(const struct cli_draft *draft, enum cli_role role) {
  for (size_t j = 0; j < draft->info->n_columns; j++)
    if (draft->roles[j] == role) return true;
  return false;
}

/* Whether an earlier column of this name is in the same list: `ignore` takes all of a name at once. */
static bool is_listed(const struct cli_draft *draft, size_t j) {
  if (!draft->repeated[j]) return false;
  for (size_t k = 0; k < j; k++)
    if (draft->roles[k] == draft->roles[j] && strcmp(draft->info->columns[k].name, draft->info->columns[j].name) == 0)
      return true;
  return false;
}

static void write_list(const struct cli_draft *draft, const char *start, const char *item, enum cli_role role) {
  if (has_role(draft, role)) puts(start);
  for (size_t j = 0; j < draft->info->n_columns; j++) {
    if (draft->roles[j] != role || is_listed(draft, j)) continue;
    fputs(item, stdout);
    cli_print_quoted(stdout, draft->info->columns[j].name);
    fputs("  # ", stdout);
    print_evidence(draft, j);
    putchar('\n');
  }
}

/* What is written where the label should be: no column is called so. */
static void write_placeholder(const struct cli_draft *draft) {
  char *name = cli_format("FILL_IN");
  for (size_t j = 0; j < draft->info->n_columns; j++) {
    if (strcmp(draft->info->columns[j].name, name) != 0) continue;
    char *longer = cli_format("%s_", name);
    free(name);
    name = longer;
    j = (size_t)-1;
  }
  cli_print(stdout,
            "  label: %s  # the column to predict: no column is plainly the one; take it out of the lists below\n",
            name);
  free(name);
}

static void write_label(const struct cli_draft *draft) {
  if (!draft->label) {
    write_placeholder(draft);
    return;
  }
  fputs("  label: ", stdout);
  cli_print_quoted(stdout, draft->label->name);
  fputs("  # ", stdout);
  if (draft->label_why) cli_print(stdout, "guessed, %s; ", draft->label_why);
  if (draft->target == CLI_VALUES)
    printf("values from %.6g to %.6g", draft->label->min, draft->label->max);
  else
    printf("%zu classes:", draft->n_classes);
  if (draft->target == CLI_CLASSES) print_texts(draft->label->levels, draft->label->n_levels, MAX_SHOWN);
  if (draft->label->n_seem_missing) printf("; %zu missing", draft->label->n_seem_missing);
  putchar('\n');
  if (draft->target == CLI_VALUES) puts("  target: value  # not classes: there are too many different numbers");
}

/* A word that an earlier column has too is not written again. */
static bool is_new_word(const struct cli_draft *draft, size_t j, const char *word) {
  for (size_t k = 0; k < j; k++)
    for (size_t i = 0; i < draft->info->columns[k].n_words; i++)
      if (draft->roles[k] != CLI_IGNORED && strcmp(draft->info->columns[k].words[i], word) == 0) return false;
  return true;
}

static void write_words(const struct cli_draft *draft) {
  bool any = false;
  for (size_t j = 0; j < draft->info->n_columns; j++) {
    const sprint_column_info *column = &draft->info->columns[j];
    for (size_t i = 0; draft->roles[j] != CLI_IGNORED && i < column->n_words; i++) {
      if (!is_new_word(draft, j, column->words[i])) continue;
      if (!any) puts("  missing_words:  # these seem to mean that nothing is known");
      any = true;
      fputs("    - ", stdout);
      cli_print_quoted(stdout, column->words[i]);
      fputs("  # in column '", stdout);
      print_short(column->name);
      puts("'");
    }
  }
}

static void write_missing(const struct cli_draft *draft) {
  size_t n = 0, n_columns = 0;
  for (size_t j = 0; j < draft->info->n_columns; j++) {
    if (draft->roles[j] == CLI_IGNORED || !draft->info->columns[j].n_seem_missing) continue;
    n += draft->info->columns[j].n_seem_missing;
    n_columns++;
  }
  if (draft->drops)
    printf("  missing: drop  # %zu values in %zu columns, the label too: such rows are left out\n", n, n_columns);
  else if (n)
    printf("  missing: median  # %zu values in %zu columns; or drop: rows that lack any are left out\n", n, n_columns);
  write_words(draft);
}

static void write_dialect(const sprint_file_info *info) {
  if (info->separator == '\t')
    puts("  separator: tab  # found");
  else if (info->separator != ',')
    printf("  separator: \"%c\"  # found\n", info->separator);
  if (info->decimal == ',') puts("  decimal: comma  # found");
}

/* Whether a fifth can be held out: of every class some, where there are classes, and rows enough to tell by. */
static bool can_hold_out(const struct cli_draft *draft) {
  const sprint_column_info *label = draft->label;
  size_t n_lost = draft->info->n_rows - draft->n_whole_rows;
  if (draft->n_whole_rows < FEW_ROWS || (draft->target == CLI_CLASSES && !label->n_values)) return false;
  for (size_t i = 0; draft->target == CLI_CLASSES && i < label->n_values; i++)
    if (label->values[i].n < n_lost + 5) return false;
  return true;
}

static void write_data(const struct cli_draft *draft) {
  fputs("data:\n  kind: csv\n  path: ", stdout);
  cli_print_quoted(stdout, draft->path);
  printf("  # %zu rows, %zu columns\n", draft->info->n_rows, draft->info->n_columns);
  write_label(draft);
  write_dialect(draft->info);
  write_list(draft, "  # who somebody is: no feature, and `sprint predict` shows it", "  id: ", CLI_AN_ID);
  write_list(draft, "  # Numbers need no key; these are features:", "  #   ", CLI_A_NUMBER);
  write_list(draft, "  categories:", "    - ", CLI_A_CATEGORY);
  if (has_role(draft, CLI_A_CATEGORY))
    puts("  unseen: zeros  # a level that no training row has is none of the levels");
  write_list(draft, "  booleans:", "    - ", CLI_A_BOOLEAN);
  write_list(draft, "  dates:", "    - ", CLI_A_DATE);
  write_list(draft, "  ignore:", "    - ", CLI_IGNORED);
  write_missing(draft);
  puts("  # weight: COLUMN  # where a row stands for more than one of its kind");
  if (can_hold_out(draft)) puts("  holdout: 0.2  # a part that is never trained on; the summary has its loss");
}

static void write_model(const struct cli_draft *draft) {
  if (draft->target == CLI_VALUES)
    puts("\nmodel: {layers: \"dense 1\", loss: squared}  # the label holds values");
  else if (draft->target == CLI_CLASSES && draft->n_classes > 2)
    printf("\nmodel: {layers: \"dense 16, relu, dense %zu\", loss: softmax}  # one output for each class\n",
           draft->n_classes);
  else
    cli_print(stdout, "\nmodel: {layers: \"dense 16, relu, dense 1\", loss: logistic}  # %s\n",
              draft->label ? "two classes" : "for two classes: more take softmax and dense K, values squared");
}

static void write_shift(const struct cli_draft *draft) {
  puts(
      "\n# How people react to the model: that is yours to decide, and nothing of it is guessed. What do they want "
      "(good)?\n"
      "# Which columns can they change, and within which bounds? As it stands, nobody reacts.\n"
      "shift: none\n"
      "# shift:\n"
      "#   kind: strategic\n"
      "#   alpha: 0.2  # standard deviations of a column that people move, where one more raises the score by 1");
  fputs("#   good: FILL_IN  # ", stdout);
  if (draft->target == CLI_VALUES) fputs("higher or lower", stdout);
  if (draft->target == CLI_CLASSES) fputs("the class that people want to be in:", stdout);
  if (draft->target == CLI_CLASSES) print_texts(draft->label->levels, draft->label->n_levels, MAX_SHOWN);
  if (!draft->label) fputs("the class that people want to be in", stdout);
  puts(
      "\n#   columns: [FILL_IN]  # the features that people can change\n"
      "#   bounds: {FILL_IN: observed}  # or [low, high], in the column's own units");
}

/* Below 2 / (curvature), which is at most the number of standardised features and the bias; for networks a usual one.
 */
static double step_size(const struct cli_draft *draft) {
  double most = 0.5 / (double)(draft->n_features + 1), digit;
  if (draft->target != CLI_VALUES || most > 0.05) return 0.05;
  digit = pow(10, floor(log10(most)));
  return floor(most / digit) * digit;
}

static void write_training(const struct cli_draft *draft) {
  size_t batch = draft->n_whole_rows >= FEW_ROWS ? 32 : (draft->n_whole_rows + 3) / 4;
  printf("\nmethod: {kind: sprint, batch: %zu}\n", batch);
  printf("step: {size: %.6g}  # `sprint check` says whether it is safe\n", step_size(draft));
  puts("stop: {epochs: 20}\nseeds: [1]");
}

void cli_draft_write(const struct cli_draft *draft) {
  puts(
      "# A first config, guessed from the data by `sprint data info --config`: read the comments, mend what is wrong, "
      "then\n"
      "# `sprint check` and `sprint run` this file. `sprint list` has all keys.");
  write_data(draft);
  write_model(draft);
  write_shift(draft);
  write_training(draft);
}
