/* sprint report: one page about all runs in a folder. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* report.html in the folder; to be freed. */
static char *page_in(const char *folder) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  return cli_format("%.*s%sreport.html", (int)length, folder, length == 1 && *folder == '/' ? "" : "/");
}

sprint_status cli_report_on(sprint_context *context, const char *folder, FILE *stream) {
  if (sprint_report_missing()) {
    cli_print(stream, "(no page about them: this program was built without its chart library: %s)\n",
              sprint_report_missing());
    return SPRINT_OK;
  }
  char *path = page_in(folder);
  sprint_status status = sprint_report_write(context, folder, path, NULL);
  if (status == SPRINT_OK) cli_print(stream, "a page about them, for a browser, is %s\n", path);
  free(path);
  return status;
}

static int report_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  sprint_report *report = NULL;
  char *path = options->out ? cli_format("%s", options->out) : page_in(options->arguments[0]);
  int code = CLI_OK;
  (void)command;
  if (sprint_report_write(context, options->arguments[0], path, &report) != SPRINT_OK) {
    code = cli_failed(context);
  } else {
    size_t n_runs = sprint_report_n_runs(report);
    for (size_t i = 0; i < sprint_report_n_notes(report); i++)
      cli_print(stderr, "sprint: %s\n", sprint_report_note(report, i));
    cli_print(stdout, "%s: a page about %zu run%s\n", path, n_runs, n_runs == 1 ? "" : "s");
  }
  sprint_report_free(report);
  free(path);
  return code;
}

const struct cli_command cli_report = {
    "report",   "one page about all runs in a folder, for a browser: who won, curves, tables, people, configs",
    report_run, {{"DIR", CLI_FOLDER, NULL}},
    1,
};
