/* Convolution: planes (channels, height, width) to (filters, rows, columns), weights (filters, channels, kernel rows,
 * kernel columns) as PyTorch's nn.Conv2d. Each record's windows are laid out as the columns of a matrix (im2col), so
 * that the work is matrix products. */
#include <string.h>

#include "model/gemm.h"
#include "model/layer.h"

enum { FILTERS, KERNEL, PADDING, STRIDE };
enum { SAME, VALID };

/* Output length of one dimension; 0: the kernel does not fit. */
static size_t conv_length(size_t length, size_t kernel, size_t padding, size_t stride) {
  return length + 2 * padding < kernel ? 0 : (length + 2 * padding - kernel) / stride + 1;
}

static const char *conv_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  bool same = arguments[PADDING].choice == SAME;
  if (layer->from.height * layer->from.width <= 1) return SPRINT__NO_IMAGE;
  layer->kernel[0] = (size_t)arguments[KERNEL].number;
  layer->kernel[1] = (size_t)arguments[KERNEL].second;
  layer->stride = (size_t)arguments[STRIDE].number;
  if (same && (layer->kernel[0] % 2 == 0 || layer->kernel[1] % 2 == 0))
    return "padding `same` needs an odd kernel (or say `valid`)";
  for (int k = 0; k < 2; k++) layer->padding[k] = same ? layer->kernel[k] / 2 : 0;
  layer->to.channels = (size_t)arguments[FILTERS].number;
  layer->to.height = conv_length(layer->from.height, layer->kernel[0], layer->padding[0], layer->stride);
  layer->to.width = conv_length(layer->from.width, layer->kernel[1], layer->padding[1], layer->stride);
  if (!layer->to.height || !layer->to.width) return "the kernel is larger than the image";
  layer->n_dims = 4;
  layer->dims[0] = layer->to.channels;
  layer->dims[1] = layer->from.channels;
  layer->dims[2] = layer->kernel[0];
  layer->dims[3] = layer->kernel[1];
  size_t window = layer->kernel[0] * layer->kernel[1];
  layer->fan_in = layer->from.channels * window;
  layer->fan_out = layer->to.channels * window;
  layer->n_weights = layer->to.channels * layer->fan_in;
  layer->n_biases = layer->to.channels;
  layer->scratch = layer->fan_in * layer->to.height * layer->to.width;
  layer->products = (double)layer->n_weights * (double)(layer->to.height * layer->to.width);
  return NULL;
}

/* The part of an output row that a kernel column can see: outputs first .. end-1 read the input at
 * output * stride + shift. */
struct span {
  size_t first, end;
  ptrdiff_t shift;
};

static struct span span_of(size_t out, size_t in, size_t stride, size_t padding, size_t kernel_at) {
  struct span span = {0, out, (ptrdiff_t)kernel_at - (ptrdiff_t)padding};
  while (span.first < out && (ptrdiff_t)(span.first * stride) + span.shift < 0) span.first++;
  while (span.end > span.first && (ptrdiff_t)((span.end - 1) * stride) + span.shift >= (ptrdiff_t)in) span.end--;
  return span;
}

/* One row of the matrix: what kernel place (ky, kx) of a plane sees at every output. */
static void unfold_place(const struct sprint__layer *layer, const sprint_real *plane, size_t ky, size_t kx,
                         sprint_real *row) {
  size_t rows = layer->to.height, columns = layer->to.width, stride = layer->stride, width = layer->from.width;
  struct span down = span_of(rows, layer->from.height, stride, layer->padding[0], ky);
  struct span across = span_of(columns, width, stride, layer->padding[1], kx);
  memset(row, 0, rows * columns * sizeof *row);
  for (size_t r = down.first; r < down.end; r++) {
    const sprint_real *from = plane + (size_t)((ptrdiff_t)(r * stride) + down.shift) * width;
    sprint_real *to = row + r * columns;
    if (stride == 1)
      memcpy(to + across.first, from + (ptrdiff_t)across.first + across.shift,
             (across.end - across.first) * sizeof *to);
    else
      for (size_t c = across.first; c < across.end; c++) to[c] = from[(ptrdiff_t)(c * stride) + across.shift];
  }
}

/* The reverse: adds the row of the matrix to the places that it was read from. */
static void fold_place(const struct sprint__layer *layer, const sprint_real *row, size_t ky, size_t kx,
                       sprint_real *plane) {
  size_t columns = layer->to.width, stride = layer->stride, width = layer->from.width;
  struct span down = span_of(layer->to.height, layer->from.height, stride, layer->padding[0], ky);
  struct span across = span_of(columns, width, stride, layer->padding[1], kx);
  for (size_t r = down.first; r < down.end; r++) {
    sprint_real *to = plane + (size_t)((ptrdiff_t)(r * stride) + down.shift) * width;
    const sprint_real *from = row + r * columns;
    for (size_t c = across.first; c < across.end; c++) to[(ptrdiff_t)(c * stride) + across.shift] += from[c];
  }
}

/* The whole matrix (fan_in, positions) of one record. */
static void unfold(const struct sprint__layer *layer, const sprint_real *x, sprint_real *matrix) {
  size_t positions = layer->to.height * layer->to.width, plane = layer->from.height * layer->from.width;
  for (size_t c = 0; c < layer->from.channels; c++)
    for (size_t ky = 0; ky < layer->kernel[0]; ky++)
      for (size_t kx = 0; kx < layer->kernel[1]; kx++, matrix += positions)
        unfold_place(layer, x + c * plane, ky, kx, matrix);
}

static void fold(const struct sprint__layer *layer, const sprint_real *matrix, sprint_real *dx) {
  size_t positions = layer->to.height * layer->to.width, plane = layer->from.height * layer->from.width;
  memset(dx, 0, layer->in * sizeof *dx);
  for (size_t c = 0; c < layer->from.channels; c++)
    for (size_t ky = 0; ky < layer->kernel[0]; ky++)
      for (size_t kx = 0; kx < layer->kernel[1]; kx++, matrix += positions)
        fold_place(layer, matrix, ky, kx, dx + c * plane);
}

static void conv_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                         sprint_real *ret_y, sprint_real *scratch) {
  const sprint_real *bias = theta + layer->n_weights;
  size_t positions = layer->to.height * layer->to.width;
  for (size_t i = 0; i < n; i++, x += layer->in, ret_y += layer->out) {
    for (size_t f = 0; f < layer->to.channels; f++)
      for (size_t k = 0; k < positions; k++) ret_y[f * positions + k] = bias[f];
    unfold(layer, x, scratch);
    sprint__gemm_add(theta, scratch, layer->to.channels, layer->fan_in, positions, ret_y);
  }
}

static void conv_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                          const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx, sprint_real *gradient,
                          bool adds, sprint_real *scratch) {
  (void)y;
  size_t positions = layer->to.height * layer->to.width, filters = layer->to.channels;
  for (size_t i = 0; i < n; i++, x += layer->in, dy += layer->out) {
    if (gradient) {
      unfold(layer, x, scratch);
      /* dw (filters, fan_in) += dy (filters, positions) matrix^T */
      sprint_real *bias = gradient + layer->n_weights;
      if (i == 0 && !adds) memset(gradient, 0, (layer->n_weights + layer->n_biases) * sizeof *gradient);
      sprint__gemm_by_transposed(dy, scratch, filters, positions, layer->fan_in, true, gradient);
      for (size_t f = 0; f < filters; f++)
        for (size_t k = 0; k < positions; k++) bias[f] += dy[f * positions + k];
    }
    if (!dx) continue;
    sprint__gemm_transposed(theta, dy, filters, layer->fan_in, positions, false, scratch);
    fold(layer, scratch, dx);
    dx += layer->in;
  }
}

static const struct sprint__layer_ops conv_ops = {conv_setup, conv_forward, conv_backward};

static const sprint_param conv_params[] = {
    SPRINT__INTEGER("filters", NULL, 1, 65536, "number of output planes"),
    {.name = "kernel", .type = SPRINT_PARAM_TEXT, .min = 1, .max = 1024, .help = "rows x columns, such as 3x3"},
    SPRINT__CHOICE("padding", "same", "same|valid", "same: zeros around, so that stride 1 keeps the size; valid: none"),
    SPRINT__INTEGER("stride", "1", 1, 1024, "`stride 2` after the others"),
};

const sprint_kind sprint__layer_conv = {"conv", "convolution of images: conv 32 3x3, conv 16 5x5 valid stride 2",
                                        conv_params, SPRINT__COUNT(conv_params), &conv_ops};
