/* The tree of a config: reading, places, --set, merging, printing, what is refused, and running out of memory. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/node.h"

static int set_up(void **state) { return sprint_context_new((sprint_context **)state) == SPRINT_OK ? 0 : -1; }

static int tear_down(void **state) {
  sprint_context_free(*state);
  return 0;
}

static struct sprint__document *parsed(sprint_context *context, const char *text) {
  struct sprint__document *document = NULL;
  if (sprint__document_parse(context, text, "a.yaml", &document) != SPRINT_OK)
    fail_msg("%s", sprint_context_error(context));
  return document;
}

static void assert_prints(sprint_context *context, const struct sprint__node *node, const char *expected) {
  char *text = sprint__node_print(context, node);
  assert_non_null(text);
  assert_string_equal(text, expected);
  sprint__free(text);
}

static void assert_refused(sprint_context *context, const char *text, const char *expected) {
  struct sprint__document *document = NULL;
  assert_int_equal(sprint__document_parse(context, text, "a.yaml", &document), SPRINT_ERROR_INPUT);
  assert_null(document);
  assert_string_equal(sprint_context_error(context), expected);
}

static void test_config__printing_is_json(void **state) {
  static const struct {
    const char *yaml, *json;
  } cases[] = {
      {"", "{}"},
      {"# nothing\n", "{}"},
      {"---\n", "{}"},
      {"a: 1\nb: [x, 'y', {c: d}]\n", "{\"a\": 1, \"b\": [\"x\", \"y\", {\"c\": \"d\"}]}"},
      {"a: .5\nb: -.5\nc: 5.\nd: 1e-3\n", "{\"a\": 0.5, \"b\": -0.5, \"c\": 5.0, \"d\": 1e-3}"},
      {"a: 007\nb: +1\nc: 0x10\nd: 1_000\ne: .nan\n",
       "{\"a\": \"007\", \"b\": \"+1\", \"c\": \"0x10\", \"d\": \"1_000\", \"e\": \".nan\"}"},
      {"a: 99999999999999999999\nb: 1e999\n", "{\"a\": 99999999999999999999.0, \"b\": \"1e999\"}"},
      {"a: true\nb: yes\nc: 'true'\nd: \"1\"\n", "{\"a\": true, \"b\": \"yes\", \"c\": \"true\", \"d\": \"1\"}"},
      {"a:\nb: ~\nc: null\nd: ''\ne: 'null'\n",
       "{\"a\": null, \"b\": null, \"c\": null, \"d\": \"\", \"e\": \"null\"}"},
      {"a: \"q\\\"b\\\\n\\nt\\te\\e\\u0085\"\n", "{\"a\": \"q\\\"b\\\\n\\nt\\te\\u001b\\u0085\"}"},
      {"a: \"\\u2028x\\ufeff\"\n", "{\"a\": \"\\u2028x\\ufeff\"}"},
      {"a: |\n  one\n  two\n", "{\"a\": \"one\\ntwo\\n\"}"},
      {"é: ü\n", "{\"é\": \"ü\"}"},
      {"a: [\n  1,\n]\n", "{\"a\": [1]}"},
      {"a: ''''''''\n", "{\"a\": \"'''\"}"},
      {"\xef\xbb\xbf"
       "a: 1\r\nb: 2\r\n",
       "{\"a\": 1, \"b\": 2}"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    struct sprint__document *document = parsed(*state, cases[i].yaml);
    assert_prints(*state, document->root, cases[i].json);
    struct sprint__document *again = parsed(*state, cases[i].json);
    assert_prints(*state, again->root, cases[i].json);
    sprint__document_free(again);
    sprint__document_free(document);
  }
}

static void test_config__aliases_are_copied(void **state) {
  struct sprint__document *document = parsed(*state, "a: &x {p: 1, q: [2]}\nb: *x\nc: {<<: *x, p: 3}\nd: [*x]\n");
  assert_prints(*state, document->root,
                "{\"a\": {\"p\": 1, \"q\": [2]}, \"b\": {\"p\": 1, \"q\": [2]}, \"c\": {\"p\": 3, \"q\": [2]}, "
                "\"d\": [{\"p\": 1, \"q\": [2]}]}");
  assert_int_equal(sprint__node_child(document->root, "b")->place.line, 2);
  sprint__document_free(document);
}

static void test_config__a_value_is_placed_at_its_key(void **state) {
  struct sprint__document *document = parsed(*state, "# first\na: 1\nb:\n\n  c:\n    - 7\n    - 8\n");
  const struct sprint__node *b = sprint__node_child(document->root, "b"), *c = sprint__node_child(b, "c");
  assert_int_equal(sprint__node_child(document->root, "a")->place.line, 2);
  assert_string_equal(b->place.file, "a.yaml");
  assert_int_equal(b->place.line, 3);
  assert_int_equal(c->place.line, 5);
  assert_int_equal(c->children[1]->place.line, 7);
  assert_null(sprint__node_child(b, "z"));
  assert_null(sprint__node_child(c, "0"));
  sprint__document_free(document);
}

static void test_config__malformed_texts_are_refused(void **state) {
  static const char *const cases[][2] = {
      {"a: [1", "a.yaml:1: the YAML is malformed: did not find expected ',' or ']'"},
      {"a: {b: 1", "a.yaml:1: the YAML is malformed: did not find expected ',' or '}'"},
      {"x: 1\na: \"x", "a.yaml:2: the YAML is malformed: found unexpected end of stream"},
      {"a: 'x", "a.yaml:1: the YAML is malformed: found unexpected end of stream"},
      {"a: b: c", "a.yaml:1: the YAML is malformed: mapping values are not allowed in this context"},
      {"\ta: 1", "a.yaml:1: the YAML is malformed: found character that cannot start any token"},
      {"a: 1\n b: 2", "a.yaml:2: the YAML is malformed: mapping values are not allowed in this context"},
      {"- a\nb: 1", "a.yaml:2: the YAML is malformed: did not find expected '-' indicator"},
      {"a: @x", "a.yaml:1: the YAML is malformed: found character that cannot start any token"},
      {"a: ]", "a.yaml:1: the YAML is malformed: did not find expected node content"},
      {"a: \"\\q\"", "a.yaml:1: the YAML is malformed: found unknown escape character"},
      {"&", "a.yaml:1: the YAML is malformed: did not find expected alphabetic or numeric character"},
      {"*", "a.yaml:1: the YAML is malformed: did not find expected alphabetic or numeric character"},
      {"[1, 2]", "a.yaml:1: a map of keys was expected, not a list"},
      {"abc", "a.yaml:1: a map of keys was expected, not a single value"},
      {"null", "a.yaml:1: a map of keys was expected, not a single value"},
      {"a: 1\n---\nb: 2\n", "a.yaml:2: a second document starts here; one was expected"},
      {"a: 1\nb: 2\na: 3\n", "a.yaml:3: the key 'a' is given twice"},
      {"x: {a: 1, a: 2}", "a.yaml:1: the key 'a' is given twice"},
      {"{a: 1}: 2", "a.yaml:1: a key must be a plain text, not a map or list"},
      {"[a]: 1", "a.yaml:1: a key must be a plain text, not a map or list"},
      {"a: &k 1\n*k : 2", "a.yaml:2: a key must be a plain text, not an alias"},
      {"a: *b", "a.yaml:1: the alias '*b' has no anchor '&b' before it"},
      {"a: &a [*a]", "a.yaml:1: the alias '*a' contains itself"},
      {"<<: {a: 1}", "a.yaml:1: '<<' takes the alias of one map, as in '<<: *name', and only once in a map"},
      {"a: &a 1\n<<: *a", "a.yaml:2: '<<' takes the alias of one map, as in '<<: *name', and only once in a map"},
      {"a: !!str 5", "a.yaml:1: tags (such as !!str) are not supported"},
      {"a: 1\nb: \xff", "a.yaml:2: the byte 0xff is not UTF-8 text"},
      {"a: \xed\xa0\x80", "a.yaml:1: the byte 0xed is not UTF-8 text"},
      {"a: \xc0\x80", "a.yaml:1: the byte 0xc0 is not UTF-8 text"},
      {"a: \"\\0\"", "a.yaml:1: a NUL byte is not text"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) assert_refused(*state, cases[i][0], cases[i][1]);
}

/* head, n times piece, tail; yours to free. */
static char *repeated(const char *head, const char *piece, size_t n, const char *tail) {
  char *text = malloc(strlen(head) + n * strlen(piece) + strlen(tail) + 1), *end = text;
  assert_non_null(text);
  end += sprintf(end, "%s", head);
  for (size_t i = 0; i < n; i++) end += sprintf(end, "%s", piece);
  sprintf(end, "%s", tail);
  return text;
}

static void test_config__size_and_depth_are_bounded(void **state) {
  static const struct {
    const char *head, *piece;
    size_t n;
    const char *tail, *error;
  } cases[] = {
      {"a: ", "[", 40, "", "a.yaml:1: the config is nested deeper than 32 levels"},
      {"a: ", "[", 100000, "", "a.yaml:1: the config is nested deeper than 32 levels"},
      {"a: [", "1,", 100000, "1]", "a.yaml:1: the config has more than 100000 values"},
      {"a: ", "xxxxxxxx", 1 << 19, "", "a.yaml: is larger than 4 MiB"},
      {"a: &a '", "0123456789abcdef", 50000, "'\nb: [*a, *a, *a, *a, *a, *a]",
       "a.yaml:2: aliases copy more than 4 MiB"},
      {"", "abcdefgh", 17, ": 1",
       "a.yaml:1: the key 'abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh...' is "
       "longer than 128 bytes"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    char *text = repeated(cases[i].head, cases[i].piece, cases[i].n, cases[i].tail);
    assert_refused(*state, text, cases[i].error);
    free(text);
  }
  char *deepest = repeated("a: ", "[", 31, ""), *text = repeated(deepest, "]", 31, "");
  sprint__document_free(parsed(*state, text));
  free(deepest);
  free(text);
}

static void test_config__many_keys_and_anchors_are_refused(void **state) {
  char text[40000], *end = text;
  for (int i = 0; i <= 1000; i++) end += sprintf(end, "k%d: 1\n", i);
  assert_refused(*state, text, "a.yaml:1001: the map has more than 1000 keys");
  end = text + sprintf(text, "a:\n");
  for (int i = 0; i <= 1000; i++) end += sprintf(end, "- &k%d 1\n", i);
  assert_refused(*state, text, "a.yaml:1002: there are more than 1000 anchors");
}

static void test_config__alias_bombs_are_refused(void **state) {
  char wide[4096], deep[4096], *end = wide + sprintf(wide, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
  for (int i = 1; i < 12; i++) {
    end += sprintf(end, "a%d: &a%d [", i, i);
    for (int j = 0; j < 9; j++) end += sprintf(end, "%s*a%d", j ? "," : "", i - 1);
    end += sprintf(end, "]\n");
  }
  assert_refused(*state, wide, "a.yaml:6: the config has more than 100000 values");
  end = deep + sprintf(deep, "a0: &a0 [x]\n");
  for (int i = 1; i < 100; i++) end += sprintf(end, "a%d: &a%d [*a%d]\n", i, i, i - 1);
  assert_refused(*state, deep, "a.yaml:32: the config is nested deeper than 32 levels");
}

static void test_config__files_are_read(void **state) {
  char path[] = "/tmp/test_config-XXXXXX", error[128];
  struct sprint__document *document = NULL;
  int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *stream = fdopen(file, "wb");
  assert_non_null(stream);
  fwrite("a: 1\nb: \0\n", 1, 10, stream);
  fclose(stream);
  assert_int_equal(sprint__document_read(*state, path, &document), SPRINT_ERROR_INPUT);
  snprintf(error, sizeof error, "%s:2: a NUL byte is not text", path);
  assert_string_equal(sprint_context_error(*state), error);
  stream = fopen(path, "wb");
  fclose(stream);
  assert_int_equal(sprint__document_read(*state, path, &document), SPRINT_OK);
  assert_prints(*state, document->root, "{}");
  assert_string_equal(document->root->place.file, path);
  sprint__document_free(document);
  remove(path);
  assert_int_equal(sprint__document_read(*state, path, &document), SPRINT_ERROR_IO);
}

static void test_config__set_lays_values_over(void **state) {
  static const char *const sets[] = {"a=2",        "s.alpha=.5", "s.deep.er.key=[1, x]", "l.1.k=v",
                                     "l.0={m: n}", "gone.b=no",  "text=C:\\x=y # c",     "none="};
  struct sprint__document *document = parsed(*state, "a: 1\ns: {alpha: 1, beta: 2}\nl: [1, {k: u}]\ngone:\n");
  for (size_t i = 0; i < SPRINT__COUNT(sets); i++) assert_int_equal(sprint__document_set(document, sets[i]), SPRINT_OK);
  assert_prints(*state, document->root,
                "{\"a\": 2, \"s\": {\"alpha\": 0.5, \"beta\": 2, \"deep\": {\"er\": {\"key\": [1, \"x\"]}}}, "
                "\"l\": [{\"m\": \"n\"}, {\"k\": \"v\"}], \"gone\": {\"b\": \"no\"}, \"text\": \"C:\\\\x=y\", "
                "\"none\": null}");
  const struct sprint__node *s = sprint__node_child(document->root, "s"), *deep = sprint__node_child(s, "deep");
  assert_string_equal(sprint__node_child(s, "alpha")->place.file, "--set s.alpha=.5");
  assert_int_equal(sprint__node_child(s, "alpha")->place.line, 0);
  assert_string_equal(deep->place.file, "--set s.deep.er.key=[1, x]");
  assert_string_equal(sprint__node_child(s, "beta")->place.file, "a.yaml");
  sprint__document_free(document);
}

static void test_config__bad_sets_are_refused(void **state) {
  static const char *const cases[][2] = {
      {"a", "--set a: there is no '='; key.path=value was expected"},
      {"=1", "--set =1: the key has an empty part"},
      {"s..b=1", "--set s..b=1: the key has an empty part"},
      {"s.=1", "--set s.=1: the key has an empty part"},
      {"s.alpha.x=1", "--set s.alpha.x=1: 's.alpha' is a single value, so it has no key 'x'"},
      {"l.2=1", "--set l.2=1: 'l' is a list of 2, entered by a number from 0, and '2' is not one of them"},
      {"l.-1=1", "--set l.-1=1: 'l' is a list of 2, entered by a number from 0, and '-1' is not one of them"},
      {"l.x.y=1", "--set l.x.y=1: 'l' is a list of 2, entered by a number from 0, and 'x' is not one of them"},
      {"l.18446744073709551616=1",
       "--set l.18446744073709551616=1: 'l' is a list of 2, entered by a number from 0, and '18446744073709551616' is "
       "not one of them"},
      {"a=[1", "--set a=[1: the YAML is malformed: did not find expected ',' or ']'"},
      {"a={b: 1, b: 2}", "--set a={b: 1, b: 2}: the key 'b' is given twice"},
      {"1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19.20.21.22.23.24.25.26.27.28.29.30.31.32.33=1",
       "--set 1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19.20.21.22.23.24.25.26.27.28.29.30.31.32.33=1: the key is "
       "nested deeper than 32 levels"},
  };
  struct sprint__document *document = parsed(*state, "a: 1\ns: {alpha: 1}\nl: [1, 2]\n");
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    assert_int_equal(sprint__document_set(document, cases[i][0]), SPRINT_ERROR_INPUT);
    assert_string_equal(sprint_context_error(*state), cases[i][1]);
  }
  assert_prints(*state, document->root, "{\"a\": 1, \"s\": {\"alpha\": 1}, \"l\": [1, 2]}");
  sprint__document_free(document);
}

static void test_config__merge_overlays_maps(void **state) {
  struct sprint__document *base = parsed(*state, "a: 1\nb: {c: 2, d: {e: 3}}\nf: [1, 2]\n");
  struct sprint__document *over = parsed(*state, "\nb: {d: {g: 4}, c: [5]}\nf: [6]\nh: 7\n");
  struct sprint__node *merged = NULL, *alone = NULL;
  assert_int_equal(sprint__node_merge(*state, base->root, over->root, &merged), SPRINT_OK);
  assert_prints(*state, merged, "{\"a\": 1, \"b\": {\"c\": [5], \"d\": {\"e\": 3, \"g\": 4}}, \"f\": [6], \"h\": 7}");
  assert_int_equal(sprint__node_child(merged, "a")->place.line, 1);
  assert_int_equal(sprint__node_child(merged, "f")->place.line, 3);
  assert_int_equal(sprint__node_merge(*state, NULL, base->root, &alone), SPRINT_OK);
  assert_prints(*state, alone, "{\"a\": 1, \"b\": {\"c\": 2, \"d\": {\"e\": 3}}, \"f\": [1, 2]}");
  sprint__node_free(alone);
  sprint__node_free(merged);
  sprint__document_free(over);
  sprint__document_free(base);
}

/* Everything above in one go, so that each of its allocations can be made to fail. */
static sprint_status do_everything(sprint_context *context) {
  struct sprint__document *document = NULL;
  struct sprint__node *merged = NULL;
  char *text = NULL;
  sprint_status status = sprint__document_parse(context, "a: &x {b: [1, 'c']}\nd: *x\ne: {<<: *x}\n", "a", &document);
  if (status == SPRINT_OK) status = sprint__document_set(document, "a.n.e.w={x: [1]}");
  if (status == SPRINT_OK) status = sprint__document_set(document, "a.b.1=2");
  if (status == SPRINT_OK)
    status = sprint__node_merge(context, document->root, sprint__node_child(document->root, "a"), &merged);
  if (status == SPRINT_OK) text = sprint__node_print(context, merged);
  if (status == SPRINT_OK && !text) status = SPRINT_ERROR_MEMORY;
  sprint__free(text);
  sprint__node_free(merged);
  sprint__document_free(document);
  return status;
}

static void test_config__running_out_of_memory_leaks_nothing(void **state) {
  sprint_context *context = *state;
  context->n_allocations = 0;
  assert_int_equal(do_everything(context), SPRINT_OK);
  int64_t n = (int64_t)context->n_allocations;
  assert_true(n > 50);
  for (int64_t k = 0; k < n; k++) {
    context->n_allocations = 0;
    context->fail_allocation = k;
    assert_int_equal(do_everything(context), SPRINT_ERROR_MEMORY);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_config__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(printing_is_json),
      TEST(aliases_are_copied),
      TEST(a_value_is_placed_at_its_key),
      TEST(malformed_texts_are_refused),
      TEST(size_and_depth_are_bounded),
      TEST(many_keys_and_anchors_are_refused),
      TEST(alias_bombs_are_refused),
      TEST(files_are_read),
      TEST(set_lays_values_over),
      TEST(bad_sets_are_refused),
      TEST(merge_overlays_maps),
      TEST(running_out_of_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
