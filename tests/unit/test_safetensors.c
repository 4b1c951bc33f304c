/* Safetensors files: what the format's documentation calls invalid is refused with file, tensor and what was expected.
 * https://huggingface.co/docs/safetensors: no holes, no overlaps, no duplicate keys, all of the buffer indexed. */
#define _GNU_SOURCE
#include <unistd.h>

#include "../help.h"

struct fixture {
  sprint_context *context;
  char folder[64], path[96];
};

static int set_up(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  snprintf(f->folder, sizeof f->folder, "/tmp/sprint-test-XXXXXX");
  if (!mkdtemp(f->folder) || sprint_context_new(&f->context) != SPRINT_OK) return -1;
  snprintf(f->path, sizeof f->path, "%s/m.safetensors", f->folder);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *f = *state;
  unlink(f->path);
  rmdir(f->folder);
  sprint_context_free(f->context);
  free(f);
  return 0;
}

/* A file of this header, with single quotes for double ones, and n_bytes of data: floats 1, 2, 3, ... */
static void write_file(const struct fixture *f, const char *header, size_t n_bytes) {
  FILE *stream = fopen(f->path, "wb");
  assert_non_null(stream);
  size_t length = strlen(header);
  for (size_t i = 0; i < 8; i++) fputc((int)(length >> (8 * i) & 0xff), stream);
  for (size_t i = 0; i < length; i++) fputc(header[i] == '\'' ? '"' : header[i], stream);
  for (size_t i = 0; i < n_bytes; i += 4) {
    float value = (float)(i / 4 + 1);
    fwrite(&value, 1, n_bytes - i < 4 ? n_bytes - i : 4, stream);
  }
  fclose(stream);
}

#define HEAD                                                                       \
  "{'__metadata__':{'layers':'dense 1','loss':'logistic','label':'y',"             \
  "'features':'[{\\'name\\':\\'a\\',\\'mean\\':1,\\'scale\\':2,\\'fill\\':null},{" \
  "\\'name\\':\\'b\\',\\'mean\\':0.5,\\'scale\\':1e0,\\'fill\\':3}]','classes':"   \
  "'[\\'no\\',\\'yes\\']'},"
#define WEIGHT "'0.weight':{'dtype':'F32','shape':[1,2],'data_offsets':[0,8]},"
#define BIAS   "'0.bias':{'dtype':'F32','shape':[1],'data_offsets':[8,12]}"

static void test_safetensors__reads_good_files(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *header;
    size_t n_bytes;
  } cases[] = {
      {HEAD WEIGHT BIAS "}", 12},
      {HEAD WEIGHT BIAS "}          ", 12},
      /* tensors in another order, in the header and in the data */
      {HEAD BIAS ",'0.weight':{'dtype':'F32','shape':[1,2],'data_offsets':[0,8]}}", 12},
      {HEAD "'0.weight':{'dtype':'F32','shape':[1,2],'data_offsets':[4,12]},"
            "'0.bias':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}",
       12},
      {HEAD "'0.weight':{'dtype':'F64','shape':[1,2],'data_offsets':[0,16]},"
            "'0.bias':{'dtype':'F32','shape':[1],'data_offsets':[16,20]}}",
       20},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sprint_predictor *predictor = NULL;
    write_file(f, cases[i].header, cases[i].n_bytes);
    MUST(f->context, sprint_predictor_load(f->context, f->path, &predictor));
    sprint_predictor_free(predictor);
  }
}

/* Oracle: the logistic function at 1 (2 - 1) / 2 + 2 (1 - 0.5) + 3 = 4.5, and with b missing at 1/2 + 5 + 3 = 8.5. */
static void test_safetensors__scores_by_what_the_file_says(void **state) {
  struct fixture *f = *state;
  sprint_predictor *predictor = NULL;
  const double raw[4] = {2, 1, 2, NAN};
  double scores[4];
  write_file(f, HEAD WEIGHT BIAS "}", 12);
  MUST(f->context, sprint_predictor_load(f->context, f->path, &predictor));
  MUST(f->context, sprint_predictor_score(predictor, raw, 2, scores));
  CLOSE(scores[1], 1 / (1 + exp(-4.5)), 8);
  CLOSE(scores[3], 1 / (1 + exp(-8.5)), 8);
  sprint_predictor_free(predictor);
}

static void test_safetensors__refuses_what_is_not_one_buffer(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *header;
    size_t n_bytes;
    const char *words;
  } cases[] = {
      {HEAD WEIGHT "'0.bias':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}", 8,
       "tensor '0.bias' overlaps tensor '0.weight': it is at bytes 4 to 8, and 8 was expected as its start"},
      {HEAD WEIGHT "'0.bias':{'dtype':'F32','shape':[1],'data_offsets':[12,16]}}", 16,
       "bytes 8 to 12 belong to no tensor; '0.bias' was expected to start at 8"},
      {HEAD "'0.weight':{'dtype':'F32','shape':[1,2],'data_offsets':[4,12]},"
            "'0.bias':{'dtype':'F32','shape':[1],'data_offsets':[12,16]}}",
       16, "bytes 0 to 4 belong to no tensor; '0.weight' was expected to start at 0"},
      {HEAD WEIGHT BIAS "}", 16, "has 4 bytes after its last tensor '0.bias', which ends at byte 12"},
      {HEAD WEIGHT BIAS "}", 11, "tensor '0.bias' does not lie within the file: it ends at byte 12 of 11"},
      {HEAD WEIGHT BIAS ",'0.bias':{'dtype':'F32','shape':[1],'data_offsets':[8,12]}}", 12,
       "its header is not good: duplicate object key near '\"0.bias\"'"},
      {HEAD WEIGHT BIAS ",'__metadata__':{}}", 12, "duplicate object key"},
      {HEAD WEIGHT BIAS "} x", 12, "its header is not good"},
      {HEAD WEIGHT BIAS ",'1.weight':{'dtype':'F32','shape':[],'data_offsets':[12,16]}}", 16,
       "has a tensor '1.weight', which this model does not"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sprint_predictor *predictor = NULL;
    write_file(f, cases[i].header, cases[i].n_bytes);
    REFUSED(f->context, SPRINT_ERROR_INPUT, cases[i].words, sprint_predictor_load(f->context, f->path, &predictor));
    REFUSED(f->context, SPRINT_ERROR_INPUT, f->path, sprint_predictor_load(f->context, f->path, &predictor));
    assert_null(predictor);
  }
}

static void test_safetensors__refuses_tensors_that_say_nonsense(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *bias, *words;
  } cases[] = {
      {"null", "tensor '0.bias' is not described by an object with dtype, shape and data_offsets"},
      {"{'shape':[1],'data_offsets':[8,12]}", "tensor '0.bias' is of type none; a type of the format was expected"},
      {"{'dtype':'F33','shape':[1],'data_offsets':[8,12]}", "is of type F33; a type of the format was expected"},
      {"{'dtype':32,'shape':[1],'data_offsets':[8,12]}", "is of type none; a type of the format was expected"},
      {"{'dtype':'I32','shape':[1],'data_offsets':[8,12]}", "is of type I32; F32 or F64 was expected"},
      {"{'dtype':'F16','shape':[2],'data_offsets':[8,12]}", "is of type F16; F32 or F64 was expected"},
      {"{'dtype':'F32','data_offsets':[8,12]}", "tensor '0.bias' has a shape that cannot be read"},
      {"{'dtype':'F32','shape':1,'data_offsets':[8,12]}", "has a shape that cannot be read"},
      {"{'dtype':'F32','shape':[-1],'data_offsets':[8,12]}", "has a shape that cannot be read"},
      {"{'dtype':'F32','shape':[1.0],'data_offsets':[8,12]}", "has a shape that cannot be read"},
      {"{'dtype':'F32','shape':[4294967296,4294967296,2],'data_offsets':[8,12]}", "has a shape that cannot be read"},
      {"{'dtype':'F32','shape':[1]}", "tensor '0.bias' has data_offsets that cannot be read"},
      {"{'dtype':'F32','shape':[1],'data_offsets':[8]}", "has data_offsets that cannot be read"},
      {"{'dtype':'F32','shape':[1],'data_offsets':[8,12,16]}", "has data_offsets that cannot be read"},
      {"{'dtype':'F32','shape':[1],'data_offsets':[8.0,12]}", "has data_offsets that cannot be read"},
      {"{'dtype':'F32','shape':[1],'data_offsets':[-4,0]}", "has data_offsets that cannot be read"},
      {"{'dtype':'F32','shape':[1],'data_offsets':[12,8]}", "has data_offsets that cannot be read"},
      {"{'dtype':'F32','shape':[1],'data_offsets':[8,16]}", "has 8 bytes at its data_offsets; its shape needs 4"},
      {"{'dtype':'F32','shape':[1,1],'data_offsets':[8,12]}", "has the shape (1, 1); this model's is (1)"},
      {"{'dtype':'F32','shape':[],'data_offsets':[8,12]}", "has the shape (); this model's is (1)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sprint_predictor *predictor = NULL;
    char header[1024];
    snprintf(header, sizeof header, HEAD WEIGHT "'0.bias':%s}", cases[i].bias);
    write_file(f, header, 12);
    REFUSED(f->context, SPRINT_ERROR_INPUT, cases[i].words, sprint_predictor_load(f->context, f->path, &predictor));
    REFUSED(f->context, SPRINT_ERROR_INPUT, f->path, sprint_predictor_load(f->context, f->path, &predictor));
  }
}

static void test_safetensors__refuses_broken_metadata(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *features, *words;
  } cases[] = {
      {"{\\'name\\':\\'a\\',\\'mean\\':null,\\'scale\\':2,\\'fill\\':null}",
       "the feature 'a' has no number as its 'mean'"},
      {"{\\'name\\':\\'a\\',\\'scale\\':2,\\'fill\\':null}", "the feature 'a' has no number as its 'mean'"},
      {"{\\'name\\':\\'a\\',\\'mean\\':\\'1\\',\\'scale\\':2,\\'fill\\':null}",
       "the feature 'a' has no number as its 'mean'"},
      {"{\\'name\\':\\'a\\',\\'mean\\':1,\\'scale\\':null,\\'fill\\':null}",
       "feature 'a' has no number above 0 as its 'scale'"},
      {"{\\'name\\':\\'a\\',\\'mean\\':1,\\'scale\\':0,\\'fill\\':null}",
       "feature 'a' has no number above 0 as its 'scale'"},
      {"{\\'name\\':\\'a\\',\\'mean\\':1,\\'scale\\':-2,\\'fill\\':null}",
       "feature 'a' has no number above 0 as its 'scale'"},
      {"{\\'name\\':\\'a\\',\\'mean\\':1,\\'scale\\':2,\\'fill\\':true}",
       "feature 'a' has neither a number nor null as its 'fill'"},
      {"{\\'mean\\':1,\\'scale\\':2,\\'fill\\':null}", "feature number 1 has no name"},
      {"7", "feature number 1 has no name"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sprint_predictor *predictor = NULL;
    char header[1024];
    snprintf(header, sizeof header,
             "{'__metadata__':{'layers':'dense 1','loss':'logistic','features':'[%s,{\\'name\\':\\'b\\',\\'mean\\':0,"
             "\\'scale\\':1,\\'fill\\':3}]','classes':'[\\'no\\',\\'yes\\']'}," WEIGHT BIAS "}",
             cases[i].features);
    write_file(f, header, 12);
    REFUSED(f->context, SPRINT_ERROR_INPUT, cases[i].words, sprint_predictor_load(f->context, f->path, &predictor));
  }
  sprint_predictor *predictor = NULL;
  write_file(f, "{'__metadata__':7," WEIGHT BIAS "}", 12);
  REFUSED(f->context, SPRINT_ERROR_INPUT, "its '__metadata__' is not an object of texts",
          sprint_predictor_load(f->context, f->path, &predictor));
  write_file(f, "{'__metadata__':{'layers':null}," WEIGHT BIAS "}", 12);
  REFUSED(f->context, SPRINT_ERROR_INPUT, "its '__metadata__' is not an object of texts",
          sprint_predictor_load(f->context, f->path, &predictor));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_safetensors__reads_good_files, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_safetensors__scores_by_what_the_file_says, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_safetensors__refuses_what_is_not_one_buffer, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_safetensors__refuses_tensors_that_say_nonsense, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_safetensors__refuses_broken_metadata, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
