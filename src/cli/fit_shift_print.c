/* What `sprint fit-shift` prints, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit_shift.h"
#include "text.h"

static void print_logs(const sprint_fit_summary *r, const sprint_fit_options *how) {
  cli_print(stdout, "# fit-shift: %s\n", r->kind);
  for (size_t k = 0; k < how->n_logs; k++)
    cli_print(stdout, "#   log %zu: %s under %s, time %g\n", k + 1, how->logs[k].data,
              how->logs[k].model ? how->logs[k].model : "no model", how->timed ? how->logs[k].time : (double)k);
  if (r->paired)
    cli_print(stdout, "# paired by %s: %zu people, %zu records", how->id, r->n_people, r->n_records);
  else
    printf("# not paired: %zu records", r->n_records);
  if (r->n_alone) printf("; left out: %zu of people who are in one log only", r->n_alone);
  if (r->n_missing) printf("; left out: %zu with missing values", r->n_missing);
  printf("\n#\n");
}

/* The width of the first column. */
static int width_of(const sprint_fit *fit) {
  int width = 10;
  for (size_t i = 0; i < sprint_fit_n_parameters(fit); i++) {
    const char *column = sprint_fit_parameter_of(fit, i)->column;
    if (column && cli_width(column) + 8 > width) width = cli_width(column) + 8;
  }
  return width;
}

static void print_parameters(const sprint_fit *fit) {
  const sprint_fit_summary *r = sprint_fit_result(fit);
  bool strategic = strcmp(r->kind, "strategic") == 0;
  int width = width_of(fit);
  cli_print(stdout, "# %-*s %12s %12s   %-25s%s\n", width, strategic ? "alpha_raw" : "", "estimate", "std. error",
            "95 % interval", strategic ? "alpha in features of the last model" : "");
  for (size_t i = 0; i < sprint_fit_n_parameters(fit); i++) {
    const sprint_fit_parameter *p = sprint_fit_parameter_of(fit, i);
    char name[256], interval[64];
    if (strcmp(p->name, "A") == 0)
      snprintf(name, sizeof name, "A[%s, %zu]", p->column, p->parameter);
    else
      snprintf(name, sizeof name, "%s", p->column ? p->column : p->name);
    fputs("# ", stdout);
    cli_print_padded(stdout, name, width);
    if (isnan(p->value)) {
      printf(" %12s\n", "not told");
      continue;
    }
    snprintf(interval, sizeof interval, "%.4g .. %.4g", p->low, p->high);
    printf(" %12.5g %12.3g   ", p->value, p->error);
    if (strategic)
      cli_print(stdout, "%-25s%.4g +- %.2g\n", interval, p->feature_value, p->feature_error);
    else
      cli_print(stdout, "%s\n", interval);
  }
  printf("#\n");
}

/* "p = 0.03", or "p < 1e-16". */
struct chance {
  char text[32];
};
static struct chance show_p(double p) {
  struct chance chance;
  if (p < 1e-16)
    snprintf(chance.text, sizeof chance.text, "p < 1e-16");
  else
    snprintf(chance.text, sizeof chance.text, "p = %.2g", p);
  return chance;
}

static void print_tests(const sprint_fit_summary *r) {
  if (r->response)
    cli_print(stdout, "# response: people respond (%s, level %g)\n", show_p(r->p).text, r->level);
  else
    cli_print(stdout, "# response: no response; what changed is not told from %s (%s, level %g)\n",
              r->placebo ? "chance and drift" : "chance", show_p(r->p).text, r->level);
  if (!r->placebo)
    printf("# placebo: none; drift counts as response\n");
  else
    cli_print(stdout, "# placebo: %s between logs under one model (%s); taken as steady, it is subtracted\n",
              r->drift_p < r->level ? "drift" : "no drift seen", show_p(r->drift_p).text);
  if (!isnan(r->r2)) printf("# fit: R^2 of the displacements %.4f\n", r->r2);
  if (!isnan(r->before))
    printf("# fit: distance between logs %.3g sd, mapped back to the base %.3g sd (p = %.2g that those are alike)\n",
           r->before, r->after, r->fit_p);
  if (!isnan(r->chi2)) printf("# fit: chi^2 of class frequencies %.4g with %g degrees of freedom", r->chi2, r->chi2_df);
  if (!isnan(r->chi2) && !isnan(r->fit_p)) printf(" (p = %.2g)", r->fit_p);
  if (!isnan(r->chi2)) putchar('\n');
}

static void print_power(const sprint_fit *fit) {
  const sprint_fit_summary *r = sprint_fit_result(fit);
  if (!isnan(r->chi2)) {
    printf("# power: class frequencies differ by %.3g between deployments (total variation, the greatest)\n", r->power);
    return;
  }
  printf("# power: people moved %.3g standard deviations on average\n", r->power);
  for (size_t j = 0; j < sprint_fit_n_columns(fit); j++) {
    const sprint_fit_column *column = sprint_fit_column_of(fit, j);
    cli_print(stdout, "#   %s: %.3g sd, %.4g raw", column->name, column->power, column->power_raw);
    if (!isnan(column->r2)) printf("; R^2 %.3f", column->r2);
    if (!isnan(column->drift)) printf("; drift %.3g +- %.2g raw per unit of time", column->drift, column->drift_error);
    printf("\n");
  }
}

void cli_fit_print(const sprint_fit *fit, const sprint_fit_options *how) {
  print_logs(sprint_fit_result(fit), how);
  print_parameters(fit);
  print_tests(sprint_fit_result(fit));
  print_power(fit);
  for (size_t i = 0; i < sprint_fit_n_notes(fit); i++) cli_print(stdout, "# note: %s\n", sprint_fit_note(fit, i));
  putchar('\n');
  fputs(sprint_fit_section(fit), stdout); /* whose names are quoted as YAML has them */
}

/* A text as JSON has it. */
static void put_text(const char *text) {
  if (!text) {
    printf("null");
    return;
  }
  putchar('"');
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    if (*at == '"' || *at == '\\')
      printf("\\%c", *at);
    else if (*at < 0x20 || *at == 0x7f)
      printf("\\u%04x", *at);
    else if (*at == 0xc2 && at[1] < 0xa0) /* a control character above ASCII */
      printf("\\u%04x", *++at);
    else
      putchar(*at);
  }
  putchar('"');
}

static void put_number(const char *key, double value, const char *end) {
  if (isfinite(value))
    printf("\"%s\": %.17g%s", key, value, end);
  else
    printf("\"%s\": null%s", key, end);
}

static void put_parameters(const sprint_fit *fit) {
  printf("  \"parameters\": [");
  for (size_t i = 0; i < sprint_fit_n_parameters(fit); i++) {
    const sprint_fit_parameter *p = sprint_fit_parameter_of(fit, i);
    printf("%s\n    {\"name\": \"%s\", \"column\": ", i ? "," : "", p->name);
    put_text(p->column);
    printf(", \"parameter\": %zu, ", p->parameter);
    put_number("value", p->value, ", ");
    put_number("error", p->error, ", ");
    put_number("low", p->low, ", ");
    put_number("high", p->high, ", ");
    put_number("feature_value", p->feature_value, ", ");
    put_number("feature_error", p->feature_error, "}");
  }
  printf("\n  ],\n");
}

static void put_columns(const sprint_fit *fit) {
  printf("  \"columns\": [");
  for (size_t j = 0; j < sprint_fit_n_columns(fit); j++) {
    const sprint_fit_column *c = sprint_fit_column_of(fit, j);
    printf("%s\n    {\"name\": ", j ? "," : "");
    put_text(c->name);
    printf(", ");
    put_number("sd", c->sd, ", ");
    put_number("power", c->power, ", ");
    put_number("power_raw", c->power_raw, ", ");
    put_number("r2", c->r2, ", ");
    put_number("drift", c->drift, ", ");
    put_number("drift_error", c->drift_error, "}");
  }
  printf("\n  ],\n");
}

static void put_logs(const sprint_fit_options *how) {
  printf("  \"logs\": [");
  for (size_t k = 0; k < how->n_logs; k++) {
    printf("%s\n    {\"data\": ", k ? "," : "");
    put_text(how->logs[k].data);
    printf(", \"model\": ");
    put_text(how->logs[k].model);
    printf(", \"time\": %.17g}", how->timed ? how->logs[k].time : (double)k);
  }
  printf("\n  ],\n");
}

static void put_numbers(const sprint_fit_summary *r) {
  const struct {
    const char *key;
    double value;
  } numbers[] = {{"level", r->level},
                 {"p", r->p},
                 {"statistic", r->statistic},
                 {"df1", r->df1},
                 {"df2", r->df2},
                 {"drift_p", r->drift_p},
                 {"drift_statistic", r->drift_statistic},
                 {"drift_df1", r->drift_df1},
                 {"drift_df2", r->drift_df2},
                 {"r2", r->r2},
                 {"distance_before", r->before},
                 {"distance_after", r->after},
                 {"fit_p", r->fit_p},
                 {"chi2", r->chi2},
                 {"chi2_df", r->chi2_df},
                 {"power", r->power},
                 {"one_alpha", r->one_alpha},
                 {"one_alpha_error", r->one_alpha_error},
                 {"one_alpha_p", r->one_alpha_p},
                 {"likelihood_error", r->likelihood_error}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    printf("  ");
    put_number(numbers[i].key, numbers[i].value, ",\n");
  }
}

void cli_fit_print_json(const sprint_fit *fit, const sprint_fit_options *how) {
  const sprint_fit_summary *r = sprint_fit_result(fit);
  printf("{\n  \"kind\": \"%s\",\n  \"response\": %s,\n  \"placebo\": %s,\n  \"paired\": %s,\n", r->kind,
         r->response ? "true" : "false", r->placebo ? "true" : "false", r->paired ? "true" : "false");
  printf("  \"people\": %zu,\n  \"records\": %zu,\n  \"missing\": %zu,\n  \"alone\": %zu,\n  \"resamples\": %zu,\n",
         r->n_people, r->n_records, r->n_missing, r->n_alone, r->resamples);
  put_numbers(r);
  put_logs(how);
  put_parameters(fit);
  put_columns(fit);
  printf("  \"notes\": [");
  for (size_t i = 0; i < sprint_fit_n_notes(fit); i++) {
    printf(i ? ", " : "");
    put_text(sprint_fit_note(fit, i));
  }
  printf("],\n  \"section\": ");
  put_text(sprint_fit_section(fit));
  printf("\n}\n");
}
