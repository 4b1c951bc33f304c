/* NPY arrays, through sprint_npy_read. */
#include <string.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

/* A header of 118 bytes, which makes 128 with what is before it. */
#define HEADER(dict, padding) "\x93NUMPY\x01\x00\x76\x00" dict padding "\n"
#define SPACES_53             "                                                     "

static const struct fuzz_input inputs[] = {
    TEXT(HEADER("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                SPACES_53 "     ") "\0\0\200?\0\0\0@\0\0@@\0\0\200@\0\0\240@\0\0\300@"),
    TEXT(HEADER("{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }  ", SPACES_53 "     ") "\1\2\3\4\5"),
    TEXT(HEADER("{'descr': '<f8', 'fortran_order': False, 'shape': (), }    ",
                SPACES_53 "     ") "\0\0\0\0\0\0\370\177"),
    TEXT("\x93NUMPY\x02\x00\x3c\x00\x00\x00{'descr': '<i2', 'fortran_order': False, 'shape': (1, 1), }\n\1\2"),
};

static const char *const tokens[] = {
    "'descr': ",
    "'shape': ",
    "'fortran_order': ",
    "True",
    "False",
    "'<f4'",
    "'<i8'",
    "'|b1'",
    "'>f4'",
    "'<c16'",
    "(",
    ")",
    ",",
    "0",
    "1",
    "9999999999999999999999",
    "18446744073709551615",
    "4294967296, 4294967296",
    "(0, 5)",
    "-1",
    "{",
    "}",
    "'",
    "\n",
    "\x93NUMPY",
};

/* Half the mutants get a length that fits their header again, else few would come further than that. */
static bool mend(struct mutator *mutator) {
  const unsigned char *end = mutator->size > 10 ? memchr(mutator->bytes + 10, '\n', mutator->size - 10) : NULL;
  size_t start = mutator->bytes[6] == 2 ? 12 : 10;
  if (!end || mutate_below(mutator, 2)) return true;
  size_t size = (size_t)(end - mutator->bytes) + 1 - start;
  mutator->bytes[8] = (unsigned char)(size & 0xff);
  mutator->bytes[9] = (unsigned char)(size >> 8);
  return true;
}

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  sprint_array array = {.data = NULL};
  (void)mutator;
  sprint_status status = sprint_npy_read(context, path, &array);
  sprint_array_clear(&array);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "npy",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 4000,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".npy",
                                 .prepare = mend,
                                 .feed = load});
}
