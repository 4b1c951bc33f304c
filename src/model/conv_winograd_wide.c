/* See conv_winograd_wide.h. */
#include "base/fast.h"

#if SPRINT__TWICE
#pragma GCC target("avx512f,avx512vl,fma")
#define SPRINT__GROUP_SIZE 64
#include "model/conv_winograd_panel.h"

void sprint__wide_put_tiles(const struct sprint__winograd *of, const struct sprint__tiles *tiles, const sprint_real *x,
                            sprint_real *v) {
  if (of->side == SIDE_3)
    put_tiles(of, tiles, x, SIDE_3, v);
  else
    put_tiles(of, tiles, x, SIDE_5, v);
}

void sprint__wide_panel_forward(const struct sprint__winograd_forward *run, const struct sprint__tiles *tiles,
                                size_t f) {
  if (run->of->side == SIDE_3)
    panel_forward(run, tiles, f, SIDE_3, 1);
  else
    panel_forward(run, tiles, f, SIDE_5, 1);
}

void sprint__wide_panel_correlate(const struct sprint__winograd_backward *run, const struct sprint__tiles *tiles,
                                  size_t f) {
  if (run->of->side == SIDE_3)
    panel_correlate(run, tiles, f, SIDE_3, 1);
  else
    panel_correlate(run, tiles, f, SIDE_5, 1);
}

#else /* nobody asks for them */
#include "model/conv_winograd_wide.h"

void sprint__wide_put_tiles(const struct sprint__winograd *of, const struct sprint__tiles *tiles, const sprint_real *x,
                            sprint_real *v) {
  (void)of, (void)tiles, (void)x, (void)v;
}

void sprint__wide_panel_forward(const struct sprint__winograd_forward *run, const struct sprint__tiles *tiles,
                                size_t f) {
  (void)run, (void)tiles, (void)f;
}

void sprint__wide_panel_correlate(const struct sprint__winograd_backward *run, const struct sprint__tiles *tiles,
                                  size_t f) {
  (void)run, (void)tiles, (void)f;
}

#endif
