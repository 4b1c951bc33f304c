/* Looks of methods, titles of points, and the lines of a plot in text. */
#include "help.h"

#include <math.h>

#include "report/axes.h"
#include "report/figure.h"

/* Names of the paper's methods, by which they are known with and without their kinds. */
static void test_styles__do_not_depend_on_company(void **state) {
  (void)state;
  const struct sprint__styled all[] = {{"sgd-gd", "sgd", ""},
                                       {"sprint-paper", "sprint", "paper"},
                                       {"sprint-unbiased", "sprint", "unbiased"},
                                       {"my own", "sprint", "unbiased"},
                                       {"SARAH", "sarah", ""}};
  enum { N = sizeof all / sizeof all[0] };
  struct sprint__style together[N], alone;
  sprint__styles_assign(all, N, together);
  for (size_t i = 0; i < N; i++) {
    sprint__styles_assign(&all[i], 1, &alone);
    assert_string_equal(alone.colour, together[i].colour);
    assert_string_equal(alone.dash, together[i].dash);
    struct sprint__styled unknown = {all[i].name, "", ""};
    sprint__styles_assign(&unknown, 1, &alone);
    assert_string_equal(alone.colour, together[i].colour);
    assert_string_equal(alone.dash, together[i].dash);
  }
  for (size_t i = 0; i < 3; i++) /* these three differ in both */
    for (size_t k = 0; k < i; k++) {
      assert_string_not_equal(together[i].colour, together[k].colour);
      assert_string_not_equal(together[i].dash, together[k].dash);
    }
}

/* Up to seven have a colour each, and whoever comes later in the alphabet changes nobody's. */
static void test_styles__have_colours_of_their_own(void **state) {
  (void)state;
  static const char *const names[] = {"m0", "m1", "m2", "m3", "m4", "m5", "sgd"};
  enum { N = sizeof names / sizeof names[0] };
  struct sprint__styled methods[N];
  struct sprint__style styles[N], fewer[N];
  for (size_t i = 0; i < N; i++) methods[i] = (struct sprint__styled){names[i], "", ""};
  sprint__styles_assign(methods, N, styles);
  for (size_t i = 0; i < N; i++)
    for (size_t k = 0; k < i; k++) assert_true(styles[i].i_colour != styles[k].i_colour);
  methods[5] = methods[6]; /* without the last of the unusual ones */
  sprint__styles_assign(methods, N - 1, fewer);
  for (size_t i = 0; i < 5; i++) assert_true(styles[i].i_colour == fewer[i].i_colour);
}

/* As many as there are looks, by any names and in any order, look different, and the same in each order. */
static void test_styles__do_not_collide(void **state) {
  (void)state;
  enum { N = SPRINT__N_COLOURS * SPRINT__N_DASHES };
  char names[N][32];
  struct sprint__styled methods[N], turned[N];
  struct sprint__style styles[N], others[N];
  for (size_t i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], i % 2 ? "sgd-step-%zu" : "m%zu", i);
    methods[i] = turned[N - 1 - i] = (struct sprint__styled){names[i], i % 2 ? "sgd" : "", ""};
  }
  sprint__styles_assign(methods, N, styles);
  sprint__styles_assign(turned, N, others);
  for (size_t i = 0; i < N; i++) {
    assert_string_equal(styles[i].colour, others[N - 1 - i].colour);
    assert_string_equal(styles[i].dash, others[N - 1 - i].dash);
    for (size_t k = 0; k < i; k++)
      assert_true(styles[i].i_colour != styles[k].i_colour || styles[i].i_dash != styles[k].i_dash);
  }
}

static void test_point_title__is_as_people_write(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"alpha-0.2", "α = 0.2", "alpha = 0.2"},
      {"alpha-0.2_size-3", "α = 0.2, size = 3", "alpha = 0.2, size = 3"},
      {"ifo-4000/epsilon--0.5", "ifo = 4000, ε = −0.5", "ifo = 4000, epsilon = -0.5"},
      {"runs2/alpha-0.1_size-3", "runs2, α = 0.1, size = 3", "runs2, alpha = 0.1, size = 3"},
      {"only_label-1", "only_label = 1", "only_label = 1"},
      {"kind-strategic", "kind-strategic", "kind-strategic"},
      {"a_b^{2}", "a_b^{2}", "a_b^{2}"},
      {"two-stage-1e-3", "two-stage = 1e-3", "two-stage = 1e-3"},
      {"x-", "x-", "x-"},
      {"", "", ""},
  };
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  struct sprint__arena arena = {.context = context};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_string_equal(sprint__point_title(&arena, cases[i][0], false), cases[i][1]);
    assert_string_equal(sprint__point_title(&arena, cases[i][0], true), cases[i][2]);
  }
  sprint__arena_free(&arena);
  sprint_context_free(context);
}

static void test_name__is_cut_between_letters(void **state) {
  (void)state;
  assert_string_equal(sprint__name_show("short", 10).text, "short");
  assert_string_equal(sprint__name_show("0123456789", 10).text, "0123456789");
  assert_string_equal(sprint__name_show("0123456789x", 10).text, "0123456...");
  assert_string_equal(sprint__name_show("θθθθθθθθθθθ", 10).text, "θθθθθθθ...");
  assert_string_equal(sprint__name_show("a\nb", 10).text, "a b");
  assert_int_equal(sprint__n_letters("θ = 1"), 5);
}

/* Of a logarithmic axis, nothing as long as half of it is without a tic, wherever it begins and ends. */
static void test_log_tics__leave_no_end_empty(void **state) {
  (void)state;
  for (double ratio = 1.01; ratio < 1000; ratio *= 1.1)
    for (double low = 1e-7; low < 1e-5; low *= 1.003) {
      double tics[SPRINT__MOST_TICS], high = low * ratio, before = low;
      size_t n = sprint__log_tics(low, high, tics);
      for (size_t i = 0; i <= n; i++) {
        double tic = i < n ? tics[i] : high;
        assert_true(tic >= before * (1 - 1e-8) && tic <= high * (1 + 1e-8));
        assert_true(log(tic / before) < 0.5 * log(ratio));
        before = tic;
      }
      assert_true(n >= 2);
    }
}

static void test_log_tics__have_few_digits(void **state) {
  (void)state;
  static const struct {
    double low, high;
    size_t n;
    double tics[SPRINT__MOST_TICS];
  } cases[] = {
      {0.0095, 0.1, 4, {0.01, 0.02, 0.05, 0.1}},
      {0.93, 2.2, 4, {1, 1.2, 1.5, 2}},
      {0.002, 0.5, 5, {0.003, 0.01, 0.03, 0.1, 0.3}},
      {0.54, 0.69, 3, {0.55, 0.6, 0.65}},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    double tics[SPRINT__MOST_TICS];
    size_t n = sprint__log_tics(cases[c].low, cases[c].high, tics);
    assert_int_equal(n, cases[c].n);
    for (size_t i = 0; i < n; i++) assert_true(fabs(tics[i] / cases[c].tics[i] - 1) < 1e-9);
  }
}

/* What gnuplot is told: places and labels, with signs and powers as people write them. */
static void test_axis__labels(void **state) {
  (void)state;
  static const struct {
    double low, high;
    enum sprint__scale scale;
    const char *tics;
  } cases[] = {
      {-1.1, 1.1, SPRINT__SCALE_LINEAR, "('−1' -1, '−0.5' -0.5, '0' 0, '0.5' 0.5, '1' 1)"},
      {0, 150000, SPRINT__SCALE_LINEAR, "('0' 0, '50k' 50000, '100k' 100000, '150k' 150000)"},
      {0, 4e14, SPRINT__SCALE_LINEAR, "('0' 0, '100T' 1e+14, '200T' 2e+14, '300T' 3e+14, '400T' 4e+14)"},
      {0, 2.1e20, SPRINT__SCALE_LINEAR,
       "('0' 0, '5·10^{19}' 5e+19, '10^{20}' 1e+20, '1.5·10^{20}' 1.5e+20, '2·10^{20}' 2e+20)"},
      {1.5e-10, 8e-9, SPRINT__SCALE_LOG,
       "('2·10^{−10}' 2e-10, '5·10^{−10}' 5e-10, '10^{−9}' 1e-09, '2·10^{−9}' 2e-09, '5·10^{−9}' 5e-09)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char script[1024] = "";
    FILE *stream = fmemopen(script, sizeof script, "w");
    assert_non_null(stream);
    sprint__axis_print(stream, 'y', cases[i].low, cases[i].high, cases[i].scale);
    fclose(stream);
    assert_non_null(strstr(script, "set ytics nomirror "));
    assert_non_null(strstr(script, cases[i].tics));
  }
}

static void test_powers__are_counted_with_the_ends(void **state) {
  (void)state;
  assert_int_equal(sprint__n_powers(0.001, 0.1), 3);
  assert_int_equal(sprint__n_powers(0.0011, 0.1), 2);
  assert_int_equal(sprint__n_powers(2, 9), 0);
  assert_int_equal(sprint__n_powers(0.9, 1.1), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_styles__do_not_depend_on_company),
      cmocka_unit_test(test_styles__have_colours_of_their_own),
      cmocka_unit_test(test_styles__do_not_collide),
      cmocka_unit_test(test_point_title__is_as_people_write),
      cmocka_unit_test(test_name__is_cut_between_letters),
      cmocka_unit_test(test_powers__are_counted_with_the_ends),
      cmocka_unit_test(test_axis__labels),
      cmocka_unit_test(test_log_tics__leave_no_end_empty),
      cmocka_unit_test(test_log_tics__have_few_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
