/* Checkpoints: see checkpoint.h. */
#define _POSIX_C_SOURCE 200809L
#include "run/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/print.h"
#include "base/sized.h"
#include "base/statefile.h"
#include "run/identity.h"
#include "run/saved.h"
#include "run/trace.h"

#define MAGIC      "sprint checkpoint 2\n"
#define UNFINISHED "unfinished"
#define BEFORE     "unfinished-before" /* what other settings had begun */

/* Seconds between two checkpoints: at least so many, and at least so many times what the newest took. */
#define EVERY       5.0
#define TIMES_SPENT 100.0

/* Seconds of a run that a kill would lose: of one that takes no checkpoints, and of one that has taken none for long.
 */
#define WORTH_A_WORD 60.0
#define LONG_SINCE   300.0

enum { NOTE = 512 };

struct sprint__checkpoints {
  sprint_lock *lock;
  char *folder, *unfinished;            /* the run's, and that within it */
  char *newest, *before;                /* checkpoints */
  char *identity;                       /* of the run, at its start */
  FILE *trace, *timing;                 /* that grow */
  double every;                         /* seconds between two; 0: as it fits */
  double taken, spent;                  /* clock of the newest checkpoint, or of the start; seconds that it took */
  const char *never;                    /* why there can be none; NULL: there can */
  bool late;                            /* it was said that the newest is old */
  char note[NOTE];                      /* what whoever started it should know; "" */
  char elsewhere[SPRINT__MACHINE_NAME]; /* the other kind of processor on which the checkpoint was written; "" */
};

void sprint__checkpoint_free(struct sprint__checkpoints *kept) {
  if (!kept) return;
  if (kept->trace) fclose(kept->trace);
  if (kept->timing) fclose(kept->timing);
  sprint_lock_free(kept->lock);
  void *const owned[] = {kept->folder, kept->unfinished, kept->newest, kept->before, kept->identity};
  for (size_t i = 0; i < SPRINT__COUNT(owned); i++) sprint__free(owned[i]);
  sprint__free(kept);
}

__attribute__((format(printf, 2, 3))) static void note(struct sprint__checkpoints *kept, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  sprint__vsnprintf(kept->note, sizeof kept->note, format, arguments);
  va_end(arguments);
}

bool sprint_run_resumes(const sprint_run *run) { return run && !sprint__engine_unresumable(run->engine); }

/* That there are no checkpoints is worth a word once there is something to lose. */
const char *sprint_run_note(const sprint_run *run) {
  struct sprint__checkpoints *kept = run ? run->kept : NULL;
  if (!kept) return "";
  double since = sprint__clock_coarse() - kept->taken;
  if (kept->never && !kept->note[0] && since > WORTH_A_WORD)
    note(kept, "takes no checkpoints, a kill would lose it all: %s", kept->never);
  if (!kept->never && !kept->late && since > LONG_SINCE && !sprint__engine_rests(run->engine)) {
    kept->late = true;
    note(kept,
         "has taken no checkpoint for %.0f minutes, which a kill would lose: '%s' takes them where epochs end "
         "(engine: plain does between steps)",
         since / 60, run->engine->kind->name);
  }
  return kept->note;
}

/* The rows of the trace, whose number is read first. */
static void rows_state(sprint_run *run, struct sprint__state *state) {
  size_t n_strata = run->shift->population->n_strata, most = (size_t)(state->left / sizeof *run->rows);
  sprint__state_count(state, "run->n_rows", &run->n_rows, state->reads ? most : SIZE_MAX);
  if (!sprint__state_ok(state)) return;
  if (state->reads)
    state->status =
        sprint__grow(run->context, (void **)&run->rows, 0, &run->n_rows_room, run->n_rows + 1, sizeof *run->rows);
  if (state->reads && sprint__state_ok(state))
    state->status = sprint__grow(run->context, (void **)&run->strata, 0, &run->n_strata_room,
                                 (run->n_rows + 1) * n_strata, sizeof *run->strata);
  SPRINT__KEEP_ARRAY(state, run->rows, run->n_rows);
  SPRINT__KEEP_ARRAY(state, run->strata, run->n_rows * n_strata);
}

/* Bytes are the same on one kind of processor alone: a checkpoint says on which it was written. */
static void machine_state(struct sprint__checkpoints *kept, struct sprint__state *state) {
  char here[SPRINT__MACHINE_NAME], there[SPRINT__MACHINE_NAME];
  sprint__machine_name(here);
  memcpy(there, here, sizeof there);
  sprint__state_part(state, "machine", there, sizeof there);
  there[sizeof there - 1] = '\0';
  if (state->reads && sprint__state_ok(state) && strcmp(here, there) != 0) memcpy(kept->elsewhere, there, sizeof there);
}

static void visit(void *user, struct sprint__state *state) {
  sprint_run *run = user;
  size_t n_params = run->solver->n_params;
  machine_state(run->kept, state);
  sprint__engine_state(run->engine, state);
  rows_state(run, state);
  SPRINT__KEEP(state, run->seconds);
  SPRINT__KEEP(state, run->evals_before);
  SPRINT__KEEP_ARRAY(state, run->theta_before, n_params);
  SPRINT__KEEP_ARRAY(state, run->theta_sound, n_params);
  sprint__state_count(state, "run->n_sound", &run->n_sound, run->n_rows);
}

static struct sprint__statefile_frame frame_of(sprint_run *run) {
  return (struct sprint__statefile_frame){MAGIC, run->kept->identity, visit, run};
}

bool sprint__checkpoint_is_due(const sprint_run *run) {
  const struct sprint__checkpoints *kept = run->kept;
  if (!kept || kept->never) return false;
  double wait = kept->every > 0 ? kept->every : fmax(EVERY, TIMES_SPENT * kept->spent);
  if (!run->paused && sprint__clock_coarse() - kept->taken < wait) return false;
  return sprint__engine_rests(run->engine);
}

void sprint__checkpoint_take(sprint_run *run) {
  struct sprint__checkpoints *kept = run->kept;
  double start = sprint__clock();
  run->solver->cost.shift_evals = run->shift->evals - run->evals_before;
  struct sprint__statefile_frame frame = frame_of(run);
  if (sprint__statefile_write(run->context, kept->newest, kept->before, &frame) != SPRINT_OK)
    note(kept, "no checkpoint could be written, a kill would lose the newest work: %s",
         sprint_context_error(run->context));
  kept->taken = sprint__clock();
  kept->spent = kept->taken - start;
}

void sprint__checkpoint_row(sprint_run *run) {
  struct sprint__checkpoints *kept = run->kept;
  if (!kept) return;
  sprint__trace_print_row(run, run->n_rows - 1, kept->trace);
  sprint__timing_print_row(run, run->n_rows - 1, kept->timing);
  if (fflush(kept->trace) != 0 || fflush(kept->timing) != 0)
    note(kept, "the growing trace could not be written: %s", strerror(errno));
}

/* What other settings had begun is set aside, not lost. */
static sprint_status set_aside(sprint_run *run) {
  struct sprint__checkpoints *kept = run->kept;
  SPRINT__SCOPED(sprint__free) char *aside = sprint__printf(run->context, "%s/" BEFORE, kept->folder);
  if (!aside) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__folder_remove(run->context, aside));
  SPRINT__TRY(sprint__file_rename(run->context, kept->unfinished, aside));
  sprint_lock_free(sprint__give(&kept->lock));
  note(kept, "begins anew: what is unfinished is of other settings or another version, and was moved to %s", aside);
  return sprint__folder_lock_own(run->context, kept->unfinished, &kept->lock);
}

/* Goes on from the newest checkpoint that is whole. */
static sprint_status resume(sprint_run *run) {
  struct sprint__checkpoints *kept = run->kept;
  struct sprint__statefile_frame frame = frame_of(run);
  SPRINT__CLEARED(sprint__statefile_close) struct sprint__statefile file = {0};
  enum sprint__statefile_found newest = sprint__statefile_open(kept->newest, &frame, &file), found = newest;
  bool damaged = newest == SPRINT__STATEFILE_DAMAGED;
  if (damaged || newest == SPRINT__STATEFILE_NONE) found = sprint__statefile_open(kept->before, &frame, &file);
  if (found == SPRINT__STATEFILE_OTHER) return set_aside(run);
  if (found == SPRINT__STATEFILE_GOOD) {
    SPRINT__TRY(sprint__statefile_read(run->context, &file, &frame));
    note(kept, "%sgoes on from epoch %.4g%s%s%s",
         damaged ? "the newest checkpoint is damaged, the one before is whole: " : "",
         sprint__solver_epoch(run->solver),
         kept->elsewhere[0] ? ", which was reached on another kind of processor (" : "", kept->elsewhere,
         kept->elsewhere[0] ? "): the last digits may be others than on one kind alone" : "");
  } else if (damaged || found == SPRINT__STATEFILE_DAMAGED) {
    note(kept, "begins anew: its checkpoint in %s is damaged", kept->unfinished);
  }
  return SPRINT_OK;
}

/* The trace as far as it is known, which grows from here on. */
static sprint_status show_rows(sprint_run *run, const char *name, void (*print)(const sprint_run *, FILE *),
                               FILE **ret_stream) {
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(run->context, "%s/%s", run->kept->unfinished, name);
  if (!path) return SPRINT_ERROR_MEMORY;
  remove(path);
  *ret_stream = fopen(path, "wbx");
  if (*ret_stream) print(run, *ret_stream);
  if (!*ret_stream || fflush(*ret_stream) != 0)
    return sprint_fail(run->context, SPRINT_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
  return SPRINT_OK;
}

/* Room for two checkpoints, one more that is being written, and the model. */
static sprint_status check_room(sprint_run *run) {
  struct sprint__statefile_frame frame = frame_of(run);
  struct statvfs disk;
  double need = 3 * (double)sprint__statefile_size(run->context, &frame) +
                2 * (double)run->solver->n_params * sizeof(sprint_real) + 65536;
  if (statvfs(run->kept->unfinished, &disk) != 0) return SPRINT_OK;
  double room = (double)disk.f_bavail * (double)disk.f_frsize;
  if (room >= need) return SPRINT_OK;
  return sprint_fail(run->context, SPRINT_ERROR_IO, "%s: the run may need %.3g MB here, and there are %.3g",
                     run->kept->folder, need / 1e6, room / 1e6);
}

static sprint_status open_folder(sprint_run *run, const char *folder) {
  struct sprint__checkpoints *kept = run->kept;
  sprint_context *context = run->context;
  kept->folder = sprint__strdup(context, folder);
  kept->unfinished = sprint__printf(context, "%s/" UNFINISHED, folder);
  kept->newest = sprint__printf(context, "%s/" UNFINISHED "/checkpoint", folder);
  kept->before = sprint__printf(context, "%s/" UNFINISHED "/checkpoint.before", folder);
  kept->identity = sprint__run_identity(run);
  if (!kept->folder || !kept->unfinished || !kept->newest || !kept->before || !kept->identity)
    return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory: %s", folder);
  return sprint__folder_lock_own(context, kept->unfinished, &kept->lock);
}

sprint_status sprint_run_keep(sprint_run *run, const char *folder, const sprint_keep_options *given) {
  if (!run) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(run->context, folder);
  sprint_keep_options options = {.size = sizeof options};
  if (given) SPRINT__SIZED_TAKE(run->context, sprint_keep_options, given, &options);
  if (!(options.every >= 0))
    return sprint_fail(run->context, SPRINT_ERROR_ARGUMENT, "checkpoints every %g seconds; 0 or more was expected",
                       options.every);
  if (run->kept || run->n_rows > 0 || run->solver->cost.deployments > 0)
    return sprint_fail(run->context, SPRINT_ERROR_ARGUMENT,
                       "%s: the run is kept, or has begun; before that was expected", folder);
  struct sprint__checkpoints *kept = run->kept = sprint__alloc(run->context, 1, sizeof *kept);
  if (!kept) return SPRINT_ERROR_MEMORY;
  kept->never = sprint__engine_unresumable(run->engine);
  kept->every = options.every;
  kept->taken = sprint__clock();
  SPRINT__TRY(open_folder(run, folder));
  SPRINT__TRY(check_room(run));
  if (!kept->never) SPRINT__TRY(resume(run));
  SPRINT__TRY(show_rows(run, SPRINT__TRACE_FILE, sprint__trace_print, &kept->trace));
  return show_rows(run, SPRINT__TIMING_FILE, sprint__timing_print, &kept->timing);
}

sprint_status sprint__checkpoint_done(const sprint_run *run, const char *folder) {
  const struct sprint__checkpoints *kept = run->kept;
  bool finished = run->solver->stop != SPRINT_STOP_RUNNING && run->solver->stop != SPRINT_STOP_REQUESTED;
  if (!kept || !finished || strcmp(kept->folder, folder) != 0) return SPRINT_OK;
  return sprint__folder_remove(run->context, kept->unfinished);
}

void sprint__checkpoint_sweep(sprint_context *context, const char *folder) {
  SPRINT__SCOPED(sprint__free) char *unfinished = sprint__printf(context, "%s/" UNFINISHED, folder);
  SPRINT__SCOPED(sprint_lock_free) sprint_lock *lock = NULL;
  if (!unfinished || access(unfinished, F_OK) != 0) return;
  if (sprint__folder_lock_own(context, unfinished, &lock) == SPRINT_OK) sprint__folder_remove(context, unfinished);
}
