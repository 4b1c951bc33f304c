/* Kernel of conv.h and conv_pool.h for windows of 3x3 and 5x5 by Winograd's minimal filtering: the four outputs of a
 * tile from 16 products a channel instead of 36, and from 36 instead of 100. The matrices are in conv_winograd_tile.h.
 * Where outputs are pooled, its four are just those of a pool. */
#include "base/wide.h"
#include "model/conv_winograd_panel.h"

enum { TILES = 16 }; /* that go through together */

size_t sprint__winograd_room(const struct sprint__winograd *of) {
  return sprint__winograd_places(of) * (place_size(TILES, channel_room(of)) + place_size(TILES, PANEL));
}

/* From panels of two groups of filters, each (window, channels, width), to those of (places, channels, width). */
SPRINT__INLINE void transform_weights(const struct sprint__winograd *of, const sprint_real *weights, size_t side,
                                      sprint_real *ret_weights) {
  size_t kernel = side - 1, window = kernel * kernel, places = side * side;
  for (size_t f = 0; f < of->lanes; f += G)
    for (size_t c = 0; c < of->channels; c++) {
      group g[MOST_PLACES], half_way[MOST_PLACES], u[MOST_PLACES];
      size_t panel = f / (2 * G) * 2 * G, width = panel_width(of, panel);
      const sprint_real *from = weights + panel * window * of->channels + c * width + (f - panel);
      for (size_t k = 0; k < window; k++) g[k] = load(from + k * of->channels * width);
      for (size_t k = 0; k < kernel; k++) transform_filter(g + k, kernel, side, half_way + k, kernel);
      for (size_t k = 0; k < side; k++) transform_filter(half_way + kernel * k, 1, side, u + side * k, 1);
      sprint_real *to = ret_weights + panel * places * of->channels + c * width + (f - panel);
      for (size_t k = 0; k < places; k++) store(to + k * of->channels * width, u[k]);
    }
}

SPRINT__FAST void sprint__winograd_weights(const struct sprint__winograd *of, const sprint_real *weights,
                                           sprint_real *ret_weights) {
  if (of->side == SIDE_3)
    transform_weights(of, weights, SIDE_3, ret_weights);
  else
    transform_weights(of, weights, SIDE_5, ret_weights);
}

SPRINT__INLINE void filter_image(const struct sprint__winograd_forward *run, const sprint_real *x, size_t side,
                                 bool has_wide) {
  const struct sprint__winograd *of = run->of;
  size_t n = of->rows * of->columns;
  for (size_t first = 0; first < n; first += TILES) {
    struct sprint__tiles tiles = enter_tiles(of, x, first, TILES, side, has_wide, run->v);
    for (size_t f = 0; f < of->lanes; f += PANEL)
      if (panel_width(of, f) < PANEL)
        panel_forward(run, &tiles, f, side, 1);
      else if (has_wide)
        sprint__wide_panel_forward(run, &tiles, f);
      else
        panel_forward(run, &tiles, f, side, 2);
  }
}

SPRINT__FAST static void winograd(const struct sprint__winograd_forward *run, const sprint_real *x) {
  bool has_wide = sprint__has_wide();
  if (run->of->side == SIDE_3)
    filter_image(run, x, SIDE_3, has_wide);
  else
    filter_image(run, x, SIDE_5, has_wide);
}

void sprint__winograd_pool(const struct sprint__winograd *of, const sprint_real *x, const sprint_real *weights,
                           const sprint_real *bias, sprint_real *room, sprint_real *ret_y, unsigned char *ret_codes) {
  sprint_real *m = room + sprint__winograd_places(of) * place_size(TILES, channel_room(of));
  winograd(&(struct sprint__winograd_forward){of, weights, bias, room, m, .y = ret_y, .codes = ret_codes}, x);
}

void sprint__winograd_plain(const struct sprint__winograd *of, const struct sprint__conv *plain, const sprint_real *x,
                            const sprint_real *weights, const sprint_real *bias, bool relu, sprint_real *room,
                            sprint_real *y) {
  sprint_real *m = room + sprint__winograd_places(of) * place_size(TILES, channel_room(of));
  winograd(&(struct sprint__winograd_forward){of, weights, bias, room, m, .y = y, .plain = plain, .relu = relu}, x);
}
