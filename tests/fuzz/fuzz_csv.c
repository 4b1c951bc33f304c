/* CSV files, through sprint_population_load with different ways to read them. */
#include <stdio.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const struct fuzz_input inputs[] = {
    TEXT("a,b,y\n1,2,0\n2.5,-1e3,1\n3,NA,0\n4,,1\n5,6,0\n"),
    TEXT("\xef\xbb\xbf\"a\",\"b, c\",y\r\n1,\"2\",yes\r\n\"3\",4,\"no\"\r\n5,\"6\",\"ye\"\"s\"\r\n\r\n7,8,no\r\n"),
    TEXT("y,a\n0,1\n1,2\n0,3\n1,4\n2,5"),
    TEXT("id,y,a\n1,0.5,10\n2,1.5,20\n3,2.5,30\n"),
};

static const char *const tokens[] = {
    ",",
    "\"",
    "\"\"",
    "\n",
    "\r\n",
    "\r",
    "NA",
    "NaN",
    "nan",
    "inf",
    "-",
    "1e400",
    "1e-400",
    "0x",
    ";",
    "\t",
    " ",
    ",,",
    "y",
    "a\nb",
    "\xc3\xa9",
    "\xff",
    "1234567890.12345678901234567890",
    ".",
    "",
    "\"a\n\"",
    "\n\n\n",
};

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  static const char *const ways[] = {"missing: refuse",
                                     "missing: drop",
                                     "missing: median",
                                     "missing: drop, target: value",
                                     "missing: median, holdout: 0.4",
                                     "missing: drop, select: first, per_class: 1",
                                     "features: a",
                                     "ignore: ['', id, b]",
                                     "missing: median, standardize: before, select: balanced, size: 2",
                                     "categories: a, missing: median, unseen: zeros, holdout: 0.4",
                                     "booleans: a, dates: b, missing: drop, missing_words: [NULL, '1']",
                                     "id: id, ignore: '', categories: [a, b], decimal: comma",
                                     "weight: a, missing: drop, separator: ';'"};
  char spec[256];
  sprint_population *population = NULL, *heldout = NULL;
  snprintf(spec, sizeof spec, "{kind: csv, path: %s, label: y, %s}", path,
           ways[mutate_below(mutator, sizeof ways / sizeof ways[0])]);
  sprint_status status = sprint_population_load(context, spec, &population, &heldout);
  sprint_population_free(population);
  sprint_population_free(heldout);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "csv",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 3000,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".csv",
                                 .feed = load});
}
