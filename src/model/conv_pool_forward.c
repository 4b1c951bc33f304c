/* Forward kernel of conv_pool.h: the four outputs of a window for two groups of filters at a time, in registers, from
 * the convolution to the largest of them. */
#include "base/wide.h"
#include "model/conv_pool_strips.h"
#include "model/conv_pool_wide.h"

/* The filters outside, so that those of two groups stay in cache for all of the image. */
SPRINT__FAST void sprint__conv_pool_forward(const struct sprint__conv_pool *of, const sprint_real *x,
                                            const sprint_real *weights, const sprint_real *bias, sprint_real *ret_y,
                                            unsigned char *ret_codes) {
  size_t done = sprint__has_wide() ? sprint__wide_pool_forward(of, x, weights, bias, ret_y, ret_codes) : 0;
  for (size_t f = done; f < of->lanes; f += 2 * G)
    if (of->lanes - f > G)
      pool_image(of, x, weights, G, 2 * G, bias, f, 2, ret_y, ret_codes);
    else
      pool_image(of, x, weights, 0, G, bias, f, 1, ret_y, ret_codes);
}
