/* The ranking on the terminal. "A beats B" is said only where the interval of the paired difference excludes 0. */
#include <math.h>
#include <string.h>

#include "compare.h"
#include "table.h"
#include "text.h"

enum { VALUE_WIDTH = 22, DIFFERENCE_WIDTH = 30, DIFFERENCE_SIZE = 96 };

/* Of columns whose width goes by what is in them. */
struct widths {
  int name, difference;
};

/* "0.0123 ± 0.0004", or "0.0123 ×÷ 1.3" of geometric means; "-" where every seed diverged. */
static void print_value(const struct cli_moments *moments, bool geometric) {
  char text[80] = "-";
  double error = cli_moments_error(moments), mean = geometric ? pow(10, moments->mean) : moments->mean;
  if (moments->n > 0) snprintf(text, sizeof text, "%.4g", mean);
  size_t n = strlen(text);
  if (!isnan(error) && geometric) snprintf(text + n, sizeof text - n, " ×÷ %.3g", pow(10, error));
  if (!isnan(error) && !geometric) snprintf(text + n, sizeof text - n, " ± %.2g", error);
  printf("  ");
  cli_print_padded(stdout, text, VALUE_WIDTH);
}

/* "1.8 times (1.2 .. 2.7)", or "+0.12 (0.02 .. 0.22)". */
static void write_difference(const struct cli_standing *standing, bool logarithmic, char text[DIFFERENCE_SIZE]) {
  const struct cli_paired *paired = &standing->to_best;
  bool told = standing->verdict != CLI_BEST && standing->verdict != CLI_SOME_DIVERGED;
  snprintf(text, DIFFERENCE_SIZE, "-");
  if (told && logarithmic)
    snprintf(text, DIFFERENCE_SIZE, "%.3g times", pow(10, paired->mean));
  else if (told)
    snprintf(text, DIFFERENCE_SIZE, "%+.3g", paired->mean);
  size_t n = strlen(text);
  if (told && !isnan(paired->low))
    snprintf(text + n, DIFFERENCE_SIZE - n, " (%.3g .. %.3g)", logarithmic ? pow(10, paired->low) : paired->low,
             logarithmic ? pow(10, paired->high) : paired->high);
}

static void print_difference(const struct cli_standing *standing, bool logarithmic, int width) {
  char text[DIFFERENCE_SIZE];
  write_difference(standing, logarithmic, text);
  printf("  ");
  cli_print_padded(stdout, text, width);
}

static struct widths widths_of(const struct cli_match *match, size_t point) {
  const struct cli_comparison *all = match->all;
  struct widths widths = {(int)strlen("method"), DIFFERENCE_WIDTH};
  for (size_t m = 0; m < all->n_methods; m++) {
    char text[DIFFERENCE_SIZE];
    write_difference(&match->standings[point * all->n_methods + m], match->logarithmic[point], text);
    if (cli_width(all->names[m]) > widths.name) widths.name = cli_width(all->names[m]);
    if (cli_width(text) > widths.difference) widths.difference = cli_width(text);
  }
  return widths;
}

/* Means over the ranked seeds of what was used up. */
static void print_costs(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  size_t pick = match->picks[point * all->n_methods + method];
  struct cli_moments ifo = {0}, samples = {0}, deployments = {0};
  for (size_t s = 0; s < all->n_seeds; s++) {
    const sprint_counters *cost = &cli_match_result(match, point, method, pick, s)->row.cost;
    cli_moments_add(&ifo, (double)cost->ifo);
    cli_moments_add(&samples, (double)cost->samples);
    cli_moments_add(&deployments, (double)cost->deployments);
  }
  printf("  %-10.0f  %-10.0f  %-11.0f", ifo.mean, samples.mean, deployments.mean);
}

static void print_standing(const struct cli_match *match, size_t point, size_t place, const struct widths *widths) {
  const struct cli_comparison *all = match->all;
  const struct cli_standing *standing = &match->standings[point * all->n_methods + place];
  bool logarithmic = match->logarithmic[point];
  printf("%-4zu  ", place + 1);
  cli_print_padded(stdout, all->names[standing->method], widths->name);
  if (all->n_sizes) cli_print(stdout, "  %-6s", cli_match_size(match, point, standing->method).text);
  if (logarithmic) print_value(&standing->compared, true);
  print_value(&standing->plain, false);
  print_difference(standing, logarithmic, widths->difference);
  printf("  %3zu-%-3zu", standing->wins, standing->losses);
  print_costs(match, point, standing->method);
  cli_print(stdout, "  %s", cli_verdict_word(standing->verdict));
  if (standing->n_diverged) printf(" (%zu of %zu)", standing->n_diverged, all->n_seeds);
  putchar('\n');
}

static void print_header(const struct cli_match *match, size_t point, const struct widths *widths) {
  const struct cli_comparison *all = match->all;
  const char *name = sprint_experiment_point_name(match->experiment, point);
  bool logarithmic = match->logarithmic[point];
  cli_print(stdout, "\n%s=%s%s%s: %s, %s is better, %zu seed%s%s\n", match->budget->key, match->budget->amount,
            *name ? ", " : "", name, all->by->title, all->by->larger_wins ? "larger" : "smaller", all->n_seeds,
            all->n_seeds == 1 ? "" : "s",
            logarithmic            ? "; compared on the log scale"
            : all->by->logarithmic ? "; a value is 0, so not compared on the log scale"
                                   : "");
  cli_print(stdout, "%-4s  %-*s", "rank", widths->name, "method");
  if (all->n_sizes) cli_print(stdout, "  %-6s", "step");
  if (logarithmic) cli_print(stdout, "  %-*s", VALUE_WIDTH, "geometric mean");
  cli_print(stdout, "  %-*s", VALUE_WIDTH, "mean and its error");
  cli_print(stdout, "  %-*s  %-8s %-10s  %-10s  %-11s  %s\n", widths->difference,
            logarithmic ? "of the best's (95 %)" : "minus the best's (95 %)", "won-lost", "IFO", "samples",
            "deployments", "verdict");
}

/* "A beats B, C": the names of all with that verdict, if there are any. */
static void print_all_with(const struct cli_match *match, size_t point, enum cli_verdict verdict, const char *before,
                           const char *after) {
  const struct cli_comparison *all = match->all;
  const struct cli_standing *standings = &match->standings[point * all->n_methods];
  bool any = false;
  for (size_t i = 1; i < all->n_methods; i++) {
    if (standings[i].verdict != verdict) continue;
    if (!any) cli_print(stdout, "%s%s", all->names[standings[0].method], before);
    cli_print(stdout, "%s%s", any ? ", " : "", all->names[standings[i].method]);
    any = true;
  }
  if (any) puts(after);
}

static void print_diverged(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  size_t n = 0, pick = match->picks[point * all->n_methods + method];
  for (size_t s = 0; s < all->n_seeds; s++) {
    if (isfinite(cli_match_value(match, point, method, pick, s))) continue;
    if (n++ == 0) cli_print(stdout, "%s diverged, and is ranked below all that did not; seed", all->names[method]);
    cli_print(stdout, "%s %llu", n > 1 ? "," : "", (unsigned long long)all->seeds[s]);
  }
  if (n) puts(n < all->n_seeds ? " (its means are of the other seeds)" : "");
}

/* A budget below the price of the first step leaves theta_0, which must not pass for a result. */
static void print_unmoved(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  size_t pick = match->picks[point * all->n_methods + method];
  for (size_t s = 0; s < all->n_seeds; s++)
    if (cli_match_result(match, point, method, pick, s)->row.cost.steps == 0) {
      cli_print(stdout, "warning: %s made no step: the budget is too small for its first one\n", all->names[method]);
      return;
    }
}

/* Runs that ended for another reason than the budget: their method had less of it than the others. */
static void print_ended(const struct cli_match *match, size_t point, size_t method, sprint_stop stop) {
  const struct cli_comparison *all = match->all;
  size_t n = 0, pick = match->picks[point * all->n_methods + method];
  for (size_t s = 0; s < all->n_seeds; s++) n += cli_match_result(match, point, method, pick, s)->stop == stop;
  if (n)
    cli_print(stdout, "warning: %s: %s in %zu of %zu run(s), before the budget was used up\n", all->names[method],
              sprint_stop_text(stop), n, all->n_seeds);
}

static void print_unsolved(const struct cli_match *match, size_t point, size_t method) {
  const struct cli_comparison *all = match->all;
  size_t n = 0, pick = match->picks[point * all->n_methods + method];
  for (size_t s = 0; s < all->n_seeds; s++) n += cli_match_result(match, point, method, pick, s)->row.cost.unsolved;
  if (n)
    cli_print(
        stdout,
        "warning: %s: %zu minimisation(s) ended short of their tolerance, or of the budget, at the best point found\n",
        all->names[method], n);
}

/* What a ranking may hide: of a population that collapsed, a small gradient is no merit. */
static void print_warned(const struct cli_match *match, size_t point, size_t method) {
  static const struct {
    sprint_warning_kind kind;
    const char *text;
  } warnings[] = {
      {SPRINT_WARNING_COLLAPSED, "the population collapsed onto few classes"},
      {SPRINT_WARNING_BIASED, "its steps are biased beyond the gradient itself"},
      {SPRINT_WARNING_EDGE, "its step is at the edge of stability"},
      {SPRINT_WARNING_MAJORITY, "its accuracy is no better than that of saying the largest class of everybody"},
      {SPRINT_WARNING_MODEL, "its last layer or its loss may not be what is meant (`sprint check` says why)"},
      {SPRINT_WARNING_BATCH, "its batch is more than the people there are"},
  };
  const struct cli_comparison *all = match->all;
  size_t pick = match->picks[point * all->n_methods + method];
  for (size_t i = 0; i < sizeof warnings / sizeof warnings[0]; i++) {
    size_t n = 0;
    for (size_t s = 0; s < all->n_seeds; s++)
      n += cli_match_result(match, point, method, pick, s)->warned[warnings[i].kind];
    if (n)
      cli_print(stdout, "warning: %s: %s in %zu of %zu run(s)\n", all->names[method], warnings[i].text, n,
                all->n_seeds);
  }
}

/* A stable point and the optimum are not the same: there a gradient of that size is no fault. */
static void print_other_goal(const struct cli_comparison *all, size_t method) {
  if (all->by->of_stability && all->optimal[method])
    cli_print(
        stdout,
        "note: %s seeks the performative optimum, where %s need not be small; --by loss ranks it by what it seeks\n",
        all->names[method], all->by->title);
}

void cli_match_print(const struct cli_match *match, size_t point) {
  const struct cli_comparison *all = match->all;
  struct widths widths = widths_of(match, point);
  print_header(match, point, &widths);
  for (size_t i = 0; i < all->n_methods; i++) print_standing(match, point, i, &widths);
  print_all_with(match, point, CLI_WORSE, " beats ", "");
  print_all_with(
      match, point, CLI_TIED, " is tied with ",
      match->logarithmic[point] ? ": the interval of the ratio holds 1" : ": the interval of the difference holds 0");
  if (all->n_seeds == 1) puts("one seed: there are no intervals, and nothing can be said to beat anything");
  for (size_t m = 0; m < all->n_methods; m++) print_other_goal(all, m);
  for (size_t m = 0; m < all->n_methods; m++) print_diverged(match, point, m);
  for (size_t m = 0; m < all->n_methods; m++) print_unmoved(match, point, m);
  for (size_t m = 0; m < all->n_methods; m++) print_ended(match, point, m, SPRINT_STOP_STREAM);
  for (size_t m = 0; m < all->n_methods; m++) print_ended(match, point, m, SPRINT_STOP_STALLED);
  for (size_t m = 0; m < all->n_methods; m++) print_unsolved(match, point, m);
  for (size_t m = 0; m < all->n_methods; m++) print_warned(match, point, m);
}
