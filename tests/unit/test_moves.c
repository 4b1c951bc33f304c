/* How far people moved: quantiles against counting, the table of a response that is known, warnings, and the file. */
#include "help.h"

#include "assess/moves.h"
#include "base/quantile.h"
#include "base/random.h"

/* The definition, by counting: the least value that so many people do not exceed, or halfway to the next. */
static double counted(const struct sprint__counted *items, size_t n, double share) {
  double all = 0, best = INFINITY, next = INFINITY, up_to = 0;
  for (size_t i = 0; i < n; i++) all += items[i].people;
  for (size_t i = 0; i < n; i++) {
    double below = 0;
    for (size_t k = 0; k < n; k++) below += items[k].value <= items[i].value ? items[k].people : 0;
    if (below >= share * all && items[i].value < best) {
      best = items[i].value;
      up_to = below;
    }
  }
  for (size_t i = 0; i < n; i++)
    if (items[i].value > best && items[i].people > 0) next = fmin(next, items[i].value);
  return up_to == share * all && next < INFINITY ? (best + next) / 2 : best;
}

static uint64_t below(uint64_t round, uint32_t index, uint64_t n) {
  return sprint__below(sprint__random_words(9, SPRINT__FOR_PEOPLE, round, index).a, n);
}

static void test_quantile__is_the_definition(void **state) {
  (void)state;
  struct sprint__counted items[40], copy[40];
  for (uint64_t round = 0; round < 2000; round++) {
    size_t n = 1 + (size_t)below(round, 99, 40);
    for (uint32_t i = 0; i < n; i++) { /* many ties, and weights whose sums are exact */
      items[i].value = (double)below(round, i, 12) - 6;
      items[i].people = round % 2 ? 1 : (double)below(round, 50 + i, 4) / 4;
    }
    items[0].people = 1;
    static const double shares[] = {0.005, 0.25, 0.5, 0.75, 0.95, 0.995};
    for (size_t s = 0; s < 6; s++) {
      memcpy(copy, items, sizeof copy);
      assert_true(sprint__quantile(copy, n, shares[s]) == counted(items, n, shares[s]));
    }
  }
  items[0].people = 0;
  assert_true(isnan(sprint__quantile(items, 1, 0.5)));
}

/* Raw values 0 .. 9 and 10, 20, .. 100 of ten people. */
static struct world ten_people(void) {
  struct world w = {0};
  sprint_real x[20], y[10] = {0};
  for (size_t i = 0; i < 10; i++) {
    x[2 * i] = (sprint_real)i;
    x[2 * i + 1] = (sprint_real)(10 * (i + 1));
  }
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_new(w.context, 10, 2, x, y, 0, &w.population));
  MUST(w.context, sprint_model_new(w.context, "{loss: mean}", w.population, &w.model));
  MUST(w.context, sprint_shift_new(w.context, "{kind: location, epsilon: 0.5}", w.model, w.population, &w.shift));
  return w;
}

/* Everybody's first value goes up by 2.5: 7.5 to 9.5 and 10.5, 11.5 are those of 5 .. 9, of which 7, 8 and 9 left. */
static void test_moves__of_ten_people(void **state) {
  (void)state;
  struct world w = ten_people();
  const sprint_real theta[2] = {5, 0};
  SPRINT__SCRATCH(room, w.context);
  sprint_column_move *moves = NULL;
  size_t n = 0;
  MUST(w.context, sprint__moves_of(&room, w.shift, theta, &moves, &n));
  assert_int_equal(n, 1);
  assert_string_equal(moves[0].name, "x0");
  assert_true(moves[0].moved == 1 && moves[0].median == 2.5 && moves[0].q95 == 2.5);
  assert_true(moves[0].median_before == 4.5 && moves[0].median_after == 7);
  assert_true(moves[0].least == 2.5 && moves[0].greatest == 11.5);
  assert_true(moves[0].observed_least == 0 && moves[0].observed_greatest == 9);
  assert_true(fabs(moves[0].left - 0.3) < 1e-15 && moves[0].people_left == 3 && moves[0].n_ranked == 10);
  double before = 0, after = 0;
  for (size_t b = 0; b < SPRINT_MOVE_BINS; b++) {
    before += moves[0].before[b];
    after += moves[0].after[b];
  }
  assert_true(fabs(before - 1) < 1e-12 && fabs(after - 1) < 1e-12);
  /* bins of 11.5 / 20: 9 is in number 15, 11.5 in the last, 2.5 in number 4 */
  assert_true(moves[0].bins_low == 0 && moves[0].bins_high == 11.5);
  assert_true(fabs(moves[0].before[15] - 0.1) < 1e-15 && moves[0].before[16] == 0);
  assert_true(fabs(moves[0].after[19] - 0.1) < 1e-15 && fabs(moves[0].after[4] - 0.1) < 1e-15);
  world_free(&w);
}

/* A record of weight 3 is three people; one of weight 0 is nobody, wherever it goes. */
static void test_moves__count_people_by_weight(void **state) {
  (void)state;
  struct world w = ten_people();
  const double weights[10] = {1, 1, 1, 1, 1, 1, 1, 1, 3, 0};
  const sprint_real theta[2] = {5, -2};
  MUST(w.context, sprint_population_weigh(w.population, weights));
  SPRINT__SCRATCH(room, w.context);
  sprint_column_move *moves = NULL;
  size_t n = 0;
  MUST(w.context, sprint__moves_of(&room, w.shift, theta, &moves, &n));
  assert_int_equal(n, 2);
  assert_true(moves[0].people_left == 4 && fabs(moves[0].left - 4.0 / 11) < 1e-15); /* 7 and, thrice, 8 */
  assert_true(moves[0].greatest == 10.5 && moves[0].median_before == 5);
  assert_true(moves[1].median == -1 && moves[1].q95 == 1 && moves[1].people_left == 1);
  world_free(&w);
}

/* Nobody leaves a range by rounding: a table whose features are rounded, under a response that moves nobody, and one
 * that moves everybody by a standard deviation. Oracle: the data's own numbers. */
static void test_moves__know_raw_units(void **state) {
  (void)state;
  struct world w =
      world_new("{kind: lending, n: 4000}", "{layers: 'dense 1', loss: logistic}", "{kind: linear, epsilon: -1}");
  sprint_real theta[11] = {0};
  SPRINT__SCRATCH(room, w.context);
  sprint_column_move *moves = NULL;
  size_t n = 9;
  MUST(w.context, sprint__moves_of(&room, w.shift, theta, &moves, &n));
  assert_int_equal(n, 0);
  const struct sprint__column *columns = w.population->columns;
  size_t age = (size_t)sprint__population_find(w.population, "age");
  theta[age] = 1;
  MUST(w.context, sprint__moves_of(&room, w.shift, theta, &moves, &n));
  assert_int_equal(n, 1);
  assert_string_equal(moves[0].name, "age");
  /* a feature of up to 5 is rounded twice, to 3 units of precision of its size */
  CLOSE(moves[0].median / columns[age].scale, 1, 30);
  CLOSE(moves[0].q95 / columns[age].scale, 1, 30);
  assert_true(moves[0].median_before == floor(2 * moves[0].median_before) / 2); /* ages are whole numbers */
  assert_true(moves[0].observed_least == columns[age].least);
  double left = 0;
  for (size_t i = 0; i < w.population->n; i++)
    left += sprint__column_raw(&columns[age], w.population->x[i * 10 + age]) + columns[age].scale >
            columns[age].greatest + 1e-3;
  assert_true(left > 0 && moves[0].people_left == left);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantile__is_the_definition),
      cmocka_unit_test(test_moves__of_ten_people),
      cmocka_unit_test(test_moves__count_people_by_weight),
      cmocka_unit_test(test_moves__know_raw_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
