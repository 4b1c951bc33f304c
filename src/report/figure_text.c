/* A figure in text: every panel as dots of braille in colours, or as marks of plain ASCII, with the last means below.
 */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "report/figure.h"

enum { LABEL = 11, NUMBERS = 34, LEAST_COLUMNS = 56, MOST_COLUMNS = 400, LEAST_ROWS = 6, DOTS_X = 2, DOTS_Y = 4 };

static const char marks[] = "*+ox#@%&=~sdvtwbzkpq";

struct cell {
  unsigned char dots; /* of braille */
  uint64_t owners;    /* a bit for each method, of the first 64 */
};

struct canvas {
  const struct sprint__figure *figure;
  const struct sprint__figure_panel *panel;
  const struct sprint__text_look *look;
  bool braille;
  size_t width, height; /* cells inside the frame */
  struct cell *cells;
  double low, high; /* of y, logarithms where the axis is logarithmic */
};

static double scaled(const struct canvas *canvas, double y) { return canvas->panel->log ? log10(y) : y; }

/* Dots that are `x`, `y` from the left and the top. */
static void put_dot(struct canvas *canvas, size_t x, size_t y, size_t method) {
  static const unsigned char bits[DOTS_Y][DOTS_X] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  size_t dx = canvas->braille ? DOTS_X : 1, dy = canvas->braille ? DOTS_Y : 1;
  struct cell *cell = &canvas->cells[y / dy * canvas->width + x / dx];
  cell->dots |= bits[y % dy][x % dx];
  cell->owners |= (uint64_t)1 << method % 64;
}

/* The curve's height at x, in rows of dots from the top; false: it does not reach there, or is off the axis. */
static bool height_at(const struct canvas *canvas, const struct sprint__curve *curve, double x, size_t n_dots,
                      double *ret_y) {
  size_t i = 0;
  if (curve->n == 0 || x < curve->x[0] || x > curve->x[curve->n - 1]) return false;
  for (size_t high = curve->n - 1; i + 1 < high;) { /* the last row at or before x */
    size_t middle = (i + high) / 2;
    if (curve->x[middle] <= x)
      i = middle;
    else
      high = middle;
  }
  size_t k = i + 1 < curve->n ? i + 1 : i;
  double a = scaled(canvas, curve->mean[i]), b = scaled(canvas, curve->mean[k]), width = curve->x[k] - curve->x[i];
  double y = width > 0 ? a + (x - curve->x[i]) / width * (b - a) : a;
  if (!isfinite(y)) return false;
  double share = canvas->high > canvas->low ? (y - canvas->low) / (canvas->high - canvas->low) : 0.5;
  *ret_y = (1 - fmin(fmax(share, 0), 1)) * (double)(n_dots - 1);
  return true;
}

/* Column by column of dots; in braille, steep parts are filled in. */
static void put_curve(struct canvas *canvas, const struct sprint__curve *curve, size_t method) {
  size_t n_x = canvas->width * (canvas->braille ? DOTS_X : 1), n_y = canvas->height * (canvas->braille ? DOTS_Y : 1);
  double range = canvas->panel->last - canvas->panel->first, y;
  size_t before = SIZE_MAX;
  for (size_t i = 0; i < n_x; i++) {
    double x = canvas->panel->first + range * (double)i / (double)(n_x - 1);
    if (i + 1 == n_x) x = canvas->panel->last;
    if (!height_at(canvas, curve, x, n_y, &y)) {
      before = SIZE_MAX;
      continue;
    }
    size_t at = (size_t)lround(y), from = at, to = at;
    if (canvas->braille && before != SIZE_MAX && before + 1 < at) from = before + 1;
    if (canvas->braille && before != SIZE_MAX && before > at + 1) to = before - 1;
    for (size_t k = from; k <= to; k++) put_dot(canvas, i, k, method);
    before = at;
  }
}

static void add_number(struct sprint__text *text, double value, int width) {
  char number[64];
  sprint__snprintf(number, sizeof number, width ? "%*.4g" : "%.*g", width ? width : 4, value);
  sprint__text_add(text, number);
}

static void add_repeated(struct sprint__text *text, const char *what, size_t n) {
  for (size_t i = 0; i < n; i++) sprint__text_add(text, what);
}

static void add_colour(struct sprint__text *text, const struct canvas *canvas, size_t method) {
  char escape[32];
  if (!canvas->look->colour) return;
  snprintf(escape, sizeof escape, "\033[38;5;%dm", canvas->figure->styles[method].terminal);
  sprint__text_add(text, escape);
}

static void end_colour(struct sprint__text *text, const struct canvas *canvas) {
  if (canvas->look->colour) sprint__text_add(text, "\033[0m");
}

static char mark_of(size_t method) { return marks[method % (sizeof marks - 1)]; }

/* Where several curves meet they take turns, column by column. */
static size_t owner_of(uint64_t owners, size_t column) {
  size_t n = 0, m = 0;
  for (uint64_t left = owners; left; left &= left - 1) n++;
  for (size_t turn = column % n;; m++)
    if (owners >> m & 1 && turn-- == 0) return m;
}

static void add_cell(struct sprint__text *text, const struct canvas *canvas, size_t row, size_t column) {
  const struct cell *cell = &canvas->cells[row * canvas->width + column];
  unsigned dots = cell->dots;
  char bytes[4] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)), '\0'};
  char mark[2] = {' ', '\0'};
  if (!cell->owners) {
    sprint__text_add(text, " ");
    return;
  }
  size_t owner = owner_of(cell->owners, column);
  mark[0] = mark_of(owner);
  add_colour(text, canvas, owner);
  sprint__text_add(text, canvas->braille ? bytes : mark);
  end_colour(text, canvas);
}

struct outlet {
  sprint_context *context;
  void (*line)(void *user, const char *text);
  void *user;
  sprint_status status;
};

/* A line, without the blanks at its end. */
static void give(struct outlet *outlet, struct sprint__text *text) {
  while (text->n && text->items[text->n - 1] == ' ') text->items[--text->n] = '\0';
  SPRINT__SCOPED(sprint__free) char *line = sprint__text_take(text);
  if (line)
    outlet->line(outlet->user, line);
  else
    outlet->status = SPRINT_ERROR_MEMORY;
}

static void print_row(const struct canvas *canvas, size_t row, struct outlet *outlet) {
  struct sprint__text text = {.context = outlet->context};
  double share = canvas->height > 1 ? (double)row / (double)(canvas->height - 1) : 0;
  double y = canvas->high - share * (canvas->high - canvas->low);
  bool labelled = row == 0 || row + 1 == canvas->height || row == canvas->height / 2;
  if (labelled)
    add_number(&text, canvas->panel->log ? pow(10, y) : y, LABEL - 1);
  else
    add_repeated(&text, " ", LABEL - 1);
  sprint__text_add(&text, canvas->braille ? (labelled ? " ┤" : " │") : (labelled ? " +" : " |"));
  for (size_t c = 0; c < canvas->width; c++) add_cell(&text, canvas, row, c);
  give(outlet, &text);
}

static void print_bottom(const struct canvas *canvas, struct outlet *outlet) {
  struct sprint__text axis = {.context = outlet->context}, numbers = {.context = outlet->context};
  char first[32], last[32];
  const char *label = canvas->braille ? canvas->figure->x.label : canvas->figure->x.plain;
  add_repeated(&axis, " ", LABEL);
  sprint__text_add(&axis, canvas->braille ? "└" : "+");
  add_repeated(&axis, canvas->braille ? "─" : "-", canvas->width);
  give(outlet, &axis);
  sprint__snprintf(first, sizeof first, "%.4g", canvas->panel->first);
  sprint__snprintf(last, sizeof last, "%.4g", canvas->panel->last);
  size_t used = strlen(first) + strlen(last) + strlen(label), room = canvas->width > used ? canvas->width - used : 2;
  add_repeated(&numbers, " ", LABEL + 1);
  sprint__text_add(&numbers, first);
  add_repeated(&numbers, " ", room / 2);
  sprint__text_add(&numbers, label);
  add_repeated(&numbers, " ", room - room / 2);
  sprint__text_add(&numbers, last);
  give(outlet, &numbers);
}

static struct sprint__shown name_of(const struct canvas *canvas, size_t method) {
  return sprint__name_show(canvas->figure->methods[method], canvas->look->columns - LABEL - NUMBERS);
}

static size_t longest_name(const struct canvas *canvas) {
  size_t longest = 0;
  for (size_t m = 0; m < canvas->figure->n_methods; m++) {
    size_t n = sprint__n_letters(name_of(canvas, m).text);
    if (n > longest) longest = n;
  }
  return longest;
}

/* "* sgd-gd   0.4569 +- 0.0021, 3 seeds" */
static void print_last(const struct canvas *canvas, const struct sprint__figure_curve *curve, struct outlet *outlet) {
  struct sprint__text text = {.context = outlet->context};
  struct sprint__shown name = name_of(canvas, curve->method);
  const char mark[2] = {mark_of(curve->method), '\0'};
  add_repeated(&text, " ", LABEL + 1);
  add_colour(&text, canvas, curve->method);
  sprint__text_add(&text, canvas->braille ? "━━" : mark);
  end_colour(&text, canvas);
  sprint__text_add(&text, " ");
  sprint__text_add(&text, name.text);
  add_repeated(&text, " ", longest_name(canvas) - sprint__n_letters(name.text) + 2);
  if (curve->mean.n) {
    size_t i = curve->mean.n - 1;
    char seeds[64];
    add_number(&text, curve->mean.mean[i], 0);
    if (!isnan(curve->mean.error[i])) {
      sprint__text_add(&text, canvas->braille ? " ± " : " +- ");
      add_number(&text, curve->mean.error[i], 0);
    }
    snprintf(seeds, sizeof seeds, ", %zu seed%s", curve->mean.n_seeds[i], curve->mean.n_seeds[i] == 1 ? "" : "s");
    sprint__text_add(&text, seeds);
  }
  give(outlet, &text);
}

static void print_head(const struct canvas *canvas, struct outlet *outlet) {
  struct sprint__text text = {.context = outlet->context};
  const struct sprint__measure *y = &canvas->figure->y[canvas->panel->y];
  const char *point = canvas->braille ? canvas->panel->title : canvas->panel->plain;
  sprint__text_add(&text, canvas->braille ? y->label : y->plain);
  if (*point) sprint__text_add(&text, " at ");
  sprint__text_add(&text, sprint__show(point).text);
  if (canvas->panel->log) sprint__text_add(&text, ", logarithmic");
  give(outlet, &text);
}

static void print_notes(const struct sprint__figure_panel *panel, struct outlet *outlet) {
  for (size_t i = 0; i < panel->n_notes; i++) {
    struct sprint__text text = {.context = outlet->context};
    add_repeated(&text, " ", LABEL + 1);
    sprint__text_add(&text, panel->notes[i]);
    give(outlet, &text);
  }
}

static sprint_status print_panel(const struct sprint__figure *figure, const struct sprint__figure_panel *panel,
                                 const struct sprint__text_look *look, struct outlet *outlet) {
  struct canvas canvas = {figure, panel, look, .width = look->columns - LABEL - 1, .height = look->rows - 3};
  SPRINT__SCRATCH(arena, outlet->context);
  canvas.braille = look->braille && (look->colour || figure->n_methods == 1);
  canvas.cells = sprint__arena_take(&arena, canvas.width * canvas.height, sizeof *canvas.cells);
  SPRINT__TRY(sprint__arena_status(&arena));
  print_head(&canvas, outlet);
  if (panel->n_curves == 0) {
    outlet->line(outlet->user, "            nothing to draw");
    print_notes(panel, outlet);
    return outlet->status;
  }
  canvas.low = scaled(&canvas, panel->least);
  canvas.high = scaled(&canvas, panel->greatest);
  for (size_t c = 0; c < panel->n_curves; c++) {
    for (size_t s = 0; s < panel->curves[c].n_seeds; s++)
      put_curve(&canvas, &panel->curves[c].seeds[s], panel->curves[c].method);
    put_curve(&canvas, &panel->curves[c].mean, panel->curves[c].method);
  }
  for (size_t r = 0; r < canvas.height; r++) print_row(&canvas, r, outlet);
  print_bottom(&canvas, outlet);
  for (size_t c = 0; c < panel->n_curves; c++) print_last(&canvas, &panel->curves[c], outlet);
  print_notes(panel, outlet);
  return outlet->status;
}

static size_t within(size_t value, size_t least, size_t most) {
  return value < least ? least : value > most ? most : value;
}

sprint_status sprint__figure_print(const struct sprint__figure *figure, const struct sprint__text_look *look,
                                   void (*line)(void *user, const char *text), void *user) {
  struct outlet outlet = {figure->arena->context, line, user, SPRINT_OK};
  struct sprint__text_look fitting = *look;
  fitting.columns = within(look->columns, LEAST_COLUMNS, MOST_COLUMNS);
  fitting.rows = within(look->rows, LEAST_ROWS, MOST_COLUMNS);
  for (size_t i = 0; i < figure->n_y * figure->n_points; i++) {
    if (i) line(user, "");
    SPRINT__TRY(print_panel(figure, &figure->panels[i], &fitting, &outlet));
  }
  return SPRINT_OK;
}
