/* What is in a model file, in words. */
#include <string.h>

#include "cli.h"
#include "data_info.h"
#include "text.h"

enum { MAX_NAMES = 50 };

static void print_line(const char *what, const char *text) {
  if (!text || !*text) return;
  cli_print(stdout, "%-12s", what);
  cli_print_clean(stdout, text);
  putchar('\n');
}

static void print_names(const char *what, char **names, size_t n) {
  if (!n) return;
  cli_print(stdout, "%-12s%zu: ", what, n);
  for (size_t i = 0; i < n && i < MAX_NAMES; i++) {
    if (i) fputs(", ", stdout);
    cli_print_clean(stdout, names[i]);
  }
  if (n > MAX_NAMES) printf(", ... and %zu more", n - MAX_NAMES);
  putchar('\n');
}

/* "diverged, at ...": the word of the file, and what it says about these parameters. */
static void print_end(const sprint_model_info *info) {
  if (!info->stop) return;
  bool diverged = strcmp(info->stop, sprint_stop_word(SPRINT_STOP_DIVERGED)) == 0;
  cli_print(stdout, "%-12s", "run ended");
  cli_print_clean(stdout, info->stop);
  if (info->epoch) fputs(diverged ? "; these are the parameters of epoch " : ", at epoch ", stdout);
  if (info->epoch) cli_print_clean(stdout, info->epoch);
  puts(diverged ? ", before it did, and `sprint predict` refuses them" : "");
}

static void print_decision(const sprint_model_info *info) {
  if (!info->positive || !info->threshold) return;
  cli_print(stdout, "%-12s%s from a probability of %s on\n", "predicts", info->positive, info->threshold);
}

void cli_print_model_info(const sprint_model_info *info) {
  cli_print_clean(stdout, info->path);
  printf(": a model, %zu parameters in %zu tensors, ", info->n_params, info->n_tensors);
  if (info->n_nonfinite)
    printf("%zu of them not finite: `sprint predict` refuses it\n\n", info->n_nonfinite);
  else
    puts("all finite\n");
  if (!info->version) puts("not written by sprint: nothing says what it is for");
  print_line("version", info->version);
  print_line("layers", info->layers);
  print_line("loss", info->loss);
  print_line("label", info->label);
  print_names("classes", info->classes, info->n_classes);
  print_decision(info);
  print_names("features", info->features, info->n_features);
  print_end(info);
}
