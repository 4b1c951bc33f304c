/* Moves by least squares, and their bootstrap: see moves.h. */
#include "fit/moves.h"

#include <math.h>
#include <string.h>

/* One P for all columns: the drifts are eliminated, each in its column. */
static void solve_shared(const struct sprint__moves *moves, const struct sprint__normal *normal, double *ret_beta) {
  size_t r = moves->r;
  double top = 0, bottom = 0;
  for (size_t j = 0; j < moves->m; j++) {
    const double *s = normal->s + j * r * r, *v = normal->v + j * r;
    double slope = r > 1 && s[3] > 0 ? s[1] / s[3] : 0;
    if (!moves->known[j]) continue;
    top += moves->weight[j] * (v[0] - (r > 1 ? slope * v[1] : 0));
    bottom += moves->weight[j] * (s[0] - (r > 1 ? slope * s[1] : 0));
  }
  for (size_t j = 0; j < moves->m; j++) {
    const double *s = normal->s + j * r * r, *v = normal->v + j * r;
    ret_beta[j * r] = bottom > 0 ? top / bottom : NAN;
    if (r > 1) ret_beta[j * r + 1] = (v[1] - s[1] * ret_beta[j * r]) / s[3];
  }
}

/* (S + coupling) step = v - S beta, all columns at once; room ((m r)^2). */
static void solve_coupled(const struct sprint__moves *moves, const struct sprint__normal *normal, double *room,
                          double *ret_beta) {
  size_t m = moves->m, r = moves->r, p = m * r;
  memcpy(room, moves->coupling, p * p * sizeof *room);
  for (size_t j = 0; j < m; j++)
    for (size_t k = 0; k < r; k++) {
      size_t row = j * r + k;
      ret_beta[row] = normal->v[row];
      for (size_t l = 0; l < r; l++) {
        room[row * p + j * r + l] += normal->s[row * r + l];
        ret_beta[row] -= normal->s[row * r + l] * moves->beta[j * r + l];
      }
    }
  bool solved = sprint__solve(room, ret_beta, p, 1e-14);
  for (size_t k = 0; k < p; k++) ret_beta[k] = solved ? moves->beta[k] + ret_beta[k] : NAN;
}

static void solve(const struct sprint__moves *moves, const struct sprint__normal *normal, double *room,
                  double *ret_beta) {
  size_t r = moves->r;
  if (moves->coupling) {
    solve_coupled(moves, normal, room, ret_beta);
    return;
  }
  if (moves->shared) {
    solve_shared(moves, normal, ret_beta);
    return;
  }
  for (size_t j = 0; j < moves->m; j++) {
    double *beta = ret_beta + j * r;
    memcpy(room, normal->s + j * r * r, r * r * sizeof *room);
    memcpy(beta, normal->v + j * r, r * sizeof *beta);
    bool solved = sprint__solve(room, beta, r, 1e-14);
    for (size_t k = 0; !solved && k < r; k++) beta[k] = NAN;
  }
}

/* Numbers that a solution from sums needs: S, v, yy, and room of its own. */
static size_t solution_room(const struct sprint__moves *moves) {
  size_t p = moves->m * moves->r;
  return p * moves->r + p + moves->m + 2 * moves->r + p * p;
}

static void beta_of_sums(const void *user, const double *sums, double *room, double *ret_beta) {
  const struct sprint__moves *moves = user;
  size_t p = moves->m * moves->r;
  struct sprint__normal normal = {room, room + p * moves->r, room + p * moves->r + p};
  double *rest = normal.yy + moves->m;
  sprint__moves_equations(moves, sums, rest, &normal);
  solve(moves, &normal, rest + 2 * moves->r, ret_beta);
}

static sprint_status bootstrap_of(struct sprint__moves *moves, struct sprint__arena *arena,
                                  struct sprint__bootstrap *ret) {
  const sprint_fit *fit = moves->fit;
  size_t width = sprint__moves_width(moves);
  double *rows = sprint__arena_take(arena, fit->people.n, width * sizeof *rows);
  double *room = sprint__arena_take(arena, 2 * moves->r, sizeof *room);
  SPRINT__TRY(sprint__arena_status(arena));
  sprint__moves_rows(moves, room, rows);
  *ret = sprint__bootstrap_of(fit, rows, width);
  ret->n_values = moves->m * moves->r;
  ret->room_size = solution_room(moves);
  ret->values = beta_of_sums;
  ret->user = moves;
  return SPRINT_OK;
}

sprint_status sprint__moves_normal(const struct sprint__moves *moves, struct sprint__arena *arena,
                                   struct sprint__normal *ret_normal) {
  SPRINT__SCRATCH(room, moves->fit->context);
  struct sprint__bootstrap bootstrap;
  struct sprint__moves copy = *moves;
  size_t p = moves->m * moves->r;
  struct sprint__normal normal = {sprint__arena_take(arena, p, moves->r * sizeof *normal.s),
                                  sprint__arena_take(arena, p, sizeof *normal.v),
                                  sprint__arena_take(arena, moves->m, sizeof *normal.yy)};
  SPRINT__TRY(sprint__arena_status(arena));
  SPRINT__TRY(bootstrap_of(&copy, &room, &bootstrap));
  double *sums = sprint__arena_take(&room, bootstrap.n_groups, bootstrap.width * sizeof *sums);
  double *rest = sprint__arena_take(&room, 2 * moves->r, sizeof *rest);
  SPRINT__TRY(sprint__arena_status(&room));
  sprint__bootstrap_sums(&bootstrap, sums);
  sprint__moves_equations(moves, sums, rest, &normal);
  *ret_normal = normal;
  return SPRINT_OK;
}

sprint_status sprint__moves_resample(struct sprint__moves *moves, double **ret_values) {
  SPRINT__SCRATCH(room, moves->fit->context);
  struct sprint__bootstrap bootstrap;
  SPRINT__TRY(bootstrap_of(moves, &room, &bootstrap));
  double *values = sprint__arena_take(&moves->fit->arena, bootstrap.n_resamples, bootstrap.n_values * sizeof *values);
  SPRINT__TRY(sprint__arena_status(&moves->fit->arena));
  SPRINT__TRY(sprint__bootstrap_run(&bootstrap, values));
  *ret_values = values;
  return SPRINT_OK;
}

/* Solves once with u as it is. */
static sprint_status solve_once(struct sprint__moves *moves, double *ret_beta) {
  SPRINT__SCRATCH(room, moves->fit->context);
  struct sprint__normal normal;
  SPRINT__TRY(sprint__moves_normal(moves, &room, &normal));
  double *rest = sprint__arena_take(&room, solution_room(moves), sizeof *rest);
  SPRINT__TRY(sprint__arena_status(&room));
  solve(moves, &normal, rest, ret_beta);
  return SPRINT_OK;
}

/* Sum over records of u^2 in column j. */
static double square_of_u(const struct sprint__moves *moves, size_t j) {
  const struct sprint__fit_people *people = &moves->fit->people;
  double sum = 0;
  for (size_t o = 0; o < people->n_records; o++) {
    double u = moves->u[(moves->varying ? o : people->log[o]) * moves->m * moves->q + j * moves->q];
    sum += u * u;
  }
  return sum;
}

/* A column is known where u differs between what is compared, beyond rounding, also once the drift is taken off. */
static void find_known(struct sprint__moves *moves, const struct sprint__normal *normal) {
  size_t r = moves->r;
  for (size_t j = 0; moves->q == 1 && j < moves->m; j++) {
    const double *s = normal->s + j * r * r;
    double left = s[0] - (r > 1 && s[3] > 0 ? s[1] * s[1] / s[3] : 0), all = square_of_u(moves, j);
    moves->known[j] = all > 0 && left > 1e-10 * all;
  }
}

/* Where P is shared, a column counts by how little noise it has. */
static sprint_status weigh_columns(struct sprint__moves *moves, const struct sprint__normal *normal) {
  size_t r = moves->r;
  SPRINT__TRY(solve_once(moves, moves->beta));
  for (size_t j = 0; moves->paired && j < moves->m; j++) {
    const double *s = normal->s + j * r * r, *v = normal->v + j * r, *beta = moves->beta + j * r;
    double left = normal->yy[j];
    for (size_t k = 0; k < r; k++) {
      left -= 2 * beta[k] * v[k];
      for (size_t l = 0; l < r; l++) left += beta[k] * s[k * r + l] * beta[l];
    }
    moves->weight[j] = 1 / fmax(left / (double)moves->fit->people.n, sprint__fit_rounding());
  }
  return SPRINT_OK;
}

/* v - S beta with u as it would be at other parameters, beta itself as it is: (m r). */
static sprint_status left_at(struct sprint__moves *moves, const double *other, double *ret_left) {
  SPRINT__SCRATCH(room, moves->fit->context);
  size_t m = moves->m, r = moves->r;
  double *kept = moves->beta;
  struct sprint__normal normal;
  moves->beta = (double *)other;
  sprint_status status = moves->update(moves);
  moves->beta = kept;
  SPRINT__TRY(status);
  SPRINT__TRY(sprint__moves_normal(moves, &room, &normal));
  for (size_t k = 0; k < m * r; k++) {
    ret_left[k] = normal.v[k];
    for (size_t l = 0; l < r; l++) ret_left[k] -= normal.s[k * r + l] * moves->beta[k / r * r + l];
  }
  return SPRINT_OK;
}

/* coupling := - d(v - S beta)/d(what u is worked out at), by differences: of a hundredth of a standard deviation. */
static sprint_status couple(struct sprint__moves *moves) {
  SPRINT__SCRATCH(room, moves->fit->context);
  const sprint_fit *fit = moves->fit;
  size_t p = moves->m * moves->r;
  double *here = sprint__arena_take(&room, p, sizeof *here), *there = sprint__arena_take(&room, p, sizeof *there);
  double *other = sprint__arena_take(&room, p, sizeof *other);
  double *coupling = sprint__arena_take(&moves->fit->arena, p, p * sizeof *coupling);
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(sprint__arena_status(&moves->fit->arena));
  SPRINT__TRY(left_at(moves, moves->beta, here));
  for (size_t k = 0; k < p; k++) {
    bool drift = moves->r > 1 && k % moves->r == 1;
    double all = drift ? 0 : square_of_u(moves, k / moves->r);
    double step = 0.01 / (drift ? 1 : sqrt(all / (double)fit->people.n_records));
    if (!drift && !moves->known[k / moves->r]) continue;
    memcpy(other, moves->beta, p * sizeof *other);
    other[k] += step;
    SPRINT__TRY(left_at(moves, other, there));
    for (size_t l = 0; l < p; l++)
      if (moves->r > 1 ? l % moves->r == 1 || moves->known[l / moves->r] : moves->known[l])
        coupling[l * p + k] = -(there[l] - here[l]) / step;
  }
  moves->coupling = coupling;
  return moves->update(moves);
}

enum { MOST_ROUNDS = 40 };

/* The largest change of a move, standard deviations. */
static double change(const struct sprint__moves *moves, const double *next) {
  double most = 0;
  for (size_t k = 0; k < moves->m * moves->r; k++) {
    double size = sqrt(square_of_u(moves, k / moves->r) / (double)moves->fit->people.n_records);
    double moved = fabs(next[k] - moves->beta[k]) * (k % moves->r == 0 ? size : 1);
    if (!(moved <= most)) most = moved; /* NaN too */
  }
  return most;
}

/* Where u depends on beta: some rounds of solving and working u out again, then with the coupling, which makes of them
 * Newton's. */
static sprint_status solve_by_rounds(struct sprint__moves *moves) {
  SPRINT__SCRATCH(room, moves->fit->context);
  size_t p = moves->m * moves->r;
  double *next = sprint__arena_take(&room, p, sizeof *next), moved = INFINITY;
  SPRINT__TRY(sprint__arena_status(&room));
  for (int round = 0; round < MOST_ROUNDS && moved > 10 * sprint__fit_rounding(); round++) {
    SPRINT__TRY(solve_once(moves, next));
    moved = change(moves, next);
    memcpy(moves->beta, next, p * sizeof *next);
    SPRINT__TRY(moves->update(moves));
    if (round == 2) SPRINT__TRY(couple(moves));
  }
  if (!(moved < 1e-3))
    SPRINT__TRY(sprint__fit_note(moves->fit,
                                 "the base records could not be found for certain: the response bends too much "
                                 "for where people started to be told from where they ended; collect base "
                                 "records (DATA.csv=none) by id"));
  return couple(moves);
}

sprint_status sprint__moves_solve(struct sprint__moves *moves) {
  SPRINT__SCRATCH(room, moves->fit->context);
  struct sprint__normal normal;
  if (moves->update) SPRINT__TRY(moves->update(moves));
  SPRINT__TRY(sprint__moves_normal(moves, &room, &normal));
  find_known(moves, &normal);
  if (moves->shared) SPRINT__TRY(weigh_columns(moves, &normal));
  if (moves->update) return solve_by_rounds(moves);
  return solve_once(moves, moves->beta);
}
