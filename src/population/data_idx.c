/* Data kind `idx`: images and labels in two IDX files, such as MNIST's. */
#include "population/build.h"
#include "population/idx.h"

static const sprint_param params[] = {
    SPRINT__TEXT("images", NULL, "the images: an IDX file of bytes (n, height, width), plain or gzip"),
    SPRINT__TEXT("labels", NULL, "the labels 0 .. k-1: an IDX file of bytes (n)"),
};

static sprint_status idx_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__SCRATCH(room, section->context);
  char *images_path = NULL, *labels_path = NULL;
  struct sprint__idx images, labels;
  SPRINT__TRY(sprint__data_find(&room, sprint__get_text(section, "images"), &images_path));
  SPRINT__TRY(sprint__data_find(&room, sprint__get_text(section, "labels"), &labels_path));
  SPRINT__TRY(sprint__idx_read(section->context, images_path, 3, "images", &images));
  table->bytes = images.bytes;
  SPRINT__TRY(sprint__idx_read(section->context, labels_path, 1, "labels", &labels));
  if (!sprint__arena_keep(&room, labels.bytes)) return SPRINT_ERROR_MEMORY;
  if (labels.shape[0] != images.shape[0])
    return sprint_fail(section->context, SPRINT_ERROR_INPUT, "%s: holds %zu labels for the %zu images of %s",
                       labels_path, labels.shape[0], images.shape[0], images_path);
  table->n = images.shape[0];
  table->d = images.shape[1] * images.shape[2];
  table->image = (struct sprint__shape){1, images.shape[1], images.shape[2]};
  SPRINT__TRY(sprint__table_name_pixels(table));
  return sprint__table_set_labels(table, labels_path, labels.bytes, NULL, 0);
}

static const struct sprint__data_ops ops = {idx_load};

const sprint_kind sprint__data_idx = {"idx", "images in two IDX files, such as MNIST's", params, SPRINT__COUNT(params),
                                      &ops};
