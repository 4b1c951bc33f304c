/* Corrections: what stands for an individual's record at an older theta, and for the gradient of all there
 * (docs/math.md section 3). */
#ifndef SPRINT_SOLVER_CORRECTION_H
#define SPRINT_SOLVER_CORRECTION_H

#include <string.h>

#include "config/section.h"

struct sprint__correction {
  bool coupled;    /* the older record is the individual's under the older deployment; otherwise the same record */
  bool stratified; /* strata are weighted as the deployments of then and now weigh them */
};

#define SPRINT__CORRECTION_PARAM                                                                                     \
  SPRINT__CHOICE("correction", "unbiased", "paper|coupled|stratified|unbiased",                                      \
                 "paper: as the published algorithm, biased; coupled: exact where features move; stratified: exact " \
                 "where strata are reweighted; unbiased: exact for both")

static inline struct sprint__correction sprint__correction_of(const struct sprint__section *section) {
  const char *word = sprint__get_text(section, "correction");
  bool both = strcmp(word, "unbiased") == 0;
  return (struct sprint__correction){both || strcmp(word, "coupled") == 0, both || strcmp(word, "stratified") == 0};
}

#endif
