/* Jobs: many pieces of work as child processes, some at a time. A child is forked, so that it shares with the others
 * all that was loaded before; it reports through a pipe. */
#ifndef SPRINT_CLI_JOBS_H
#define SPRINT_CLI_JOBS_H

#include <sys/types.h>

#include "cli.h"

/* What a child says; the newest is kept. Small enough to arrive whole through a pipe. */
struct cli_message {
  double share;                    /* of the work that is done; NaN: unknown */
  double epoch, loss, gradient_sq; /* of the newest trace row */
  double seconds;                  /* of a measurement */
  char sentence[1024];             /* why it failed; "" */
  char note[512];                  /* what somebody should know of it; "" */
};

enum cli_job_state { CLI_JOB_WAITING, CLI_JOB_RUNNING, CLI_JOB_DONE, CLI_JOB_FAILED, CLI_JOB_STOPPED };

struct cli_job {
  const char *name;
  double expected; /* seconds that it may take; 0: unknown */
  double work;     /* of it, beside that of the others; 0: unknown */
  enum cli_job_state state;
  pid_t pid;
  int pipe; /* to read from */
  double started, ended;
  struct cli_message newest;
};

/* In the child: says how far it is. Returns false where nobody listens any more. */
bool cli_child_say(int pipe, const struct cli_message *message);

/* In the child: whether it was asked to stop. It then has a second and a half to keep what it has: after that it is
 * ended where it stands, and what it had kept before is what there is. */
bool cli_child_stopped(void);
int cli_child_stop_code(void); /* to exit with, then */

struct cli_jobs {
  size_t n;
  struct cli_job *jobs;
  size_t n_parallel;
  bool quiet; /* no progress, no complaints */
  bool terse; /* in a pipe: no word of what is soon done */
  /* In the child: does job i, says so on the pipe. Returns an exit code. */
  int (*work)(void *user, size_t i, int pipe);
  void *user;

  double started; /* set by cli_jobs_run */
  bool terminal;
  size_t n_lines; /* on the terminal, to be drawn over */
  double shown;   /* clock */
};

/* Runs every waiting job to its end. Failures are told as they happen and the others go on. After an interrupt the
 * children are asked to stop and what has not begun stays waiting. */
void cli_jobs_run(struct cli_jobs *jobs);

size_t cli_jobs_count(const struct cli_jobs *jobs, enum cli_job_state state);

/* jobs_show.c: progress on stderr. On a terminal a line per running job and a bar, redrawn in place; else a line per
 * start and end, and one for each running job now and then. */
void cli_jobs_show_start(struct cli_jobs *jobs);
void cli_jobs_show(struct cli_jobs *jobs);                    /* as time goes by */
void cli_jobs_show_change(struct cli_jobs *jobs, size_t job); /* it began or ended */
void cli_jobs_show_note(struct cli_jobs *jobs, size_t job);   /* it has a new note */
void cli_jobs_show_stopping(struct cli_jobs *jobs);           /* they were asked to stop */
void cli_jobs_show_end(struct cli_jobs *jobs);

#endif
