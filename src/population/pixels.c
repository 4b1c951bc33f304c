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
