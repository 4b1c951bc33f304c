/* Threads that wait for lanes to do: see team.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/team.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/threads.h"

/* How often a thread with nothing to do tries to take a lane before it lets others run between tries: for a tenth of a
 * millisecond or two; how often it does that before it sleeps: for some two milliseconds, as steps go on after what one
 * thread does alone; and nanoseconds of its sleeps, each twice as long as the one before. */
enum { TRIES = 5000, YIELDS = 4000, FIRST_REST = 50000, LONGEST_REST = 8 * FIRST_REST };

struct sprint__team {
  /* Which of the work's lanes nobody has taken yet, and the number of the work: see FIRST, END and NEXT_WORK. What
   * whoever takes one reads next is in the same line of the cache. */
  _Alignas(64) _Atomic uint64_t open;
  atomic_bool over;
  struct sprint__split split;
  _Alignas(64) atomic_int n_done; /* lanes of this work */
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

static void pause_briefly(void) {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

/* A lane that is now ours, or -1: the team's owner takes the first and the others the last, so that two threads have
 * about the same lanes each time, and what belongs to them in their caches. Memory orders are the weakest that do: what
 * was written before the work was opened is seen by who takes a lane of it, and what a lane has written by who sees it
 * done. tests/CMakeLists.txt has every one of them weakened, for ThreadSanitizer to find. */
static int take_lane(struct sprint__team *team, int thread) {
  bool owner = thread == OWNER;
  uint64_t open = atomic_load_explicit(&team->open, memory_order_relaxed);
  while (FIRST(open) < END(open)) {
    uint64_t left = owner ? WITHOUT_FIRST(open) : WITHOUT_LAST(open);
    if (atomic_compare_exchange_weak_explicit(&team->open, &open, left, memory_order_acquire, memory_order_relaxed))
      return owner ? FIRST(open) : END(open) - 1;
  }
  return -1;
}

static bool do_lane(struct sprint__team *team, int thread) {
  int lane = take_lane(team, thread);
  if (lane < 0) return false;
  sprint__split_do(&team->split, lane, thread);
  atomic_fetch_add_explicit(&team->n_done, 1, memory_order_release);
  return true;
}

static void serve_lanes(struct sprint__team *team, int thread) {
  long rest = FIRST_REST;
  for (int tries = 0; !atomic_load_explicit(&team->over, memory_order_relaxed); tries++) {
    if (do_lane(team, thread)) {
      tries = 0;
      rest = FIRST_REST;
    } else if (tries < TRIES) {
      pause_briefly();
    } else if (tries < TRIES + YIELDS) {
      sched_yield();
    } else {
      nanosleep(&(struct timespec){.tv_nsec = rest}, NULL);
      if (rest < LONGEST_REST) rest *= 2;
      tries = TRIES + YIELDS;
    }
  }
}

static void share(struct sprint__team *team, const struct sprint__split *split) {
  team->split = *split;
  atomic_store_explicit(&team->n_done, 0, memory_order_relaxed);
  uint64_t open = atomic_load_explicit(&team->open, memory_order_relaxed);
  atomic_store_explicit(&team->open, NEXT_WORK(open, split->n_parts), memory_order_release);
  while (do_lane(team, OWNER)) continue;
  for (int tries = 0; atomic_load_explicit(&team->n_done, memory_order_acquire) < split->n_parts; tries++) {
    pause_briefly();
    if (tries < TRIES) continue;
    sched_yield(); /* the thread that we wait for may need this very core */
    tries = TRIES;
  }
}

struct shared {
  sprint_context *context;
  const struct sprint__split *split;
  bool done;
};

static sprint_status share_once(void *user) {
  struct shared *shared = user;
  shared->done = shared->context->team != NULL;
  if (shared->done) share(shared->context->team, shared->split);
  return SPRINT_OK;
}

bool sprint__team_share(sprint_context *context, const struct sprint__split *split) {
  struct shared shared = {context, split};
  sprint__team_run(context, share_once, &shared);
  return shared.done;
}

/* Whether this is a child of a process that has had a parallel region. GNU OpenMP would wait for threads that are not
 * in the child; it works alone. The runtime's threads belong to the process, and so does what is known of them: the
 * process of the first region, the one thing here that is neither constant nor part of an object. */
static bool is_forked(void) {
  static _Atomic(pid_t) first;
  pid_t none = 0, self = getpid();
  return !atomic_compare_exchange_strong(&first, &none, self) && none != self;
}

sprint_status sprint__team_run(sprint_context *context, sprint_status (*body)(void *user), void *user) {
  if (context->n_threads == 1 || context->team || is_forked()) return body(user);
  int n_threads = context->n_threads < SPRINT__MAX_LANES ? context->n_threads : SPRINT__MAX_LANES;
  if (sprint__threads_usable(context, n_threads) < n_threads) return body(user);
  struct sprint__team team = {.n_done = 0};
  sprint_status status = SPRINT_OK;
#pragma omp parallel num_threads(n_threads)
  if (omp_get_thread_num() == OWNER) {
    context->team = &team;
    status = body(user);
    context->team = NULL;
    atomic_store_explicit(&team.over, true, memory_order_relaxed);
  } else {
    serve_lanes(&team, omp_get_thread_num());
  }
  return status;
}
