/* What a terminal is like: how large, and what it shows. */
#ifndef SPRINT_CLI_TERMINAL_H
#define SPRINT_CLI_TERMINAL_H

#include "sprint.h"

struct cli_size {
  size_t columns, rows;
};

/* Of the terminal behind the descriptor; 80 x 24 where nobody says. */
struct cli_size cli_terminal_size(int descriptor);

/* Colours and braille as far as the terminal on standard output shows them, and NO_COLOR allows; none where there is no
 * terminal. */
void cli_terminal_look(sprint_plot_options *plot);

#endif
