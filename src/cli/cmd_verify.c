/* sprint verify: the closed forms, case by case. */
#include "cli.h"

static void report(void *user, const sprint_verify_case *result) {
  (void)user;
  cli_print(stdout, "%-52s  %-19.12g  %-19.12g  %-9.2g  %s\n", result->name, result->expected, result->got,
            result->tolerance, result->ok ? "ok" : "FAILED");
}

static int verify_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  (void)options;
  bool all_ok = false;
  cli_print(stdout, "%-52s  %-19s  %-19s  %-9s  %s\n", "case", "expected", "got", "tolerance", "ok");
  if (sprint_verify(context, report, NULL, &all_ok) != SPRINT_OK) return cli_failed(context);
  return all_ok ? CLI_OK : CLI_FAILED;
}

const struct cli_command cli_verify = {
    "verify",
    "reproduce the closed forms of the theory; exit 1 if any fails",
    verify_run,
};
