/* The figure of an epoch: c_k above, Gamma_k below, with the line that Gamma_k has to stay above. */
#include <math.h>

#include "base/print.h"
#include "base/sized.h"
#include "report/axes.h"
#include "report/gnuplot.h"

enum { WIDTH = 560, HEIGHT = 520, POINTS = 2000 }; /* of the figure; of a line, at most */

static void print_data(FILE *data, size_t m, double gamma, const double *c, const double *Gamma) {
  size_t step = m / POINTS + 1;
  fprintf(data, "# k c_k Gamma_k gamma/4\n");
  for (size_t k = 0; k < m; k += k + step < m || k + 1 == m ? step : m - 1 - k)
    sprint__fprintf(data, "%zu %.17g %.17g %.17g\n", k, c[k], Gamma[k], gamma / 4);
}

/* clang-format off */
static void print_script(FILE *script, const sprint_constants *a, const sprint_certificate *step, double c_0,
                         double Gamma_low, double Gamma_high) {
  double low = fmin(Gamma_low, step->gamma / 4), high = fmax(Gamma_high, step->gamma / 4);
  sprint__fprintf(script,
      "set encoding utf8\n"
      "set xrange [0:%g]\n"
      "set lmargin 11\n"
      "set rmargin 3\n"
      "set format y '%%.3g'\n"
      "set multiplot layout 2,1 title \"one epoch at γ = %.4g, β = %.4g (L = %.4g, κ = %.4g, m = %g)\\n"
      "Γ = min (Γ_k − γ/4) = %.4g: %s\\n \" font ',12'\n", a->m > 1 ? a->m - 1 : 1, step->gamma, step->beta, a->L,
      a->kappa, a->m, step->Gamma, step->valid ? "the bound holds" : "no guarantee");
  sprint__fprintf(script,
      "set key above left horizontal Left reverse samplen 3\n"
      "set yrange [0:*]\n"
      "set ytics nomirror %g\n"
      "plot data using 1:2 with lines linewidth 2 linecolor '" SPRINT__BLUE "' title 'c_k, from c_m = 0 backwards'\n"
      "set xlabel 'step k of the epoch'\n"
      "set yrange [*:*]\n"
      "set ytics nomirror %g\n"
      "set offsets graph 0, graph 0, graph 0.05, graph 0.05\n"
      "plot data using 1:3 with lines linewidth 2 linecolor '" SPRINT__BLUE "' title 'Γ_k', \\\n"
      "     data using 1:4 with lines linewidth 2 dashtype 2 linecolor '" SPRINT__ORANGE
      "' title 'γ/4, which it must stay above'\n"
      "unset multiplot\n", sprint__plot_tics(0, c_0), sprint__plot_tics(low, high));
}
/* clang-format on */

sprint_status sprint_theory_draw(sprint_context *context, const sprint_constants *constants,
                                 const sprint_certificate *certificate, const char *path) {
  SPRINT__REQUIRE(context, constants, certificate, path);
  SPRINT__SCRATCH(arena, context);
  sprint_constants a;
  sprint_certificate step;
  SPRINT__SIZED_TAKE(context, sprint_constants, constants, &a);
  SPRINT__SIZED_TAKE(context, sprint_certificate, certificate, &step);
  size_t m = a.m >= 1 && a.m < 1e9 ? (size_t)a.m : 0;
  double *c = sprint__arena_take(&arena, m + 1, sizeof *c), *Gamma = sprint__arena_take(&arena, m, sizeof *Gamma);
  SPRINT__TRY(sprint__arena_status(&arena));
  if (m == 0) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "m is %g; 1 .. 1e9 steps can be drawn", a.m);
  SPRINT__TRY(sprint_theory_epoch(context, constants, step.gamma, step.beta, c, Gamma));
  if (!isfinite(c[0]) || !isfinite(Gamma[0]))
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "%s: c_k is beyond all numbers at gamma = %g: there is nothing to be drawn", path, step.gamma);
  struct sprint__plot plot;
  SPRINT__TRY(sprint__plot_begin(context, path, WIDTH, HEIGHT, &plot));
  print_data(plot.data.stream, m, step.gamma, c, Gamma);
  print_script(plot.script.stream, &a, &step, c[0], Gamma[0], Gamma[m - 1]);
  return sprint__plot_end(&plot);
}
