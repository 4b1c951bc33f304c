/* sprint: the command. One file per subcommand; this one picks it. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const struct cli_command *const commands[] = {
    &cli_run,  &cli_compare, &cli_reproduce, &cli_predict, &cli_grad,
    &cli_init, &cli_verify,  &cli_theory,    &cli_list,    &cli_data,
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *stream) {
  fputs(
      "sprint: stable learning when the deployed model changes its own data\n\n"
      "usage: sprint COMMAND ...\n\n",
      stream);
  for (size_t i = 0; i < N_COMMANDS; i++) fprintf(stream, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  fputs(
      "\n  sprint COMMAND --help    how a command is called\n"
      "  sprint --version         version and precision\n",
      stream);
}

static void print_command_help(const struct cli_command *command) {
  printf("usage: sprint %s %s\n\n%s\n", command->name, command->usage, command->summary);
  static const char *const help[][2] = {
      {"budget", "--budget KEY=AMOUNT   where every run ends: ifo, deployments, samples, epochs, steps or seconds (of"},
      {"budget",
       "                      training; not the same to the byte twice); a ranking for each, may be given often."},
      {"budget", "                      All other stop rules are off, but for divergence"},
      {"methods",
       "--methods M,M,...     entries of the config's `compare` and kinds of method, each with settings over"},
      {"methods", "                      it: NAME[:KEY=VALUE]..., as in sgd,sprint:correction=unbiased:step.size=0.05"},
      {"methods", "                      (default: the config's `compare`); name=TEXT is what it is called"},
      {"by", "--by CRITERION        of the last row: grad (the default, |grad J|^2), grad-mean, loss, accuracy,"},
      {"by", "                      distance (to eval.reference); grad and distance are compared on the log scale"},
      {"tune",
       "--tune [G,G,...]      first every method with each of these step sizes on seeds of their own, the best of"},
      {"tune", "                      which is then ranked (default 0.001,0.003,0.01,0.03,0.1,0.3,1)"},
      {"set", "--set KEY.PATH=VALUE  lay a value over the config; may be given often"},
      {"out", "--out PATH            where the result goes"},
      {"seed", "--seed S              one seed instead of the config's"},
      {"quick", "--quick               the config's `quick` settings over the others: a subset, few epochs"},
      {"seeds", "--seeds S,S,...       these seeds instead of the config's (of compare also N: so many)"},
      {"jobs", "--jobs N              runs at a time, one thread each (default: one per thread where an epoch is less"},
      {"jobs", "                      than 1e12 operations, else one after the other on all threads)"},
      {"threads", "--threads N           threads to use (0: one per core); results do not depend on it"},
      {"params", "--params FILE         theta: .npy (flat) or .safetensors"},
      {"deployed", "--deployed FILE       theta' that the population reacts to (default: theta)"},
      {"data", "--data DIR            where data files are looked for that are not here (default: SPRINT_DATA,"},
      {"data", "                      else the folder `sprint` in XDG_DATA_HOME or ~/.local/share)"},
      {"L", "--L X                 smoothness of every record's loss in theta"},
      {"kappa", "--kappa X             sensitivity of J and its gradient to the deployment; or"},
      {"L0", "--L0 X --epsilon X     its two parts: the loss's slope in the records, and how far these move"},
      {"m", "--m M --n N --batch B  steps of an epoch, individuals, records of a step"},
      {"delta0", "--delta0 X            V(theta_0) less a lower bound of V"},
      {"sigma0", "--sigma0 X --sigma1 X  variance of a gradient <= sigma0^2 + sigma1^2 |grad J|^2 (default 0)"},
      {"delta", "--delta X             the mean |grad J|^2 that is wanted: steps and IFO until then"},
      {"gamma", "--gamma X --beta X     is this step size covered? (without beta: by the best one)"},
      {"rounds", "--rounds T            steps that the bound is worked out for"},
      {"model", "--model FILE          theta at which constants are estimated (default: where a run starts)"},
      {"sample", "--sample N            individuals that constants are estimated from (default 2000)"},
      {"probes", "--probes N            random directions that are probed (default 12)"},
      {"check", "--check RUN           compare a saved run of CONFIG with the bound"},
      {"plugin", "--plugin FILE.so      load kinds of your own; may be given often"},
      {"dir", "--dir DIR             where a fetched set goes (default: the data folder)"},
  };
  for (size_t i = 0; i < sizeof help / sizeof help[0]; i++)
    if (cli_has_word(command->options, help[i][0])) printf("  %s\n", help[i][1]);
}

static const struct cli_command *find(const char *name) {
  for (size_t i = 0; i < N_COMMANDS; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

static int run_command(sprint_context *context, const struct cli_command *command, int argc, char **argv) {
  struct cli_options options = {.n_arguments = 0};
  bool help = false;
  int code = cli_parse(context, command, argc, argv, &options, &help);
  if (help) {
    print_command_help(command);
    return CLI_OK;
  }
  return code == CLI_OK ? command->run(context, command, &options) : code;
}

/* GNU OpenMP's threads wait for each other by spinning, for milliseconds: on a machine with other load a run then takes
 * ten times as long. OpenBLAS starts threads that we never use, and that spin at first. Both read their settings before
 * main, so the program starts once more with others, unless the caller has settled the matter. */
static void wait_politely(char **argv) {
  if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
  if (setenv("GOMP_SPINCOUNT", "5000", 1) == 0 && setenv("OPENBLAS_NUM_THREADS", "1", 0) == 0)
    execv("/proc/self/exe", argv); /* where that fails, we go on as we are */
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (!*name || strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    print_help(*name ? stdout : stderr);
    return *name ? CLI_OK : CLI_USAGE;
  }
  if (strcmp(name, "--version") == 0) {
    printf("sprint %s (%s)\n", SPRINT_VERSION, sizeof(sprint_real) == 8 ? "double" : "float");
    return CLI_OK;
  }
  const struct cli_command *command = find(name);
  if (!command) {
    fprintf(stderr, "sprint: '%s' is not a command; `sprint --help` lists them\n", name);
    return CLI_USAGE;
  }
  wait_politely(argv);
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) {
    fputs("sprint: out of memory\n", stderr);
    return CLI_FAILED;
  }
  int code = run_command(context, command, argc - 1, argv + 1);
  sprint_context_free(context);
  if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_OK) { /* a write before the last one may have failed */
    fputs("sprint: standard output cannot be written\n", stderr);
    code = CLI_FAILED;
  }
  return code;
}
