/* sprint plot: figures of what runs left in folders; in text where no figure is asked for. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "cli.h"
#include "terminal.h"
#include "text.h"

enum { MOST_COLUMNS = 160 };

static void complain(void *user, const char *sentence) {
  (void)user;
  fputs("sprint plot: ", stderr);
  cli_print_clean(stderr, sentence);
  fputc('\n', stderr);
}

static void say_drawn(void *user, const char *path) {
  (void)user;
  cli_print(stdout, "figure in %s\n", path);
}

static void print_line(void *user, const char *line) {
  (void)user;
  puts(line);
}

/* What the terminal shows; plain ASCII of 80 columns where there is none. */
static void fit_terminal(sprint_plot_options *plot) {
  size_t columns = cli_terminal_size(STDOUT_FILENO).columns;
  cli_terminal_look(plot);
  if (isatty(STDOUT_FILENO)) plot->columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
}

static int plot_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  sprint_plot_options plot = {.size = sizeof plot,
                              .folders = options->arguments,
                              .n_folders = options->n_arguments,
                              .x = cli_value(options, "x"),
                              .y = cli_value(options, "y"),
                              .paper = cli_value(options, "paper"),
                              .log = cli_value(options, "log") != NULL,
                              .seeds = cli_value(options, "seeds") != NULL,
                              .complain = complain};
  if (plot.paper && (plot.y || plot.log))
    return cli_misused(command, "--paper says what is drawn, and --%s is nothing beside it", plot.y ? "y" : "log");
  if (!options->out) fit_terminal(&plot);
  sprint_status status = options->out ? sprint_plot_draw(context, &plot, options->out, say_drawn)
                                      : sprint_plot_print(context, &plot, print_line);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_plot = {
    "plot",
    "draws what runs left in folders: mean curves with standard errors over seeds, a panel for each point of the grid",
    plot_run,
    {{"DIR", CLI_FOLDER, NULL}},
    1,
    true};
