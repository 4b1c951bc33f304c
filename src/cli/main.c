/* sprint: the command. One file per subcommand; this one picks it. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static int run_command(sprint_context *context, const struct cli_command *command, int argc, char **argv) {
  struct cli_options options = {.n_arguments = 0};
  bool help = false;
  int code = cli_parse(context, command, argc, argv, &options, &help);
  if (help) {
    cli_print_command_help(command);
    return CLI_OK;
  }
  return code == CLI_OK ? command->run(context, command, &options) : code;
}

/* GNU OpenMP's threads wait for each other by spinning, for milliseconds: on a machine with other load a run then takes
 * ten times as long. OpenBLAS starts threads that we never use, that spin at first, and that ask for ever for memory
 * where there is none; and takes slow kernels for a processor that it does not know. Both read their settings before
 * main, so the program starts once more with others, unless the caller has settled the matter. */
static void settle_libraries(char **argv) {
  bool spins = !getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT"), idles = !getenv("OPENBLAS_NUM_THREADS");
  const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : sprint_blas_better_core();
  if (!spins && !idles && !core) return;
  if ((!spins || setenv("GOMP_SPINCOUNT", "5000", 1) == 0) && setenv("OPENBLAS_NUM_THREADS", "1", 0) == 0 &&
      (!core || setenv("OPENBLAS_CORETYPE", core, 1) == 0))
    execv("/proc/self/exe", argv); /* where that fails, we go on as we are */
}

static bool is_help(const char *word) {
  return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Help on what the words (n) name: a command, all commands that begin with a word, or everything. */
static int help(char **words, size_t n) {
  size_t used = 0, shown = 0;
  if (n == 0) {
    cli_print_help(stdout);
    return CLI_OK;
  }
  for (size_t i = 0; n == 1 && i < cli_n_commands; i++) {
    size_t length = strlen(words[0]);
    if (strncmp(cli_commands[i]->name, words[0], length) != 0 || cli_commands[i]->name[length] != ' ') continue;
    if (shown++) putchar('\n');
    cli_print_command_help(cli_commands[i]);
  }
  if (shown) return CLI_OK;
  const struct cli_command *command = cli_command_find(words, n, &used);
  if (!command) return CLI_USAGE;
  cli_print_command_help(command);
  return CLI_OK;
}

/* Standard output is whole; a write before the last one may have failed. */
static int finish(int code) {
  errno = 0; /* of a write that failed before nobody knows the reason any more */
  if ((fflush(stdout) == 0 && !ferror(stdout)) || code != CLI_OK) return code;
  const char *reason = errno ? strerror(errno) : NULL;
  cli_print(stderr, "sprint: standard output cannot be written%s%s\n", reason ? ": " : "", reason ? reason : "");
  return CLI_FAILED;
}

int main(int argc, char **argv) {
  if (argc < 2 || !*argv[1]) {
    cli_print_help(stderr);
    return CLI_USAGE;
  }
  char **words = argv + 1;
  size_t n = (size_t)argc - 1, used = 0;
  if (is_help(words[0])) return finish(help(words + 1, n - 1));
  if (n == 2 && words[1][0] == '-' && is_help(words[1])) return finish(help(words, 1));
  if (strcmp(words[0], "--version") == 0) {
    cli_print(stdout, "sprint %s (%s)\n", SPRINT_VERSION, sizeof(sprint_real) == 8 ? "double" : "float");
    return finish(CLI_OK);
  }
  const struct cli_command *command = cli_command_find(words, n, &used);
  if (!command) return CLI_USAGE;
  settle_libraries(argv);
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails, and that is said */
  cli_watch_json();
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) {
    fputs("sprint: out of memory\n", stderr);
    return CLI_FAILED;
  }
  int code = run_command(context, command, argc - (int)used, argv + used);
  sprint_context_free(context);
  return finish(code);
}
