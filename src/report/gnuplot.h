/* Figures by gnuplot, which is run as a program of its own. A figure fig.svg (.png, .pdf) has its script in fig.gp and
 * its numbers in fig.dat beside it, so that whoever wants another one changes a line and runs `gnuplot fig.gp` there.
 */
#ifndef SPRINT_REPORT_GNUPLOT_H
#define SPRINT_REPORT_GNUPLOT_H

#include "base/file.h"

/* Colours that those who do not tell red from green do tell apart (Okabe and Ito). */
#define SPRINT__BLUE   "#0072B2"
#define SPRINT__ORANGE "#D55E00"
#define SPRINT__GREEN  "#009E73"
#define SPRINT__GREY   "#666666"

struct sprint__plot {
  sprint_context *context;
  struct sprint__arena arena;
  char *folder;            /* where all of it is, "." for here */
  char *image, *data_name; /* names within the folder */
  char *script_path;
  struct sprint__file script, data; /* write to their streams */
};

/* Begins a figure of this size in points; the script starts with terminal, output and grid, and has
 * the fonts `small` and `large`, and `dot`, the size of a mark of one size on all terminals. Refused: another
 * ending. */
sprint_status sprint__plot_begin(sprint_context *context, const char *path, int width, int height,
                                 struct sprint__plot *ret_plot);

/* Writes both files and draws. The plot is done with either way. */
sprint_status sprint__plot_end(struct sprint__plot *plot);

/* A text between single quotes, as gnuplot reads them: a quote is written twice. */
void sprint__gnuplot_quote(FILE *stream, const char *text);

/* Gives up; nothing is left behind. */
void sprint__plot_abandon(struct sprint__plot *plot);

#endif
