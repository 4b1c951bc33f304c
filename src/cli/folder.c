/* Where results go. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

char *cli_beside(const char *place) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return NULL;
  path[length] = '\0';
  char *last = strrchr(path, '/');
  for (; last && strncmp(place, "../", 3) == 0; place += 3) {
    *last = '\0';
    last = strrchr(path, '/');
  }
  return last ? cli_format("%.*s/%s", (int)(last - path), path, place) : NULL;
}

sprint_status cli_check_out(sprint_context *context, const char *out) {
  char *path = cli_format("%s", out), *slash;
  struct stat info;
  while (stat(path, &info) != 0 && (slash = strrchr(path, '/')) && slash > path) *slash = '\0';
  bool there = stat(path, &info) == 0;
  sprint_status status = SPRINT_OK;
  if (there && !S_ISDIR(info.st_mode))
    status = sprint_fail(context, SPRINT_ERROR_IO, "%s: is not a folder", path);
  else if (access(there ? path : *path == '/' ? "/" : ".", W_OK) != 0)
    status = sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", out, strerror(errno));
  free(path);
  return status;
}

char *cli_run_name(const sprint_experiment *experiment, struct cli_number run, bool with_point) {
  const char *point = with_point ? sprint_experiment_point_name(experiment, run.point) : "";
  return cli_format("%s%s%s/seed-%llu", point, *point ? "/" : "", sprint_experiment_method_name(experiment, run.method),
                    (unsigned long long)sprint_experiment_seed(experiment, run.seed));
}

size_t cli_n_runs(const sprint_experiment *experiment) {
  return sprint_experiment_n_points(experiment) * sprint_experiment_n_methods(experiment) *
         sprint_experiment_n_seeds(experiment);
}

struct cli_number cli_run_number(const sprint_experiment *experiment, size_t i) {
  size_t n_methods = sprint_experiment_n_methods(experiment), n_seeds = sprint_experiment_n_seeds(experiment);
  return (struct cli_number){i / (n_methods * n_seeds), i / n_seeds % n_methods, i % n_seeds};
}
