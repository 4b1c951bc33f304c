/* A figure as gnuplot draws it: panels side by side, one legend below them, and what the bands are. Names stand
 * between single quotes and are not enhanced, so that they appear as they are. */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "report/axes.h"
#include "report/figure.h"
#include "report/gnuplot.h"

/* Points: see gnuplot.c. */
enum {
  PANEL_WIDTH = 232,
  PANEL_HEIGHT = 168,
  ONE_WIDTH = 440, /* of a panel that is alone */
  ONE_HEIGHT = 260,
  LEFT = 76, /* of the first column: tics and label */
  RIGHT = 18,
  BETWEEN_COLUMNS = 58, /* tics */
  BETWEEN_ROWS = 40,    /* tics */
  TOP = 14,
  PANEL_TITLE = 16,
  TITLE = 22,
  BOTTOM = 50, /* tics and label */
  ENTRY_HEIGHT = 18,
  CAPTION = 20,
  LETTER = 7,
  LINE = 32, /* of an entry of the legend */
  GAP = 8,
  MOST_COLUMNS = 6, /* of several measures */
  MOST_LETTERS = 48,
  NOTE_HEIGHT = 13,
  MOST_NOTES = 4,  /* of a panel */
  MOST_ROWS = 1500 /* of a curve that are drawn; all are in the data */
};

struct layout {
  size_t n_columns, n_rows;
  int panel_width, panel_height, width, height;
  size_t legend_columns;
  int legend_height, entry_width;
  int title_height; /* of both kinds of titles */
  int row_gap;
};

static size_t square_root(size_t n) {
  size_t root = 1;
  while (root * root < n) root++;
  return root;
}

/* A row of panels for each measure; of more points than fit beside each other, several such blocks, and of one measure
 * as near to a square as there are points. */
static struct layout layout_of(const struct sprint__figure *figure) {
  size_t n = figure->n_points, longest = 0;
  struct layout it = {.n_columns = n <= (figure->n_y > 1 ? MOST_COLUMNS : 3) ? n : square_root(n)};
  size_t n_blocks = (n + it.n_columns - 1) / it.n_columns;
  it.n_rows = n_blocks * figure->n_y;
  bool alone = it.n_columns == 1 && it.n_rows == 1;
  it.panel_width = alone ? ONE_WIDTH : PANEL_WIDTH;
  it.panel_height = alone ? ONE_HEIGHT : PANEL_HEIGHT;
  it.width = LEFT + RIGHT + (int)it.n_columns * it.panel_width + ((int)it.n_columns - 1) * BETWEEN_COLUMNS;
  if (it.width < LEFT + RIGHT + ONE_WIDTH) {
    it.panel_width = (ONE_WIDTH - ((int)it.n_columns - 1) * BETWEEN_COLUMNS) / (int)it.n_columns;
    it.width = LEFT + RIGHT + (int)it.n_columns * it.panel_width + ((int)it.n_columns - 1) * BETWEEN_COLUMNS;
  }
  for (size_t m = 0; m < figure->n_methods; m++) {
    size_t letters = sprint__n_letters(figure->methods[m]);
    if (letters > longest) longest = letters;
  }
  it.entry_width = LINE + 3 * GAP + LETTER * (int)(longest < MOST_LETTERS ? longest : MOST_LETTERS);
  it.legend_columns = it.width > it.entry_width ? (size_t)(it.width / it.entry_width) : 1;
  if (it.legend_columns > figure->n_methods) it.legend_columns = figure->n_methods;
  it.legend_height = ENTRY_HEIGHT * (int)((figure->n_methods + it.legend_columns - 1) / it.legend_columns);
  it.title_height = (figure->title ? TITLE : 0) + (*figure->panels[0].title || figure->n_points > 1 ? PANEL_TITLE : 0);
  it.row_gap = BETWEEN_ROWS + (n_blocks > 1 ? PANEL_TITLE : 0);
  it.height = TOP + it.title_height + (int)it.n_rows * it.panel_height + ((int)it.n_rows - 1) * it.row_gap + BOTTOM +
              it.legend_height + CAPTION;
  return it;
}

static void print_curve_data(FILE *data, const struct sprint__curve *curve, bool log) {
  fputs("# x mean error low high seeds\n", data);
  for (size_t i = 0; i < curve->n; i++) {
    double error = isnan(curve->error[i]) ? 0 : curve->error[i], low = curve->mean[i] - error;
    if (log && !(low > 0)) low = curve->mean[i] * 1e-9; /* the axis ends above it */
    sprint__fprintf(data, "%.17g %.17g %.17g %.17g %.17g %zu\n", curve->x[i], curve->mean[i], curve->error[i], low,
                    curve->mean[i] + error, curve->n_seeds[i]);
  }
  fputs("\n\n", data);
}

static void print_data(const struct sprint__figure *figure, FILE *data) {
  size_t index = 0;
  for (size_t p = 0; p < figure->n_y * figure->n_points; p++) {
    const struct sprint__figure_panel *panel = &figure->panels[p];
    for (size_t c = 0; c < panel->n_curves; c++) {
      const struct sprint__figure_curve *curve = &panel->curves[c];
      for (size_t s = 0; s <= curve->n_seeds; s++) {
        fprintf(data, "# index %zu: %s of %s%s%s, ", index++, figure->y[panel->y].column,
                sprint__show(figure->methods[curve->method]).text, *panel->point ? " at " : "",
                sprint__show(panel->point).text);
        if (s == 0) fputs("mean over seeds, its standard error, mean -+ error\n", data);
        if (s > 0) fputs("one seed\n", data);
        print_curve_data(data, s ? &curve->seeds[s - 1] : &curve->mean, panel->log);
        if (!(s ? curve->seeds[s - 1].n : curve->mean.n)) fputs("nan nan nan nan nan 0\n\n\n", data);
      }
    }
  }
}

static const char *comma(bool *first) {
  const char *text = *first ? "plot " : ", \\\n     ";
  *first = false;
  return text;
}

static size_t step_of(const struct sprint__curve *curve) { return curve->n / MOST_ROWS + 1; }

static bool has_band(const struct sprint__curve *curve) {
  for (size_t i = 0; i < curve->n; i++)
    if (curve->error[i] > 0) return true;
  return false;
}

static void print_band(const struct sprint__figure *figure, const struct sprint__figure_curve *curve, size_t index,
                       bool *first, FILE *script) {
  if (!has_band(&curve->mean)) return;
  fprintf(script,
          "%sdata index %zu every %zu using 1:4:5 with filledcurves linecolor '%s' fillstyle transparent solid 0.2 "
          "noborder notitle",
          comma(first), index, step_of(&curve->mean), figure->styles[curve->method].colour);
}

static void print_seeds(const struct sprint__figure *figure, const struct sprint__figure_curve *curve, size_t index,
                        bool *first, FILE *script) {
  for (size_t s = 0; s < curve->n_seeds; s++)
    fprintf(script, "%sdata index %zu every %zu using 1:2 with lines linewidth 0.7 linecolor '%s' notitle",
            comma(first), index + 1 + s, step_of(&curve->seeds[s]), figure->styles[curve->method].colour);
}

/* A line; of one row, a dot. */
static void print_mean(const struct sprint__figure *figure, const struct sprint__figure_curve *curve, size_t index,
                       bool *first, FILE *script) {
  if (curve->mean.n > 1)
    fprintf(script, "%sdata index %zu every %zu using 1:2 with lines linestyle %zu notitle", comma(first), index,
            step_of(&curve->mean), curve->method + 1);
  if (curve->mean.n == 1)
    fprintf(script, "%sdata index %zu using 1:2 with points pointtype 7 pointsize 0.5*dot linecolor '%s' notitle",
            comma(first), index, figure->styles[curve->method].colour);
}

/* Bands first, then single seeds, then means: the last is on top. Of the means, lines without gaps come first, so that
 * they are seen through the gaps of the others. */
static void print_curves(const struct sprint__figure *figure, const struct sprint__figure_panel *panel, size_t index,
                         FILE *script) {
  bool first = true;
  for (size_t pass = 0; pass < 2 + SPRINT__N_DASHES; pass++) {
    size_t at = index;
    for (size_t c = 0; c < panel->n_curves; at += panel->curves[c++].n_seeds + 1) {
      const struct sprint__figure_curve *curve = &panel->curves[c];
      if (pass == 0) print_band(figure, curve, at, &first, script);
      if (pass == 1) print_seeds(figure, curve, at, &first, script);
      if (pass == 2 + figure->styles[curve->method].i_dash) print_mean(figure, curve, at, &first, script);
    }
  }
  if (first) fputs("plot [0:1] [0:1] NaN notitle", script);
  fputc('\n', script);
}

static size_t notes_shown(const struct sprint__figure_panel *panel) {
  return panel->n_notes < MOST_NOTES ? panel->n_notes : MOST_NOTES;
}

struct range {
  double low, high;
};

/* With a margin; notes have room of their own above the curves. */
static struct range y_range(const struct sprint__figure_panel *panel, int height) {
  double low = panel->least, high = panel->greatest, share = NOTE_HEIGHT * (double)notes_shown(panel) / height;
  if (panel->log) {
    double margin = high > low ? pow(high / low, 0.04) : 1.5;
    low /= margin;
    return (struct range){low, low * pow(high * margin / low, 1 / (1 - share))};
  }
  double margin = high > low ? 0.04 * (high - low) : fmax(fabs(high), 1) * 0.05;
  low -= margin;
  return (struct range){low, low + (high + margin - low) / (1 - share)};
}

/* Whether all panels of a measure have two powers of ten or more: then these are their tics, and they look alike. */
static bool goes_by_powers(const struct sprint__figure *figure, size_t y, int height) {
  for (size_t p = 0; p < figure->n_points; p++) {
    const struct sprint__figure_panel *panel = &figure->panels[y * figure->n_points + p];
    struct range range = y_range(panel, height);
    if (panel->n_curves && sprint__n_powers(range.low, range.high) < 2) return false;
  }
  return true;
}

static void print_range(const struct sprint__figure *figure, const struct sprint__figure_panel *panel, int height,
                        FILE *script) {
  double first = panel->first, last = panel->last;
  if (panel->n_curves == 0) { /* a tic without a label: what is below it stands as beside it */
    fputs("unset logscale y\nset xtics (' ' 0)\nunset ytics\nset yrange [0:1]\nset xrange [0:1]\n", script);
    return;
  }
  if (!(last > first)) last = first + 1;
  sprint__axis_print(script, 'x', first, last, SPRINT__SCALE_LINEAR);
  struct range range = y_range(panel, height);
  enum sprint__scale log = goes_by_powers(figure, panel->y, height) ? SPRINT__SCALE_POWERS : SPRINT__SCALE_LOG;
  sprint__axis_print(script, 'y', range.low, range.high, panel->log ? log : SPRINT__SCALE_LINEAR);
}

/* The last panel of a column, whichever row that is in. */
static bool is_lowest(const struct sprint__figure *figure, const struct layout *layout, size_t i) {
  return i / figure->n_points + 1 == figure->n_y && i % figure->n_points + layout->n_columns >= figure->n_points;
}

static void print_place(const struct sprint__figure *figure, const struct layout *it, size_t i, FILE *script) {
  size_t point = i % figure->n_points, column = point % it->n_columns;
  size_t row = point / it->n_columns * figure->n_y + i / figure->n_points;
  double left = LEFT + (double)column * (it->panel_width + BETWEEN_COLUMNS);
  double top = TOP + it->title_height + (double)row * (it->panel_height + it->row_gap);
  sprint__fprintf(
      script,
      "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\nset bmargin at screen "
      "%.5f\n",
      left / it->width, (left + it->panel_width) / it->width, 1 - top / it->height,
      1 - (top + it->panel_height) / it->height);
}

static void print_text(FILE *script, const char *what, const char *text, const char *tail) {
  fprintf(script, "%s ", what);
  sprint__gnuplot_quote(script, sprint__show(text).text);
  fprintf(script, " noenhanced%s\n", tail);
}

/* Below each other in the upper right corner; more than there is room for are counted. */
static void print_notes(const struct sprint__figure_panel *panel, int height, FILE *script) {
  size_t n = notes_shown(panel), n_whole = panel->n_notes > n ? n - 1 : n;
  char place[128], more[64];
  snprintf(more, sizeof more, "and %zu more", panel->n_notes - n_whole);
  for (size_t i = 0; i < n; i++) {
    sprint__snprintf(place, sizeof place, " at graph 0.985,%.5f right font small textcolor '" SPRINT__GREY "'",
                     1 - NOTE_HEIGHT * ((double)i + 0.6) / height);
    print_text(script, "set label", i < n_whole ? panel->notes[i] : more, place);
  }
}

static void print_panel(const struct sprint__figure *figure, const struct layout *layout, size_t i, size_t index,
                        FILE *script) {
  const struct sprint__figure_panel *panel = &figure->panels[i];
  bool titled = i < figure->n_points;
  fputc('\n', script);
  print_place(figure, layout, i, script);
  print_range(figure, panel, layout->panel_height, script);
  if (titled && *panel->title)
    print_text(script, "set title", panel->title, " offset 0,-0.4");
  else
    fputs("unset title\n", script);
  if (i % figure->n_points % layout->n_columns == 0)
    print_text(script, "set ylabel", figure->y[panel->y].label, " offset 0.5,0");
  else
    fputs("unset ylabel\n", script);
  if (is_lowest(figure, layout, i))
    print_text(script, "set xlabel", figure->x.label, " offset 0,0.3");
  else
    fputs("unset xlabel\n", script);
  if (panel->n_curves == 0)
    fputs("set label 1 'nothing to draw' at graph 0.5,0.5 center textcolor '" SPRINT__GREY "'\n", script);
  print_notes(panel, layout->panel_height, script);
  print_curves(figure, panel, index, script);
  fputs("unset label\n", script);
}

/* "means over 2 to 3 seeds; bands: ± 1 standard error" */
static void write_caption(const struct sprint__figure *figure, bool bands, char *ret_caption, size_t size) {
  size_t least = figure->least_seeds, most = figure->most_seeds;
  char range[48] = "";
  if (least < most) snprintf(range, sizeof range, "%zu to ", least);
  snprintf(ret_caption, size, "%s%s%zu seed%s%s", most > 1 ? "means over " : "", range, most, most > 1 ? "s" : "",
           bands ? "; bands: ± 1 standard error" : "");
}

/* Lines and names, laid out by hand: gnuplot's own keys differ between terminals. */
static void print_entries(const struct sprint__figure *figure, const struct layout *it, FILE *script) {
  double left = (it->width - (double)it->legend_columns * it->entry_width) / 2;
  for (size_t m = 0; m < figure->n_methods; m++) {
    double x = left + (double)(m % it->legend_columns) * it->entry_width;
    double y = CAPTION + it->legend_height - ENTRY_HEIGHT * ((double)(m / it->legend_columns) + 0.5);
    sprint__fprintf(script, "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead linestyle %zu\nset label ",
                    x / it->width, y / it->height, (x + LINE) / it->width, y / it->height, m + 1);
    sprint__gnuplot_quote(script, sprint__name_show(figure->methods[m], MOST_LETTERS).text);
    sprint__fprintf(script, " at screen %.5f,%.5f left noenhanced\n", (x + LINE + GAP) / it->width, y / it->height);
  }
}

static void print_legend(const struct sprint__figure *figure, const struct layout *it, bool bands, FILE *script) {
  char caption[128];
  write_caption(figure, bands, caption, sizeof caption);
  fputs("\nunset border\nunset tics\nunset grid\nunset title\nunset xlabel\nunset ylabel\nunset logscale\n", script);
  print_entries(figure, it, script);
  sprint__fprintf(script, "set label '%s' at screen 0.5,%.5f center font small textcolor '" SPRINT__GREY "'\n", caption,
                  0.55 * CAPTION / it->height);
  fputs("plot [0:1] [0:1] NaN notitle\n", script);
}

static void print_styles(const struct sprint__figure *figure, FILE *script) {
  for (size_t m = 0; m < figure->n_methods; m++) {
    const struct sprint__style *style = &figure->styles[m];
    fprintf(script, "set style line %zu linewidth 2 linecolor '%s' dashtype ", m + 1, style->colour);
    if (*style->dash)
      fprintf(script, "(%s)", style->dash);
    else
      fputs("solid", script);
    fprintf(script, " # %s\n", sprint__show(figure->methods[m]).text);
  }
}

static bool any_bands(const struct sprint__figure *figure) {
  for (size_t p = 0; p < figure->n_y * figure->n_points; p++)
    for (size_t c = 0; c < figure->panels[p].n_curves; c++)
      if (has_band(&figure->panels[p].curves[c].mean)) return true;
  return false;
}

static void print_script(const struct sprint__figure *figure, const struct layout *layout, FILE *script) {
  size_t index = 0, n = figure->n_y * figure->n_points;
  fputs(
      "set encoding utf8\nset minussign\nset datafile missing 'nan'\nunset key\n"
      "set style textbox opaque noborder fillcolor 'white' margins 0.3,0.1\n",
      script);
  print_styles(figure, script);
  fputs("set multiplot\n", script);
  if (figure->title) {
    char place[96];
    sprint__snprintf(place, sizeof place, " at screen 0.5,%.5f center font large", 1 - 0.6 * TITLE / layout->height);
    print_text(script, "set label 9", figure->title, place);
  }
  for (size_t i = 0; i < n; i++) {
    print_panel(figure, layout, i, index, script);
    for (size_t c = 0; c < figure->panels[i].n_curves; c++) index += figure->panels[i].curves[c].n_seeds + 1;
  }
  print_legend(figure, layout, any_bands(figure), script);
  fputs("unset multiplot\n", script);
}

sprint_status sprint__figure_draw(const struct sprint__figure *figure, const char *path) {
  struct layout layout = layout_of(figure);
  struct sprint__plot plot;
  SPRINT__TRY(sprint__plot_begin(figure->arena->context, path, layout.width, layout.height, &plot));
  print_data(figure, plot.data.stream);
  print_script(figure, &layout, plot.script.stream);
  return sprint__plot_end(&plot);
}
