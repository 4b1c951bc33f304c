/* The equations of least squares of moves, as sums over people: see moves.h. */
#include "fit/moves.h"

#include <math.h>
#include <string.h>

sprint_status sprint__moves_start(sprint_fit *fit, size_t q, bool shared, bool varying, struct sprint__moves *ret) {
  const struct sprint__fit_people *people = &fit->people;
  struct sprint__arena *arena = &fit->arena;
  size_t m = fit->m, r = q + fit->drift;
  *ret = (struct sprint__moves){.fit = fit, .m = m, .q = q, .r = r, .shared = shared, .varying = varying};
  ret->paired = fit->options.id != NULL;
  ret->u = sprint__arena_take(arena, varying ? people->n_records : fit->n_logs, m * q * sizeof *ret->u);
  ret->z = sprint__arena_take(arena, people->n_records, m * sizeof *ret->z);
  ret->weight = sprint__arena_take(arena, m, sizeof *ret->weight);
  ret->beta = sprint__arena_take(arena, m, r * sizeof *ret->beta);
  ret->known = sprint__arena_take(arena, m, sizeof *ret->known);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t j = 0; j < m; j++) {
    size_t column = fit->columns[j];
    double first = people->x[column]; /* taken off, so that large numbers of small spread lose no digits */
    ret->weight[j] = 1;
    ret->known[j] = true;
    for (size_t i = 0; i < people->n_records; i++)
      ret->z[i * m + j] = (people->x[i * fit->d + column] - first) / fit->spread[column];
  }
  return SPRINT_OK;
}

static inline size_t packed(size_t r) { return r * (r + 1) / 2; }

size_t sprint__moves_width(const struct sprint__moves *moves) {
  if (moves->paired) return moves->m * (packed(moves->r) + moves->r + 1);
  return moves->varying ? 2 * moves->m : moves->m;
}

/* u and time of a record in column j. */
static void regressors(const struct sprint__moves *moves, size_t record, size_t j, double *ret) {
  size_t log = moves->fit->people.log[record];
  if (moves->varying)
    ret[0] = moves->u[record * moves->m + j];
  else
    memcpy(ret, moves->u + (log * moves->m + j) * moves->q, moves->q * sizeof *ret);
  if (moves->r > moves->q) ret[moves->q] = moves->fit->logs[log].time;
}

/* S, v and yy of one person in column j, about the person's own means; room (2 r). */
static void add_person(const struct sprint__moves *moves, size_t start, size_t end, size_t j, double *room,
                       double *ret) {
  size_t r = moves->r, m = moves->m;
  double *mean = room, *w = room + r, mean_z = 0, n = (double)(end - start);
  memset(mean, 0, r * sizeof *mean);
  for (size_t o = start; o < end; o++) {
    regressors(moves, o, j, w);
    for (size_t k = 0; k < r; k++) mean[k] += w[k] / n;
    mean_z += moves->z[o * m + j] / n;
  }
  memset(ret, 0, (packed(r) + r + 1) * sizeof *ret);
  for (size_t o = start; o < end; o++) {
    double z = moves->z[o * m + j] - mean_z, *at = ret;
    regressors(moves, o, j, w);
    for (size_t k = 0; k < r; k++) w[k] -= mean[k];
    for (size_t k = 0; k < r; k++)
      for (size_t l = 0; l <= k; l++) *at++ += w[k] * w[l];
    for (size_t k = 0; k < r; k++) *at++ += w[k] * z;
    *at += z * z;
  }
}

void sprint__moves_rows(const struct sprint__moves *moves, double *room, double *ret_rows) {
  const struct sprint__fit_people *people = &moves->fit->people;
  size_t m = moves->m, width = sprint__moves_width(moves), each = width / m;
  for (size_t i = 0; i < people->n; i++) {
    double *row = ret_rows + i * width;
    if (moves->paired) {
      for (size_t j = 0; j < m; j++) add_person(moves, people->start[i], people->start[i + 1], j, room, row + j * each);
      continue;
    }
    memcpy(row, moves->z + i * m, m * sizeof *row); /* every record is a person */
    if (moves->varying) memcpy(row + m, moves->u + i * m, m * sizeof *row);
  }
}

/* Of column j, from sums of people: S, v, yy. */
static void normal_of_people(const struct sprint__moves *moves, const double *sums, size_t j, double *s, double *v,
                             double *yy) {
  size_t r = moves->r, width = sprint__moves_width(moves), each = width / moves->m;
  for (size_t g = 0; g < moves->fit->people.n_groups; g++) {
    const double *at = sums + g * width + j * each;
    for (size_t k = 0; k < r; k++)
      for (size_t l = 0; l <= k; l++) s[k * r + l] += *at++;
    for (size_t k = 0; k < r; k++) v[k] += *at++;
    *yy += *at;
  }
  for (size_t k = 0; k < r; k++)
    for (size_t l = 0; l < k; l++) s[l * r + k] = s[k * r + l];
}

/* The mean of z and of the regressors over log g, which is a group; from sums. */
static void means_of_log(const struct sprint__moves *moves, const double *sums, size_t g, size_t j, double *w,
                         double *ret_z) {
  const struct sprint__fit_people *people = &moves->fit->people;
  double n = (double)(people->group[g + 1] - people->group[g]);
  const double *row = sums + g * sprint__moves_width(moves);
  regressors(moves, people->start[people->group[g]], j, w);
  if (moves->varying) w[0] = row[moves->m + j] / n;
  *ret_z = row[j] / n;
}

/* The same from means of logs, each as heavy as it has records. room (2 r). */
static void normal_of_logs(const struct sprint__moves *moves, const double *sums, size_t j, double *room, double *s,
                           double *v, double *yy) {
  const struct sprint__fit_people *people = &moves->fit->people;
  size_t r = moves->r;
  double *mean = room, *w = room + r, mean_z = 0, z = 0;
  memset(mean, 0, r * sizeof *mean);
  for (size_t g = 0; g < people->n_groups; g++) {
    double share = (double)(people->group[g + 1] - people->group[g]) / (double)people->n;
    means_of_log(moves, sums, g, j, w, &z);
    for (size_t k = 0; k < r; k++) mean[k] += share * w[k];
    mean_z += share * z;
  }
  for (size_t g = 0; g < people->n_groups; g++) {
    double n = (double)(people->group[g + 1] - people->group[g]);
    means_of_log(moves, sums, g, j, w, &z);
    for (size_t k = 0; k < r; k++) w[k] -= mean[k];
    for (size_t k = 0; k < r; k++) {
      for (size_t l = 0; l < r; l++) s[k * r + l] += n * w[k] * w[l];
      v[k] += n * w[k] * (z - mean_z);
    }
    *yy += n * (z - mean_z) * (z - mean_z);
  }
}

/* What is not known is held at 0. */
static void hold(size_t r, double *s, double *v) {
  for (size_t k = 0; k < r; k++) s[k] = s[k * r] = k == 0;
  v[0] = 0;
}

void sprint__moves_equations(const struct sprint__moves *moves, const double *sums, double *room,
                             const struct sprint__normal *ret) {
  size_t m = moves->m, r = moves->r;
  memset(ret->s, 0, m * r * r * sizeof *ret->s);
  memset(ret->v, 0, m * r * sizeof *ret->v);
  memset(ret->yy, 0, m * sizeof *ret->yy);
  for (size_t j = 0; j < m; j++) {
    double *s = ret->s + j * r * r, *v = ret->v + j * r;
    if (moves->paired)
      normal_of_people(moves, sums, j, s, v, &ret->yy[j]);
    else
      normal_of_logs(moves, sums, j, room, s, v, &ret->yy[j]);
    if (!moves->known[j]) hold(moves->r, s, v);
  }
}
