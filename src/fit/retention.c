/* The likelihood of class frequencies, which is concave, and its maximum by Newton's method: see retention.h. */
#include "fit/retention.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60 };

/* The design of log k, class c: d eta / d parameter. losses (n_models, n_classes) means. */
static void design(const struct sprint__retention *r, const double *losses, size_t k, size_t c, double *ret) {
  const struct sprint__fit_log *log = &r->fit->logs[r->log[k]];
  size_t others = r->n_classes - 1;
  memset(ret, 0, r->n_params * sizeof *ret);
  if (!r->still) ret[0] = -losses[(size_t)log->model * r->n_classes + c];
  if (c == 0) return;
  if (r->own) ret[c] = 1;
  if (r->fit->drift) ret[c + (r->own ? others : 0)] = log->time;
}

double sprint__retention_p(const struct sprint__retention *r, const double *losses, size_t k, const double *params,
                           const double *counts, double *room, double *ret_p) {
  double most = -INFINITY, sum = 0, likelihood = 0;
  for (size_t c = 0; c < r->n_classes; c++) {
    design(r, losses, k, c, room);
    ret_p[c] = 0;
    for (size_t a = 0; a < r->n_params; a++) ret_p[c] += params[a] * room[a];
    most = fmax(most, ret_p[c]);
  }
  for (size_t c = 0; c < r->n_classes; c++) sum += exp(ret_p[c] - most);
  for (size_t c = 0; c < r->n_classes; c++) {
    double log_p = ret_p[c] - most - log(sum);
    likelihood += counts[c] * (counts[c] > 0 ? log_p : 0);
    ret_p[c] = exp(log_p);
  }
  return likelihood;
}

size_t sprint__retention_room(const struct sprint__retention *r) {
  size_t p = r->n_params;
  return p * p + 5 * p + 2 * r->n_classes + r->fit->n_models * r->n_classes;
}

/* Adds log k's part to the information (p, p) and the score (p). rows: room (2 p). */
static void add_log(const struct sprint__retention *r, const double *losses, size_t k, const double *counts,
                    const double *prob, double *rows, double *information, double *score) {
  size_t p = r->n_params;
  double *mean = rows, *row = rows + p, n = 0;
  memset(mean, 0, p * sizeof *mean);
  for (size_t c = 0; c < r->n_classes; c++) {
    design(r, losses, k, c, row);
    for (size_t a = 0; a < p; a++) mean[a] += prob[c] * row[a];
    n += counts[c];
  }
  for (size_t c = 0; c < r->n_classes; c++) {
    design(r, losses, k, c, row);
    for (size_t a = 0; a < p; a++) {
      score[a] += counts[c] * (row[a] - mean[a]);
      for (size_t b = 0; b < p; b++) information[a * p + b] += n * prob[c] * (row[a] - mean[a]) * (row[b] - mean[b]);
    }
  }
}

double sprint__retention_likelihood(const struct sprint__retention *r, const double *losses, const double *counts,
                                    const double *params, double *room) {
  double sum = 0, *prob = room + r->n_params;
  for (size_t k = 0; k < r->n_logs; k++)
    sum += sprint__retention_p(r, losses, k, params, counts + k * r->n_classes, room, prob);
  return sum;
}

/* The information (p, p) and the score (p), one behind the other, at params. */
static void inform(const struct sprint__retention *r, const double *losses, const double *counts, const double *params,
                   double *rows, double *prob, double *information) {
  size_t p = r->n_params;
  memset(information, 0, (p * p + p) * sizeof *information);
  for (size_t k = 0; k < r->n_logs; k++) {
    sprint__retention_p(r, losses, k, params, counts + k * r->n_classes, rows, prob);
    add_log(r, losses, k, counts + k * r->n_classes, prob, rows, information, information + p * p);
  }
  if (r->still) information[0] = 1;
}

bool sprint__retention_maximise(const struct sprint__retention *r, const double *losses, const double *counts,
                                double *room, double *params) {
  size_t p = r->n_params;
  double *information = room, *score = information + p * p, *next = score + p, *rows = next + p, *prob = rows + 2 * p;
  memset(params, 0, p * sizeof *params);
  double best = sprint__retention_likelihood(r, losses, counts, params, rows);
  for (int i = 0; i < MOST_STEPS; i++) {
    double gain = 0, part = 1, reached = -INFINITY;
    inform(r, losses, counts, params, rows, prob, information);
    memcpy(next, score, p * sizeof *next);
    if (!sprint__solve(information, next, p, 1e-12)) return false;
    for (size_t a = 0; a < p; a++) gain += score[a] * next[a];
    for (int half = 0; half < 30 && !(reached >= best - 1e-12 * fabs(best)); half++, part /= 2) {
      for (size_t a = 0; a < p; a++) params[a] += (half ? -1 : 1) * part * next[a]; /* back by half of the last */
      reached = sprint__retention_likelihood(r, losses, counts, params, rows);
    }
    best = reached;
    if (gain < 1e-16 * (1 + fabs(best))) return true;
  }
  return false;
}

double sprint__retention_error(const struct sprint__retention *r, const double *losses, const double *counts,
                               double *room, const double *params) {
  size_t p = r->n_params;
  double *information = room, *next = information + p * p + p, *rows = next + p, *prob = rows + 2 * p;
  inform(r, losses, counts, params, rows, prob, information);
  memset(next, 0, p * sizeof *next);
  next[0] = 1; /* the first column of the inverse */
  return sprint__solve(information, next, p, 1e-12) ? sqrt(next[0]) : NAN;
}
