/* sprint data info --config: what each column of a CSV is in a first config. Guesses are the library's; who wants what,
 * and which columns people can change, is never guessed. */
#include "data_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "data_info.h"
#include "text.h"

enum { MAX_CODES = 20 }; /* whole numbers with no more different values are taken for classes */

static bool is(const sprint_column_info *column, const char *guess) { return strcmp(column->guess, guess) == 0; }

/* Fields that are neither numbers nor missing. */
static size_t n_true_texts(const sprint_column_info *column) {
  size_t words = column->n_seem_missing - column->n_missing;
  return column->n_texts > words ? column->n_texts - words : 0;
}

static bool all_utf8(const sprint_column_info *column) {
  for (size_t i = 0; i < column->n_levels; i++)
    if (!cli_is_utf8(column->levels[i])) return false;
  return true;
}

static enum cli_target target_of_numbers(const sprint_file_info *info, const sprint_column_info *column,
                                         size_t *ret_n_classes) {
  size_t n = column->n_values > column->n_words ? column->n_values - column->n_words : 0;
  *ret_n_classes = n;
  return !is(column, "number") && n >= 2 && n <= MAX_CODES && 2 * n <= info->n_rows ? CLI_CLASSES : CLI_VALUES;
}

enum cli_target cli_target_of(const sprint_file_info *info, const sprint_column_info *column, size_t *ret_n_classes,
                              const char **ret_why) {
  *ret_n_classes = column->n_levels;
  *ret_why = is(column, "empty")         ? "has no values"
             : is(column, "constant")    ? "has one value throughout"
             : n_true_texts(column) == 0 ? NULL
             : column->n_levels == 0     ? "has more than 1000 different texts"
             : column->distinct          ? "has another text in every row"
             : !all_utf8(column)         ? "has texts that are not UTF-8; iconv converts files"
                                         : NULL;
  if (*ret_why) return CLI_NO_TARGET;
  return n_true_texts(column) == 0 ? target_of_numbers(info, column, ret_n_classes) : CLI_CLASSES;
}

static int by_name(const void *left, const void *right) {
  const sprint_column_info *const *a = left, *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

/* Which names are there more than once, to be freed: by sorting, for a file may have very many. */
static bool *find_repeated(const sprint_file_info *info) {
  bool *repeated = cli_room(info->n_columns, sizeof *repeated);
  const sprint_column_info **sorted = cli_room(info->n_columns, sizeof *sorted);
  for (size_t j = 0; j < info->n_columns; j++) sorted[j] = &info->columns[j];
  qsort(sorted, info->n_columns, sizeof *sorted, by_name);
  for (size_t k = 1; k < info->n_columns; k++)
    if (strcmp(sorted[k - 1]->name, sorted[k]->name) == 0)
      repeated[sorted[k - 1] - info->columns] = repeated[sorted[k] - info->columns] = true;
  free(sorted);
  return repeated;
}

/* Why a column cannot be used, or NULL. */
static const char *unfit(const struct cli_draft *draft, size_t j) {
  const sprint_column_info *column = &draft->info->columns[j];
  size_t n_texts = n_true_texts(column), n_there = draft->info->n_rows - column->n_seem_missing;
  if (!*column->name) return "it has no name";
  if (draft->repeated[j]) return "its name is there more than once";
  if (is(column, "empty")) return "every field is missing";
  if (is(column, "constant")) return "one value throughout";
  if (draft->drops && column->n_seem_missing * 5 > draft->info->n_rows)
    return "missing in many rows, which `missing: drop` would leave out";
  if (is(column, "number") || is(column, "integer") || is(column, "boolean") || is(column, "date")) return NULL;
  if (n_texts && n_texts * 2 <= n_there)
    return "mostly numbers, and some texts; mend them, or list them as missing_words";
  if (is(column, "text")) return "too many different texts for a category";
  return all_utf8(column) ? NULL : "not UTF-8; iconv converts files";
}

static enum cli_role role_of(const struct cli_draft *draft, size_t j, bool *has_id, const char **ret_why) {
  const sprint_column_info *column = &draft->info->columns[j];
  if (column == draft->label) return CLI_LABEL;
  *ret_why = unfit(draft, j);
  if (*ret_why) return CLI_IGNORED;
  if (is(column, "category")) return CLI_A_CATEGORY;
  if (is(column, "boolean")) return CLI_A_BOOLEAN;
  if (is(column, "date")) return CLI_A_DATE;
  if (!is(column, "id")) return CLI_A_NUMBER;
  if (column->distinct && !*has_id) {
    *has_id = true;
    return CLI_AN_ID;
  }
  *ret_why = "like an id: hardly a value comes twice";
  return CLI_IGNORED;
}

/* Where nothing else is left, numbers that count up are better than none. */
static void need_features(struct cli_draft *draft) {
  for (size_t j = 0; j < draft->info->n_columns && draft->n_features == 0; j++)
    if (draft->roles[j] == CLI_AN_ID && n_true_texts(&draft->info->columns[j]) == 0) {
      draft->roles[j] = CLI_A_NUMBER;
      draft->n_features++;
    }
}

void cli_draft_columns(struct cli_draft *draft) {
  const sprint_file_info *info = draft->info;
  bool has_id = false;
  size_t n_lost = draft->label ? draft->label->n_seem_missing : 0;
  draft->drops = n_lost > 0;
  draft->roles = cli_room(info->n_columns, sizeof *draft->roles);
  draft->why = cli_room(info->n_columns, sizeof *draft->why);
  for (size_t j = 0; j < info->n_columns; j++) {
    enum cli_role role = draft->roles[j] = role_of(draft, j, &has_id, &draft->why[j]);
    bool feature = role != CLI_LABEL && role != CLI_AN_ID && role != CLI_IGNORED;
    if (feature) draft->n_features++;
    if (feature && draft->drops) n_lost += info->columns[j].n_seem_missing;
  }
  draft->n_whole_rows = info->n_rows > n_lost ? info->n_rows - n_lost : 1;
  need_features(draft);
}

static const sprint_column_info *find_column(const sprint_file_info *info, const char *name, size_t *ret_n) {
  const sprint_column_info *found = NULL;
  *ret_n = 0;
  for (size_t j = 0; j < info->n_columns; j++)
    if (strcmp(info->columns[j].name, name) == 0 && !(*ret_n)++) found = &info->columns[j];
  return found;
}

static bool is_like_a_label(const char *name) {
  static const char *const names[] = {"y", "label", "target", "class", "outcome", "response"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcasecmp(name, names[i]) == 0) return true;
  return false;
}

/* By its name, or as the one column of two classes. */
static void guess_label(struct cli_draft *draft) {
  const sprint_file_info *info = draft->info;
  const sprint_column_info *named = NULL, *two = NULL;
  size_t n_named = 0, n_two = 0;
  for (size_t j = 0; j < info->n_columns; j++) {
    const sprint_column_info *column = &info->columns[j];
    const char *why;
    size_t n;
    enum cli_target target = cli_target_of(info, column, &n, &why);
    if (target == CLI_NO_TARGET || !*column->name || draft->repeated[j]) continue;
    if (is_like_a_label(column->name) && !n_named++) named = column;
    if (target == CLI_CLASSES && n == 2 && !n_two++) two = column;
  }
  draft->label = n_named == 1 ? named : n_named == 0 && n_two == 1 ? two : NULL;
  draft->label_why = n_named == 1 ? "by its name" : "as no other column has two values";
}

static int complain(const char *path, const char *column, const char *what) {
  fputs("sprint data info: ", stderr);
  cli_print_clean(stderr, path);
  fputs(": ", stderr);
  if (column) fputs("column '", stderr);
  if (column) cli_print_clean(stderr, column);
  cli_print(stderr, "%s%s\n", column ? "' " : "", what);
  return CLI_FAILED;
}

static int no_such_column(const sprint_file_info *info, const char *label) {
  fputs("sprint data info: ", stderr);
  cli_print_clean(stderr, info->path);
  fputs(": there is no column '", stderr);
  cli_print_clean(stderr, label);
  fputs("'; there are ", stderr);
  for (size_t j = 0; j < info->n_columns && j < 50; j++) {
    if (j) fputs(", ", stderr);
    cli_print_clean(stderr, info->columns[j].name);
  }
  fputs(info->n_columns > 50 ? ", ...\n" : "\n", stderr);
  return CLI_FAILED;
}

static int take_label(struct cli_draft *draft, const char *label) {
  const char *why = NULL;
  size_t n = 1;
  if (label) draft->label = find_column(draft->info, label, &n);
  if (label && !draft->label) return no_such_column(draft->info, label);
  if (n > 1) return complain(draft->info->path, label, "is there more than once, and a config goes by names");
  if (!label) guess_label(draft);
  if (draft->label) draft->target = cli_target_of(draft->info, draft->label, &draft->n_classes, &why);
  return why ? complain(draft->info->path, label, why) : CLI_OK;
}

int cli_data_config(const sprint_file_info *info, const char *path, const char *label) {
  struct cli_draft draft = {.info = info, .path = path};
  if (!cli_is_utf8(path)) return complain(path, NULL, "the path is not UTF-8, as a config is; rename the file");
  for (size_t j = 0; j < info->n_columns; j++)
    if (!cli_is_utf8(info->columns[j].name))
      return complain(path, info->columns[j].name,
                      "has a name that is not UTF-8, as a config is; iconv converts files");
  draft.repeated = find_repeated(info);
  int code = take_label(&draft, label);
  if (code == CLI_OK) {
    cli_draft_columns(&draft);
    cli_draft_write(&draft);
  }
  free(draft.repeated);
  free(draft.roles);
  free(draft.why);
  return code;
}
