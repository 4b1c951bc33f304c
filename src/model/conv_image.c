/* Images and scratch for the kernels of conv.h. */
#include "model/conv.h"

void sprint__conv_place(const struct sprint__shape *shape, bool last, const sprint_real *x, size_t line,
                        sprint_real *to) {
  size_t channels = shape->channels, width = shape->width;
  for (size_t r = 0; r < shape->height; r++, to += line)
    if (last)
      memcpy(to, x + r * width * channels, width * channels * sizeof *x);
    else
      sprint__transpose(x + r * width, channels, width, shape->height * width, channels, to);
}

sprint_real *sprint__conv_take(sprint_real *base, size_t *used, size_t n) {
  if (!*used && base) *used = (SPRINT__LINE - (uintptr_t)base / sizeof *base % SPRINT__LINE) % SPRINT__LINE;
  sprint_real *part = base ? base + *used : NULL;
  *used += (n + SPRINT__LINE - 1) / SPRINT__LINE * SPRINT__LINE;
  return part;
}
