/* Children, their pipes and their ends: see jobs.h. */
#define _POSIX_C_SOURCE 200809L
#include "jobs.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_EVERY = 100 }; /* milliseconds */

static_assert(sizeof(struct cli_message) <= PIPE_BUF, "a message must arrive whole");

static volatile sig_atomic_t stopped; /* in the child; a signal handler can reach nothing else */

static void on_stop(int signal_number) {
  (void)signal_number;
  stopped = 1;
}

bool cli_child_stopped(void) { return stopped; }

bool cli_child_say(int pipe, const struct cli_message *message) {
  ssize_t n;
  do n = write(pipe, message, sizeof *message);
  while (n < 0 && errno == EINTR);
  return n == (ssize_t)sizeof *message;
}

/* Ctrl-C reaches the whole group; the parent passes it on as SIGTERM, so that a child hears of it once. */
static void child_signals(const sigset_t *mask) {
  struct sigaction stop = {.sa_handler = on_stop}, ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&stop.sa_mask);
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGTERM, &stop, NULL);
  sigaction(SIGINT, &ignore, NULL);
  sigprocmask(SIG_SETMASK, mask, NULL);
}

/* The other children's pipes are closed here: a child must notice when the parent is gone. */
static _Noreturn void be_child(const struct cli_jobs *jobs, size_t i, int pipe, const sigset_t *mask) {
  child_signals(mask);
  for (size_t k = 0; k < jobs->n; k++)
    if (jobs->jobs[k].state == CLI_JOB_RUNNING) close(jobs->jobs[k].pipe);
  _exit(jobs->work(jobs->user, i, pipe));
}

static void end_job(struct cli_jobs *jobs, size_t i, enum cli_job_state state) {
  jobs->jobs[i].state = state;
  jobs->jobs[i].ended = cli_clock();
  cli_jobs_show_change(jobs, i);
}

static void start_job(struct cli_jobs *jobs, size_t i) {
  struct cli_job *job = &jobs->jobs[i];
  int ends[2] = {-1, -1};
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  fflush(NULL); /* or the child would print it again */
  pid_t pid = pipe(ends) == 0 ? fork() : -1;
  if (pid == 0) {
    close(ends[0]);
    be_child(jobs, i, ends[1], &before);
  }
  int error = errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  job->started = cli_clock();
  if (ends[1] >= 0) close(ends[1]);
  if (pid < 0) {
    if (ends[0] >= 0) close(ends[0]);
    snprintf(job->newest.sentence, sizeof job->newest.sentence, "could not be started: %s", strerror(error));
    end_job(jobs, i, CLI_JOB_FAILED);
    return;
  }
  job->state = CLI_JOB_RUNNING;
  job->pid = pid;
  job->pipe = ends[0];
  cli_jobs_show_change(jobs, i);
}

/* The child has closed its pipe: how did it end? */
static void reap(struct cli_jobs *jobs, size_t i) {
  struct cli_job *job = &jobs->jobs[i];
  int status = 0;
  close(job->pipe);
  while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR) continue;
  bool exited = WIFEXITED(status);
  if (exited && WEXITSTATUS(status) == CLI_OK) {
    end_job(jobs, i, CLI_JOB_DONE);
  } else if (cli_interrupted() && (!exited || WEXITSTATUS(status) == CLI_INTERRUPTED)) {
    job->kept = exited;
    end_job(jobs, i, CLI_JOB_STOPPED);
  } else {
    if (!exited)
      snprintf(job->newest.sentence, sizeof job->newest.sentence, "was ended by signal %d (%s)", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (!job->newest.sentence[0])
      snprintf(job->newest.sentence, sizeof job->newest.sentence, "ended early with exit code %d", WEXITSTATUS(status));
    end_job(jobs, i, CLI_JOB_FAILED);
  }
}

static void listen_to(struct cli_jobs *jobs, size_t i) {
  struct cli_message message;
  ssize_t n = read(jobs->jobs[i].pipe, &message, sizeof message);
  if (n == (ssize_t)sizeof message)
    jobs->jobs[i].newest = message;
  else if (n == 0 || errno != EINTR)
    reap(jobs, i);
}

/* Waits until some child has something to say, or for a while. `polls` and `who` have room for n_parallel. */
static void listen_to_all(struct cli_jobs *jobs, struct pollfd *polls, size_t *who) {
  nfds_t n = 0;
  for (size_t i = 0; i < jobs->n; i++) {
    if (jobs->jobs[i].state != CLI_JOB_RUNNING) continue;
    polls[n] = (struct pollfd){.fd = jobs->jobs[i].pipe, .events = POLLIN};
    who[n++] = i;
  }
  if (poll(polls, n, LOOK_EVERY) <= 0) return;
  for (nfds_t k = 0; k < n; k++)
    if (polls[k].revents) listen_to(jobs, who[k]);
}

size_t cli_jobs_count(const struct cli_jobs *jobs, enum cli_job_state state) {
  size_t n = 0;
  for (size_t i = 0; i < jobs->n; i++) n += jobs->jobs[i].state == state;
  return n;
}

static void start_waiting(struct cli_jobs *jobs) {
  size_t n_running = cli_jobs_count(jobs, CLI_JOB_RUNNING);
  for (size_t i = 0; i < jobs->n && n_running < jobs->n_parallel && !cli_interrupted(); i++) {
    if (jobs->jobs[i].state != CLI_JOB_WAITING) continue;
    start_job(jobs, i);
    n_running += jobs->jobs[i].state == CLI_JOB_RUNNING;
  }
}

static void stop_children(const struct cli_jobs *jobs) {
  for (size_t i = 0; i < jobs->n; i++)
    if (jobs->jobs[i].state == CLI_JOB_RUNNING) kill(jobs->jobs[i].pid, SIGTERM);
}

void cli_jobs_run(struct cli_jobs *jobs) {
  struct pollfd *polls = cli_room(jobs->n_parallel, sizeof *polls);
  size_t *who = cli_room(jobs->n_parallel, sizeof *who);
  jobs->started = cli_clock();
  cli_jobs_show_start(jobs);
  for (bool told = false;;) {
    start_waiting(jobs);
    if (cli_interrupted() && !told) {
      stop_children(jobs);
      cli_jobs_show_stopping(jobs);
      told = true;
    }
    if (cli_jobs_count(jobs, CLI_JOB_RUNNING) == 0) break;
    listen_to_all(jobs, polls, who);
    cli_jobs_show(jobs);
  }
  cli_jobs_show_end(jobs);
  free(polls);
  free(who);
}
