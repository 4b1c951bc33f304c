/* People who could exist: moves within limits against enumeration of all that is allowed, and nobody beyond them, by
 * the numbers that a reader of the files would see. */
#include "help.h"

#include "shift/limits.h"

static const char lending[] = "{kind: lending, n: 3000, select: balanced, size: 60}";
static const char linear[] = "{layers: dense 1, loss: logistic}";

enum { D = 10, PEOPLE = 60 };
#define UNIT (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7)

static size_t column(const struct world *w, const char *name) {
  ptrdiff_t j = sprint__population_find(w->population, name);
  assert_true(j >= 0);
  return (size_t)j;
}

/* Everybody's record under theta. */
static void respond(struct world *w, const sprint_real *theta, sprint_real *x) {
  uint32_t who[PEOPLE];
  for (uint32_t i = 0; i < PEOPLE; i++) who[i] = i;
  MUST(w->context, sprint_shift_respond(w->shift, theta, who, PEOPLE, x));
}

/* One person and two columns, as the definition has them. */
struct case_of {
  const char *limits;
  double alpha[2], cost[2];
  double low[2], high[2]; /* raw */
  bool up[2], down[2], whole[2];
  double budget;
};

struct problem {
  const struct case_of *c;
  const struct sprint__column *columns[2];
  double g[2], base[2]; /* features */
};

static double utility(const struct problem *p, const double *move) {
  double sum = 0;
  for (int k = 0; k < 2; k++) sum += p->g[k] * move[k] - p->c->cost[k] * move[k] * move[k] / (2 * p->c->alpha[k]);
  return sum;
}

/* What a move of column k may be. `slack` in features, for what was rounded. */
static bool allowed(const struct problem *p, int k, double move, double slack) {
  const struct case_of *c = p->c;
  double scale = p->columns[k]->scale, base = p->columns[k]->mean + scale * p->base[k], raw = base + scale * move;
  if (c->up[k] && move < -slack) return false;
  if (c->down[k] && move > slack) return false;
  if (raw < fmin(c->low[k], base) - slack * scale || raw > fmax(c->high[k], base) + slack * scale) return false;
  return !c->whole[k] || fabs(move) <= slack || fabs(raw - round(raw)) <= slack * scale;
}

/* The moves of column k to try: a grid over what the slope could lead to, or all whole numbers there; and none. */
enum { GRID = 600 };
static size_t candidates(const struct problem *p, int k, double *ret_moves) {
  const struct case_of *c = p->c;
  double far = fabs(p->g[k]) * c->alpha[k] / c->cost[k], scale = p->columns[k]->scale;
  double base = p->columns[k]->mean + scale * p->base[k];
  size_t n = 0;
  ret_moves[n++] = 0;
  if (c->whole[k])
    for (double raw = ceil(base - 1.1 * far * scale); raw <= base + 1.1 * far * scale && n < GRID; raw++)
      ret_moves[n++] = (raw - base) / scale;
  for (int i = -GRID / 2 + 2; !c->whole[k] && i < GRID / 2 - 2; i++) ret_moves[n++] = 2.2 * far * i / GRID;
  ret_moves[n++] = (c->low[k] - base) / scale; /* where the best may be: on a bound */
  ret_moves[n++] = (c->high[k] - base) / scale;
  assert_true(n <= GRID);
  return n;
}

static bool affordable(const struct problem *p, const double *move, double slack) {
  return sqrt(p->c->cost[0] * move[0] * move[0] + p->c->cost[1] * move[1] * move[1]) <= p->c->budget + slack;
}

static double best_of_all(const struct problem *p) {
  static double moves[2][GRID];
  size_t n[2] = {candidates(p, 0, moves[0]), candidates(p, 1, moves[1])};
  double best = -INFINITY;
  for (size_t i = 0; i < n[0]; i++) {
    if (!isfinite(moves[0][i]) || !allowed(p, 0, moves[0][i], 1e-12)) continue;
    for (size_t j = 0; j < n[1]; j++) {
      double move[2] = {moves[0][i], moves[1][j]};
      if (!isfinite(move[1]) || !allowed(p, 1, move[1], 1e-12) || !affordable(p, move, 0)) continue;
      best = fmax(best, utility(p, move));
    }
  }
  return best;
}

/* The answer is allowed, and no move that is allowed is better. The utility's slope is at most |g| at the start of a
 * move, and less behind it: a feature of size |x| that is rounded twice costs |g| 2 UNIT |x|, a budget that is short by
 * a part in a million |g| 1e-6 budget. */
static void check_person(const struct problem *p, const double *move) {
  double slack = 4 * UNIT * (2 + fabs(p->base[0]) + fabs(p->base[1]));
  double lost = (fabs(p->g[0]) + fabs(p->g[1])) * (slack + (isfinite(p->c->budget) ? 1e-6 * p->c->budget : 0));
  for (int k = 0; k < 2; k++)
    if (!allowed(p, k, move[k], slack)) fail_msg("%s: column %d may not move by %.9g", p->c->limits, k, move[k]);
  if (!affordable(p, move, slack)) fail_msg("%s: (%.9g, %.9g) costs too much", p->c->limits, move[0], move[1]);
  double got = utility(p, move), best = best_of_all(p);
  if (!(got >= best - lost))
    fail_msg("%s: (%.9g, %.9g) is worth %.9g, and another move %.9g", p->c->limits, move[0], move[1], got, best);
}

#define NO_BOUNDS \
  {-INFINITY, -INFINITY}, { INFINITY, INFINITY }

static const struct case_of cases[] = {
    {"", {0.5, 0.5}, {1, 1}, NO_BOUNDS, {0}, {0}, {0}, INFINITY},
    {"cost: {utilization: 4}", {0.5, 0.5}, {1, 4}, NO_BOUNDS, {0}, {0}, {0}, INFINITY},
    {"alpha: 3, bounds: {age: [30, 50], utilization: [0, 1]}",
     {3, 3},
     {1, 1},
     {30, 0},
     {50, 1},
     {0},
     {0},
     {0},
     INFINITY},
    {"alpha: 3, bounds: {utilization: [~, 0.5]}, only_up: [age], only_down: [utilization]",
     {3, 3},
     {1, 1},
     {-INFINITY, -INFINITY},
     {INFINITY, 0.5},
     {true, false},
     {false, true},
     {0},
     INFINITY},
    {"alpha: 2, integers: [age]", {2, 2}, {1, 1}, NO_BOUNDS, {0}, {0}, {true, false}, INFINITY},
    {"alpha: 4, integers: [age], bounds: {age: [25.5, 44.5]}, only_down: [age]",
     {4, 4},
     {1, 1},
     {25.5, -INFINITY},
     {44.5, INFINITY},
     {0},
     {true, false},
     {true, false},
     INFINITY},
    {"alpha: 3, budget: 0.4", {3, 3}, {1, 1}, NO_BOUNDS, {0}, {0}, {0}, 0.4},
    {"alpha: 3, budget: 0.4, cost: {age: 5}", {3, 3}, {5, 1}, NO_BOUNDS, {0}, {0}, {0}, 0.4},
    {"alpha: 3, budget: 0.7, bounds: {age: [35, 55], utilization: [0, 1]}, cost: {age: 0.5}",
     {3, 3},
     {0.5, 1},
     {35, 0},
     {55, 1},
     {0},
     {0},
     {0},
     0.7},
};

/* What somebody stands before, by the columns `at`, and what they did. */
static struct problem problem_of(const struct world *w, const struct case_of *c, const size_t *at,
                                 const sprint_real *theta, const sprint_real *x, size_t who, double *ret_move) {
  struct problem p = {.c = c};
  for (int k = 0; k < 2; k++) {
    p.columns[k] = &w->population->columns[at[k]];
    p.g[k] = -(double)theta[at[k]];
    p.base[k] = (double)w->population->x[who * D + at[k]];
    ret_move[k] = (double)x[who * D + at[k]] - p.base[k];
  }
  return p;
}

/* f = w.x + b is the log-odds of class 1: the good class 0 has the slope -w. */
static void test_limits__moves_are_the_best_that_are_allowed(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const struct case_of *c = &cases[i];
      char spec[300];
      snprintf(spec, sizeof spec, "{kind: strategic, good: 0, columns: [age, utilization]%s%s%s}",
               strstr(c->limits, "alpha:") ? "" : ", alpha: 0.5", *c->limits ? ", " : "", c->limits);
      struct world w = world_new(lending, linear, spec);
      size_t at[2] = {column(&w, "age"), column(&w, "utilization")};
      sprint_real theta[D + 1] = {0}, x[PEOPLE * D];
      theta[at[0]] = (sprint_real)(sign * 0.31);
      theta[at[1]] = (sprint_real)(sign * -0.17);
      respond(&w, theta, x);
      for (size_t who = 0; who < PEOPLE; who += 4) {
        double move[2];
        struct problem p = problem_of(&w, c, at, theta, x, who, move);
        check_person(&p, move);
      }
      world_free(&w);
    }
}

/* Two rates and a budget: the slower column gives way less. Oracle: enumeration, as above. */
static void test_limits__budget_over_two_rates(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, NULL);
  size_t at[2] = {column(&w, "age"), column(&w, "utilization")};
  double scale = w.population->columns[at[0]].scale;
  char limits[200];
  snprintf(limits, sizeof limits,
           "{kind: strategic, good: 0, columns: [age, utilization], alpha: 3, alpha_raw: {age: %.17g}, "
           "budget: 0.3}",
           0.6 * scale * scale);
  MUST(w.context, sprint_shift_new(w.context, limits, w.model, w.population, &w.shift));
  const struct case_of c = {limits, {0.6, 3}, {1, 1}, NO_BOUNDS, {0}, {0}, {0}, 0.3};
  sprint_real theta[D + 1] = {0}, x[PEOPLE * D];
  theta[at[0]] = (sprint_real)0.9;
  theta[at[1]] = (sprint_real)0.4;
  respond(&w, theta, x);
  for (size_t who = 0; who < PEOPLE; who += 10) {
    double move[2];
    struct problem p = problem_of(&w, &c, at, theta, x, who, move);
    check_person(&p, move);
    /* the grid is too coarse to tell; by hand, with 1/(1 + lambda alpha) of each: 0.54/(1+0.6l), 1.2/(1+3l) */
    double low = 0, high = 100;
    for (int i = 0; i < 200; i++) {
      double l = (low + high) / 2, a = 0.54 / (1 + 0.6 * l), b = 1.2 / (1 + 3 * l);
      if (a * a + b * b > 0.09)
        low = l;
      else
        high = l;
    }
    double slack = 1e-5 + 8 * UNIT * (1 + fabs(p.base[0]) + fabs(p.base[1]));
    assert_true(fabs(move[0] + 0.54 / (1 + 0.6 * low)) < slack && fabs(move[1] + 1.2 / (1 + 3 * low)) < slack);
  }
  world_free(&w);
}

/* alpha in raw units: where a year more raises the score by s, people age by alpha_raw s years. */
static void test_limits__alpha_in_raw_units(void **state) {
  (void)state;
  struct world w = world_new(
      lending, linear, "{kind: strategic, good: 1, alpha: 0.3, alpha_raw: {age: 700}, cost: {monthly_income: 3}}");
  size_t age = column(&w, "age"), income = column(&w, "monthly_income");
  const struct sprint__column *columns = w.population->columns;
  sprint_real theta[D + 1], x[PEOPLE * D];
  for (size_t j = 0; j <= D; j++) theta[j] = (sprint_real)(0.02 * (double)j - 0.05);
  respond(&w, theta, x);
  for (size_t i = 0; i < PEOPLE * D; i++) {
    size_t j = i % D;
    double move = (double)x[i] - (double)w.population->x[i], slope = (double)theta[j];
    double years = 700 * slope / columns[j].scale;
    CLOSE(j == age ? move * columns[j].scale : move,
          j == age      ? years
          : j == income ? 0.1 * slope
                        : 0.3 * slope,
          20 * (1 + fabs((double)x[i])));
  }
  world_free(&w);
}

/* Random networks, and limits of every kind at once: nobody ends beyond them, as the numbers of the files have it:
 * mean + scale * feature, in double. */
static void check_everybody(const struct world *w, const sprint_real *x, const char *name, double low, double high,
                            bool whole) {
  size_t j = column(w, name);
  const struct sprint__column *c = &w->population->columns[j];
  for (size_t i = 0; i < PEOPLE; i++) {
    sprint_real before = w->population->x[i * D + j], after = x[i * D + j];
    double raw = c->mean + c->scale * (double)after;
    bool was_low = before<sprint__column_feature(c, low), was_high = before> sprint__column_feature(c, high);
    if (was_low ? after < before : raw < low) fail_msg("%s: %.17g is below %g", name, raw, low);
    if (was_high ? after > before : raw > high) fail_msg("%s: %.17g is above %g", name, raw, high);
    if (whole && fabs(raw - round(raw)) > 4 * UNIT * (fabs(c->mean) + c->scale * fabs((double)after)))
      fail_msg("%s: %.17g is not a whole number", name, raw);
  }
}

static void test_limits__nobody_is_beyond_them(void **state) {
  (void)state;
  static const char *const shifts[] = {
      "{kind: strategic, good: 0, alpha: %g, bounds: {age: [18, 90], utilization: [0, 1], dependents: observed, "
      "monthly_income: [1000, ~]}, integers: [age, dependents], only_up: [monthly_income], only_down: [debt_ratio]%s}",
      "{kind: strategic, good: 1, alpha: %g, score: probability, budget: 2, bounds: {age: [18, 90], utilization: [0, "
      "1], "
      "dependents: observed, monthly_income: [1000, ~]}, integers: [age, dependents], only_up: [monthly_income], "
      "only_down: [debt_ratio]%s}"};
  size_t moved = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    char spec[500];
    snprintf(spec, sizeof spec, shifts[seed % 2], pow(10, (double)(seed % 7) - 2),
             seed % 3 ? "" : ", memory: accumulating");
    struct world w = world_new(lending, "{layers: 'dense 6, tanh, dense 1', loss: logistic}", spec);
    sprint_real theta[200], x[PEOPLE * D];
    uint32_t who[PEOPLE];
    for (uint32_t i = 0; i < PEOPLE; i++) who[i] = i;
    for (int round = 0; round < 4; round++) {
      MUST(w.context, sprint_model_start(w.model, 4 * seed + (uint64_t)round, theta));
      respond(&w, theta, x);
      check_everybody(&w, x, "age", 18, 90, true);
      check_everybody(&w, x, "utilization", 0, 1, false);
      const struct sprint__column *dependents = &w.population->columns[column(&w, "dependents")];
      check_everybody(&w, x, "dependents", dependents->least, dependents->greatest, true);
      check_everybody(&w, x, "monthly_income", 1000, INFINITY, false);
      size_t income = column(&w, "monthly_income"), debt = column(&w, "debt_ratio");
      for (size_t i = 0; i < PEOPLE; i++) {
        const sprint_real *base = w.population->x + i * D;
        assert_true(x[i * D + income] >= base[income] && x[i * D + debt] <= base[debt]);
        moved += x[i * D + income] > base[income] || x[i * D + debt] < base[debt];
        double spent = 0;
        for (size_t j = 0; j < D; j++) spent += pow((double)x[i * D + j] - (double)base[j], 2);
        if (seed % 2 && sqrt(spent) > 2 + 1e-6 * (1 + sqrt(spent))) fail_msg("moved by %g, of 2", sqrt(spent));
      }
      MUST(w.context, w.shift->ops->drawn(w.shift, theta, &(struct sprint__drawn){.n = PEOPLE, .who = who, .x = x}));
    }
    world_free(&w);
  }
  assert_true(moved > 60 * PEOPLE); /* of four rounds each: most do move */
}

/* The limits are those of the way from the base record, however often people answer; they may come back to it. */
static void test_limits__accumulating_counts_from_the_base(void **state) {
  (void)state;
  struct world w = world_new(lending, linear,
                             "{kind: strategic, good: 0, alpha: 1, memory: accumulating, columns: [age, utilization], "
                             "budget: 1, only_down: [age]}");
  size_t age = column(&w, "age"), use = column(&w, "utilization");
  sprint_real theta[D + 1] = {0}, x[PEOPLE * D];
  uint32_t who[PEOPLE];
  for (uint32_t i = 0; i < PEOPLE; i++) who[i] = i;
  theta[age] = (sprint_real)0.6;
  theta[use] = (sprint_real)0.6;
  for (int round = 0; round < 6; round++) { /* out by 1 along (-1, -1), then back and past the base in age */
    if (round == 3) theta[age] = theta[use] = -2;
    respond(&w, theta, x);
    MUST(w.context, w.shift->ops->drawn(w.shift, theta, &(struct sprint__drawn){.n = PEOPLE, .who = who, .x = x}));
    double first = round == 0 ? -0.6 : round < 3 ? -sqrt(0.5) : 0, second = round < 3 ? first : 1;
    for (size_t i = 0; i < PEOPLE; i++) {
      const sprint_real *base = w.population->x + i * D;
      double slack = 2e-6 + 8 * UNIT * fabs((double)base[use]);
      assert_true(fabs((double)x[i * D + age] - (double)base[age] - first) < slack);
      assert_true(fabs((double)x[i * D + use] - (double)base[use] - second) < slack);
    }
  }
  world_free(&w);
}

static void test_limits__are_said(void **state) {
  (void)state;
  static const char *const said[][2] = {
      {"{kind: strategic, good: 1, columns: [age, debt_ratio]}",
       "people want default = 1; they can change age, debt_ratio"},
      {"{kind: strategic, good: 0, sign: minus, columns: [age]}",
       "people want to get away from default = 0; they can change age"},
      {"{kind: strategic, good: 0, columns: [age, utilization, monthly_income], bounds: {utilization: [0, 1], "
       "monthly_income: [0, ~]}, "
       "integers: [age], only_up: [monthly_income], budget: 2}",
       "people want default = 0; they can change age (whole numbers), utilization (0 to 1), monthly_income (at least "
       "0, "
       "only up), by at most 2 standard deviations in all"},
      {"{kind: strategic, good: 0, columns: [age], memory: accumulating}",
       "people want default = 0; they can change age; whoever was asked goes on from their answer"},
      {"none", "nobody reacts"},
      {"retention", "people of classes with a high loss leave"},
      {"{kind: linear, epsilon: 0.5, columns: [age], only_label: 1}",
       "people of default = 1 move by -0.5 times the model's weights; they can change age"},
      {"{kind: chain, first: {kind: strategic, good: 0, columns: [age]}, then: retention}",
       "people want default = 0; they can change age; then people of classes with a high loss leave"},
      {"{kind: decay, rate: 0.25, of: retention}",
       "people of classes with a high loss leave; they go 0.25 of the way at a time"},
      {"{kind: mixture, good: 0}",
       "people want default = 0; whoever the model turns away is replaced by somebody of the same class"},
  };
  struct world w = world_new(lending, linear, NULL);
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    MUST(w.context, sprint_shift_new(w.context, said[i][0], w.model, w.population, &w.shift));
    assert_string_equal(sprint_shift_people(w.shift), said[i][1]);
    sprint_shift_free(w.shift);
  }
  w.shift = NULL;
  world_free(&w);
}

static void test_limits__refusals(void **state) {
  (void)state;
  static const char *const refused[][2] = {
      {"strategic", "key 'shift.good': what do people want 'default' to be? One of 0, 1 was expected"},
      {"{kind: mixture}", "key 'shift.good': what do people want 'default' to be? One of 0, 1 was expected"},
      {"{kind: strategic, good: 0, columns: []}", "key 'shift.columns': the list is empty; some of "},
      {"{kind: strategic, good: 0, columns: [age], bounds: {utilization: [0, 1]}}",
       "key 'shift.bounds': people cannot change 'utilization'; one of the columns that they can, age, was expected"},
      {"{kind: strategic, good: 0, bounds: {utilisation: [0, 1]}}", "did you mean 'utilization'?"},
      {"{kind: strategic, good: 0, bounds: {utilization: [1, 0]}}", "the range from 1 to 0 is empty"},
      {"{kind: strategic, good: 0, bounds: {age: [0.1, 0.1]}}", "'age': no feature is between 0.1 and 0.1"},
      {"{kind: strategic, good: 0, bounds: seen}", "'seen' is not what goes here"},
      {"{kind: strategic, good: 0, only_up: [age], only_down: [age]}", "'age' is under only_up and only_down"},
      {"{kind: strategic, good: 0, cost: {age: 0}}", "key 'shift.cost'"},
      {"{kind: strategic, good: 0, alpha_raw: {age: -1}}", "key 'shift.alpha_raw'"},
      {"{kind: strategic, good: 0, budget: -1}", "key 'shift.budget'"},
      {"{kind: strategic, good: 0, integers: [agee]}",
       "key 'shift.integers': 'agee' is not a feature of the data; did you mean 'age'?"},
  };
  struct world w = world_new(lending, linear, NULL);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
    REFUSED(w.context, SPRINT_ERROR_INPUT, refused[i][1],
            sprint_shift_new(w.context, refused[i][0], w.model, w.population, &w.shift));
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits__moves_are_the_best_that_are_allowed),
      cmocka_unit_test(test_limits__budget_over_two_rates),
      cmocka_unit_test(test_limits__alpha_in_raw_units),
      cmocka_unit_test(test_limits__nobody_is_beyond_them),
      cmocka_unit_test(test_limits__accumulating_counts_from_the_base),
      cmocka_unit_test(test_limits__are_said),
      cmocka_unit_test(test_limits__refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
