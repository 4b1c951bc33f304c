/* How a table of texts becomes features, as the metadata of a saved model say it. */
#ifndef SPRINT_RUN_ENCODING_JSON_H
#define SPRINT_RUN_ENCODING_JSON_H

#include "population/encoding.h"
#include "run/safetensors.h"

/* A feature: its name and standardisation; of one that is no plain number, what it is of. A new reference. */
json_t *sprint__feature_json(const struct sprint__column *column);

/* What the features do not say: the id column, missing words, unseen levels, the dialect; what goes without saying is
 * left out. A new reference. */
json_t *sprint__table_json(const struct sprint__encoding *encoding);

/* Reads kind, source and level of a feature; texts are the arena's. False: it is broken. */
bool sprint__feature_read(const json_t *feature, struct sprint__arena *arena, struct sprint__column *column);

/* The encoding of columns (n), from what was said of the table (NULL: nothing). `path` is the model's. False in
 * *ret_sound: it is broken. */
sprint_status sprint__encoding_read(sprint_context *context, const char *path, const struct sprint__column *columns,
                                    size_t n, const json_t *table, struct sprint__encoding **ret_encoding,
                                    bool *ret_sound);

#endif
