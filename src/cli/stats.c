/* Statistics over seeds: see stats.h. */
#include "stats.h"

#include <math.h>

#define HALF_PI 1.57079632679489661923

void cli_moments_add(struct cli_moments *moments, double value) {
  double away = value - moments->mean;
  moments->n++;
  moments->mean += away / (double)moments->n;
  moments->squares += away * (value - moments->mean);
}

double cli_moments_error(const struct cli_moments *moments) {
  double n = (double)moments->n;
  return moments->n > 1 ? sqrt(moments->squares / (n - 1) / n) : NAN;
}

/* P(|T| <= sqrt(freedom) tan(angle)): the finite sums of Abramowitz & Stegun, 26.7.3 and 26.7.4. */
static double student_within(size_t freedom, double angle) {
  double square = cos(angle) * cos(angle), term = freedom % 2 ? cos(angle) : 1, sum = 0;
  for (size_t k = freedom % 2 ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= square * (double)(k - 1) / (double)k;
  }
  return freedom % 2 ? (angle + sin(angle) * sum) / HALF_PI : sin(angle) * sum;
}

double cli_student(size_t freedom, double level) {
  double low = 0, high = HALF_PI;
  for (int i = 0; i < 60; i++) { /* the angle to the last bit */
    double middle = (low + high) / 2;
    if (student_within(freedom, middle) < level)
      low = middle;
    else
      high = middle;
  }
  return sqrt((double)freedom) * tan((low + high) / 2);
}

struct cli_paired cli_paired(const double *a, const double *b, size_t n) {
  struct cli_moments moments = {0};
  struct cli_paired paired = {.mean = NAN, .low = NAN, .high = NAN};
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(a[i]) || !isfinite(b[i])) continue;
    cli_moments_add(&moments, a[i] - b[i]);
    paired.n_below += a[i] < b[i];
    paired.n_above += a[i] > b[i];
  }
  paired.n = moments.n;
  if (moments.n > 0) paired.mean = moments.mean;
  if (moments.n > 1) {
    double reach = cli_student(moments.n - 1, CLI_LEVEL) * cli_moments_error(&moments);
    paired.low = moments.mean - reach;
    paired.high = moments.mean + reach;
  }
  return paired;
}

const char *cli_verdict_word(enum cli_verdict verdict) {
  static const char *const words[] = {
      [CLI_BEST] = "best",
      [CLI_WORSE] = "worse",
      [CLI_TIED] = "tie",
      [CLI_UNKNOWN] = "unknown",
      [CLI_SOME_DIVERGED] = "diverged",
  };
  return words[verdict];
}

bool cli_all_positive(const double *values, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (isfinite(values[i]) && values[i] <= 0) return false;
  return true;
}

double cli_compared(const struct cli_contest *contest, double value) {
  return contest->logarithmic ? log10(value) : value;
}

double cli_uncompared(const struct cli_contest *contest, double mean) {
  return contest->logarithmic ? pow(10, mean) : mean;
}

static struct cli_standing standing_of(const struct cli_contest *contest, size_t method) {
  struct cli_standing standing = {.method = method};
  for (size_t s = 0; s < contest->n_seeds; s++) {
    double value = contest->values[method * contest->n_seeds + s];
    if (!isfinite(value)) {
      standing.n_diverged++;
      continue;
    }
    cli_moments_add(&standing.plain, value);
    cli_moments_add(&standing.compared, cli_compared(contest, value));
  }
  return standing;
}

static bool is_before(const struct cli_contest *contest, const struct cli_standing *a, const struct cli_standing *b) {
  if (a->n_diverged != b->n_diverged) return a->n_diverged < b->n_diverged;
  return contest->larger_wins ? a->compared.mean > b->compared.mean : a->compared.mean < b->compared.mean;
}

/* By insertion, so that equals stay in the order of the methods. */
static void sort(const struct cli_contest *contest, struct cli_standing *standings) {
  for (size_t i = 1; i < contest->n_methods; i++)
    for (size_t k = i; k > 0 && is_before(contest, &standings[k], &standings[k - 1]); k--) {
      struct cli_standing swap = standings[k];
      standings[k] = standings[k - 1];
      standings[k - 1] = swap;
    }
}

static enum cli_verdict verdict_of(const struct cli_standing *standing, bool best) {
  const struct cli_paired *paired = &standing->to_best;
  if (standing->n_diverged > 0) return CLI_SOME_DIVERGED;
  if (best) return CLI_BEST;
  if (paired->n < 2) return CLI_UNKNOWN;
  return paired->low > 0 || paired->high < 0 ? CLI_WORSE : CLI_TIED;
}

void cli_rank(const struct cli_contest *contest, double *room, struct cli_standing *ret_standings) {
  size_t n = contest->n_seeds;
  for (size_t i = 0; i < contest->n_methods * n; i++)
    room[i] = isfinite(contest->values[i]) ? cli_compared(contest, contest->values[i]) : NAN;
  for (size_t m = 0; m < contest->n_methods; m++) ret_standings[m] = standing_of(contest, m);
  sort(contest, ret_standings);
  for (size_t i = 0; i < contest->n_methods; i++) {
    struct cli_standing *standing = &ret_standings[i];
    standing->to_best = cli_paired(room + standing->method * n, room + ret_standings[0].method * n, n);
    standing->wins = contest->larger_wins ? standing->to_best.n_above : standing->to_best.n_below;
    standing->losses = contest->larger_wins ? standing->to_best.n_below : standing->to_best.n_above;
    standing->verdict = verdict_of(standing, i == 0);
  }
}
