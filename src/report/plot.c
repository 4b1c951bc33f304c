/* Figures of results, as the public header has them. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "base/sized.h"
#include "config/names.h"
#include "report/figure.h"

/* What the paper shows of an experiment: accuracy over loss, and the squared gradient norm by itself. */
static const struct paper {
  const char *name, *title;
  const char *log; /* of the losses: where classes die out they fall by powers of ten */
} papers[] = {
    {"credit", "Credit", ""},
    {"mnist", "MNIST", "loss"},
    {"cifar10", "CIFAR-10", "loss"},
};

enum { N_FIGURES = 2 };

static sprint_status find_paper(sprint_context *context, const char *name, const struct paper **ret_paper) {
  const char *names[SPRINT__COUNT(papers)];
  *ret_paper = NULL;
  for (size_t i = 0; name && i < SPRINT__COUNT(papers); i++) {
    names[i] = papers[i].name;
    if (strcmp(name, papers[i].name) == 0) *ret_paper = &papers[i];
  }
  if (!name || *ret_paper) return SPRINT_OK;
  SPRINT__SCOPED(sprint__free) char *all = sprint__names_join(context, names, SPRINT__COUNT(papers), " or ");
  return all ? sprint_fail(context, SPRINT_ERROR_INPUT, "'%s' is no experiment of the paper; %s was expected", name,
                           all)
             : SPRINT_ERROR_MEMORY;
}

/* A figure that is asked for: the wish, and where it goes. */
struct order {
  struct sprint__figure_wish wish;
  const char *path;
};

static const char *with_infix(struct sprint__arena *arena, const char *path, const char *infix) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  if (!dot) return path;
  return sprint__arena_keep(arena, sprint__printf(arena->context, "%.*s%s%s", (int)(dot - path), path, infix, dot));
}

static size_t take_orders(struct sprint__arena *arena, const sprint_plot_options *options, const struct paper *paper,
                          const char *path, struct order *ret_orders) {
  struct sprint__figure_wish wish = {.x = options->x ? options->x : "epoch",
                                     .y = options->y ? options->y : "loss",
                                     .log = options->log ? "*" : "",
                                     .seeds = options->seeds};
  ret_orders[0] = ret_orders[1] = (struct order){wish, path};
  if (!paper) return 1;
  ret_orders[0].wish.y = "accuracy,loss";
  ret_orders[0].wish.log = paper->log;
  ret_orders[0].wish.title = paper->title;
  ret_orders[1].wish.y = ret_orders[1].wish.log = "gradient_sq";
  ret_orders[1].wish.title = paper->title;
  ret_orders[1].path = with_infix(arena, path, "-gradient");
  return N_FIGURES;
}

/* What is wrong with the runs; diverged ones are no complaint of theirs. */
static void complain(const struct sprint__results *results, const sprint_plot_options *options) {
  char sentence[1200];
  for (size_t i = 0; options->complain && i < results->n_runs; i++) {
    const struct sprint__result *run = &results->runs[i];
    if (run->complaint) options->complain(options->user, run->complaint);
    if (run->state != SPRINT__RESULT_DIVERGED && run->state != SPRINT__RESULT_INTERRUPTED) continue;
    snprintf(sentence, sizeof sentence, "%s: %s", run->folder,
             run->state == SPRINT__RESULT_DIVERGED ? "diverged, and is left out of the means"
                                                   : "was interrupted, and counts as far as it goes");
    options->complain(options->user, sentence);
  }
}

/* Runs of another experiment under the paper's title would deceive. */
static sprint_status check_paper(const struct sprint__results *results, const struct paper *paper) {
  for (size_t i = 0; paper && i < results->n_runs; i++) {
    const json_t *settings = json_object_get(results->runs[i].json, "settings");
    const char *name = json_string_value(json_object_get(settings, "name"));
    if (name && strncmp(name, paper->name, strlen(paper->name)) != 0)
      return sprint_fail(results->context, SPRINT_ERROR_INPUT, "%s: is a run of '%s', where one of '%s' was expected",
                         results->runs[i].folder, name, paper->name);
  }
  return SPRINT_OK;
}

typedef sprint_status (*renderer)(const struct order *order, const struct sprint__figure *figure,
                                  const sprint_plot_options *options, sprint_listener listener);

static sprint_status render_all(sprint_context *context, const sprint_plot_options *theirs, const char *path,
                                renderer render, sprint_listener listener) {
  SPRINT__SCRATCH(arena, context);
  SPRINT__SCOPED(sprint__results_free) struct sprint__results *results = NULL;
  sprint_plot_options options;
  struct order orders[N_FIGURES];
  const struct paper *paper;
  SPRINT__SIZED_TAKE(context, sprint_plot_options, theirs, &options);
  SPRINT__REQUIRE(context, options.folders);
  SPRINT__TRY(find_paper(context, options.paper, &paper));
  if (options.n_folders == 0) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "there is no folder to draw");
  SPRINT__TRY(sprint__results_read(context, options.folders, options.n_folders, &results));
  SPRINT__TRY(check_paper(results, paper));
  complain(results, &options);
  size_t n = take_orders(&arena, &options, paper, path, orders);
  SPRINT__TRY(sprint__arena_status(&arena));
  for (size_t i = 0; i < n; i++) {
    struct sprint__figure figure;
    SPRINT__TRY(sprint__figure_make(&arena, results, &orders[i].wish, &figure));
    SPRINT__TRY(render(&orders[i], &figure, &options, listener));
  }
  return SPRINT_OK;
}

static sprint_status draw(const struct order *order, const struct sprint__figure *figure,
                          const sprint_plot_options *options, sprint_listener drawn) {
  SPRINT__TRY(sprint__figure_draw(figure, order->path));
  if (drawn) drawn(options->user, order->path);
  return SPRINT_OK;
}

static sprint_status print(const struct order *order, const struct sprint__figure *figure,
                           const sprint_plot_options *options, sprint_listener line) {
  struct sprint__text_look look = {options->columns ? options->columns : 80, options->rows ? options->rows : 20,
                                   options->braille, options->colour};
  (void)order;
  return sprint__figure_print(figure, &look, line, options->user);
}

sprint_status sprint_plot_draw(sprint_context *context, const sprint_plot_options *options, const char *path,
                               sprint_listener drawn) {
  SPRINT__REQUIRE(context, options, path);
  SPRINT__TRY(sprint_figure_check(context, path));
  return render_all(context, options, path, draw, drawn);
}

sprint_status sprint_plot_print(sprint_context *context, const sprint_plot_options *options, sprint_listener line) {
  SPRINT__REQUIRE(context, options);
  if (!line) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "sprint_plot_print: NULL was given for `line`");
  return render_all(context, options, NULL, print, line);
}
