/* Whether a safetensors header describes its data: every tensor of a known type, its bytes as many as its shape needs,
 * and all of them together the whole of the data, without holes and overlaps. */
#include <stdlib.h>
#include <string.h>

#include "run/safetensors.h"

struct extent {
  const char *name;
  uint64_t start, end;
};

struct checker {
  sprint_context *context;
  const struct sprint__safetensors *file;
  struct extent *extents; /* (n) */
  size_t n;
};

/* A tensor's complaint: "FILE: tensor 'NAME' " and the rest. */
#define REFUSE(c, name, format, ...) \
  sprint_fail((c)->context, SPRINT_ERROR_INPUT, "%s: tensor '%s' " format, (c)->file->path, name, __VA_ARGS__)

/* Bytes of an element; 0: there is no such type. */
static size_t width_of(const char *type) {
  static const char *const types[] = {" BOOL U8 I8 F8_E5M2 F8_E4M3 ", " I16 U16 F16 BF16 ", " I32 U32 F32 ",
                                      " I64 U64 F64 "};
  char word[16];
  for (size_t i = 0; type && strlen(type) < 12 && !strchr(type, ' ') && i < SPRINT__COUNT(types); i++) {
    snprintf(word, sizeof word, " %s ", type);
    if (strstr(types[i], word)) return (size_t)1 << i;
  }
  return 0;
}

static bool whole(const json_t *number, uint64_t *ret_number) {
  if (!json_is_integer(number) || json_integer_value(number) < 0) return false;
  *ret_number = (uint64_t)json_integer_value(number);
  return true;
}

/* The bytes that a shape takes; false where it is none, or too large. */
static bool size_of(const json_t *shape, size_t width, uint64_t *ret_size) {
  uint64_t size = width, side = 0;
  for (size_t k = 0; k < json_array_size(shape); k++)
    if (!whole(json_array_get(shape, k), &side) || __builtin_mul_overflow(size, side, &size)) return false;
  *ret_size = size;
  return json_is_array(shape);
}

static sprint_status check_tensor(struct checker *c, const char *name, const json_t *entry) {
  const char *type = json_string_value(json_object_get(entry, "dtype"));
  const json_t *offsets = json_object_get(entry, "data_offsets");
  struct extent extent = {.name = name};
  uint64_t size = 0;
  size_t width = width_of(type);
  if (!json_is_object(entry))
    return REFUSE(c, name, "is not described by an object with %s", "dtype, shape and data_offsets");
  if (!width) return REFUSE(c, name, "is of type %s; a type of the format was expected", type ? type : "none");
  if (!size_of(json_object_get(entry, "shape"), width, &size))
    return REFUSE(c, name, "has a shape that cannot be read; %s was expected", "a list of sizes");
  if (json_array_size(offsets) != 2 || !whole(json_array_get(offsets, 0), &extent.start) ||
      !whole(json_array_get(offsets, 1), &extent.end) || extent.end < extent.start)
    return REFUSE(c, name, "has data_offsets that cannot be read; %s was expected", "[start, end]");
  if (extent.end - extent.start != size)
    return REFUSE(c, name, "has %llu bytes at its data_offsets; its shape needs %llu",
                  (unsigned long long)(extent.end - extent.start), (unsigned long long)size);
  if (extent.end > c->file->size)
    return REFUSE(c, name, "does not lie within the file: it ends at byte %llu of %zu", (unsigned long long)extent.end,
                  c->file->size);
  c->extents[c->n++] = extent;
  return SPRINT_OK;
}

static int by_start(const void *a, const void *b) {
  const struct extent *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return strcmp(x->name, y->name);
}

static sprint_status check_cover(const struct checker *c) {
  uint64_t at = 0;
  for (size_t i = 0; i < c->n; i++) {
    const struct extent *extent = &c->extents[i];
    unsigned long long expected = at, start = extent->start, end = extent->end;
    if (start > expected)
      return sprint_fail(c->context, SPRINT_ERROR_INPUT,
                         "%s: bytes %llu to %llu belong to no tensor; '%s' was expected to start at %llu",
                         c->file->path, expected, start, extent->name, expected);
    if (start < expected)
      return REFUSE(c, extent->name,
                    "overlaps tensor '%s': it is at bytes %llu to %llu, and %llu was expected as its start",
                    c->extents[i - 1].name, start, end, expected);
    at = extent->end;
  }
  if (at == c->file->size) return SPRINT_OK;
  return sprint_fail(c->context, SPRINT_ERROR_INPUT,
                     "%s: has %llu bytes after its last tensor '%s', which ends at byte %llu", c->file->path,
                     (unsigned long long)(c->file->size - at), c->n ? c->extents[c->n - 1].name : "",
                     (unsigned long long)at);
}

static sprint_status check_metadata(const struct checker *c, json_t *metadata) {
  const char *key;
  json_t *value;
  bool texts = json_is_object(metadata);
  json_object_foreach(metadata, key, value) texts = texts && json_is_string(value);
  if (texts) return SPRINT_OK;
  return sprint_fail(c->context, SPRINT_ERROR_INPUT, "%s: its '__metadata__' is not an object of texts", c->file->path);
}

sprint_status sprint__safetensors_check(sprint_context *context, const struct sprint__safetensors *file) {
  SPRINT__SCRATCH(room, context);
  struct checker c = {.context = context, .file = file};
  const char *name;
  json_t *entry;
  c.extents = sprint__arena_take(&room, json_object_size(file->header), sizeof *c.extents);
  SPRINT__TRY(sprint__arena_status(&room));
  json_object_foreach(file->header, name, entry) {
    bool metadata = strcmp(name, "__metadata__") == 0;
    SPRINT__TRY(metadata ? check_metadata(&c, entry) : check_tensor(&c, name, entry));
  }
  qsort(c.extents, c.n, sizeof *c.extents, by_start);
  return check_cover(&c);
}
