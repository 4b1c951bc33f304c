/* The public data sets that can be fetched, with pinned sums. docs/data.md says where the sums are from. */
#include "fetch_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct fetch_file mnist_files[] = {
    {"train-images-idx3-ubyte.gz", "mnist/train-images-idx3-ubyte.gz", 9912422,
     "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", "f68b3c2dcbeaaa9fbdd348bbdeb94873",
     "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"train-labels-idx1-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz", 28881,
     "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", "d53e105ee54ea40749a09fcbcd1e9432",
     "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {"t10k-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz", 1648877,
     "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", "9fb629c4189551a2d022fa330f9573f3",
     "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"t10k-labels-idx1-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz", 4542,
     "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", "ec29112dd5afa0611ce80d1b7f02629c",
     "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
};

static const struct fetch_set mnist = {
    .name = "mnist",
    .title = "MNIST, handwritten digits: 60,000 + 10,000 images of 28 x 28",
    .mirrors = {"https://ossci-datasets.s3.amazonaws.com/mnist/",
                "https://storage.googleapis.com/cvdf-datasets/mnist/"},
    .files = mnist_files,
    .n_files = COUNT(mnist_files),
};

static const struct fetch_file fashion_files[] = {
    {"train-images-idx3-ubyte.gz", "fashion-mnist/train-images-idx3-ubyte.gz", 26421880,
     "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
    {"train-labels-idx1-ubyte.gz", "fashion-mnist/train-labels-idx1-ubyte.gz", 29515,
     "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845", "25c81989df183df01b3e8a0aad5dffbe"},
    {"t10k-images-idx3-ubyte.gz", "fashion-mnist/t10k-images-idx3-ubyte.gz", 4422102,
     "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073", "bef4ecab320f06d8554ea6380940ec79"},
    {"t10k-labels-idx1-ubyte.gz", "fashion-mnist/t10k-labels-idx1-ubyte.gz", 5148,
     "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5", "bb300cfdad3c16e7a12a480ee83cd310"},
};

static const struct fetch_set fashion_mnist = {
    .name = "fashion-mnist",
    .title = "Fashion-MNIST, articles of clothing: 60,000 + 10,000 images of 28 x 28",
    .mirrors = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"},
    .files = fashion_files,
    .n_files = COUNT(fashion_files),
};

static const struct fetch_file cifar10_files[] = {
    {"cifar-10-binary.tar.gz", "cifar-10-binary.tar.gz", 170052171,
     "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd", "c32a1d4ab5d03f1284b67883e8d87530"},
};

#define BATCH(name) \
  { "cifar-10-batches-bin/" name, "cifar-10-batches-bin/" name, 30730000, .is_cifar10 = true }
static const struct fetch_member cifar10_members[] = {
    BATCH("data_batch_1.bin"), BATCH("data_batch_2.bin"), BATCH("data_batch_3.bin"),
    BATCH("data_batch_4.bin"), BATCH("data_batch_5.bin"), BATCH("test_batch.bin"),
};
#undef BATCH

static const struct fetch_set cifar10 = {
    .name = "cifar10",
    .title = "CIFAR-10, ten kinds of things: 50,000 + 10,000 images of 32 x 32 in colour",
    .mirrors = {"https://www.cs.toronto.edu/~kriz/"},
    .files = cifar10_files,
    .n_files = COUNT(cifar10_files),
    .members = cifar10_members,
    .n_members = COUNT(cifar10_members),
};

static const struct fetch_file credit_files[] = {
    {"credit_data.zip", "credit/credit_data.zip", 2740055,
     "6fe2abf0bc50f8cd5ef45549b7560f74d4691eca0b6c9af24b9851f9e3ad6de5", NULL},
};
static const struct fetch_member credit_members[] = {
    {"credit_data.csv", "credit/cs-training.csv", 7564965,
     "1bd46da486a5708c58c7b01a034fae2a13b327f6f7b62ea7ba4fe3b5824b24ac"}};

static const struct fetch_set credit = {
    .name = "credit",
    .title = "Give Me Some Credit, from the WhyNot project: 150,000 borrowers",
    .mirrors = {"https://raw.githubusercontent.com/zykls/whynot/master/whynot/simulators/credit/",
                "https://raw.githubusercontent.com/socialfoundations/whynot/master/whynot/simulators/credit/"},
    .files = credit_files,
    .n_files = COUNT(credit_files),
    .members = credit_members,
    .n_members = COUNT(credit_members),
};

const struct fetch_set *const fetch_sets[] = {&mnist, &fashion_mnist, &cifar10, &credit};
const size_t n_fetch_sets = COUNT(fetch_sets);

const struct fetch_set *fetch_set_find(const char *name) {
  for (size_t i = 0; i < n_fetch_sets; i++)
    if (strcmp(fetch_sets[i]->name, name) == 0) return fetch_sets[i];
  return NULL;
}

static bool has_size(const char *folder, const char *path, uint64_t size, bool any_size) {
  char *full = cli_format("%s/%s", folder, path);
  struct stat info;
  bool there = stat(full, &info) == 0 && S_ISREG(info.st_mode) && (any_size || (uint64_t)info.st_size == size);
  free(full);
  return there;
}

static bool begins_with(const char *folder, const char *path, const char *bytes, size_t n) {
  char *full = cli_format("%s/%s", folder, path), got[64] = "";
  FILE *stream = fopen(full, "rb");
  bool same = stream && fread(got, 1, n, stream) == n && memcmp(got, bytes, n) == 0;
  if (stream) fclose(stream);
  free(full);
  return same;
}

bool fetch_is_cifar10(const char *path) {
  enum { N_CLASSES = 10, LEAST = 800, MOST = 1200 }; /* of 10,000; published batches have 937 to 1,032 of a class */
  size_t n[N_CLASSES] = {0};
  FILE *stream = fopen(path, "rb");
  if (!stream) return false;
  setvbuf(stream, NULL, _IONBF, 0);
  int label = 0;
  for (long i = 0; i < FETCH_CIFAR10_RECORDS && label >= 0; i++) {
    label = fseek(stream, i * FETCH_CIFAR10_RECORD, SEEK_SET) == 0 ? fgetc(stream) : EOF;
    if (label >= N_CLASSES) label = EOF;
    if (label >= 0) n[label]++;
  }
  fclose(stream);
  for (size_t i = 0; i < N_CLASSES; i++)
    if (n[i] < LEAST || n[i] > MOST) return false;
  return true;
}

static bool has_member(const char *folder, const struct fetch_member *member) {
  static const char zeros[8];
  if (!has_size(folder, member->path, member->size, false)) return false;
  if (!member->is_cifar10)
    return member->size < sizeof zeros || !begins_with(folder, member->path, zeros, sizeof zeros);
  char *path = cli_format("%s/%s", folder, member->path);
  bool right = fetch_is_cifar10(path);
  free(path);
  return right;
}

/* Files that are wanted as they are may be packed otherwise (gzip has levels), so their size says nothing. */
const char *fetch_set_missing(const struct fetch_set *set, const char *folder) {
  for (size_t i = 0; i < set->n_members; i++)
    if (!has_member(folder, &set->members[i])) return set->members[i].path;
  for (size_t i = 0; i < set->n_files && !set->members; i++)
    if (!begins_with(folder, set->files[i].path, "\x1f\x8b", 2)) return set->files[i].path;
  return NULL;
}

char *fetch_set_sums(const struct fetch_set *set, const char *folder) {
  return cli_format("%s/%s.sha256", folder, set->name);
}

bool fetch_set_begun(const struct fetch_set *set, const char *folder) {
  for (size_t i = 0; i < set->n_members; i++)
    if (has_size(folder, set->members[i].path, 0, true)) return true;
  for (size_t i = 0; i < set->n_files && !set->members; i++)
    if (has_size(folder, set->files[i].path, 0, true)) return true;
  return false;
}
