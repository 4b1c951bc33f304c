/* The grid of a config: key paths, each with a list of values; its points are their Cartesian product. */
#ifndef SPRINT_RUN_GRID_H
#define SPRINT_RUN_GRID_H

#include "config/node.h"

/* Lent by the tree that it was read from. No axes: one point, which lays nothing and has no name. */
struct sprint__grid {
  const struct sprint__node *axes; /* a map from key paths to lists of single values, or NULL */
  size_t n_points;
};

/* The grid of a whole config; what cannot be one is refused. */
sprint_status sprint__grid_read(sprint_context *context, const struct sprint__node *root,
                                struct sprint__grid *ret_grid);

/* The value that an axis has at a point. The last axis changes fastest. */
const struct sprint__node *sprint__grid_value(const struct sprint__grid *grid, size_t point, size_t axis);

/* Lays the point's values over the config. */
sprint_status sprint__grid_lay(sprint_context *context, const struct sprint__grid *grid, size_t point,
                               struct sprint__node *config);

/* "alpha-0.2": the last part of each key and its value, fit for a folder; "" without axes. Yours to free, or NULL. */
char *sprint__grid_name(sprint_context *context, const struct sprint__grid *grid, size_t point);

/* Refuses a grid of more than one point, with what there is to choose from. */
sprint_status sprint__grid_single(sprint_context *context, const struct sprint__grid *grid);

/* Puts a '-' for every character that a folder's name had better not have. */
void sprint__folder_fit(char *text);

/* An assignment was laid over the config `root`: where the grid names its key, the value takes the place of the grid's
 * list; an axis within a section that was replaced as a whole is dropped. */
sprint_status sprint__grid_override(sprint_context *context, struct sprint__node *root, const char *assignment);

#endif
