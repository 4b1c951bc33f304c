/* What people do, estimated from logs: records that were collected under deployed models. docs/fit-shift.md has the
 * mathematics. A fit goes: models, rows, people, then the kind's estimate with its bootstrap, tests and section. */
#ifndef SPRINT_FIT_FIT_H
#define SPRINT_FIT_FIT_H

#include <stdio.h>

#include "base/arena.h"
#include "run/predictor.h"

enum { SPRINT__FIT_NO_MODEL = -1 };

/* A model that was deployed; logs under the same parameters share one. */
struct sprint__fit_model {
  sprint_predictor *predictor; /* owned */
  const char *path;
  size_t *feature; /* (d) where feature j of the fit is among this model's own */
};

struct sprint__fit_log {
  const char *data; /* path */
  ptrdiff_t model;  /* number, or SPRINT__FIT_NO_MODEL */
  double time;      /* when it was collected, less the mean over logs */
  size_t n_rows;    /* that are used */
  size_t n_missing; /* rows left out, as a value was missing */
  size_t n_alone;   /* rows left out, as their people are in no other log */
};

/* A record: one row of one log. Those of a person follow one another, in the order of the logs. */
struct sprint__fit_people {
  size_t n, n_records;
  size_t *start;   /* (n + 1) into records */
  uint32_t *log;   /* (n_records) */
  double *x;       /* (n_records, d) raw */
  uint32_t *label; /* (n_records) class number; NULL: not asked for */
  size_t n_groups; /* people of the same logs, one group after the other: resampled each by itself */
  size_t *group;   /* (n_groups + 1) into people */
};

struct sprint__fit_kind;

struct sprint_fit {
  sprint_context *context;
  struct sprint__arena arena;
  const struct sprint__fit_kind *kind;
  sprint_fit_options options; /* texts copied */
  size_t n_models;
  struct sprint__fit_model *models;
  size_t n_logs;
  struct sprint__fit_log *logs;
  size_t d;           /* features */
  const char **names; /* (d) */
  size_t n_classes;
  struct sprint__score score;
  size_t m, *columns; /* (m) features that people can change */
  struct sprint__fit_people people;
  double *spread;     /* (d) standard deviation within logs; 1 where everybody has the same */
  bool drift;         /* it is estimated, and taken off */
  size_t n_resamples; /* that could be worked out */

  sprint_fit_summary summary;
  size_t n_parameters;
  sprint_fit_parameter *parameters;
  sprint_fit_column *moved; /* (m) of kinds that move features */
  char **notes;
  size_t n_notes, n_notes_room;
  char *section; /* owned by itself, as it is printed to memory */
};

/* A kind of shift whose parameters can be estimated. */
struct sprint__fit_kind {
  const char *name;
  bool asks_good, asks_label, asks_columns; /* which options mean something */
  bool keeps_alone;                         /* people who are in one log only count too */
  bool any_model;                           /* test beds, which predict nothing, are fine */
  sprint_status (*estimate)(sprint_fit *fit);
  void (*section)(const sprint_fit *fit, FILE *stream); /* the keys after `kind`, each on a line of its own */
};

extern const struct sprint__fit_kind sprint__fit_strategic, sprint__fit_linear, sprint__fit_location,
    sprint__fit_retention;

/* models.c: loads the models of the logs; finds those that are the same, checks that they speak of the same. */
sprint_status sprint__fit_load_models(sprint_fit *fit);

/* rows.c: the rows of a log. */
struct sprint__fit_rows {
  size_t n, n_missing;
  double *x;       /* (n, d) raw */
  uint32_t *label; /* (n), or NULL */
  size_t *line;    /* (n) in the file */
  char **id;       /* (n), or NULL */
};
sprint_status sprint__fit_read_rows(sprint_fit *fit, size_t log, struct sprint__arena *arena,
                                    struct sprint__fit_rows *ret_rows);

/* people.c: reads all logs and finds who is who. */
sprint_status sprint__fit_gather(sprint_fit *fit);

/* fit.c: room for n of them. */
sprint_status sprint__fit_take_parameters(sprint_fit *fit, size_t n);

/* section.c: the section to paste; and what kinds print in it: `columns`, where not all can change. */
sprint_status sprint__fit_write_section(sprint_fit *fit);
void sprint__fit_print_columns(const sprint_fit *fit, FILE *stream);
void sprint__fit_print_text(const char *text, FILE *stream); /* as YAML has it: quoted where it must be */

/* fit.c: a sentence that goes with the result. */
sprint_status sprint__fit_note(sprint_fit *fit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is resampled: people, each within their group, by rows of numbers of which the sums are all that counts. */
struct sprint__bootstrap {
  sprint_context *context;
  size_t n, width;
  const double *rows; /* (n, width) */
  size_t n_groups;
  const size_t *group; /* (n_groups + 1) */
  size_t n_resamples;
  uint64_t seed;
  size_t n_values, room_size; /* doubles */
  /* Values (n_values) from sums (n_groups, width); NaN where they cannot be told. Called by several threads. */
  void (*values)(const void *user, const double *sums, double *room, double *ret_values);
  const void *user;
};

/* bootstrap.c: of the fit's people, with its seed and number of resamples; what is resampled is yours to add. */
struct sprint__bootstrap sprint__bootstrap_of(const sprint_fit *fit, const double *rows, size_t width);

/* bootstrap.c: ret_values (n_resamples, n_values), and the sums over everybody, which are no resample. */
sprint_status sprint__bootstrap_run(const struct sprint__bootstrap *bootstrap, double *ret_values);
void sprint__bootstrap_sums(const struct sprint__bootstrap *bootstrap, double *ret_sums);

/* Covariance (p, p) of the columns `which` (p) of values (n, width), rows with a NaN among them left out; returns how
 * many rows count. */
size_t sprint__covariance(const double *values, size_t n, size_t width, const size_t *which, size_t p, double *ret);

/* small.c: solves a (n, n) x = b in place of b by elimination with pivots; a is used up. False: it is singular to
 * `relative` of its largest pivot. */
bool sprint__solve(double *a, double *b, size_t n, double relative);
double sprint__tail_f(double f, double n1, double n2); /* P(F > f) */
double sprint__tail_chi2(double chi2, double n);       /* P(chi^2 > chi2) */
double sprint__quantile_t(double p, double n);         /* of Student's t, p > 1/2 */

/* verdict.c: value' V^-1 value of the p values, with Hotelling's F as its law under 0; V is used up. room (2 p). */
struct sprint__wald {
  double statistic, df1, df2, p;
};
struct sprint__wald sprint__wald(const double *value, double *covariance, size_t p, size_t n_people, double *room);

/* Relative rounding of features and gradients, which no standard error is below. */
static inline double sprint__fit_rounding(void) { return sizeof(sprint_real) == 8 ? 1e-14 : 5e-7; }

#endif
