/* Data kind `idx`: images and labels in two IDX files, such as MNIST's. */
#include "population/build.h"
#include "population/idx.h"

static const sprint_param params[] = {
    {"images", SPRINT_PARAM_TEXT, NULL, 0, 0, NULL, NULL,
     "the images: an IDX file of bytes (n, height, width), plain or gzip"},
    {"labels", SPRINT_PARAM_TEXT, NULL, 0, 0, NULL, NULL, "the labels 0 .. k-1: an IDX file of bytes (n)"},
};

struct loader {
  sprint_context *context;
  char *images_path, *labels_path;
  struct sprint__idx images, labels;
  struct sprint__table *table;
};

static sprint_status load(struct loader *l) {
  SPRINT__TRY(sprint__idx_read(l->context, l->images_path, 3, "images", &l->images));
  SPRINT__TRY(sprint__idx_read(l->context, l->labels_path, 1, "labels", &l->labels));
  const size_t *shape = l->images.shape;
  if (l->labels.shape[0] != shape[0])
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: holds %zu labels for the %zu images of %s", l->labels_path,
                       l->labels.shape[0], shape[0], l->images_path);
  l->table->n = shape[0];
  l->table->d = shape[1] * shape[2];
  l->table->image = (struct sprint__shape){1, shape[1], shape[2]};
  l->table->bytes = l->images.bytes;
  l->images.bytes = NULL;
  SPRINT__TRY(sprint__table_name_pixels(l->table));
  return sprint__table_set_labels(l->table, l->labels_path, l->labels.bytes, NULL, 0);
}

static sprint_status idx_load(const struct sprint__section *section, struct sprint__table *table) {
  struct loader l = {.context = section->context, .table = table};
  sprint_status status = sprint__data_find(l.context, sprint__get_text(section, "images"), &l.images_path);
  if (status == SPRINT_OK) status = sprint__data_find(l.context, sprint__get_text(section, "labels"), &l.labels_path);
  if (status == SPRINT_OK) status = load(&l);
  sprint__free(l.images.bytes);
  sprint__free(l.labels.bytes);
  sprint__free(l.images_path);
  sprint__free(l.labels_path);
  return status;
}

static const struct sprint__data_ops ops = {idx_load};

const sprint_kind sprint__data_idx = {"idx", "images in two IDX files, such as MNIST's", params, SPRINT__COUNT(params),
                                      &ops};
