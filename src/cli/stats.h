/* Means with their errors, paired differences, and rankings of methods over seeds. */
#ifndef SPRINT_CLI_STATS_H
#define SPRINT_CLI_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Running mean and sum of squared deviations (Welford); start with zeros. */
struct cli_moments {
  size_t n;
  double mean, squares;
};
void cli_moments_add(struct cli_moments *moments, double value);
double cli_moments_error(const struct cli_moments *moments); /* standard error of the mean; NaN below two values */

/* t with P(|T| <= t) = level for Student's T of so many degrees of freedom, at least 1; to 1e-12 of t or so. */
double cli_student(size_t freedom, double level);

#define CLI_LEVEL 0.95 /* of all intervals */

/* a - b over the pairs of which both are finite, with the t-interval of its mean; NaN where there are too few. */
struct cli_paired {
  size_t n, n_below, n_above; /* pairs, and those with a < b and a > b */
  double mean, low, high;
};
struct cli_paired cli_paired(const double *a, const double *b, size_t n);

enum cli_verdict {
  CLI_BEST,
  CLI_WORSE,         /* the interval of the difference to the best excludes 0 */
  CLI_TIED,          /* it does not */
  CLI_UNKNOWN,       /* too few seeds for an interval */
  CLI_SOME_DIVERGED, /* some seeds have no value: no difference is told */
};
const char *cli_verdict_word(enum cli_verdict verdict);

/* What is ranked. */
struct cli_contest {
  size_t n_methods, n_seeds;
  const double *values; /* (n_methods, n_seeds); what is not finite has diverged */
  bool larger_wins;
  bool logarithmic; /* compared by log10 of the values, which are above 0 */
};

struct cli_standing {
  size_t method;
  size_t n_diverged;
  struct cli_moments plain;    /* of the values that there are */
  struct cli_moments compared; /* the same on the scale of the comparison */
  struct cli_paired to_best;   /* this method minus the best, on that scale */
  size_t wins, losses;         /* seeds on which it did better and worse than the best */
  enum cli_verdict verdict;
};

/* Whether all finite values are above 0, so that their logarithms can be compared. */
bool cli_all_positive(const double *values, size_t n);

/* The value on the scale of the comparison, and a mean there as a value again. */
double cli_compared(const struct cli_contest *contest, double value);
double cli_uncompared(const struct cli_contest *contest, double mean);

/* ret_standings (n_methods), the best first: by diverged seeds, then by the mean on the scale of the comparison.
 * `room` (n_methods, n_seeds) is for the values on that scale. */
void cli_rank(const struct cli_contest *contest, double *room, struct cli_standing *ret_standings);

#endif
