/* Sections read by a made-up family with every type of parameter, every sentence that refuses, and the nearest name. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/number.h"
#include "config/section.h"

static const sprint_param decay_params[] = {
    {"rate", SPRINT_PARAM_REAL, "0.5", DBL_MIN, INFINITY, NULL, NULL, "decay per epoch"},
};
static const sprint_param file_params[] = {
    {"path", SPRINT_PARAM_TEXT, NULL, 0, 0, NULL, NULL, "the file to read"},
};
static const sprint_kind constant = {"constant", "stays", NULL, 0, NULL};
static const sprint_kind decay = {"decay", "falls", decay_params, SPRINT__COUNT(decay_params), NULL};
static const sprint_kind from_file = {"file", "read", file_params, SPRINT__COUNT(file_params), NULL};
static const sprint_kind *const schedule_kinds[] = {&constant, &decay, &from_file};
static const sprint_family schedules = {"schedules", "schedule", "", NULL, 0, schedule_kinds, 3, "constant"};

static const sprint_param limit_params[] = {
    {"epochs", SPRINT_PARAM_INTEGER, "10", 1, INFINITY, NULL, NULL, "epochs to run"},
};
static const sprint_kind limit = {"", "", limit_params, SPRINT__COUNT(limit_params), NULL};
static const sprint_kind *const limit_kinds[] = {&limit};
static const sprint_family limits = {"limits", "limit", "", NULL, 0, limit_kinds, 1, NULL};

static const sprint_param shift_params[] = {
    {"cap", SPRINT_PARAM_INTEGER, "5e3", 1, 9223372036854775807.0, NULL, NULL, "shared by all"},
};
static const sprint_param strategic_params[] = {
    {"alpha", SPRINT_PARAM_REAL, "0.25", 0, 1000, NULL, NULL, "strength"},
    {"any", SPRINT_PARAM_REAL, "", 0, 0, NULL, NULL, "no range, no default"},
    {"share", SPRINT_PARAM_REAL, "1", DBL_MIN, 1, NULL, NULL, "positive part"},
    {"below", SPRINT_PARAM_REAL, "-1", -INFINITY, 0.5, NULL, NULL, "open below"},
    {"count", SPRINT_PARAM_INTEGER, "", 0, 0, NULL, NULL, "any whole number"},
    {"fast", SPRINT_PARAM_BOOL, "true", 0, 0, NULL, NULL, "a flag"},
    {"label", SPRINT_PARAM_TEXT, "", 0, 0, NULL, NULL, "a text"},
    {"when", SPRINT_PARAM_CHOICE, "greedy", 0, 0, "greedy|lazy|never-ever", NULL, "a choice"},
    {"columns", SPRINT_PARAM_TEXTS, "age, income", 0, 0, NULL, NULL, "texts"},
    {"weights", SPRINT_PARAM_REALS, "1,2.5", 0, 10, NULL, NULL, "numbers"},
    {"costs", SPRINT_PARAM_NUMBERS, "", DBL_MIN, 100, "even|balanced", NULL, "numbers by name"},
    {"bounds", SPRINT_PARAM_RANGES, "", 0, 0, "observed", NULL, "ranges by name"},
    {"schedule", SPRINT_PARAM_KIND, "decay", 0, 0, NULL, &schedules, "nested"},
    {"limit", SPRINT_PARAM_KIND, "{}", 0, 0, NULL, &limits, "nested and plain"},
    {"extra", SPRINT_PARAM_KIND, "", 0, 0, NULL, &schedules, "nested, none"},
};
static const sprint_kind none = {"none", "nothing moves", NULL, 0, NULL};
static const sprint_kind strategic = {"strategic", "x moves", strategic_params, SPRINT__COUNT(strategic_params), NULL};
static const sprint_kind *const shift_kinds[] = {&none, &strategic};
static const sprint_family shifts = {"shifts",    "shift", "",    shift_params, SPRINT__COUNT(shift_params),
                                     shift_kinds, 2,       "none"};

static const sprint_kind *const source_kinds[] = {&from_file};
static const sprint_family sources = {"sources", "data", "", NULL, 0, source_kinds, 1, NULL};

static int set_up(void **state) { return sprint_context_new((sprint_context **)state) == SPRINT_OK ? 0 : -1; }

static int tear_down(void **state) {
  sprint_context_free(*state);
  return 0;
}

static struct sprint__section *section_of(sprint_context *context, const sprint_family *family, const char *text) {
  struct sprint__section *section = NULL;
  if (sprint__section_parse(context, family, text, "spec", &section) != SPRINT_OK)
    fail_msg("%s", sprint_context_error(context));
  return section;
}

static void assert_refused(sprint_context *context, const sprint_family *family, const char *text, const char *error) {
  struct sprint__section *section = NULL;
  assert_int_equal(sprint__section_parse(context, family, text, "spec", &section), SPRINT_ERROR_INPUT);
  assert_null(section);
  assert_string_equal(sprint_context_error(context), error);
}

static void test_config__defaults_come_from_the_tables(void **state) {
  struct sprint__section *section = section_of(*state, &shifts, "strategic");
  assert_ptr_equal(section->kind, &strategic);
  assert_int_equal(sprint__get_integer(section, "cap"), 5000);
  assert_false(sprint__get(section, "cap")->given);
  assert_true(sprint__get_real(section, "alpha") == 0.25);
  assert_true(isnan(sprint__get_real(section, "any")));
  assert_int_equal(sprint__get_integer(section, "count"), 0);
  assert_true(sprint__get_flag(section, "fast"));
  assert_string_equal(sprint__get_text(section, "label"), "");
  assert_int_equal(sprint__get_choice(section, "when"), 0);
  const struct sprint__value *columns = sprint__get(section, "columns"), *weights = sprint__get(section, "weights");
  assert_int_equal(columns->n_items, 2);
  assert_string_equal(columns->texts[1], "income");
  assert_int_equal(weights->n_items, 2);
  assert_true(weights->reals[1] == 2.5);
  const struct sprint__section *schedule = sprint__get_section(section, "schedule");
  assert_ptr_equal(schedule->kind, &decay);
  assert_string_equal(schedule->path, "shift.schedule");
  assert_true(sprint__get_real(schedule, "rate") == 0.5);
  assert_int_equal(sprint__get_integer(sprint__get_section(section, "limit"), "epochs"), 10);
  assert_null(sprint__get_section(section, "extra"));
  sprint__section_free(section);
}

static void test_config__no_text_is_the_default_kind(void **state) {
  static const char *const texts[] = {NULL, "", "{}", "# nothing"};
  for (size_t i = 0; i < SPRINT__COUNT(texts); i++) {
    struct sprint__section *section = section_of(*state, &shifts, texts[i]);
    assert_ptr_equal(section->kind, &none);
    sprint__section_free(section);
  }
}

static void test_config__values_are_read(void **state) {
  struct sprint__section *section =
      section_of(*state, &shifts,
                 "kind: strategic\ncap: 1\nalpha: 1e3\nany: -.5\ncount: -9223372036854775808\nfast: off\n"
                 "label: 12\nwhen: never-ever\ncolumns: one\nweights: [0, 10]\nschedule: constant\n"
                 "extra: {kind: decay, rate: 2}\nlimit: {epochs: 3.0}\n");
  assert_true(sprint__get_real(section, "alpha") == 1000);
  assert_true(sprint__get(section, "alpha")->given);
  assert_int_equal(sprint__get(section, "alpha")->place.line, 3);
  assert_string_equal(sprint__get(section, "alpha")->place.file, "spec");
  assert_true(sprint__get_real(section, "any") == -0.5);
  assert_true(sprint__get_integer(section, "count") == INT64_MIN);
  assert_false(sprint__get_flag(section, "fast"));
  assert_string_equal(sprint__get_text(section, "label"), "12");
  assert_string_equal(sprint__get_text(section, "when"), "never-ever");
  assert_int_equal(sprint__get_choice(section, "when"), 2);
  assert_int_equal(sprint__get(section, "columns")->n_items, 1);
  assert_string_equal(sprint__get(section, "columns")->texts[0], "one");
  assert_true(sprint__get(section, "weights")->reals[1] == 10);
  assert_ptr_equal(sprint__get_section(section, "schedule")->kind, &constant);
  assert_true(sprint__get_real(sprint__get_section(section, "extra"), "rate") == 2);
  assert_int_equal(sprint__get_integer(sprint__get_section(section, "limit"), "epochs"), 3);
  sprint__section_free(section);
}

/* The text of a section says every value that has one, and read again it has the same; maps and sections are left out.
 */
static void test_config__a_section_as_text(void **state) {
  static const char *const cases[][2] = {
      {"none", "{kind: none, cap: 5000}"},
      {"strategic",
       "{kind: strategic, cap: 5000, alpha: 0.25, share: 1, below: -1, fast: true, when: \"greedy\", "
       "columns: [\"age\", \"income\"], weights: [1, 2.5]}"},
      {"{kind: strategic, any: 0.1, count: -3, fast: no, label: 'a\"b', columns: [], costs: {a: 1}, weights: [10]}",
       "{kind: strategic, cap: 5000, alpha: 0.25, any: 0.10000000000000001, share: 1, below: -1, count: -3, "
       "fast: false, label: \"a\\\"b\", when: \"greedy\", columns: [], weights: [10]}"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    const char *text = cases[i][0];
    for (int again = 0; again < 2; again++) {
      struct sprint__section *section = section_of(*state, &shifts, text);
      char *got = sprint__section_text(section);
      assert_string_equal(got, cases[i][1]);
      sprint__free(got);
      sprint__section_free(section);
      text = cases[i][1];
    }
  }
  struct sprint__section *bare = section_of(*state, &schedules, "constant");
  char *got = sprint__section_text(bare);
  assert_string_equal(got, "constant");
  sprint__free(got);
  sprint__section_free(bare);
}

static void test_config__empty_lists_are_lists(void **state) {
  struct sprint__section *section = section_of(*state, &shifts, "{kind: strategic, columns: [], weights: []}");
  assert_int_equal(sprint__get(section, "columns")->n_items, 0);
  assert_int_equal(sprint__get(section, "weights")->n_items, 0);
  assert_true(sprint__get(section, "weights")->given);
  sprint__section_free(section);
}

static void test_config__kinds_and_keys_are_checked(void **state) {
  static const char *const cases[][2] = {
      {"\nkind: stratgic",
       "spec:2: key 'shift.kind': 'stratgic' is not a kind of shift; did you mean 'strategic'? (one of none, "
       "strategic)"},
      {"stratgic",
       "spec:1: key 'shift': 'stratgic' is not a kind of shift; did you mean 'strategic'? (one of none, strategic)"},
      {"zzzzzz", "spec:1: key 'shift': 'zzzzzz' is not a kind of shift (one of none, strategic)"},
      {"kind:", "spec:1: key 'shift.kind' has no value; a kind of shift was expected"},
      {"kind: [none]", "spec:1: key 'shift.kind' is a list; a kind of shift was expected"},
      {"[none]", "spec:1: key 'shift' is a list; a kind of shift or a map was expected"},
      {"~", "spec:1: key 'shift' has no value; a kind of shift or a map was expected"},
      {"kind: strategic\nalhpa: 1", "spec:2: unknown key 'shift.alhpa'; did you mean 'alpha'?"},
      {"{kind: none, xyzzy: 1}", "spec:1: unknown key 'shift.xyzzy'; the keys here are kind, cap"},
      {"{kind: strategic, schedule: {kind: decya}}",
       "spec:1: key 'shift.schedule.kind': 'decya' is not a kind of schedule; did you mean 'decay'? (one of constant, "
       "decay, file)"},
      {"{kind: strategic, schedule: {rates: 1}}", "spec:1: unknown key 'shift.schedule.rates'; the keys here are kind"},
      {"{kind: strategic, schedule: ~}",
       "spec:1: key 'shift.schedule' has no value; a kind of schedule or a map was expected"},
      {"{kind: strategic, limit: 5}", "spec:1: key 'shift.limit': '5' is a single value; a map was expected"},
      {"{kind: strategic, limit: }", "spec:1: key 'shift.limit' has no value; a map was expected"},
      {"{kind: strategic, limit: {kind: a}}", "spec:1: unknown key 'shift.limit.kind'; the keys here are epochs"},
      {"kind: strategic\nextra: file", "spec:2: section 'shift.extra': key 'path' is required (the file to read)"},
      {"a: [", "spec:1: the YAML is malformed: did not find expected node content"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) assert_refused(*state, &shifts, cases[i][0], cases[i][1]);
}

static void test_config__required_keys_are_asked_for(void **state) {
  struct sprint__section *section = NULL;
  assert_refused(*state, &sources, "\nkind: file", "spec:2: section 'data': key 'path' is required (the file to read)");
  assert_refused(*state, &sources, "path: x", "spec:1: section 'data': key 'kind' is required (one of file)");
  assert_refused(*state, &sources, NULL, "section 'data': key 'kind' is required (one of file)");
  assert_int_equal(sprint__section_read(*state, &sources, NULL, "", &section), SPRINT_ERROR_INPUT);
  assert_string_equal(sprint_context_error(*state), "key 'kind' is required (one of file)");
}

static void test_config__values_are_checked(void **state) {
  static const char *const cases[][2] = {
      {"alpha: abc", "'abc' is not a number; a number within 0 .. 1000 was expected"},
      {"alpha: '1'", "'1' is not a number; a number within 0 .. 1000 was expected"},
      {"alpha: -1", "'-1' is out of range; a number within 0 .. 1000 was expected"},
      {"alpha: 1e999", "'1e999' is out of range; a number within 0 .. 1000 was expected"},
      {"alpha: nan", "'nan' is not a number; a number within 0 .. 1000 was expected"},
      {"alpha: .inf", "'.inf' is not a number; a number within 0 .. 1000 was expected"},
      {"alpha: 0x10", "'0x10' is not a number; a number within 0 .. 1000 was expected"},
      {"alpha: 1_0", "'1_0' is not a number; a number within 0 .. 1000 was expected"},
      {"alpha: [1]", "a list is not a number; a number within 0 .. 1000 was expected"},
      {"alpha: {a: 1}", "a map is not a number; a number within 0 .. 1000 was expected"},
      {"any: x", "'x' is not a number; a number was expected"},
      {"share: 0", "'0' is out of range; a number greater than 0 and at most 1 was expected"},
      {"below: 1", "'1' is out of range; a number of at most 0.5 was expected"},
      {"cap: 0", "'0' is out of range; a whole number of at least 1 was expected"},
      {"cap: 1.5", "'1.5' is not a whole number; a whole number of at least 1 was expected"},
      {"cap: 1e19", "'1e19' is out of range; a whole number of at least 1 was expected"},
      {"cap: 5_000", "'5_000' is not a whole number; a whole number of at least 1 was expected"},
      {"count: x", "'x' is not a whole number; a whole number was expected"},
      {"fast: maybe", "'maybe' is not a boolean; true or false was expected"},
      {"fast: 'true'", "'true' is not a boolean; true or false was expected"},
      {"label: [a]", "a list is not a text; a text was expected"},
      {"label: {a: b}", "a map is not a text; a text was expected"},
      {"when: gredy", "'gredy' is not a choice; did you mean 'greedy'? (one of greedy, lazy, never-ever)"},
      {"when: xxxxx", "'xxxxx' is not a choice (one of greedy, lazy, never-ever)"},
      {"columns: {a: b}", "a map is not a text; a text was expected"},
      {"columns: [a, [b]]", "a list is not a text; a text was expected"},
      {"weights: [1, x]", "'x' is not a number; a number within 0 .. 10 was expected"},
      {"weights: 11", "'11' is out of range; a number within 0 .. 10 was expected"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    char text[128], error[256];
    snprintf(text, sizeof text, "kind: strategic\n%s", cases[i][0]);
    snprintf(error, sizeof error, "spec:2: key 'shift.%.*s': %s", (int)strcspn(cases[i][0], ":"), cases[i][0],
             cases[i][1]);
    assert_refused(*state, &shifts, text, error);
  }
  assert_refused(*state, &shifts, "{kind: strategic, alpha: }",
                 "spec:1: key 'shift.alpha' has no value; a number within 0 .. 1000 was expected");
  assert_refused(*state, &shifts, "{kind: strategic, when: null}",
                 "spec:1: key 'shift.when' has no value; one of greedy, lazy, never-ever was expected");
  assert_refused(*state, &shifts, "{kind: strategic, weights: [1, ~]}",
                 "spec:1: key 'shift.weights' has no value; a number within 0 .. 10 was expected");
  assert_refused(*state, &shifts, "{kind: strategic, schedule: {kind: decay, rate: 0}}",
                 "spec:1: key 'shift.schedule.rate': '0' is out of range; a number greater than 0 was expected");
}

static void test_config__foreign_text_is_shown_on_one_short_line(void **state) {
  assert_refused(*state, &shifts, "{kind: strategic, any: \"a\\n\\e[31mb\"}",
                 "spec:1: key 'shift.any': 'a \\x1b[31mb' is not a number; a number was expected");
  assert_refused(
      *state, &shifts,
      "{kind: strategic, any: 1234567890123456789012345678901234567890123456789012345678901234567890123456789"
      "éx}",
      "spec:1: key 'shift.any': "
      "'1234567890123456789012345678901234567890123456789012345678901234567890123456789...' is not a number; "
      "a number was expected");
}

static void test_config__set_values_are_placed_at_the_option(void **state) {
  struct sprint__document *document = NULL;
  struct sprint__section *section = NULL;
  assert_int_equal(sprint__document_parse(*state, "shift:\n  kind: strategic\n", "a.yaml", &document), SPRINT_OK);
  assert_int_equal(sprint__document_set(document, "shift.alpha=abc"), SPRINT_OK);
  const struct sprint__node *shift = sprint__node_child(document->root, "shift");
  assert_int_equal(sprint__section_read(*state, &shifts, shift, "shift", &section), SPRINT_ERROR_INPUT);
  assert_string_equal(sprint_context_error(*state),
                      "--set shift.alpha=abc: key 'shift.alpha': 'abc' is not a number; a number within 0 .. 1000 was "
                      "expected");
  assert_int_equal(sprint__document_set(document, "shift.alpha=3"), SPRINT_OK);
  assert_int_equal(sprint__section_read(*state, &shifts, shift, "shift", &section), SPRINT_OK);
  sprint__document_free(document); /* the section outlives it */
  assert_int_equal(sprint__refuse(section, "alpha", "must be below %d", 2), SPRINT_ERROR_INPUT);
  assert_string_equal(sprint_context_error(*state), "--set shift.alpha=3: key 'shift.alpha': must be below 2");
  assert_int_equal(sprint__refuse(section, "cap", "is too small"), SPRINT_ERROR_INPUT);
  assert_string_equal(sprint_context_error(*state), "a.yaml:1: key 'shift.cap': is too small");
  assert_int_equal(sprint__refuse(section, "kind", "does not fit"), SPRINT_ERROR_INPUT);
  assert_string_equal(sprint_context_error(*state), "a.yaml:1: key 'shift.kind': does not fit");
  sprint__section_free(section);
}

static void test_config__whole_numbers_are_exact(void **state) {
  static const struct {
    const char *text;
    enum sprint__number found;
    int64_t integer;
  } cases[] = {
      {"0", SPRINT__NUMBER_OK, 0},
      {"-0", SPRINT__NUMBER_OK, 0},
      {"5000", SPRINT__NUMBER_OK, 5000},
      {"5e3", SPRINT__NUMBER_OK, 5000},
      {"1.5E+3", SPRINT__NUMBER_OK, 1500},
      {"120e-1", SPRINT__NUMBER_OK, 12},
      {"0e-999999999999", SPRINT__NUMBER_OK, 0},
      {"9007199254740993", SPRINT__NUMBER_OK, 9007199254740993},
      {"900719925474099.3e1", SPRINT__NUMBER_OK, 9007199254740993},
      {"9223372036854775807", SPRINT__NUMBER_OK, INT64_MAX},
      {"-9223372036854775808", SPRINT__NUMBER_OK, INT64_MIN},
      {"9223372036854775808", SPRINT__NUMBER_BIG, 0},
      {"1e99999999999999999999", SPRINT__NUMBER_BIG, 0},
      {"1e-1", SPRINT__NUMBER_NONE, 0},
      {"0.5", SPRINT__NUMBER_NONE, 0},
      {"", SPRINT__NUMBER_NONE, 0},
      {"-", SPRINT__NUMBER_NONE, 0},
      {".", SPRINT__NUMBER_NONE, 0},
      {"1e", SPRINT__NUMBER_NONE, 0},
      {"+1", SPRINT__NUMBER_NONE, 0},
      {"01", SPRINT__NUMBER_NONE, 0},
      {" 1", SPRINT__NUMBER_NONE, 0},
      {"1 ", SPRINT__NUMBER_NONE, 0},
  };
  (void)state;
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    int64_t integer = 0;
    assert_int_equal(sprint__number_integer(cases[i].text, &integer), cases[i].found);
    assert_true(integer == cases[i].integer);
  }
}

/* Where the machine has a locale with a decimal comma. */
static void test_config__numbers_do_not_depend_on_the_locale(void **state) {
  static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
  double real = 0;
  (void)state;
  for (size_t i = 0; i < SPRINT__COUNT(locales); i++)
    if (setlocale(LC_ALL, locales[i])) break;
  assert_int_equal(sprint__number_real("2.5", &real), SPRINT__NUMBER_OK);
  assert_true(real == 2.5);
  setlocale(LC_ALL, "C");
}

static void test_config__nearest_name(void **state) {
  static const char *const names[] = {"alpha", "batch_size", "step", "strategic"};
  static const char *const cases[][2] = {
      {"alhpa", "alpha"},         {"ALPHA", "alpha"},   {"Batch-Size", "batch_size"},
      {"batch", "batch_size"},    {"stp", "step"},      {"steps_size", "step"},
      {"stratigec", "strategic"}, {"str", "strategic"}, {"ba", NULL},
      {"completely-off", NULL},   {"", NULL},
  };
  (void)state;
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    const char *near = sprint__nearest(cases[i][0], names, SPRINT__COUNT(names));
    if (cases[i][1])
      assert_string_equal(near ? near : "nothing", cases[i][1]);
    else
      assert_null(near);
  }
  char huge[1000];
  memset(huge, 'a', sizeof huge - 1);
  huge[sizeof huge - 1] = '\0';
  assert_null(sprint__nearest(huge, names, SPRINT__COUNT(names)));
}

/* Every allocation of a read, good or bad, fails once. */
static void test_config__running_out_of_memory_leaks_nothing(void **state) {
  static const char *const texts[] = {
      "{kind: strategic, columns: [a, b], weights: [1, 2], extra: {kind: decay, rate: 2}, when: lazy, label: x}",
      "{kind: stratgic}",
      "{kind: strategic, alhpa: 1}",
      "{kind: strategic, xyzzy: 1}",
      "{kind: strategic, when: x}",
      "{kind: strategic, extra: file}",
      "[none]",
  };
  sprint_context *context = *state;
  for (size_t i = 0; i < SPRINT__COUNT(texts); i++) {
    struct sprint__section *section = NULL;
    context->fail_allocation = -1;
    context->n_allocations = 0;
    sprint_status status = sprint__section_parse(context, &shifts, texts[i], "spec", &section);
    assert_int_equal(status, i == 0 ? SPRINT_OK : SPRINT_ERROR_INPUT);
    sprint__section_free(section);
    int64_t n = (int64_t)context->n_allocations;
    for (int64_t k = 0; k < n; k++) {
      section = NULL;
      context->n_allocations = 0;
      context->fail_allocation = k;
      assert_int_equal(sprint__section_parse(context, &shifts, texts[i], "spec", &section), SPRINT_ERROR_MEMORY);
      assert_null(section);
    }
  }
}

static void test_config__numbers_by_name(void **state) {
  struct sprint__section *section = section_of(
      *state, &shifts,
      "{kind: strategic, costs: {age: 2, 'a b': 0.5}, bounds: {age: [0, ~], 'a b': [-.inf, 3], c: observed}}");
  const struct sprint__value *costs = sprint__get(section, "costs"), *bounds = sprint__get(section, "bounds");
  assert_int_equal(costs->n_items, 2);
  assert_string_equal(costs->texts[1], "a b");
  assert_true(costs->reals[0] == 2 && costs->reals[1] == 0.5 && !costs->text);
  assert_int_equal(bounds->n_items, 3);
  assert_true(bounds->reals[0] == 0 && bounds->reals[1] == INFINITY && !bounds->words[0]);
  assert_true(bounds->reals[2] == -INFINITY && bounds->reals[3] == 3);
  assert_string_equal(bounds->words[2], "observed");
  assert_true(isnan(bounds->reals[4]) && isnan(bounds->reals[5]));
  sprint__section_free(section);
  section = section_of(*state, &shifts, "{kind: strategic, costs: balanced, bounds: observed}");
  assert_string_equal(sprint__get(section, "costs")->text, "balanced");
  assert_string_equal(sprint__get(section, "bounds")->text, "observed");
  sprint__section_free(section);
  section = section_of(*state, &shifts, "strategic");
  assert_true(sprint__get(section, "costs")->n_items == 0 && !sprint__get(section, "costs")->text);
  sprint__section_free(section);
}

static void test_config__numbers_by_name_are_checked(void **state) {
  static const char *const cases[][2] = {
      {"costs: {age: 0}", "'0' is out of range; a number greater than 0 and at most 100 was expected"},
      {"costs: {age: much}", "'much' is not a number; a number greater than 0 and at most 100 was expected"},
      {"costs: {age: [1]}", "a list is not a number; a number greater than 0 and at most 100 was expected"},
      {"costs: 3", "'3' is not what goes here; a map from names to numbers, or even|balanced was expected"},
      {"costs: [1]", "a list is not what goes here; a map from names to numbers, or even|balanced was expected"},
      {"bounds: {age: 3}", "'age': [low, high], either of which may be ~, or observed, was expected"},
      {"bounds: {age: [1, 2, 3]}", "'age': [low, high], either of which may be ~, or observed, was expected"},
      {"bounds: {age: [2, 1]}", "'age': the range from 2 to 1 is empty"},
      {"bounds: {age: [.inf, 1]}", "'.inf' is not a number; a number was expected"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    char text[128], error[256];
    snprintf(text, sizeof text, "{kind: strategic, %s}", cases[i][0]);
    snprintf(error, sizeof error, "spec:1: key 'shift.%.*s': %s", (int)strcspn(cases[i][0], ":"), cases[i][0],
             cases[i][1]);
    assert_refused(*state, &shifts, text, error);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_config__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(defaults_come_from_the_tables),
      TEST(no_text_is_the_default_kind),
      TEST(values_are_read),
      TEST(a_section_as_text),
      TEST(empty_lists_are_lists),
      TEST(kinds_and_keys_are_checked),
      TEST(required_keys_are_asked_for),
      TEST(values_are_checked),
      TEST(foreign_text_is_shown_on_one_short_line),
      TEST(set_values_are_placed_at_the_option),
      TEST(whole_numbers_are_exact),
      TEST(numbers_do_not_depend_on_the_locale),
      TEST(nearest_name),
      TEST(numbers_by_name),
      TEST(numbers_by_name_are_checked),
      TEST(running_out_of_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
