/* Terminals: see terminal.h. */
#define _DEFAULT_SOURCE
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct cli_size cli_terminal_size(int descriptor) {
  struct winsize window = {0};
  bool known = ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0;
  return known ? (struct cli_size){window.ws_col, window.ws_row} : (struct cli_size){80, 24};
}

static bool speaks_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = getenv(names[i]);
    if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
  }
  return false;
}

void cli_terminal_look(sprint_plot_options *plot) {
  const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");
  bool able = isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
  plot->colour = able && !(no_colour && *no_colour);
  plot->braille = able && speaks_utf8();
}
