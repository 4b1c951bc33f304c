/* The variants of a config: one whole config for each point of its grid and each method of its comparison. */
#ifndef SPRINT_RUN_VARIANTS_H
#define SPRINT_RUN_VARIANTS_H

#include "config/node.h"
#include "config/section.h"

/* One method at one point: its name and the config as it applies to it. */
struct sprint__variant {
  char *name;
  char *config_text; /* JSON */
  struct sprint__section *config;
  char *people;                    /* how they react, in words; of the arena, as are */
  char *doubts[SPRINT_N_WARNINGS]; /* what may not be meant, or NULL */
};

struct sprint__variants {
  struct sprint__arena arena; /* of all but the configs */
  size_t n_points, n_methods;
  char **points;                 /* (n_points) names; "" without a grid */
  size_t n;                      /* read so far; n_points * n_methods when done */
  struct sprint__variant *items; /* (n_points, n_methods) */
};

/* What is laid over a config file. */
struct sprint__overlay {
  const char *const *sets; /* (n_sets) key.path=value */
  size_t n_sets;
  bool quick;               /* the file's own `quick`, below the sets */
  const char *methods;      /* over its `compare`; NULL: as it is */
  const double *step_sizes; /* (n_step_sizes) each method with each of them; n_step_sizes 0: with its own */
  size_t n_step_sizes;
  bool one_point; /* a grid of more is refused */
};

/* choose.c: the `compare` of the document becomes a list of the methods that the text names, and each of those a list
 * of the same with these step sizes. */
sprint_status sprint__methods_choose(struct sprint__document *document, const char *methods);
sprint_status sprint__methods_multiply(struct sprint__document *document, const double *step_sizes, size_t n);

/* Refuses what cannot be a `compare`: a list of maps, each with a name of its own and the sections of a method. */
sprint_status sprint__compare_check(sprint_context *context, const struct sprint__node *compare);

/* `method: sgd` means {kind: sgd}: makes maps of the scalars in `sections`, so that more can be laid over them. */
sprint_status sprint__name_kinds(sprint_context *context, struct sprint__node *sections);

/* Reads all variants. What was read is the caller's to clear, also after a failure. */
sprint_status sprint__variants_read(struct sprint__document *document, const struct sprint__overlay *overlay,
                                    struct sprint__variants *variants);
void sprint__variants_clear(struct sprint__variants *variants);

/* Names of experiments and methods are folders' names too: what such a name must be, and whether a text is one. */
#define SPRINT__FOLDER_NAME "a text without '/', without control characters and without '.' in front was expected"
bool sprint__is_folder_name(const char *text);

#endif
