/* Children, their pipes and their ends: see jobs.h. */
#define _DEFAULT_SOURCE
#include "jobs.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { LOOK_EVERY = 100 }; /* milliseconds */

static_assert(sizeof(struct cli_message) <= PIPE_BUF, "a message must arrive whole");

static volatile sig_atomic_t stopped; /* in the child: by this signal; a handler can reach nothing else */

#define GRACE 1500000 /* microseconds from the signal to the end */

static void on_stop(int number) {
  struct itimerval timer = {.it_value = {GRACE / 1000000, GRACE % 1000000}};
  if (stopped) return;
  stopped = number;
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_end_of_grace(int number) {
  (void)number;
  _exit(128 + stopped);
}

bool cli_child_stopped(void) { return stopped != 0; }
int cli_child_stop_code(void) { return 128 + stopped; }

bool cli_child_say(int pipe, const struct cli_message *message) {
  ssize_t n;
  do n = write(pipe, message, sizeof *message);
  while (n < 0 && errno == EINTR);
  return n == (ssize_t)sizeof *message;
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

/* Ctrl-C reaches the whole group; the parent passes it on as SIGTERM. A file or pipe that cannot be written to is found
 * where it is written. A child whose parent dies is to stop. */
static void child_signals(const sigset_t *mask, pid_t parent) {
  static const int stopping[] = {SIGTERM, SIGHUP, SIGUSR1, SIGXCPU}, ignored[] = {SIGINT, SIGPIPE, SIGXFSZ};
  for (size_t i = 0; i < sizeof stopping / sizeof stopping[0]; i++) handle(stopping[i], on_stop);
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) handle(ignored[i], SIG_IGN);
  handle(SIGALRM, on_end_of_grace);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (getppid() != parent) raise(SIGTERM);
}

/* The other children's pipes are closed here: a child must notice when the parent is gone. */
static _Noreturn void be_child(const struct cli_jobs *jobs, size_t i, int pipe, const sigset_t *mask, pid_t parent) {
  child_signals(mask, parent);
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
  pid_t parent = getpid(), pid = pipe(ends) == 0 ? fork() : -1;
  if (pid == 0) {
    close(ends[0]);
    be_child(jobs, i, ends[1], &before, parent);
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
  } else if (exited && WEXITSTATUS(status) > 128) { /* it was told to stop, by us or by somebody else */
    cli_interrupt(WEXITSTATUS(status) - 128);
    end_job(jobs, i, CLI_JOB_STOPPED);
  } else if (cli_interrupted() && !exited) {
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

/* The newest message; a note is shown once, and where it becomes another one. */
static void hear(struct cli_jobs *jobs, size_t i, const struct cli_message *message) {
  struct cli_job *job = &jobs->jobs[i];
  bool news = message->note[0] && strcmp(message->note, job->newest.note) != 0;
  job->newest = *message;
  if (news) cli_jobs_show_note(jobs, i);
}

static void listen_to(struct cli_jobs *jobs, size_t i) {
  struct cli_message message;
  ssize_t n = read(jobs->jobs[i].pipe, &message, sizeof message);
  if (n == (ssize_t)sizeof message)
    hear(jobs, i, &message);
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
