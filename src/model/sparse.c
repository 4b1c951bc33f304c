/* Sparse products: see sparse.h. Columns are taken WIDE groups at a time, which stay in registers; features in tiles
 * whose rows of W stay in the first cache while all records go by. */
#include "model/sparse.h"

#include "base/group.h"

enum {
  WIDE = SPRINT__SPARSE_OUT / SPRINT__GROUP,
  TILE = 64, /* features */
};

/* The entries of eight bytes, all written and those of zero written over. */
SPRINT__INLINE size_t list_word(const uint8_t *bytes, const sprint_real *levels, size_t feature,
                                struct sprint__entry *to) {
  size_t used = 0;
  for (size_t k = 0; k < 8; k++) {
    to[used] = (struct sprint__entry){(uint32_t)(feature + k), levels[bytes[k]]};
    used += bytes[k] != 0;
  }
  return used;
}

SPRINT__INLINE size_t list_record(const struct sprint__pixels *pixels, const uint8_t *bytes, struct sprint__entry *to) {
  size_t used = 0;
  for (size_t c = 0; c < pixels->channels; c++) {
    const sprint_real *levels = pixels->levels + c * 256;
    size_t k = c * pixels->plane, end = k + pixels->plane;
    for (; k + 8 <= end; k += 8) {
      uint64_t word;
      memcpy(&word, bytes + k, sizeof word);
      if (word) used += list_word(bytes + k, levels, k, to + used);
    }
    for (; k < end; k++) {
      to[used] = (struct sprint__entry){(uint32_t)k, levels[bytes[k]]};
      used += bytes[k] != 0;
    }
  }
  return used;
}

SPRINT__FAST void sprint__sparse_list(const struct sprint__pixels *pixels, const uint32_t *who, size_t first, size_t n,
                                      struct sprint__sparse *ret_sparse) {
  size_t used = 0, d = pixels->channels * pixels->plane;
  for (size_t i = 0; i < n; i++) {
    ret_sparse->start[i] = (uint32_t)used;
    used += list_record(pixels, pixels->bytes + (who ? who[i] : first + i) * d, ret_sparse->entries + used);
  }
  ret_sparse->start[n] = (uint32_t)used;
}

/* Adds the rows of W of the record's entries below feature `end`; returns where the next one is. */
SPRINT__INLINE uint32_t add_rows(const struct sprint__sparse *x, uint32_t at, uint32_t stop, size_t end,
                                 const sprint_real *w, size_t stride, sprint_real *y) {
  group sums[WIDE];
  for (size_t g = 0; g < WIDE; g++) sums[g] = load(y + g * G);
  for (; at < stop && x->entries[at].feature < end; at++) {
    group factor = all(x->entries[at].value);
    const sprint_real *row = w + x->entries[at].feature * stride;
    for (size_t g = 0; g < WIDE; g++) sums[g] += factor * load(row + g * G);
  }
  for (size_t g = 0; g < WIDE; g++) store(y + g * G, sums[g]);
  return at;
}

SPRINT__FAST void sprint__sparse_forward(const struct sprint__dense *dense, const struct sprint__sparse *x, size_t n,
                                         sprint_real *ret_y) {
  size_t in = dense->in, out = dense->out;
  const sprint_real *bias = dense->theta + in * out;
  for (size_t i = 0; i < n; i++) memcpy(ret_y + i * out, bias, out * sizeof *bias);
  size_t tile = n > 1 ? TILE : in;
  for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT) {
    for (size_t i = 0; i < n; i++) x->at[i] = x->start[i];
    for (size_t k = 0; k < in; k += tile)
      for (size_t i = 0; i < n; i++)
        x->at[i] = add_rows(x, x->at[i], x->start[i + 1], k + tile, dense->theta + c, out, ret_y + i * out + c);
  }
  for (size_t k = 0; dense->relu && k < n * out; k += G) store(ret_y + k, positive(load(ret_y + k)));
}

/* The same the other way: adds a record's dy to the rows of its entries. */
SPRINT__INLINE uint32_t add_to_rows(const struct sprint__sparse *x, uint32_t at, uint32_t stop, size_t end,
                                    const sprint_real *dy, size_t stride, sprint_real *gradient) {
  if (at >= stop || x->entries[at].feature >= end) return at;
  group d[WIDE];
  for (size_t g = 0; g < WIDE; g++) d[g] = load(dy + g * G);
  for (; at < stop && x->entries[at].feature < end; at++) {
    group factor = all(x->entries[at].value);
    sprint_real *row = gradient + x->entries[at].feature * stride;
    for (size_t g = 0; g < WIDE; g++) store(row + g * G, load(row + g * G) + factor * d[g]);
  }
  return at;
}

SPRINT__FAST void sprint__sparse_weight(const struct sprint__dense *dense, const struct sprint__sparse *x,
                                        const sprint_real *dy, size_t n, bool adds, sprint_real *gradient) {
  size_t in = dense->in, out = dense->out;
  sprint_real *bias = gradient + in * out;
  if (!adds) memset(gradient, 0, (in + 1) * out * sizeof *gradient);
  for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT) {
    for (size_t i = 0; i < n; i++) x->at[i] = x->start[i];
    for (size_t k = 0; k < in; k += TILE)
      for (size_t i = 0; i < n; i++)
        x->at[i] = add_to_rows(x, x->at[i], x->start[i + 1], k + TILE, dy + i * out + c, out, gradient + c);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < out; o += G) store(bias + o, load(bias + o) + load(dy + i * out + o));
}
