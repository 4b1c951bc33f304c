/* Data kind `cifar10`: a folder of CIFAR-10's binary batches. */
#include "base/file.h"
#include "population/build.h"
#include "population/cifar10.h"

static const sprint_param params[] = {
    SPRINT__TEXT("path", "cifar-10-batches-bin",
                 "the folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin"),
    SPRINT__CHOICE("part", "train", "train|test", "the five training batches, or the test batch"),
};

enum part { PART_TRAIN, PART_TEST };
enum { MAX_BATCHES = 5 };

static const char *const train_batches[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                            "data_batch_4.bin", "data_batch_5.bin"};
static const char *const test_batches[] = {"test_batch.bin"};

struct loader {
  struct sprint__arena arena;
  sprint_context *context;
  char *folder;
  size_t n_batches, n_records; /* of each batch */
  char *paths[MAX_BATCHES];
  FILE *streams[MAX_BATCHES];
  struct sprint__table *table;
};

static void loader_clear(struct loader *l) {
  for (size_t b = 0; b < MAX_BATCHES; b++) fclose_at(&l->streams[b]);
  sprint__arena_free(&l->arena);
}

/* Batches are equally long: one that was cut between two records is found. */
static sprint_status open_batches(struct loader *l, const char *const *batches, size_t n) {
  l->n_batches = n;
  for (size_t b = 0; b < n; b++) {
    size_t n_records = 0;
    l->paths[b] = sprint__arena_keep(&l->arena, sprint__printf(l->context, "%s/%s", l->folder, batches[b]));
    SPRINT__TRY(sprint__arena_status(&l->arena));
    SPRINT__TRY(sprint__cifar10_open(l->context, l->paths[b], &l->streams[b], &n_records));
    if (b && n_records != l->n_records)
      return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: has %zu records; %zu, as in %s, were expected",
                         l->paths[b], n_records, l->n_records, batches[0]);
    l->n_records = n_records;
  }
  return SPRINT_OK;
}

static sprint_status read_batches(struct loader *l, char **names) {
  struct sprint__table *t = l->table;
  t->n = l->n_batches * l->n_records;
  t->d = SPRINT__CIFAR10_PIXELS;
  t->image = (struct sprint__shape){SPRINT__CIFAR10_CHANNELS, SPRINT__CIFAR10_SIDE, SPRINT__CIFAR10_SIDE};
  t->bytes = sprint__alloc(l->context, t->n, t->d);
  uint8_t *labels = sprint__arena_take(&l->arena, t->n, 1);
  if (!t->bytes || !labels) return SPRINT_ERROR_MEMORY;
  for (size_t b = 0; b < l->n_batches; b++)
    SPRINT__TRY(sprint__cifar10_read(l->context, l->paths[b], l->streams[b], l->n_records, labels + b * l->n_records,
                                     t->bytes + b * l->n_records * t->d));
  SPRINT__TRY(sprint__table_name_pixels(t));
  return sprint__table_set_labels(t, l->folder, labels, (const char *const *)names, SPRINT__CIFAR10_CLASSES);
}

static sprint_status cifar10_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__CLEARED(loader_clear)
  struct loader l = {.arena = {.context = section->context}, .context = section->context, .table = table};
  SPRINT__SCOPED(sprint__free) char **names = NULL;
  SPRINT__TRY(sprint__data_find(&l.arena, sprint__get_text(section, "path"), &l.folder));
  SPRINT__TRY(sprint__get_choice(section, "part") == PART_TRAIN
                  ? open_batches(&l, train_batches, SPRINT__COUNT(train_batches))
                  : open_batches(&l, test_batches, SPRINT__COUNT(test_batches)));
  SPRINT__TRY(sprint__cifar10_names(l.context, l.folder, &names));
  return read_batches(&l, names);
}

static const struct sprint__data_ops ops = {cifar10_load};

const sprint_kind sprint__data_cifar10 = {"cifar10", "CIFAR-10 in its binary layout", params, SPRINT__COUNT(params),
                                          &ops};
