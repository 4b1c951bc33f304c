/* Data kind `lending`: a generated population of borrowers.
 *
 * Shaped after public credit files: four independent Gaussian factors per person (strain, means, credit, age) load on
 * ten traits of unit variance, which correlates them; each trait then passes through an increasing map to its feature,
 * which skews it. Incomes are log-normal, utilization and debt ratio have heavy upper tails, counts are floors of
 * log-normals and therefore mostly zero where the log-mean is low. The label is Bernoulli with a logistic risk in the
 * features and in the strain itself, of which no feature tells everything: classes overlap.
 *
 * Person i is a function of (population_seed, i) alone. The intercept of the risk makes the mean risk of a fixed
 * reference sample equal to default_rate, so it depends neither on n nor on the seed. */
#include <math.h>

#include "base/random.h"
#include "population/source.h"

static const sprint_param params[] = {
    SPRINT__INTEGER("n", "5000", 10, 1e9, "borrowers"),
    SPRINT__INTEGER("population_seed", "1", 0, 0, "which population is drawn"),
    SPRINT__REAL("default_rate", "0.07", 0.01, 0.99, "the expected fraction of defaults"),
    SPRINT__ENDLESS,
};

enum factor { STRAIN, MEANS, CREDIT, YEARS, N_FACTORS };

enum feature {
  UTILIZATION,
  AGE,
  LATE_30_59,
  DEBT_RATIO,
  MONTHLY_INCOME,
  OPEN_LINES,
  LATE_90,
  REAL_ESTATE_LOANS,
  LATE_60_89,
  DEPENDENTS,
  N_FEATURES
};

static const char *const names[N_FEATURES] = {
    "utilization", "age",     "late_30_59",        "debt_ratio", "monthly_income",
    "open_lines",  "late_90", "real_estate_loans", "late_60_89", "dependents",
};

/* How much of each trait is which factor; what is left of its unit variance is its own. */
static const double loadings[N_FEATURES][N_FACTORS] = {
    [UTILIZATION] = {0.62, -0.12, 0.00, -0.28},   [AGE] = {0.00, 0.00, 0.00, 1.00},
    [LATE_30_59] = {0.62, 0.00, 0.15, -0.05},     [DEBT_RATIO] = {0.25, -0.25, 0.65, -0.08},
    [MONTHLY_INCOME] = {-0.05, 0.80, 0.10, 0.15}, [OPEN_LINES] = {-0.08, 0.25, 0.55, 0.22},
    [LATE_90] = {0.78, -0.12, -0.15, -0.10},      [REAL_ESTATE_LOANS] = {0.00, 0.42, 0.60, 0.12},
    [LATE_60_89] = {0.76, -0.06, 0.00, -0.10},    [DEPENDENTS] = {0.06, 0.20, 0.12, -0.28},
};

static double trait(const double *loading, const double *factor, double own) {
  double value = 0, left = 1;
  for (int k = 0; k < N_FACTORS; k++) {
    value += loading[k] * factor[k];
    left -= loading[k] * loading[k];
  }
  return value + sqrt(fmax(left, 0)) * own;
}

/* A log-normal with a second, wider one for its tail: the trait counts 2 more where it passes `bend`. */
static double heavy(double trait_value, double log_median, double log_sd, double bend) {
  double beyond = fmax(trait_value - bend, 0);
  return exp(log_median + log_sd * trait_value + 2 * beyond);
}

static double count(double trait_value, double log_median, double log_sd, double most) {
  return fmin(floor(exp(log_median + log_sd * trait_value)), most);
}

static double clamp(double value, double low, double high) { return fmin(fmax(value, low), high); }

/* Most people use little of their limit, many nearly all of it, few far more than all. */
static double utilization(double trait_value) {
  double body = pow(0.5 * erfc(-trait_value * 0.70710678118654752), 2.6); /* a power of a uniform */
  return body * heavy(trait_value, 0, 0, 2.0);
}

/* The features of a person, from traits t (N_FEATURES). */
static void features_of(const double *t, double *ret_x) {
  ret_x[UTILIZATION] = utilization(t[UTILIZATION]);
  ret_x[AGE] = clamp(round(52 + 15 * t[AGE]), 21, 99);
  ret_x[LATE_30_59] = count(t[LATE_30_59], -1.24, 1.25, 13);
  ret_x[DEBT_RATIO] = heavy(t[DEBT_RATIO], -1.05, 0.8, 1.8);
  ret_x[MONTHLY_INCOME] = round(exp(8.59 + 0.66 * t[MONTHLY_INCOME]));
  ret_x[OPEN_LINES] = count(t[OPEN_LINES], 2.12, 0.55, 60);
  ret_x[LATE_90] = count(t[LATE_90], -2.37, 1.49, 17);
  ret_x[REAL_ESTATE_LOANS] = count(t[REAL_ESTATE_LOANS], 0.24, 0.72, 30);
  ret_x[LATE_60_89] = count(t[LATE_60_89], -1.70, 1.04, 11);
  ret_x[DEPENDENTS] = count(t[DEPENDENTS], -0.21, 0.89, 10);
}

/* The risk without its intercept: log odds of default. */
static double risk_of(const double *x, double strain) {
  return 1.5 * fmin(x[UTILIZATION], 1.2) + 0.9 * log1p(x[LATE_30_59]) + 1.1 * log1p(x[LATE_60_89]) +
         1.3 * log1p(x[LATE_90]) + 0.25 * fmin(x[DEBT_RATIO], 3) - 0.25 * log(x[MONTHLY_INCOME] / 5400) -
         0.018 * (x[AGE] - 52) + 0.06 * x[DEPENDENTS] + 0.35 * strain;
}

/* Person number `person`: features and strain. */
static double person_at(uint64_t seed, uint64_t person, double *ret_x) {
  double normals[N_FACTORS + N_FEATURES], t[N_FEATURES]; /* of the factors, then of what is each trait's own */
  sprint__normals_of_row(seed, person, SPRINT__COUNT(normals), normals);
  for (int j = 0; j < N_FEATURES; j++) t[j] = trait(loadings[j], normals, normals[N_FACTORS + j]);
  features_of(t, ret_x);
  return normals[STRAIN];
}

static double sigmoid(double a) { return 1 / (1 + exp(-a)); }

/* The intercept at which the reference sample's mean risk is `rate`, by bisection. */
static sprint_status find_intercept(sprint_context *context, double rate, double *ret_intercept) {
  enum { N_REFERENCE = 16384 };
  const uint64_t reference_seed = 0x6c656e64696e67; /* "lending" */
  SPRINT__SCOPED(sprint__free) double *risk = sprint__alloc(context, N_REFERENCE, sizeof *risk);
  double x[N_FEATURES];
  if (!risk) return SPRINT_ERROR_MEMORY;
  for (uint64_t i = 0; i < N_REFERENCE; i++) risk[i] = risk_of(x, person_at(reference_seed, i, x));
  double low = -30, high = 30;
  while (high - low > 1e-9) {
    double middle = (low + high) / 2, sum = 0;
    for (size_t i = 0; i < N_REFERENCE; i++) sum += sigmoid(middle + risk[i]);
    if (sum < rate * N_REFERENCE)
      low = middle;
    else
      high = middle;
  }
  *ret_intercept = low;
  return SPRINT_OK;
}

struct source {
  uint64_t seed;
  double intercept;
};

static void make(const void *source, size_t row, double *ret_x, double *ret_y) {
  const struct source *s = source;
  double strain = person_at(s->seed, row, ret_x);
  if (!ret_y) return;
  struct sprint__random words = sprint__random_words(s->seed, SPRINT__FOR_PEOPLE, row, N_FACTORS + N_FEATURES);
  *ret_y = sprint__uniform(words.a) < sigmoid(s->intercept + risk_of(ret_x, strain)) ? 1 : 0;
}

static sprint_status lending_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__TRY(sprint__table_size(section, table));
  table->d = N_FEATURES;
  table->n_classes = 2;
  table->make = make;
  struct source *source = table->source = sprint__alloc(table->context, 1, sizeof *source);
  table->names = sprint__names_copy(table->context, names, N_FEATURES);
  table->class_names = sprint__names_numbered(table->context, "", table->n_classes);
  table->label_name = sprint__strdup(table->context, "default");
  if (!source || !table->names || !table->class_names || !table->label_name) return SPRINT_ERROR_MEMORY;
  source->seed = (uint64_t)sprint__get_integer(section, "population_seed");
  return find_intercept(table->context, sprint__get_real(section, "default_rate"), &source->intercept);
}

static const struct sprint__data_ops ops = {lending_load};

const sprint_kind sprint__data_lending = {"lending", "a generated population of borrowers, some of whom default",
                                          params, SPRINT__COUNT(params), &ops};
