/* The figure of a landscape: J along the line on the left, with the diagonal, V on the plane on the right, the points
 * and the path on both. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "config/text.h"
#include "report/axes.h"
#include "report/gnuplot.h"
#include "report/landscape.h"

/* Points: see gnuplot.c. */
enum {
  SIDE = 250,
  LEFT = 66,
  BETWEEN = 128,
  RIGHT = 76,
  TOP = 34,
  BOTTOM = 54,
  LEGEND = 24,
  CAPTION = 20,
  LEVELS = 12
};

/* How points are drawn; the last is of the path. */
static const struct look {
  const char *name;
  int type;
  double size;
  const char *colour;
} looks[] = {
    {"stable", 13, 1.5, "#E69F00"}, {"optimum", 9, 1.3, "#56B4E9"}, {"model", 7, 1.1, "#ffffff"},
    {NULL, 5, 1.0, "#ffffff"},      {"path", 7, 0.35, "#ffffff"},
};

enum { MODEL = 2, TOWARDS, PATH };

struct frame {
  const sprint_landscape *it;
  const char *towards;
  FILE *script;
  int width, height;
};

static void print_map(FILE *data, const char *head, size_t n, const double *x, const double *y, const double *values) {
  fprintf(data, "# %s\n", head);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double value = values[i * n + j];
      sprint__fprintf(data, "%.9g %.9g ", x[j], y[i]);
      sprint__fprintf(data, isfinite(value) ? "%.17g\n" : "nan\n", value);
    }
    fputc('\n', data);
  }
  fputc('\n', data);
}

static void print_data(const sprint_landscape *it, FILE *data) {
  print_map(data, "index 0: t of theta, t of theta' (deployed), J(theta; theta')", it->n, it->t, it->t, it->line);
  if (it->plane) print_map(data, "index 1: t, w, V(theta)", it->n, it->t, it->w, it->plane);
  fprintf(data, "# index %d: the path: t, w\n", it->plane ? 2 : 1);
  for (size_t k = 0; k < it->n_path; k++) sprint__fprintf(data, "%.9g %.9g\n", it->path[2 * k], it->path[2 * k + 1]);
}

static int order_reals(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The finite values in order. */
static size_t sorted(const double *values, size_t n, double *ret_sorted) {
  size_t n_finite = 0;
  for (size_t i = 0; i < n; i++)
    if (isfinite(values[i])) ret_sorted[n_finite++] = values[i];
  qsort(ret_sorted, n_finite, sizeof *ret_sorted, order_reals);
  return n_finite;
}

/* Contours at even quantiles of the values, so that valleys have as many as slopes; colours up to the 95 % quantile. */
static void print_levels(const struct frame *frame, const double *values, int panel, double *room) {
  FILE *script = frame->script;
  size_t n = sorted(values, frame->it->n * frame->it->n, room);
  if (n == 0) return;
  fputs("set cntrparam levels discrete ", script);
  for (size_t k = 1; k <= LEVELS; k++)
    sprint__fprintf(script, "%s%.9g", k > 1 ? ", " : "", room[k * (n - 1) / (LEVELS + 1)]);
  fprintf(script, "\nset table $contours%d\nsplot data index %d using 1:2:3 notitle\nunset table\n", panel, panel);
  double low = room[0], high = room[(n - 1) * 95 / 100];
  sprint__fprintf(script, "low%d = %.9g\nhigh%d = %.9g\n", panel, low, panel,
                  high > low ? high : low + 1e-9 + fabs(low));
}

/* A point with a dark rim. */
static void print_point(const struct frame *frame, const struct look *look, const char *system, double x, double y) {
  static const char *const colours[] = {"black", NULL};
  for (int k = 0; k < 2; k++)
    sprint__fprintf(frame->script,
                    "set label '' at %s%.6g,%s%.6g point pointtype %d pointsize %.3g*dot linecolor '%s' front\n",
                    system, x, system, y, look->type, look->size + (k ? 0 : 0.45), k ? look->colour : colours[0]);
}

static void print_marks(const struct frame *frame, bool plane) {
  const sprint_landscape *it = frame->it;
  print_point(frame, &looks[TOWARDS], "", 1, plane ? 0 : 1);
  print_point(frame, &looks[MODEL], "", 0, 0);
  for (int m = 1; m >= 0; m--) {
    const struct sprint__mark *mark = plane ? &it->plane_marks[m] : &it->line_marks[m];
    if (mark->there) print_point(frame, &looks[m], "", mark->t, plane ? mark->w : mark->t);
  }
}

static void print_axes(const struct frame *frame, bool plane) {
  const sprint_landscape *it = frame->it;
  const double *y = plane ? it->w : it->t;
  double left = LEFT + (plane ? SIDE + BETWEEN : 0);
  sprint__fprintf(
      frame->script,
      "\nset lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\nset bmargin at screen "
      "%.5f\n",
      left / frame->width, (left + SIDE) / frame->width, 1 - (double)TOP / frame->height,
      1 - (double)(TOP + SIDE) / frame->height);
  double half_t = (it->t[1] - it->t[0]) / 2, half_y = (y[1] - y[0]) / 2; /* cells lie around the values */
  sprint__fprintf(frame->script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset cbrange [low%d:high%d]\n",
                  it->t[0] - half_t, it->t[it->n - 1] + half_t, y[0] - half_y, y[it->n - 1] + half_y, plane, plane);
  sprint__fprintf(frame->script, "set xtics %.6g\nset ytics %.6g\nset cbtics format '%%.4g'\n",
                  sprint__plot_tics(it->t[0], it->t[it->n - 1]), sprint__plot_tics(y[0], y[it->n - 1]));
  fputs(plane
            ? "set title 'V(θ) = J(θ;θ) on the plane' noenhanced\nset xlabel 't' noenhanced offset 0,0.4\n"
              "set ylabel 'w, across' noenhanced offset 1,0\n"
            : "set title 'J(θ;θ′) along the line' noenhanced\nset xlabel 't of θ, evaluated' noenhanced offset 0,0.4\n"
              "set ylabel 't of θ′, deployed' noenhanced offset 1,0\n",
        frame->script);
}

static void print_panel(const struct frame *frame, bool plane) {
  const sprint_landscape *it = frame->it;
  print_axes(frame, plane);
  print_marks(frame, plane);
  fprintf(frame->script,
          "plot data index %d using 1:2:3 with image notitle, \\\n"
          "     $contours%d using 1:2 with lines linewidth 0.5 linecolor '#80ffffff' notitle",
          plane, plane);
  if (!plane) fputs(", \\\n     x with lines linewidth 1.5 dashtype (6,4) linecolor 'white' notitle", frame->script);
  if (it->n_path)
    sprint__fprintf(frame->script,
                    ", \\\n     data index %d using 1:%d with linespoints linewidth 1.2 pointtype %d pointsize %g*dot "
                    "linecolor '%s' notitle",
                    it->plane ? 2 : 1, plane ? 2 : 1, looks[PATH].type, looks[PATH].size, looks[PATH].colour);
  fputs("\nunset label\n", frame->script);
}

/* Whether points of a look are on one of the maps. */
static bool is_drawn(const sprint_landscape *it, size_t look) {
  if (look == PATH) return it->n_path > 0;
  return look >= MODEL || it->line_marks[look].there || (it->plane && it->plane_marks[look].there);
}

static const char *out_of_range(const sprint_landscape *it) {
  static const char *const texts[] = {"", "; stable: out of range", "; optimum: out of range",
                                      "; stable, optimum: out of range"};
  return texts[!is_drawn(it, 0) + 2 * !is_drawn(it, 1)];
}

static void print_legend(const struct frame *frame) {
  double x = LEFT / 2.0, y = CAPTION + LEGEND / 2.0;
  const double step = ((double)frame->width - LEFT / 2.0) / (double)SPRINT__COUNT(looks);
  fputs("\nunset border\nunset tics\nunset title\nunset xlabel\nunset ylabel\nunset colorbox\n", frame->script);
  for (size_t i = 0; i < SPRINT__COUNT(looks); i++, x += step) {
    const char *name = looks[i].name ? looks[i].name : frame->towards;
    if (!is_drawn(frame->it, i)) continue;
    print_point(frame, &looks[i], "screen ", x / frame->width, y / frame->height);
    fputs("set label ", frame->script);
    sprint__gnuplot_quote(frame->script, sprint__show(name).text);
    sprint__fprintf(frame->script, " at screen %.5f,%.5f left noenhanced\n", (x + 12) / frame->width,
                    y / frame->height);
  }
  fputs("set label ", frame->script);
  char caption[256];
  sprint__snprintf(caption, sizeof caption, "θ = model + t (%s − model)%s; length %.4g%s%s",
                   sprint__show(frame->towards).text, frame->it->plane ? " + w across, in the same unit" : "",
                   frame->it->length, frame->it->n_path ? "; the path is projected" : "", out_of_range(frame->it));
  sprint__gnuplot_quote(frame->script, caption);
  sprint__fprintf(frame->script,
                  " at screen 0.5,%.5f center noenhanced font small textcolor '" SPRINT__GREY
                  "'\nplot [0:1] [0:1] NaN notitle\nunset multiplot\n",
                  0.55 * CAPTION / frame->height);
}

static void print_script(const struct frame *frame, double *room) {
  const sprint_landscape *it = frame->it;
  fputs(
      "set encoding utf8\nset minussign\nset datafile missing 'nan'\nunset key\nunset grid\n"
      "set border 15\nset tics out nomirror\nset format xy '%g'\n"
      "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
      "set contour base\nunset surface\n",
      frame->script);
  print_levels(frame, it->line, 0, room);
  if (it->plane) print_levels(frame, it->plane, 1, room);
  fputs("set multiplot\n", frame->script);
  print_panel(frame, false);
  if (it->plane) print_panel(frame, true);
  print_legend(frame);
}

sprint_status sprint_landscape_draw(const sprint_landscape *landscape, const char *path, const char *towards) {
  if (!landscape) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(landscape->context, path, towards);
  SPRINT__SCRATCH(arena, landscape->context);
  struct sprint__plot plot;
  double *room = sprint__arena_take(&arena, landscape->n * landscape->n, sizeof *room);
  int width = LEFT + SIDE + RIGHT + (landscape->plane ? BETWEEN + SIDE : 128);
  struct frame frame = {landscape, towards, .width = width, .height = TOP + SIDE + BOTTOM + LEGEND + CAPTION};
  SPRINT__TRY(sprint__arena_status(&arena));
  SPRINT__TRY(sprint__plot_begin(landscape->context, path, frame.width, frame.height, &plot));
  frame.script = plot.script.stream;
  print_data(landscape, plot.data.stream);
  print_script(&frame, room);
  return sprint__plot_end(&plot);
}
