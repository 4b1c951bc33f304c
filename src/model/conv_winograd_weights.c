/* The gradient of the weights of windows of 3x3 and 5x5 by Winograd's minimal filtering of a tile of the image by its
 * slopes: 16 products a channel and filter for the four outputs of a tile instead of 36, and 36 instead of 100. The
 * image goes in as it does forward; the matrices are in conv_winograd_tile.h. */
#include "base/wide.h"
#include "model/conv_winograd_panel.h"

enum { TILES = 32 }; /* that go through together */

size_t sprint__winograd_sums(const struct sprint__winograd *of) {
  return sprint__winograd_places(of) * of->channels * of->lanes;
}

size_t sprint__winograd_weights_room(const struct sprint__winograd *of) {
  return sprint__winograd_places(of) * (place_size(TILES, channel_room(of)) + place_size(TILES, PANEL));
}

SPRINT__INLINE void correlate(const struct sprint__winograd_backward *run, const sprint_real *x, size_t side,
                              bool has_wide) {
  const struct sprint__winograd *of = run->of;
  size_t n = of->rows * of->columns;
  for (size_t first = 0; first < n; first += TILES) {
    struct sprint__tiles tiles = enter_tiles(of, x, first, TILES, side, has_wide, run->v);
    for (size_t f = 0; f < of->lanes; f += PANEL)
      if (panel_width(of, f) < PANEL)
        panel_correlate(run, &tiles, f, side, 1);
      else if (has_wide)
        sprint__wide_panel_correlate(run, &tiles, f);
      else
        panel_correlate(run, &tiles, f, side, 2);
  }
}

SPRINT__FAST void sprint__winograd_correlate(const struct sprint__winograd *of, const struct sprint__conv *windows,
                                             const sprint_real *x, const sprint_real *dy, sprint_real *room,
                                             sprint_real *sums, sprint_real *db) {
  sprint_real *u = room + sprint__winograd_places(of) * place_size(TILES, channel_room(of));
  struct sprint__winograd_backward run = {of, windows, dy, room, u, sums, db};
  if (of->side == SIDE_3)
    correlate(&run, x, SIDE_3, sprint__has_wide());
  else
    correlate(&run, x, SIDE_5, sprint__has_wide());
}

SPRINT__INLINE void gradient_of(const struct sprint__winograd *of, const sprint_real *sums, size_t side,
                                sprint_real *ret_dw) {
  size_t kernel = side - 1, window = kernel * kernel, places = side * side;
  for (size_t f = 0; f < of->lanes; f += G)
    for (size_t c = 0; c < of->channels; c++) {
      size_t panel = f / (2 * G) * 2 * G, width = panel_width(of, panel), at = c * width + (f - panel);
      group m[MOST_PLACES], half_way[MOST_PLACES], dw[MOST_PLACES];
      for (size_t k = 0; k < places; k++) m[k] = load(sums + (panel * places + k * width) * of->channels + at);
      for (size_t k = 0; k < side; k++) transform_sums(m + k, side, side, half_way + k, side);
      for (size_t k = 0; k < kernel; k++) transform_sums(half_way + side * k, 1, side, dw + kernel * k, 1);
      for (size_t k = 0; k < window; k++) store(ret_dw + (panel * window + k * width) * of->channels + at, dw[k]);
    }
}

SPRINT__FAST void sprint__winograd_gradient(const struct sprint__winograd *of, const sprint_real *sums,
                                            sprint_real *ret_dw) {
  if (of->side == SIDE_3)
    gradient_of(of, sums, SIDE_3, ret_dw);
  else
    gradient_of(of, sums, SIDE_5, ret_dw);
}
