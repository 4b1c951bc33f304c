/* Charts for a terminal, in plain characters. */
#include <math.h>
#include <string.h>

#include "theory.h"

enum { WIDTH = 64, HEIGHT = 9 };

struct range {
  double low, high;
};

static struct range range_of(const double *values, size_t n, double line) {
  struct range it = {isnan(line) ? values[0] : line, isnan(line) ? values[0] : line};
  for (size_t i = 0; i < n; i++) {
    it.low = fmin(it.low, values[i]);
    it.high = fmax(it.high, values[i]);
  }
  if (!(it.high > it.low)) it.high = it.low + fmax(fabs(it.low), 1e-300);
  return it;
}

static size_t height_of(const struct range *range, double value) {
  return (size_t)((value - range->low) / (range->high - range->low) * (HEIGHT - 1) + 0.5);
}

void theory_chart(const char *title, const double *values, size_t n, double line) {
  char rows[HEIGHT][WIDTH + 1];
  struct range range = range_of(values, n, line);
  memset(rows, ' ', sizeof rows);
  if (!isfinite(range.low) || !isfinite(range.high)) return;
  for (size_t x = 0; x < WIDTH; x++) {
    size_t k = n > 1 ? (size_t)((double)x / (WIDTH - 1) * (double)(n - 1) + 0.5) : 0;
    if (!isnan(line)) rows[height_of(&range, line)][x] = '-';
    rows[height_of(&range, values[k])][x] = '*';
  }
  printf("%s\n", title);
  for (size_t y = HEIGHT; y-- > 0;) {
    size_t width = WIDTH;
    while (width > 0 && rows[y][width - 1] == ' ') width--;
    if (y == HEIGHT - 1 || y == 0)
      printf("  %10.4g |%.*s\n", y ? range.high : range.low, (int)width, rows[y]);
    else
      printf("  %10s |%.*s\n", "", (int)width, rows[y]);
  }
  printf("  %10s k = 0%*zu\n", "", WIDTH - 4, n - 1);
}
