/* The safetensors format: an 8-byte little-endian header size, a JSON header, raw tensors. */
#ifndef SPRINT_RUN_SAFETENSORS_H
#define SPRINT_RUN_SAFETENSORS_H

#include <jansson.h>

#include "model/model.h"

SPRINT__FREE_AT(json_decref, json_t)

/* Writes theta as the model's tensors, with `metadata` (a JSON object of texts, borrowed; or NULL). */
sprint_status sprint__safetensors_write(const sprint_model *model, const char *path, const json_t *metadata,
                                        const sprint_real *theta);

struct sprint__safetensors {
  char *path;
  json_t *header;
  char *data; /* behind the header */
  size_t size;
};

/* Reads a file whose tensors and data fit each other; see safetensors_check.c. */
sprint_status sprint__safetensors_open(sprint_context *context, const char *path, struct sprint__safetensors *ret_file);
sprint_status sprint__safetensors_check(sprint_context *context, const struct sprint__safetensors *file);
void sprint__safetensors_close(struct sprint__safetensors *file);

/* A text of the metadata, lent, or NULL. */
const char *sprint__safetensors_meta(const struct sprint__safetensors *file, const char *key);

/* Fills theta from the file's tensors, of F32 or F64; names and shapes must be the model's, and there are no others. */
sprint_status sprint__safetensors_theta(const struct sprint__safetensors *file, const sprint_model *model,
                                        sprint_real *ret_theta);

#endif
