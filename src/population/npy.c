/* NPY arrays: https://numpy.org/neps/nep-0001-npy-format.html
 *
 * magic, version, header length, a Python dict as text padded to 64 bytes, the numbers. Elements of the other byte
 * order are turned round, and arrays in Fortran order are put into C order as they are read. What is written is
 * little-endian and in C order; all of it takes a little-endian machine. */
#include "population/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

#define MAX_DIMS        4
#define MAX_HEADER_SIZE 65536
#define BLOCK_ELEMENTS  512

static const char magic[6] = "\x93NUMPY";

/* Element types: code without its byte order, C type. */
#define TYPE_LIST(X) \
  X("f4", float)     \
  X("f8", double)    \
  X("i1", int8_t)    \
  X("i2", int16_t)   \
  X("i4", int32_t)   \
  X("i8", int64_t)   \
  X("u1", uint8_t)   \
  X("u2", uint16_t)  \
  X("u4", uint32_t)  \
  X("u8", uint64_t)  \
  X("b1", uint8_t)

struct type {
  const char *code;
  size_t size;
  void (*convert)(const unsigned char *bytes, size_t n, double *ret_values);
};

#define CONVERT(c_type)                                                                    \
  static void convert_##c_type(const unsigned char *bytes, size_t n, double *ret_values) { \
    for (size_t i = 0; i < n; i++) {                                                       \
      c_type value;                                                                        \
      memcpy(&value, bytes + i * sizeof value, sizeof value);                              \
      ret_values[i] = (double)value;                                                       \
    }                                                                                      \
  }
CONVERT(float)
CONVERT(double)
CONVERT(int8_t)
CONVERT(int16_t)
CONVERT(int32_t)
CONVERT(int64_t)
CONVERT(uint8_t)
CONVERT(uint16_t)
CONVERT(uint32_t)
CONVERT(uint64_t)

static const struct type types[] = {
#define X(code, c_type) {code, sizeof(c_type), convert_##c_type},
    TYPE_LIST(X)
#undef X
};

/* A file being read. */
struct npy {
  sprint_context *context;
  const char *path;
  FILE *stream;
  char *header; /* the dict, NUL-terminated */
  size_t data_start;
  const struct type *type;
  bool turned;  /* the bytes of an element come highest first */
  bool fortran; /* the first index runs fastest */
  sprint_array array;
  uint8_t *bytes; /* instead of array.data */
  size_t n_elements;
};

static void npy_clear(struct npy *npy) {
  fclose_at(&npy->stream);
  sprint__free(npy->header);
  sprint_array_clear(&npy->array);
  sprint__free(npy->bytes);
}

static sprint_status refuse(const struct npy *npy, const char *what) {
  return sprint_fail(npy->context, SPRINT_ERROR_INPUT, "%s: %s", npy->path, what);
}

static sprint_status read_header(struct npy *npy) {
  unsigned char start[8], length[4] = {0};
  if (fread(start, 1, sizeof start, npy->stream) != sizeof start || memcmp(start, magic, sizeof magic) != 0)
    return refuse(npy, "is not an NPY file");
  if (start[6] != 1 && start[6] != 2)
    return sprint_fail(npy->context, SPRINT_ERROR_INPUT, "%s: NPY version %d is not read, 1 and 2 are", npy->path,
                       start[6]);
  size_t length_size = start[6] == 1 ? 2 : 4;
  if (fread(length, 1, length_size, npy->stream) != length_size) return refuse(npy, "ends within its header");
  size_t size = (size_t)length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
  if (size > MAX_HEADER_SIZE) return refuse(npy, "has a header of more than 64 KiB");
  npy->header = sprint__alloc(npy->context, size + 1, 1);
  if (!npy->header) return SPRINT_ERROR_MEMORY;
  if (fread(npy->header, 1, size, npy->stream) != size) return refuse(npy, "ends within its header");
  npy->data_start = sizeof start + length_size + size;
  return SPRINT_OK;
}

/* What follows "'key':" in the header, or NULL. */
static const char *header_value(const struct npy *npy, const char *key) {
  const char *at = strstr(npy->header, key);
  if (!at) return NULL;
  at += strlen(key);
  at += strspn(at, " ");
  if (*at++ != ':') return NULL;
  return at + strspn(at, " ");
}

static sprint_status parse_type(struct npy *npy) {
  const char *at = header_value(npy, "'descr'");
  if (!at) return refuse(npy, "has no 'descr' in its header");
  bool quoted = at[0] == '\'' && at[1] && strchr("<>=|", at[1]);
  for (size_t i = 0; quoted && i < SPRINT__COUNT(types); i++)
    if (strncmp(at + 2, types[i].code, 2) == 0 && at[4] == '\'') {
      npy->type = &types[i];
      npy->turned = at[1] == '>';
      return SPRINT_OK;
    }
  return sprint_fail(npy->context, SPRINT_ERROR_INPUT,
                     "%s: elements of type %.*s are not read; floats of 4 and 8 bytes, integers and bools are",
                     npy->path, (int)strcspn(at, ","), at);
}

static sprint_status parse_order(struct npy *npy) {
  const char *at = header_value(npy, "'fortran_order'");
  if (!at) return refuse(npy, "has no 'fortran_order' in its header");
  npy->fortran = strncmp(at, "True", 4) == 0;
  if (npy->fortran || strncmp(at, "False", 5) == 0) return SPRINT_OK;
  return refuse(npy, "has a 'fortran_order' that is neither True nor False");
}

/* A size at *at, moved past; false where there is none or it does not fit. */
static bool parse_size(const char **at, size_t *ret_size) {
  const char *start = *at;
  size_t size = 0;
  for (; **at >= '0' && **at <= '9'; (*at)++)
    if (__builtin_mul_overflow(size, (size_t)10, &size) || __builtin_add_overflow(size, (size_t)(**at - '0'), &size))
      return false;
  *ret_size = size;
  return *at != start;
}

static sprint_status parse_shape(struct npy *npy) {
  static const char unreadable[] = "has a 'shape' that cannot be read";
  const char *at = header_value(npy, "'shape'");
  if (!at || *at++ != '(') return refuse(npy, unreadable);
  npy->n_elements = 1;
  for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ")) {
    size_t size;
    if (npy->array.n_dims == MAX_DIMS) return refuse(npy, "has more than 4 dimensions");
    if (!parse_size(&at, &size)) return refuse(npy, unreadable);
    npy->array.shape[npy->array.n_dims++] = size;
    if (__builtin_mul_overflow(npy->n_elements, size, &npy->n_elements)) return refuse(npy, unreadable);
    at += strspn(at, " ");
    if (*at == ',')
      at++;
    else if (*at != ')')
      return refuse(npy, unreadable);
  }
  return SPRINT_OK;
}

/* The file must hold the shape exactly: found before memory is taken for it. */
static sprint_status check_size(const struct npy *npy) {
  size_t expected;
  if (__builtin_mul_overflow(npy->n_elements, npy->type->size, &expected))
    return refuse(npy, "has a 'shape' that is too large");
  if (fseek(npy->stream, 0, SEEK_END) != 0) return refuse(npy, "cannot be searched; a plain file is needed");
  long end = ftell(npy->stream);
  size_t size = end > (long)npy->data_start ? (size_t)end - npy->data_start : 0;
  if (size != expected)
    return sprint_fail(npy->context, SPRINT_ERROR_INPUT, "%s: %s: %zu bytes of numbers, the shape needs %zu", npy->path,
                       size < expected ? "is cut short" : "has bytes after its end", size, expected);
  if (fseek(npy->stream, (long)npy->data_start, SEEK_SET) != 0) return refuse(npy, "cannot be read");
  return SPRINT_OK;
}

static void turn_round(unsigned char *bytes, size_t n, size_t size) {
  for (size_t i = 0; i < n; i++, bytes += size)
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
      unsigned char byte = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = byte;
    }
}

/* Where the elements of a file go, one after the other: in C order the last index runs fastest. */
struct walk {
  size_t n_dims, shape[MAX_DIMS], stride[MAX_DIMS], index[MAX_DIMS];
  size_t at;
};

static struct walk walk_of(const struct npy *npy) {
  size_t n_dims = npy->array.n_dims, stride = 1;
  struct walk walk = {.n_dims = n_dims};
  for (size_t k = n_dims; k-- > 0; stride *= npy->array.shape[k]) {
    size_t place = npy->fortran ? k : n_dims - 1 - k; /* the fastest comes first */
    walk.shape[place] = npy->array.shape[k];
    walk.stride[place] = stride;
  }
  return walk;
}

static inline void walk_on(struct walk *walk) {
  for (size_t k = 0; k < walk->n_dims; k++) {
    walk->at += walk->stride[k];
    if (++walk->index[k] < walk->shape[k]) return;
    walk->at -= walk->stride[k] * walk->shape[k];
    walk->index[k] = 0;
  }
}

static sprint_status read_elements(struct npy *npy) {
  unsigned char block[BLOCK_ELEMENTS * 8];
  double values[BLOCK_ELEMENTS];
  struct walk walk = walk_of(npy);
  npy->array.data = sprint__alloc(npy->context, npy->n_elements, sizeof *npy->array.data);
  if (!npy->array.data) return SPRINT_ERROR_MEMORY;
  for (size_t done = 0, n; done < npy->n_elements; done += n) {
    n = npy->n_elements - done < BLOCK_ELEMENTS ? npy->n_elements - done : BLOCK_ELEMENTS;
    if (fread(block, npy->type->size, n, npy->stream) != n) return refuse(npy, "cannot be read to its end");
    if (npy->turned) turn_round(block, n, npy->type->size);
    npy->type->convert(block, n, npy->fortran ? values : npy->array.data + done);
    for (size_t i = 0; npy->fortran && i < n; i++, walk_on(&walk)) npy->array.data[walk.at] = values[i];
  }
  return SPRINT_OK;
}

static sprint_status read_bytes(struct npy *npy) {
  unsigned char block[BLOCK_ELEMENTS];
  struct walk walk = walk_of(npy);
  npy->bytes = sprint__alloc(npy->context, npy->n_elements, 1);
  if (!npy->bytes) return SPRINT_ERROR_MEMORY;
  for (size_t done = 0, n; done < npy->n_elements; done += n) {
    n = npy->n_elements - done < BLOCK_ELEMENTS ? npy->n_elements - done : BLOCK_ELEMENTS;
    if (fread(npy->fortran ? block : npy->bytes + done, 1, n, npy->stream) != n)
      return refuse(npy, "cannot be read to its end");
    for (size_t i = 0; npy->fortran && i < n; i++, walk_on(&walk)) npy->bytes[walk.at] = block[i];
  }
  return SPRINT_OK;
}

static sprint_status read_all(struct npy *npy, bool keep_images) {
  SPRINT__TRY(read_header(npy));
  SPRINT__TRY(parse_type(npy));
  SPRINT__TRY(parse_order(npy));
  SPRINT__TRY(parse_shape(npy));
  SPRINT__TRY(check_size(npy));
  bool image = npy->array.n_dims >= 3 && strcmp(npy->type->code, "u1") == 0;
  return keep_images && image ? read_bytes(npy) : read_elements(npy);
}

/* ret_bytes NULL: everything is read as double. */
static sprint_status read_npy(sprint_context *context, const char *path, sprint_array *ret_array, uint8_t **ret_bytes) {
  SPRINT__CLEARED(npy_clear) struct npy npy = {.context = context, .path = path};
  SPRINT__TRY(sprint__file_open(context, path, &npy.stream));
  SPRINT__TRY(read_all(&npy, ret_bytes != NULL));
  *ret_array = npy.array;
  npy.array.data = NULL;
  if (ret_bytes) *ret_bytes = sprint__give(&npy.bytes);
  return SPRINT_OK;
}

sprint_status sprint_npy_read(sprint_context *context, const char *path, sprint_array *ret_array) {
  SPRINT__REQUIRE(context, path, ret_array);
  return read_npy(context, path, ret_array, NULL);
}

sprint_status sprint__npy_read_images(sprint_context *context, const char *path, sprint_array *ret_array,
                                      uint8_t **ret_bytes) {
  return read_npy(context, path, ret_array, ret_bytes);
}

void sprint_array_clear(sprint_array *array) {
  if (!array) return;
  sprint__free(array->data);
  *array = (sprint_array){.data = NULL};
}

static void write_header(FILE *stream, const char *code, size_t n_dims, const size_t *shape) {
  char sizes[MAX_DIMS * 24] = "", dict[256];
  for (size_t k = 0, n = 0; k < n_dims; k++)
    n += (size_t)snprintf(sizes + n, sizeof sizes - n, k ? ", %zu" : n_dims == 1 ? "%zu," : "%zu", shape[k]);
  int n = snprintf(dict, sizeof dict, "{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }", code, sizes);
  int padded = (10 + n + 1 + 63) / 64 * 64 - 10;
  fwrite(magic, 1, sizeof magic, stream);
  const unsigned char version_and_length[4] = {1, 0, (unsigned char)(padded & 0xff), (unsigned char)(padded >> 8)};
  fwrite(version_and_length, 1, 4, stream);
  fprintf(stream, "%-*s\n", padded - 1, dict);
}

static sprint_status write_npy(sprint_context *context, const char *path, size_t n_dims, const size_t *shape,
                               const void *data, const struct type *type) {
  size_t n = 1;
  if (n_dims > MAX_DIMS)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "%s: an array of %zu dimensions, at most %d are written", path,
                       n_dims, MAX_DIMS);
  for (size_t k = 0; k < n_dims; k++)
    if (__builtin_mul_overflow(n, shape[k], &n))
      return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "%s: the shape is too large", path);
  struct sprint__file file;
  SPRINT__TRY(sprint__file_create(context, path, &file));
  write_header(file.stream, type->code, n_dims, shape);
  fwrite(data, type->size, n, file.stream);
  return sprint__file_commit(context, &file);
}

/* Whether there is any data; a scalar, which has no shape, is one number. */
static bool has_items(size_t n_dims, const size_t *shape) {
  for (size_t k = 0; k < n_dims; k++)
    if (shape[k] == 0) return false;
  return true;
}

sprint_status sprint_npy_write(sprint_context *context, const char *path, size_t n_dims, const size_t *shape,
                               const sprint_real *data) {
  SPRINT__REQUIRE(context, path);
  if (n_dims) SPRINT__REQUIRE(context, shape);
  if (has_items(n_dims, shape)) SPRINT__REQUIRE(context, data);
  return write_npy(context, path, n_dims, shape, data, &types[sizeof(sprint_real) == sizeof(double)]);
}

sprint_status sprint_npy_write_double(sprint_context *context, const char *path, size_t n_dims, const size_t *shape,
                                      const double *data) {
  SPRINT__REQUIRE(context, path);
  if (n_dims) SPRINT__REQUIRE(context, shape);
  if (has_items(n_dims, shape)) SPRINT__REQUIRE(context, data);
  return write_npy(context, path, n_dims, shape, data, &types[1]);
}
