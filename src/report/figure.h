/* A figure before it is drawn: a panel for each point and measure, a curve for each method in it. */
#ifndef SPRINT_REPORT_FIGURE_H
#define SPRINT_REPORT_FIGURE_H

#include "config/text.h"
#include "report/curves.h"
#include "report/measures.h"
#include "report/styles.h"

struct sprint__figure_curve {
  size_t method; /* of the figure */
  const struct sprint__group *group;
  struct sprint__curve mean;
  size_t n_seeds;
  struct sprint__curve *seeds; /* (n_seeds) each run by itself, where they are asked for */
};

struct sprint__figure_panel {
  const char *point; /* as it is called in the folder */
  const char *title; /* "α = 0.2"; "" where there is one point */
  const char *plain; /* the same in ASCII, as far as the names are */
  size_t y;          /* of the figure's measures */
  bool log;
  size_t n_curves; /* those that have rows to draw */
  struct sprint__figure_curve *curves;
  size_t n_notes;
  const char **notes;     /* (n_notes) who diverged here, or has rows without a place, a method each */
  double least, greatest; /* of what is drawn, bands included; on a logarithmic axis of what is above 0 */
  double first, last;     /* of x */
};

struct sprint__figure {
  struct sprint__arena *arena;
  struct sprint__measure x;
  size_t n_y, n_points, n_methods;
  struct sprint__measure *y;           /* (n_y) */
  const char **methods;                /* (n_methods) names */
  struct sprint__style *styles;        /* (n_methods) */
  struct sprint__figure_panel *panels; /* (n_y, n_points) */
  const char *title;                   /* or NULL */
  size_t least_seeds, most_seeds;      /* behind a mean */
};

struct sprint__figure_wish {
  const char *x; /* a column or word */
  const char *y; /* the same, several separated by commas */
  const char *title;
  const char *log; /* measures of y that go on logarithmic axes, of the same form; "": none, "*": all that can */
  bool seeds;
};

/* Makes the figure of all groups of the results, which it lends from; of the arena. Refused: measures that no run has.
 */
sprint_status sprint__figure_make(struct sprint__arena *arena, const struct sprint__results *results,
                                  const struct sprint__figure_wish *wish, struct sprint__figure *ret_figure);

/* A point as people write it: "alpha-0.2_size-3" as "α = 0.2, size = 3"; with `plain`, in ASCII. The arena's. */
const char *sprint__point_title(struct sprint__arena *arena, const char *point, bool plain);

/* A name as it may be shown: on one line, at most so many letters (up to 79), cut ones with dots behind; and how many
 * letters a text has. */
struct sprint__shown sprint__name_show(const char *name, size_t most);
size_t sprint__n_letters(const char *text);

/* Letters of a method's name in a note: with the rest of it, what a panel has room for. */
enum { SPRINT__NOTE_NAME = 26 };

/* figure_gnuplot.c: draws it; figure_text.c: prints it line by line. */
sprint_status sprint__figure_draw(const struct sprint__figure *figure, const char *path);

struct sprint__text_look {
  size_t columns, rows; /* of a panel, with its frame */
  bool braille;         /* eight dots to a character, where colours tell the methods apart or there is one */
  bool colour;          /* by the escapes of a terminal with 256 of them */
};
sprint_status sprint__figure_print(const struct sprint__figure *figure, const struct sprint__text_look *look,
                                   void (*line)(void *user, const char *text), void *user);

#endif
