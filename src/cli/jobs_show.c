/* Progress of jobs on stderr: see jobs.h. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"
#include "terminal.h"

#define REDRAW_EVERY 0.2  /* seconds, on a terminal */
#define PRINT_EVERY  20.0 /* seconds, in a pipe */

enum { BAR = 24, MAX_WIDTH = 512 };

static double share_of(const struct cli_job *job) {
  if (job->state == CLI_JOB_DONE || job->state == CLI_JOB_FAILED) return 1;
  if (job->state == CLI_JOB_RUNNING && job->newest.share > 0) return job->newest.share;
  return 0;
}

/* Seconds that a running job still needs; NaN: unknown. */
static double left_of(const struct cli_job *job, double now) {
  double share = share_of(job), spent = now - job->started;
  if (share > 0.01) return spent * (1 - share) / share;
  return job->expected > 0 ? fmax(0, job->expected - spent) : NAN;
}

struct overall {
  double share, left; /* left NaN: unknown */
};

static bool all_known(const struct cli_jobs *jobs, bool work) {
  for (size_t i = 0; i < jobs->n; i++)
    if (!((work ? jobs->jobs[i].work : jobs->jobs[i].expected) > 0)) return false;
  return true;
}

/* Jobs are weighted by the seconds expected of them, which also give the time left until enough is done to go by; else
 * by their work, or all alike. */
static struct overall overall_of(const struct cli_jobs *jobs, double now) {
  double done = 0, total = 0, spent = now - jobs->started;
  bool known = all_known(jobs, false), work = all_known(jobs, true);
  for (size_t i = 0; i < jobs->n; i++) {
    const struct cli_job *job = &jobs->jobs[i];
    double weight = known ? job->expected : work ? job->work : 1;
    total += weight;
    done += weight * share_of(job);
  }
  double share = total > 0 ? done / total : 1;
  double left = share > 0.01 ? spent * (1 - share) / share : NAN;
  if (isnan(left) && known) left = total * (1 - share) / (double)jobs->n_parallel;
  return (struct overall){share, left};
}

static void add_left(char *line, size_t size, double left) {
  size_t n = strlen(line);
  if (!isnan(left) && n < size) snprintf(line + n, size - n, ", %s left", cli_time(left).text);
}

/* "alpha-0.2/sgd-gd/seed-1   45 %, 3 s left  epoch 18  loss 0.512  |grad J|^2 0.0123": what matters most is cut last.
 */
static void describe(const struct cli_job *job, double now, char *line, size_t size) {
  const struct cli_message *newest = &job->newest;
  snprintf(line, size, "%s  %3.0f %%", job->name, 100 * share_of(job));
  add_left(line, size, left_of(job, now));
  size_t n = strlen(line);
  if (n < size)
    snprintf(line + n, size - n, "  epoch %.4g  loss %.4g  |grad J|^2 %.3g", newest->epoch, newest->loss,
             newest->gradient_sq);
}

static void describe_all(const struct cli_jobs *jobs, double now, char *line, size_t size) {
  struct overall overall = overall_of(jobs, now);
  char bar[BAR + 1] = "";
  for (int i = 0; i < BAR; i++) bar[i] = i < (int)(overall.share * BAR) ? '#' : '.';
  size_t n_failed = cli_jobs_count(jobs, CLI_JOB_FAILED);
  size_t n_ended = cli_jobs_count(jobs, CLI_JOB_DONE) + n_failed;
  snprintf(line, size, "[%s] %zu of %zu runs", bar, n_ended, jobs->n);
  if (n_failed) snprintf(line + strlen(line), size - strlen(line), ", %zu failed", n_failed);
  add_left(line, size, overall.left);
}

/* Goes back to the first of the lines and clears them. */
static void wipe(struct cli_jobs *jobs) {
  if (jobs->n_lines > 0) fprintf(stderr, "\r\033[%zuA\033[J", jobs->n_lines);
  jobs->n_lines = 0;
}

/* A line that would wrap cannot be drawn over: it is cut. */
static void put_line(struct cli_jobs *jobs, const char *line, size_t columns) {
  cli_print(stderr, "%.*s\n", (int)(columns > 1 ? columns - 1 : 1), line);
  jobs->n_lines++;
}

static void redraw(struct cli_jobs *jobs, double now) {
  struct cli_size size = cli_terminal_size(STDERR_FILENO);
  char line[MAX_WIDTH];
  wipe(jobs);
  for (size_t i = 0; i < jobs->n && jobs->n_lines + 2 < size.rows; i++) {
    if (jobs->jobs[i].state != CLI_JOB_RUNNING) continue;
    describe(&jobs->jobs[i], now, line, sizeof line);
    put_line(jobs, line, size.columns);
  }
  describe_all(jobs, now, line, sizeof line);
  put_line(jobs, line, size.columns);
  fflush(stderr);
}

static void print_running(const struct cli_jobs *jobs, double now) {
  char line[MAX_WIDTH];
  for (size_t i = 0; i < jobs->n; i++) {
    if (jobs->jobs[i].state != CLI_JOB_RUNNING) continue;
    describe(&jobs->jobs[i], now, line, sizeof line);
    cli_print(stderr, "%s\n", line);
  }
  describe_all(jobs, now, line, sizeof line);
  cli_print(stderr, "%s\n", line);
}

void cli_jobs_show_start(struct cli_jobs *jobs) {
  jobs->terminal = isatty(STDERR_FILENO);
  jobs->shown = jobs->started;
}

void cli_jobs_show(struct cli_jobs *jobs) {
  double now = cli_clock();
  if (jobs->quiet || now - jobs->shown < (jobs->terminal ? REDRAW_EVERY : PRINT_EVERY)) return;
  jobs->shown = now;
  if (jobs->terminal)
    redraw(jobs, now);
  else
    print_running(jobs, now);
}

/* A failure, with the name where there are several. */
static void print_failure(struct cli_jobs *jobs, const struct cli_job *job) {
  wipe(jobs);
  if (jobs->n == 1)
    cli_print(stderr, "sprint: %s\n", job->newest.sentence);
  else
    cli_print(stderr, "sprint: %s: %s\n", job->name, job->newest.sentence);
}

void cli_jobs_show_note(struct cli_jobs *jobs, size_t i) {
  const struct cli_job *job = &jobs->jobs[i];
  if (jobs->quiet) return;
  wipe(jobs);
  cli_print(stderr, "%s: %s\n", job->name, job->newest.note);
}

void cli_jobs_show_change(struct cli_jobs *jobs, size_t i) {
  const struct cli_job *job = &jobs->jobs[i];
  bool lines = !jobs->terminal && !(jobs->terse && cli_clock() - jobs->started < PRINT_EVERY);
  if (jobs->quiet) return;
  if (job->state == CLI_JOB_FAILED) {
    print_failure(jobs, job);
  } else if (lines && job->state == CLI_JOB_RUNNING) {
    cli_print(stderr, "%s: started\n", job->name);
  } else if (lines && job->state == CLI_JOB_DONE) {
    cli_print(stderr, "%s: done in %s, loss %.4g\n", job->name, cli_time(job->ended - job->started).text,
              job->newest.loss);
  } else if (lines && job->state == CLI_JOB_STOPPED) {
    cli_print(stderr, "%s: stopped\n", job->name);
  }
}

void cli_jobs_show_stopping(struct cli_jobs *jobs) {
  if (jobs->quiet || !jobs->terminal) return;
  wipe(jobs);
  fputs("stopping: what is under way takes a last row and is saved; once more ends it at once\n", stderr);
}

void cli_jobs_show_end(struct cli_jobs *jobs) {
  if (!jobs->quiet) wipe(jobs);
}
