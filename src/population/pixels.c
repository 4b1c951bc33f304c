/* Bytes to features: see pixels.h. */
#include "population/pixels.h"

#include "base/fast.h"

SPRINT__FAST void sprint__pixels_unpack(const struct sprint__pixels *pixels, const uint32_t *who, size_t first,
                                        size_t n, sprint_real *ret_x) {
  size_t plane = pixels->plane;
  for (size_t i = 0; i < n; i++) {
    const uint8_t *bytes = pixels->bytes + (who ? who[i] : first + i) * pixels->channels * plane;
    for (size_t c = 0; c < pixels->channels; c++, bytes += plane, ret_x += plane) {
      const sprint_real *levels = pixels->levels + c * 256;
      for (size_t k = 0; k < plane; k++) ret_x[k] = levels[bytes[k]];
    }
  }
}

SPRINT__FAST size_t sprint__pixels_count(const struct sprint__pixels *pixels, size_t n) {
  size_t used = 0;
  for (size_t i = 0; i < n * pixels->channels * pixels->plane; i++) used += pixels->bytes[i] != 0;
  return used;
}

void sprint__pixels_list(struct sprint__pixels *pixels, size_t n) {
  size_t used = 0, d = pixels->channels * pixels->plane;
  for (size_t i = 0; i < n; i++) {
    const uint8_t *bytes = pixels->bytes + i * d;
    for (size_t k = 0; k < d; k++) {
      if (k % SPRINT__PIXEL_TILE == 0) pixels->start[i * pixels->tiles + k / SPRINT__PIXEL_TILE] = used;
      if (bytes[k]) pixels->list[used++] = sprint__pixel_of(k, k / pixels->plane * 256 + bytes[k]);
    }
  }
  pixels->start[n * pixels->tiles] = used;
}
