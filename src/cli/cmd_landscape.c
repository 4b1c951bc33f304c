/* sprint landscape: the decoupled risk around a model, what is stable and what is optimal there, and the way of a
 * method to it. */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "text.h"

enum { MOST_GRID = 301 };

struct work {
  sprint_context *context;
  const struct cli_options *options;
  sprint_experiment *experiment;
  sprint_model *model;
  sprint_shift *shift;
  size_t n_params, point, method, seed; /* whose way is drawn */
  bool walks;                           /* it is */
  sprint_real *theta, *towards, *second;
  sprint_real *path; /* (n_path, n_params) */
  size_t n_path, n_room;
  double drawn; /* share of the work that was told of */
};

static void work_clear(struct work *work) {
  free(work->theta);
  free(work->towards);
  free(work->second);
  free(work->path);
  sprint_shift_free(work->shift);
  sprint_model_free(work->model);
  sprint_experiment_free(work->experiment);
}

/* The name that ends at `end` in the path, and where the one before it ends; false: there is none. */
static bool name_before(const char *path, const char *end, char **ret_name, const char **ret_end) {
  const char *from = end;
  while (from > path && from[-1] != '/') from--;
  if (from == end) return false;
  *ret_name = cli_format("%.*s", (int)(end - from), from);
  *ret_end = from > path ? from - 1 : path;
  return true;
}

static bool find_method(struct work *work, const char *name) {
  for (size_t m = 0; m < sprint_experiment_n_methods(work->experiment); m++)
    if (strcmp(sprint_experiment_method_name(work->experiment, m), name) == 0) {
      work->method = m;
      return true;
    }
  return false;
}

static void find_seed(struct work *work, const char *name) {
  for (size_t s = 0; s < sprint_experiment_n_seeds(work->experiment); s++) {
    char *own = cli_format("seed-%llu", (unsigned long long)sprint_experiment_seed(work->experiment, s));
    if (strcmp(own, name) == 0) work->seed = s;
    free(own);
  }
}

static void find_point(struct work *work, const char *name) {
  for (size_t p = 0; p < sprint_experiment_n_points(work->experiment); p++)
    if (strcmp(sprint_experiment_point_name(work->experiment, p), name) == 0) work->point = p;
}

/* A model in [POINT/]METHOD/seed-S/ is of that run, where the config has it. */
static void find_by_place(struct work *work, const char *model) {
  char whole[PATH_MAX], *seed = NULL, *method = NULL, *point = NULL;
  if (!realpath(model, whole)) return;
  const char *end = strrchr(whole, '/');
  if (end && name_before(whole, end, &seed, &end)) find_seed(work, seed);
  if (end && seed && name_before(whole, end, &method, &end)) find_method(work, method);
  if (end && method && name_before(whole, end, &point, &end)) find_point(work, point);
  free(seed);
  free(method);
  free(point);
}

static sprint_status choose(struct work *work) {
  const char *method = cli_value(work->options, "method");
  find_by_place(work, cli_value(work->options, "model"));
  work->walks = !method || strcmp(method, "none") != 0;
  if (!method || !work->walks || find_method(work, method)) return SPRINT_OK;
  return sprint_fail(work->context, SPRINT_ERROR_INPUT,
                     "--method: '%s' is no method of the config; one such as '%s' was expected, or 'none'", method,
                     sprint_experiment_method_name(work->experiment, 0));
}

static sprint_status read_model(struct work *work, const char *option, sprint_real **ret_theta) {
  const char *path = cli_value(work->options, option);
  *ret_theta = path ? cli_room(work->n_params, sizeof **ret_theta) : NULL;
  return path ? sprint_model_read_theta(work->model, path, *ret_theta) : SPRINT_OK;
}

static sprint_status load(struct work *work) {
  sprint_status status = cli_load(work->context, work->options, &work->experiment);
  if (status == SPRINT_OK) status = choose(work);
  if (status == SPRINT_OK)
    status = sprint_experiment_parts(work->experiment, work->point, work->method, &work->model, &work->shift);
  if (status != SPRINT_OK) return status;
  work->n_params = sprint_model_n_params(work->model);
  status = read_model(work, "model", &work->theta);
  if (status == SPRINT_OK) status = read_model(work, "towards", &work->towards);
  if (status == SPRINT_OK) status = read_model(work, "across", &work->second);
  if (status != SPRINT_OK || work->towards) return status;
  work->towards = cli_room(work->n_params, sizeof *work->towards);
  return sprint_model_start(work->model, sprint_experiment_seed(work->experiment, work->seed), work->towards);
}

static void show_share(struct work *work, const char *what, double share) {
  if (!isatty(STDERR_FILENO) || share - work->drawn < 0.01) return;
  work->drawn = share;
  cli_print(stderr, "\r%s: %.0f %%", what, 100 * share);
}

static void end_share(struct work *work) {
  if (work->drawn > 0) fputs("\r\033[K", stderr);
  work->drawn = 0;
}

static bool note_row(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct work *work = user;
  (void)cost;
  if (row && work->n_path == work->n_room) {
    sprint_real *larger = cli_room(2 * work->n_room + 64, work->n_params * sizeof *larger);
    if (work->n_path) memcpy(larger, work->path, work->n_path * work->n_params * sizeof *larger);
    free(work->path);
    work->path = larger;
    work->n_room = 2 * work->n_room + 64;
  }
  if (row) {
    sprint_real *to = &work->path[work->n_path++ * work->n_params];
    memcpy(to, sprint_run_theta(run), work->n_params * sizeof *to);
  }
  show_share(work, "path", sprint_run_share(run));
  return !cli_interrupted();
}

/* Trains the method once more for its way: what a run leaves in its folder has no parameters but the last. */
static sprint_status walk(struct work *work) {
  sprint_run *run = NULL;
  if (!work->walks) return SPRINT_OK;
  sprint_status status = sprint_experiment_start(work->experiment, work->point, work->method, work->seed, &run);
  if (status == SPRINT_OK) status = sprint_run_go(run, note_row, work);
  end_share(work);
  if (status == SPRINT_OK && sprint_run_stop(run) == SPRINT_STOP_DIVERGED)
    fprintf(stderr, "sprint landscape: the path diverged; it is drawn as far as it is finite\n");
  sprint_run_free(run);
  return status;
}

static bool go_on(void *user, double share) {
  show_share(user, "landscape", share);
  return !cli_interrupted();
}

static double distance(const sprint_real *a, const sprint_real *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
  return sqrt(sum);
}

static const char *towards_name(const struct work *work) {
  return cli_value(work->options, "towards") ? "the other model" : "the start";
}

static void print_mark(const sprint_landscape *landscape, sprint_mark mark, bool plane) {
  double t, w, risk;
  const char *name = mark == SPRINT_MARK_STABLE ? "stable" : "optimum";
  if (!sprint_landscape_mark(landscape, mark, plane, &t, &w, &risk))
    cli_print(stdout, "  %-8s not within the range\n", name);
  else if (plane)
    cli_print(stdout, "  %-8s t %8.4f   w %8.4f   V %.6g\n", name, t, w, risk);
  else
    cli_print(stdout, "  %-8s t %8.4f   V %.6g\n", name, t, risk);
}

static void print_found(const struct work *work, const sprint_landscape *landscape) {
  double first, last;
  sprint_landscape_range(landscape, &first, &last);
  cli_print(stdout, "theta = model + t (%s - model), t from %.4g to %.4g; their distance is %.4g\n", towards_name(work),
            first, last, sprint_landscape_length(landscape));
  puts("along the line");
  print_mark(landscape, SPRINT_MARK_STABLE, false);
  print_mark(landscape, SPRINT_MARK_OPTIMUM, false);
  if (!sprint_landscape_has_plane(landscape)) return;
  puts("on the plane, w across the line in the same unit");
  print_mark(landscape, SPRINT_MARK_STABLE, true);
  print_mark(landscape, SPRINT_MARK_OPTIMUM, true);
}

static void print_path(const struct work *work) {
  if (!work->n_path) return;
  printf("path of ");
  cli_print_clean(stdout, sprint_experiment_method_name(work->experiment, work->method));
  printf(", seed %llu: %zu rows, the last %.4g from the model\n",
         (unsigned long long)sprint_experiment_seed(work->experiment, work->seed), work->n_path,
         distance(&work->path[(work->n_path - 1) * work->n_params], work->theta, work->n_params));
}

static sprint_status survey(struct work *work, size_t grid) {
  sprint_landscape *landscape = NULL;
  sprint_landscape_options options = {.size = sizeof options,
                                      .shift = work->shift,
                                      .theta = work->theta,
                                      .towards = work->towards,
                                      .second = work->second,
                                      .grid = grid,
                                      .path = work->path,
                                      .n_path = work->n_path,
                                      .progress = go_on,
                                      .user = work};
  sprint_status status = sprint_landscape_new(work->context, &options, &landscape);
  end_share(work);
  if (status == SPRINT_OK) {
    print_found(work, landscape);
    print_path(work);
    if (work->options->out) status = sprint_landscape_draw(landscape, work->options->out, towards_name(work));
    if (work->options->out && status == SPRINT_OK) cli_print(stdout, "figure in %s\n", work->options->out);
  }
  sprint_landscape_free(landscape);
  return status;
}

static int landscape_run(sprint_context *context, const struct cli_command *command,
                         const struct cli_options *options) {
  struct work work = {.context = context, .options = options};
  const char *grid = cli_value(options, "grid");
  int n = 0;
  if (grid && (!cli_whole(grid, 5, MOST_GRID, &n)))
    return cli_misused(command, "--grid: '%s' is not a whole number within 5 .. %d", grid, MOST_GRID);
  sprint_context_protect_inputs(context);
  sprint_status status = options->out ? sprint_figure_check(context, options->out) : SPRINT_OK;
  if (status == SPRINT_OK) status = load(&work);
  if (status == SPRINT_OK) cli_catch_interrupts();
  if (status == SPRINT_OK) status = walk(&work);
  if (status == SPRINT_OK && !cli_interrupted()) status = survey(&work, (size_t)n);
  work_clear(&work);
  if (cli_interrupted()) {
    fputs("interrupted; nothing was drawn\n", stderr);
    return cli_interrupt_code();
  }
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_landscape = {
    "landscape",
    "the decoupled risk J(theta; theta') around a model: what is stable, what is optimal, and a method's path to it",
    landscape_run,
    {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    1};
