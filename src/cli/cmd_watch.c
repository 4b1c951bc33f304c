/* sprint watch: runs as they go on, from the files that they leave. A terminal shows them anew every second until q;
 * anything else gets them once. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"
#include "terminal.h"

enum { EVERY = 1000, LEAST_ROWS = 8, MOST_ROWS = 24, MOST_LINES = 2000 }; /* milliseconds; of a panel; that are kept */

/* A screen before it is shown. */
struct screen {
  char *lines[MOST_LINES];
  size_t n;
};

static void add_line(void *user, const char *line) {
  struct screen *screen = user;
  if (screen->n < MOST_LINES) screen->lines[screen->n++] = cli_format("%s", line);
}

static void screen_clear(struct screen *screen) {
  while (screen->n) free(screen->lines[--screen->n]);
}

/* The table, then curves. What cannot be read yet is said instead, and is no reason to end. */
static size_t fill(sprint_context *context, sprint_plot_options *plot, struct screen *screen) {
  size_t going = 1;
  plot->user = screen;
  sprint_status status = sprint_progress_print(context, plot, add_line, &going);
  if (status == SPRINT_OK) {
    add_line(screen, "");
    status = sprint_plot_print(context, plot, add_line);
  }
  if (status != SPRINT_OK) add_line(screen, sprint_context_error(context));
  return going;
}

static void put(const char *text) {
  for (size_t n = strlen(text); n > 0;) {
    ssize_t done = write(STDOUT_FILENO, text, n);
    if (done <= 0) return;
    text += done;
    n -= (size_t)done;
  }
}

/* As many lines as there is room for, and a last one. */
static void show(const struct screen *screen, size_t rows, size_t going) {
  put("\033[H");
  size_t room = rows > 2 ? rows - 1 : 1, shown = screen->n < room ? screen->n : room;
  for (size_t i = 0; i < shown; i++) {
    put(screen->lines[i]);
    put("\033[K\n");
  }
  put("\033[J");
  if (screen->n > shown) put("[the window is too small for the rest]  ");
  put(going ? "q ends this view, the runs go on" : "q ends this view");
}

/* Whether q, Ctrl-C or the end of the input came within the time. */
static bool ends(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char key = 0;
  if (poll(&input, 1, EVERY) <= 0) return cli_interrupted();
  if (read(STDIN_FILENO, &key, 1) <= 0) return true;
  return key == 'q' || key == 'Q' || key == 3 || cli_interrupted();
}

static size_t n_panels(const char *y) {
  size_t n = 1;
  for (; y && *y; y++) n += *y == ',';
  return n;
}

static int watch_live(sprint_context *context, sprint_plot_options *plot) {
  struct termios before, raw;
  struct screen screen = {.n = 0};
  bool keys = tcgetattr(STDIN_FILENO, &before) == 0;
  cli_catch_interrupts();
  if (keys) {
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  put("\033[?1049h\033[?25l");
  do {
    struct cli_size size = cli_terminal_size(STDOUT_FILENO);
    size_t rows = size.rows * 2 / 3 / n_panels(plot->y);
    plot->columns = size.columns;
    plot->rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    screen_clear(&screen);
    show(&screen, size.rows, fill(context, plot, &screen));
  } while (!ends());
  put("\033[?25h\033[?1049l");
  if (keys) tcsetattr(STDIN_FILENO, TCSANOW, &before);
  for (size_t i = 0; i < screen.n; i++) puts(screen.lines[i]);
  screen_clear(&screen);
  return CLI_OK;
}

static void print_line(void *user, const char *line) {
  (void)user;
  puts(line);
}

/* Once. That there is nothing to draw yet is no failure, unless something else than usual is asked for. */
static int watch_once(sprint_context *context, sprint_plot_options *plot) {
  size_t going;
  if (sprint_progress_print(context, plot, print_line, &going) != SPRINT_OK) return cli_failed(context);
  putchar('\n');
  if (sprint_plot_print(context, plot, print_line) == SPRINT_OK) return CLI_OK;
  if (plot->x || plot->y || plot->log) return cli_failed(context);
  puts(sprint_context_error(context));
  return CLI_OK;
}

static int watch_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  sprint_plot_options plot = {.size = sizeof plot,
                              .folders = options->arguments,
                              .n_folders = options->n_arguments,
                              .x = cli_value(options, "x"),
                              .y = cli_value(options, "y"),
                              .log = cli_value(options, "log") != NULL};
  for (size_t i = 0; i < options->n_arguments; i++) /* that nothing is in a folder yet may change; this will not */
    if (access(options->arguments[i], R_OK) != 0) {
      sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", options->arguments[i], strerror(errno));
      return cli_failed(context);
    }
  if (!isatty(STDOUT_FILENO)) return watch_once(context, &plot);
  cli_terminal_look(&plot);
  return watch_live(context, &plot);
}

const struct cli_command cli_watch = {
    "watch",   "runs as they go on: curves, counters, rate and time left, from the files that they leave; q ends",
    watch_run, {{"DIR", CLI_FOLDER, NULL}},
    1,         true};
