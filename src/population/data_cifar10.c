/* Data kind `cifar10`: a folder of CIFAR-10's binary batches. */
#include <stdio.h>

#include "population/build.h"
#include "population/cifar10.h"

static const sprint_param params[] = {
    {"path", SPRINT_PARAM_TEXT, "cifar-10-batches-bin", 0, 0, NULL, NULL,
     "the folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin"},
    {"part", SPRINT_PARAM_CHOICE, "train", 0, 0, "train|test", NULL, "the five training batches, or the test batch"},
};

enum part { PART_TRAIN, PART_TEST };
enum { MAX_BATCHES = 5 };

static const char *const train_batches[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                            "data_batch_4.bin", "data_batch_5.bin"};
static const char *const test_batches[] = {"test_batch.bin"};

struct loader {
  sprint_context *context;
  char *folder;
  size_t n_batches, n_records; /* of each batch */
  char *paths[MAX_BATCHES];
  FILE *streams[MAX_BATCHES];
  uint8_t *labels;
  char **names;
  struct sprint__table *table;
};

/* Batches are equally long: one that was cut between two records is found. */
static sprint_status open_batches(struct loader *l, const char *const *batches, size_t n) {
  l->n_batches = n;
  for (size_t b = 0; b < n; b++) {
    size_t n_records = 0;
    l->paths[b] = sprint__printf(l->context, "%s/%s", l->folder, batches[b]);
    if (!l->paths[b]) return SPRINT_ERROR_MEMORY;
    SPRINT__TRY(sprint__cifar10_open(l->context, l->paths[b], &l->streams[b], &n_records));
    if (b && n_records != l->n_records)
      return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: has %zu records; %zu, as in %s, were expected",
                         l->paths[b], n_records, l->n_records, batches[0]);
    l->n_records = n_records;
  }
  return SPRINT_OK;
}

static sprint_status read_batches(struct loader *l) {
  struct sprint__table *t = l->table;
  t->n = l->n_batches * l->n_records;
  t->d = SPRINT__CIFAR10_PIXELS;
  t->image = (struct sprint__shape){SPRINT__CIFAR10_CHANNELS, SPRINT__CIFAR10_SIDE, SPRINT__CIFAR10_SIDE};
  t->bytes = sprint__alloc(l->context, t->n, t->d);
  l->labels = sprint__alloc(l->context, t->n, 1);
  if (!t->bytes || !l->labels) return SPRINT_ERROR_MEMORY;
  for (size_t b = 0; b < l->n_batches; b++)
    SPRINT__TRY(sprint__cifar10_read(l->context, l->paths[b], l->streams[b], l->n_records, l->labels + b * l->n_records,
                                     t->bytes + b * l->n_records * t->d));
  return SPRINT_OK;
}

static sprint_status load(struct loader *l, enum part part) {
  SPRINT__TRY(part == PART_TRAIN ? open_batches(l, train_batches, SPRINT__COUNT(train_batches))
                                 : open_batches(l, test_batches, SPRINT__COUNT(test_batches)));
  SPRINT__TRY(sprint__cifar10_names(l->context, l->folder, &l->names));
  SPRINT__TRY(read_batches(l));
  SPRINT__TRY(sprint__table_name_pixels(l->table));
  return sprint__table_set_labels(l->table, l->folder, l->labels, (const char *const *)l->names,
                                  SPRINT__CIFAR10_CLASSES);
}

static sprint_status cifar10_load(const struct sprint__section *section, struct sprint__table *table) {
  struct loader l = {.context = section->context, .table = table};
  sprint_status status = sprint__data_find(l.context, sprint__get_text(section, "path"), &l.folder);
  if (status == SPRINT_OK) status = load(&l, (enum part)sprint__get_choice(section, "part"));
  for (size_t b = 0; b < MAX_BATCHES; b++) {
    if (l.streams[b]) fclose(l.streams[b]);
    sprint__free(l.paths[b]);
  }
  sprint__names_free(l.names, SPRINT__CIFAR10_CLASSES);
  sprint__free(l.labels);
  sprint__free(l.folder);
  return status;
}

static const struct sprint__data_ops ops = {cifar10_load};

const sprint_kind sprint__data_cifar10 = {"cifar10", "CIFAR-10 in its binary layout", params, SPRINT__COUNT(params),
                                          &ops};
