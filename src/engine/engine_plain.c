/* The plain engine: the definition of a step. Draw, fetch, tell. */
#include "engine/engine.h"

static sprint_status plain_step(struct sprint__engine *engine, const sprint_want *want) {
  sprint_records records;
  SPRINT__TRY(sprint__engine_batch(engine, want, &records));
  return records.n < want->n ? SPRINT_OK : sprint__engine_tell(engine, &records);
}

static const struct sprint__engine_ops plain_ops = {.step = plain_step};

const sprint_kind sprint__engine_plain = {"plain", "every method, model and shift, as the algorithm says", NULL, 0,
                                          &plain_ops};
