/* What goes on: see state.h. A part is the length of its name, the name, its size, and its bytes. */
#include "base/state.h"

#include <string.h>

enum { MOST_NAME = 255 };

static void fail(struct sprint__state *state, const char *name, const char *what) {
  if (state->status != SPRINT_OK) return;
  state->status = sprint_fail(state->context, SPRINT_ERROR_INPUT, "%s: '%s': %s", state->path, name, what);
}

/* A failure to write is found where the file is committed. */
static void pass(struct sprint__state *state, const char *name, void *data, size_t size) {
  if (state->status != SPRINT_OK || size == 0) return;
  if (!state->reads) {
    state->left += size;
    if (!state->stream) return;
    fwrite(data, 1, size, state->stream);
    sha256_update(&state->sum, size, data);
  } else if (size > state->left || fread(data, 1, size, state->stream) != size) {
    fail(state, name, "the file ends too early");
  } else {
    state->left -= size;
  }
}

void sprint__state_part(struct sprint__state *state, const char *name, void *data, size_t size) {
  char read_name[MOST_NAME] = "";
  uint8_t length = (uint8_t)strlen(name), read_length = length;
  uint64_t bytes = size, read_bytes = size;
  memcpy(read_name, name, length);
  pass(state, name, &read_length, 1);
  if (state->reads && read_length != length) fail(state, name, "is not there, another number is");
  pass(state, name, read_name, length);
  if (state->reads && memcmp(read_name, name, length) != 0) fail(state, name, "is not there, another number is");
  pass(state, name, &read_bytes, sizeof read_bytes);
  if (state->reads && read_bytes != bytes) fail(state, name, "has another size");
  pass(state, name, data, size);
}

void sprint__state_array(struct sprint__state *state, const char *name, void *array, size_t n, size_t size) {
  sprint__state_part(state, name, array, array ? n * size : 0);
}

void sprint__state_flag(struct sprint__state *state, const char *name, bool *flag) {
  uint8_t byte = *flag;
  sprint__state_part(state, name, &byte, 1);
  if (byte > 1) fail(state, name, "is neither yes nor no");
  if (sprint__state_ok(state)) *flag = byte != 0;
}

void sprint__state_count(struct sprint__state *state, const char *name, size_t *count, size_t most) {
  uint64_t number = *count;
  sprint__state_part(state, name, &number, sizeof number);
  if (number > most) fail(state, name, "is too large");
  if (sprint__state_ok(state)) *count = (size_t)number;
}
