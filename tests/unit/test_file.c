/* Where files are written: through links, to what is open already, beside what is read; locks; and where data are
 * looked for. */
#define _GNU_SOURCE
#include "memory_help.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

struct place {
  sprint_context *context;
  char folder[32], path[64], other[64];
};

static const char *in(struct place *p, const char *name) {
  snprintf(p->path, sizeof p->path, "%s/%s", p->folder, name);
  return p->path;
}

static int set_up(void **state) {
  struct place *p = *state = calloc(1, sizeof *p);
  strcpy(p->folder, "/tmp/sprint-file-XXXXXX");
  return !mkdtemp(p->folder) || sprint_context_new(&p->context) != SPRINT_OK;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info;
  (void)type;
  (void)at;
  return remove(path);
}

static int tear_down(void **state) {
  struct place *p = *state;
  int status = nftw(p->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  sprint_context_free(p->context);
  free(p);
  return status;
}

static void assert_text(const char *path, const char *text) {
  char got[64] = "";
  FILE *stream = fopen(path, "r");
  assert_non_null(stream);
  got[fread(got, 1, sizeof got - 1, stream)] = '\0';
  fclose(stream);
  assert_string_equal(got, text);
}

/* What a link leads to is replaced, wherever it counts from, and the link stays one; a circle is refused. */
static void test_file__goes_through_links(void **state) {
  struct place *p = *state;
  struct stat info;
  assert_int_equal(mkdir(in(p, "inner"), 0777), 0);
  assert_int_equal(symlink("inner/file", in(p, "near")), 0);
  snprintf(p->other, sizeof p->other, "%s/near", p->folder);
  assert_int_equal(symlink(p->other, in(p, "far")), 0);
  MUST(p->context, sprint_file_write(p->context, in(p, "far"), "one", 3));
  assert_text(in(p, "inner/file"), "one");
  assert_int_equal(chmod(in(p, "inner/file"), 0640), 0);
  MUST(p->context, sprint_file_write(p->context, in(p, "near"), "two", 3));
  assert_text(in(p, "inner/file"), "two");
  assert_int_equal(stat(in(p, "inner/file"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640); /* as it was */
  assert_true(lstat(in(p, "near"), &info) == 0 && S_ISLNK(info.st_mode));
  assert_int_equal(symlink("round", in(p, "round")), 0);
  REFUSED(p->context, SPRINT_ERROR_IO, "round: cannot be written: Too many levels",
          sprint_file_write(p->context, in(p, "round"), "one", 3));
  REFUSED(p->context, SPRINT_ERROR_IO, "inner: is a folder, a file was expected",
          sprint_file_write(p->context, in(p, "inner"), "one", 3));
}

/* What is open is written to as it is, and stays open; names that only look like it are files like others. */
static void test_file__goes_to_what_is_open(void **state) {
  struct place *p = *state;
  char name[32];
  int open_one = open(in(p, "open"), O_RDWR | O_CREAT, 0666);
  assert_int_equal(write(open_one, "a", 1), 1);
  snprintf(name, sizeof name, "/dev/fd/%d", open_one);
  MUST(p->context, sprint_file_write(p->context, name, "bc", 2));
  assert_int_equal(write(open_one, "d", 1), 1);
  assert_text(in(p, "open"), "abcd");
  assert_int_equal(close(open_one), 0);
  static const char *const closed[] = {"/dev/fd/99999999", "/proc/self/fd/4x", "/dev/fd/"};
  for (size_t i = 0; i < SPRINT__COUNT(closed); i++)
    assert_int_equal(sprint_file_write(p->context, closed[i], "x", 1), SPRINT_ERROR_IO);
  MUST(p->context, sprint_file_write(p->context, "/dev/null", "x", 1));
  MUST(p->context, sprint_file_write(p->context, "/dev/stderr", NULL, 0));
}

static void test_file__spares_what_is_read(void **state) {
  struct place *p = *state;
  MUST(p->context, sprint_file_write(p->context, in(p, "input"), "x", 1));
  snprintf(p->other, sizeof p->other, "%s/./input", p->folder);
  REFUSED(p->context, SPRINT_ERROR_INPUT, "is the same file as",
          sprint__file_differs(p->context, p->other, in(p, "input")));
  MUST(p->context, sprint__file_differs(p->context, "/dev/null", in(p, "input")));
  MUST(p->context, sprint__file_differs(p->context, p->other, in(p, "nothing")));
  MUST(p->context, sprint_file_write(p->context, in(p, "third"), "y", 1));
  MUST(p->context, sprint__file_differs(p->context, p->other, in(p, "third")));
}

/* One writer to a folder; and a file in its place is refused. */
static void test_file__locks(void **state) {
  struct place *p = *state;
  sprint_lock *lock = NULL, *second = NULL;
  MUST(p->context, sprint_folder_lock(p->context, in(p, "a/b"), &lock));
  REFUSED(p->context, SPRINT_ERROR_IO, "another process is writing there",
          sprint_folder_lock(p->context, in(p, "a/b"), &second));
  assert_null(second);
  sprint_lock_free(lock);
  MUST(p->context, sprint_folder_lock(p->context, in(p, "a/b"), &second));
  sprint_lock_free(second);
  MUST(p->context, sprint_file_write(p->context, in(p, "file"), "x", 1));
  REFUSED(p->context, SPRINT_ERROR_IO, "file: is not a folder", sprint_folder_lock(p->context, in(p, "file"), &second));
  REFUSED(p->context, SPRINT_ERROR_IO, "file/a: the folder cannot be made",
          sprint_folder_lock(p->context, in(p, "file/a"), &second));
}

static sprint_status write_and_lock(sprint_context *context, const void *user) {
  struct place p = *(const struct place *)user;
  sprint_lock *lock = NULL;
  sprint_status status = sprint_file_write(context, in(&p, "link"), "new", 3);
  if (!status) status = sprint_folder_lock(context, in(&p, "lock"), &lock);
  assert_int_equal(status == SPRINT_OK, lock != NULL);
  sprint_lock_free(lock);
  return status;
}

/* Whatever could not be had, the file is the old one or the new one, and no part is left. */
static void test_file__without_memory(void **state) {
  struct place *p = *state;
  sprint_status status = SPRINT_OK;
  MUST(p->context, sprint_file_write(p->context, in(p, "file"), "old", 3));
  assert_int_equal(symlink("file", in(p, "link")), 0);
  assert_true(fail_every_allocation(p->context, write_and_lock, p, &status) >= 5);
  MUST(p->context, status);
  assert_text(in(p, "file"), "new");
  assert_int_equal(unlink(in(p, "file")) | unlink(in(p, "link")) | rmdir(in(p, "lock")), 0);
  assert_int_equal(rmdir(p->folder), 0);
  assert_int_equal(mkdir(p->folder, 0777), 0); /* for tear_down */
}

/* The variable first, then the folder of a user's data, of which relative ones do not count, then the home. */
static void test_file__where_data_are_looked_for(void **state) {
  struct place *p = *state;
  static const struct {
    const char *named, *data_home, *home, *expected;
  } cases[] = {
      {"/n", "/x", "/h", "/n"},
      {"", "/x", "/h", "/x/sprint"},
      {NULL, "x", "/h", "/h/.local/share/sprint"},
      {NULL, "", "/h", "/h/.local/share/sprint"},
      {NULL, NULL, "", ""},
      {NULL, NULL, NULL, ""},
  };
  static const char *const names[] = {"SPRINT_DATA", "XDG_DATA_HOME", "HOME"};
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    const char *const values[] = {cases[i].named, cases[i].data_home, cases[i].home};
    for (size_t k = 0; k < 3; k++)
      if (values[k])
        setenv(names[k], values[k], 1);
      else
        unsetenv(names[k]);
    MUST(p->context, sprint_context_set_data(p->context, NULL));
    assert_string_equal(sprint_context_data(p->context), cases[i].expected);
  }
}

/* What a file may take: 64 times its size and 256 MB, or what was allowed. */
static void test_file__takes_so_much_memory(void **state) {
  struct place *p = *state;
  const double mb = 1048576;
  MUST(p->context, sprint__memory_check(p->context, "f", 320 * mb, mb));
  REFUSED(p->context, SPRINT_ERROR_INPUT,
          "f: 321 MB of memory are needed for it, and 64 times its size and 256 MB are 320 MB; `--memory 321`",
          sprint__memory_check(p->context, "f", 321 * mb, mb));
  MUST(p->context, sprint_context_set_memory(p->context, 400 * 1048576));
  MUST(p->context, sprint__memory_check(p->context, "f", 400 * mb, mb));
  REFUSED(p->context, SPRINT_ERROR_INPUT, "f: 401 MB of memory are needed for it, and what is allowed are 400 MB",
          sprint__memory_check(p->context, "f", 401 * mb, mb));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_file__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(goes_through_links), TEST(goes_to_what_is_open),      TEST(spares_what_is_read),  TEST(locks),
      TEST(without_memory),     TEST(where_data_are_looked_for), TEST(takes_so_much_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
