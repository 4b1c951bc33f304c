/* Threads that stand by: see team.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/team.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/* How often a thread with nothing to do looks for work, one look after the other, before it rests between looks: a
 * tenth of a millisecond; and nanoseconds of its rests, each twice as long as the one before. */
enum { LOOKS = 5000, FIRST_REST = 50000, LONGEST_REST = 8 * FIRST_REST };

struct sprint__team {
  /* Which of the work's lanes nobody has taken yet, and the number of the work: see FIRST, END and NEXT_WORK. */
  _Alignas(64) _Atomic uint64_t open;
  _Alignas(64) atomic_int n_done; /* lanes of this work */
  _Alignas(64) atomic_bool over;
  bool working; /* on lanes: those that a lane runs are not shared */
  struct sprint__laned laned;
};

/* Lanes FIRST .. END are open. A number of the work above them keeps a thread that has looked at one work from taking a
 * lane of the next. */
#define FIRST(open)              ((int)((open) >> 8 & 0xff))
#define END(open)                ((int)((open)&0xff))
#define WITHOUT_FIRST(open)      ((open) + (1 << 8))
#define WITHOUT_LAST(open)       ((open)-1)
#define NEXT_WORK(open, n_lanes) ((((open) >> 16) + 1) << 16 | (uint64_t)(n_lanes))
_Static_assert(SPRINT__MAX_LANES < 0xff, "lanes fit into a byte");

enum { OWNER = 0 }; /* the number of the thread that shares its work */

static void look_away(void) {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

/* A lane that is now ours, or -1: the team's owner takes the first and the others the last, so that two threads have
 * about the same lanes each time, and what belongs to them in their caches. */
static int take_lane(struct sprint__team *team, int thread) {
  bool owner = thread == OWNER;
  uint64_t open = atomic_load_explicit(&team->open, memory_order_acquire);
  while (FIRST(open) < END(open)) {
    uint64_t left = owner ? WITHOUT_FIRST(open) : WITHOUT_LAST(open);
    if (atomic_compare_exchange_weak_explicit(&team->open, &open, left, memory_order_acq_rel, memory_order_acquire))
      return owner ? FIRST(open) : END(open) - 1;
  }
  return -1;
}

static bool do_lane(struct sprint__team *team, int thread) {
  int lane = take_lane(team, thread);
  if (lane < 0) return false;
  sprint__laned_do(&team->laned, lane, thread);
  atomic_fetch_add_explicit(&team->n_done, 1, memory_order_release);
  return true;
}

static void stand_by(struct sprint__team *team, int thread) {
  long rest = FIRST_REST;
  for (int looks = 0; !atomic_load_explicit(&team->over, memory_order_relaxed); looks++) {
    if (do_lane(team, thread)) {
      looks = 0;
      rest = FIRST_REST;
    } else if (looks < LOOKS) {
      look_away();
    } else {
      nanosleep(&(struct timespec){.tv_nsec = rest}, NULL);
      if (rest < LONGEST_REST) rest *= 2;
      looks = LOOKS;
    }
  }
}

static void share(struct sprint__team *team, const struct sprint__laned *laned) {
  team->laned = *laned;
  team->working = true;
  atomic_store_explicit(&team->n_done, 0, memory_order_relaxed);
  uint64_t open = atomic_load_explicit(&team->open, memory_order_relaxed);
  atomic_store_explicit(&team->open, NEXT_WORK(open, laned->n_lanes), memory_order_release);
  while (do_lane(team, OWNER)) continue;
  for (int looks = 0; atomic_load_explicit(&team->n_done, memory_order_acquire) < laned->n_lanes; looks++) {
    look_away();
    if (looks < LOOKS) continue;
    sched_yield(); /* the thread that we wait for may need this very core */
    looks = LOOKS;
  }
  team->working = false;
}

struct shared {
  sprint_context *context;
  const struct sprint__laned *laned;
};

static sprint_status share_once(void *user) {
  const struct shared *shared = user;
  share(shared->context->team, shared->laned);
  return SPRINT_OK;
}

bool sprint__team_share(sprint_context *context, const struct sprint__laned *laned) {
  if (context->team && context->team->working) return false;
  if (context->team)
    share(context->team, laned);
  else
    sprint__team_run(context, share_once, &(struct shared){context, laned});
  return true;
}

sprint_status sprint__team_run(sprint_context *context, sprint_status (*body)(void *user), void *user) {
  if (context->n_threads == 1 || context->team) return body(user);
  struct sprint__team team = {.working = false};
  sprint_status status = SPRINT_OK;
  int n_threads = context->n_threads < SPRINT__MAX_LANES ? context->n_threads : SPRINT__MAX_LANES;
#pragma omp parallel num_threads(n_threads)
  if (omp_get_thread_num() == OWNER) {
    context->team = &team;
    status = body(user);
    context->team = NULL;
    atomic_store_explicit(&team.over, true, memory_order_relaxed);
  } else {
    stand_by(&team, omp_get_thread_num());
  }
  return status;
}
