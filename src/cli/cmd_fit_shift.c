/* sprint fit-shift: how people respond, estimated from logs of deployments. All but the `shift:` section is printed as
 * comments, so that the output as a whole can be pasted into a config. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fit_shift.h"

/* --log DATA.csv=MODEL[@TIME], cut in place. */
static int take_log(const struct cli_command *command, char *text, sprint_fit_log *ret_log, bool *ret_timed) {
  char *model = strrchr(text, '='), *end = NULL;
  if (!model || model == text || !model[1])
    return cli_misused(command, "--log: '%s' is not DATA.csv=MODEL.safetensors or DATA.csv=none", text);
  *model++ = '\0';
  char *at = strrchr(model, '@');
  double time = at ? strtod(at + 1, &end) : 0;
  *ret_timed = at && end != at + 1 && *end == '\0' && isfinite(time);
  if (*ret_timed) *at = '\0';
  *ret_log = (sprint_fit_log){text, strcmp(model, "none") == 0 ? NULL : model, time};
  return CLI_OK;
}

struct room {
  char *texts[CLI_MAX];
  sprint_fit_log logs[CLI_MAX];
  const char *columns[CLI_MAX];
  size_t n_texts;
};

static int take_logs(const struct cli_command *command, const struct cli_options *options, struct room *room,
                     sprint_fit_options *fit) {
  size_t n_timed = 0;
  for (size_t i = 0; i < options->n_given; i++) {
    if (strcmp(options->given[i].option->name, "log") != 0) continue;
    bool timed = false;
    char *text = room->texts[room->n_texts++] = cli_format("%s", options->given[i].value);
    int code = take_log(command, text, &room->logs[fit->n_logs], &timed);
    if (code != CLI_OK) return code;
    fit->n_logs++;
    n_timed += timed;
  }
  if (n_timed && n_timed < fit->n_logs)
    return cli_misused(command, "--log: %zu of %zu logs say their time (@TIME); all of them or none", n_timed,
                       fit->n_logs);
  fit->logs = room->logs;
  fit->timed = n_timed > 0;
  return CLI_OK;
}

static int take_columns(const struct cli_command *command, const char *list, struct room *room,
                        sprint_fit_options *fit) {
  char *text = room->texts[room->n_texts++] = cli_format("%s", list);
  for (char *end; text; text = end) {
    end = strchr(text, ',');
    if (end) *end++ = '\0';
    if (!*text) return cli_misused(command, "--columns: '%s' has an empty name", list);
    if (fit->n_columns == CLI_MAX) return cli_misused(command, "--columns: more than %d names", CLI_MAX);
    room->columns[fit->n_columns++] = text;
  }
  fit->columns = room->columns;
  return CLI_OK;
}

static int take_number(const struct cli_command *command, const char *name, const char *text, uint64_t most,
                       uint64_t *ret) {
  char *end = NULL;
  if (!text) return CLI_OK;
  unsigned long long n = strtoull(text, &end, 10);
  if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 19 || n > most)
    return cli_misused(command, "--%s: '%s' is not a whole number from 0 to %llu", name, text,
                       (unsigned long long)most);
  *ret = n;
  return CLI_OK;
}

static int take_options(const struct cli_command *command, const struct cli_options *options, struct room *room,
                        sprint_fit_options *fit) {
  uint64_t resamples = 0;
  const char *columns = cli_value(options, "columns");
  *fit = (sprint_fit_options){.size = sizeof *fit,
                              .kind = cli_value(options, "kind"),
                              .id = cli_value(options, "id"),
                              .label = cli_value(options, "label"),
                              .good = cli_value(options, "good"),
                              .score = cli_value(options, "score"),
                              .form = cli_value(options, "form"),
                              .seed = 1};
  int code = take_logs(command, options, room, fit);
  if (code == CLI_OK && columns) code = take_columns(command, columns, room, fit);
  if (code == CLI_OK) code = take_number(command, "bootstrap", cli_value(options, "bootstrap"), 1000000, &resamples);
  if (code == CLI_OK) code = take_number(command, "seed", cli_value(options, "seed"), INT64_MAX, &fit->seed);
  if (code == CLI_OK && cli_value(options, "bootstrap") && resamples == 0)
    return cli_misused(command, "--bootstrap: '%s' is not within 100 .. 1000000", cli_value(options, "bootstrap"));
  fit->resamples = resamples;
  return code;
}

static int fit_shift(sprint_context *context, const sprint_fit_options *how, const struct cli_options *options) {
  sprint_fit *fit = NULL;
  const char *matrix = cli_value(options, "matrix");
  sprint_status status = sprint_fit_shift(context, how, &fit);
  if (status == SPRINT_OK && matrix) status = sprint_fit_write_matrix(fit, matrix);
  if (status == SPRINT_OK && options->out)
    status = sprint_file_write(context, options->out, sprint_fit_section(fit), strlen(sprint_fit_section(fit)));
  if (status == SPRINT_OK) (cli_value(options, "json") ? cli_fit_print_json : cli_fit_print)(fit, how);
  sprint_fit_free(fit);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

static int fit_shift_run(sprint_context *context, const struct cli_command *command,
                         const struct cli_options *options) {
  struct room room = {.n_texts = 0};
  sprint_fit_options how;
  int code = take_options(command, options, &room, &how);
  if (code == CLI_OK) code = fit_shift(context, &how, options);
  for (size_t i = 0; i < room.n_texts; i++) free(room.texts[i]);
  return code;
}

const struct cli_command cli_fit_shift = {
    .name = "fit-shift",
    .summary = "how people respond, estimated from data collected under two or more deployments; a `shift:` to paste",
    .run = fit_shift_run,
};
