/* Windows of steps whose batches are known ahead: who is drawn does not depend on the steps of the epoch. While the
 * steps of one window are taken, the next one is made ready. */
#include "run/run.h"
#include "run/sampler.h"
#include "solver/listed.h"

struct window_work {
  sprint_run *run;
  sprint_want want; /* the first batch */
  uint64_t step;    /* at which the window to come begins */
  size_t batches;   /* of it; 0: the epoch has no more */
  sprint_status status;
};

/* The steps of this window, one after the other. */
static sprint_status take_steps(sprint_run *run, sprint_want *want) {
  for (;;) {
    SPRINT__TRY(sprint__run_tell_batch(run, want));
    if (!sprint__listed_next(run->solver) || run->solver->stop != SPRINT_STOP_RUNNING) return SPRINT_OK;
    SPRINT__TRY(sprint__run_ask(run, want));
    if (want->kind == SPRINT_WANT_NOTHING || run->solver->stop != SPRINT_STOP_RUNNING) return SPRINT_OK;
  }
}

static void prepare_window(sprint_run *run, uint64_t step, size_t batches) {
  struct sprint__foreseen *foreseen = run->solver->listed->foreseen;
  const double *p = sprint__run_p(run);
  size_t b = run->solver->batch;
  for (size_t k = 0; k < batches; k++)
    sprint__sampler_draw(run->shift->population, p, run->seed, step + k, b, foreseen->next->who + k * b);
  sprint__foreseen_prepare(foreseen, batches * b);
}

static void window_lane(void *user, int lane, size_t start, size_t end) {
  struct window_work *work = user;
  (void)start;
  (void)end;
  if (lane == 0)
    work->status = take_steps(work->run, &work->want);
  else if (work->batches)
    prepare_window(work->run, work->step, work->batches);
}

sprint_status sprint__run_window(sprint_run *run, const sprint_want *want) {
  struct sprint__foreseen *foreseen = run->solver->listed->foreseen;
  bool known = run->epochs_refreshed > run->solver->cost.epochs; /* who is drawn is settled for the epoch */
  size_t batches = known ? sprint__listed_foresight(run->solver, 0) : 1;
  if (sprint__listed_owe(run->solver, sprint__run_p(run))) run->window_ready = false;
  if (!run->window_ready) prepare_window(run, want->step, batches);
  sprint__foreseen_turn(foreseen, run->solver->theta);
  struct window_work work = {.run = run, .want = *want, .step = want->step + batches};
  if (known) work.batches = sprint__listed_foresight(run->solver, batches);
  sprint__lanes_run(run->context, 2, 2, window_lane, &work);
  run->window_ready = work.batches > 0 && run->solver->cost.steps == work.step;
  return work.status;
}
