/* What a run came to: see tier 3 of sprint.h. */
#ifndef SPRINT_RUN_ASSESSMENT_H
#define SPRINT_RUN_ASSESSMENT_H

#include "run/run.h"
#include "run/safetensors.h"

struct sprint_assessment {
  sprint_context *context;
  struct sprint__arena arena; /* of all that it has */
  bool has[SPRINT_N_SETS];
  sprint_metrics sets[SPRINT_N_SETS];
  sprint_verdict verdict;
  char *sentence;                    /* of the verdict */
  char *warnings[SPRINT_N_WARNINGS]; /* sentences, or NULL */
  double gradient_mean, edge;
  size_t n_moves;
  sprint_column_move *moves; /* (n_moves) */
};

SPRINT__FREE_AT(sprint_assessment_free, sprint_assessment)

/* verdict.c: fills verdict and sentence from the trace. */
sprint_status sprint__assessment_judge(sprint_assessment *assessment, const sprint_run *run);

/* warnings.c: fills the warnings, from the trace and what else of the assessment is there. */
sprint_status sprint__assessment_warn(sprint_assessment *assessment, const sprint_run *run);

/* assessment_json.c: as run.json has it, and its warnings alone, new references; and back. */
json_t *sprint__warnings_json(const sprint_assessment *assessment);
json_t *sprint__assessment_json(const sprint_assessment *assessment, const sprint_population *population);
sprint_status sprint__assessment_read(const json_t *json, const char *folder, sprint_assessment *assessment);

/* moves_json.c: the same of its moves. */
json_t *sprint__moves_json(const sprint_assessment *assessment);
sprint_status sprint__moves_read(const json_t *json, sprint_assessment *assessment);

/* A number of run.json: null where it is not finite, NaN where there is none. */
json_t *sprint__real_or_null(double value);
double sprint__real_of(const json_t *json);

#endif
