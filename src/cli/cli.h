/* What the subcommands share: options, complaints, progress. The command sees the public header alone. */
#ifndef SPRINT_CLI_CLI_H
#define SPRINT_CLI_CLI_H

#include <stdio.h>

#include "sprint.h"

/* Exit codes. CLI_DIVERGED: all went as it should, and a run diverged. After a signal: cli_interrupt_code. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_DIVERGED = 3 };
enum { CLI_MAX = 64 }; /* positional arguments, and --set and --budget options, at most */

struct cli_options;

/* What the value of an option or an argument may be: for completion, and for people who read the help. */
enum cli_kind {
  CLI_NOTHING, /* it takes none: a flag */
  CLI_TEXT,
  CLI_NUMBER,
  CLI_CHOICE, /* one of `choices`, a|b|c */
  CLI_FILE,   /* that ends as `choices` say, .a|.b; NULL: any */
  CLI_FOLDER,
  CLI_SETTING,    /* KEY.PATH=VALUE of a config */
  CLI_FAMILY,     /* of kinds, as in `sprint list methods` */
  CLI_SET,        /* a public data set */
  CLI_EXPERIMENT, /* one of `choices`, or the path of a config */
};

struct cli_argument {
  const char *word; /* that stands for it in the help: "CONFIG.yaml" */
  enum cli_kind kind;
  const char *choices;
};

enum { CLI_MAX_ARGUMENTS = 2 };

struct cli_command {
  const char *name; /* one word, or two: "data get" */
  const char *summary;
  int (*run)(sprint_context *context, const struct cli_command *command, const struct cli_options *options);
  struct cli_argument arguments[CLI_MAX_ARGUMENTS]; /* those that it has have a word */
  size_t min_arguments;
  bool many; /* the last argument may be there more than once */
};

extern const struct cli_command *const cli_commands[];
extern const size_t cli_n_commands;

/* One row of the table of options, option_table.c. An option that means something else in another command has a row for
 * it. */
struct cli_option {
  const char *name;     /* without its dashes */
  const char *value;    /* the word that stands for its value; "" of a flag */
  const char *commands; /* that it is for, a|b */
  enum cli_kind kind;
  const char *choices;
  bool required, often; /* must be there; may be there more than once */
  bool optional;        /* may stand without its value, a list of numbers */
  size_t field;         /* of struct cli_options that it is kept in as well; 0: none, see cli_value */
  const char *standard; /* what holds without it; NULL: there is nothing to say */
  const char *help;
};

extern const struct cli_option cli_option_table[];
extern const size_t cli_n_options;

/* The row of a command's option, by name, or NULL; the command's rows one after the other, from *at = 0 on. */
const struct cli_option *cli_option_find(const struct cli_command *command, const char *name);
const struct cli_option *cli_option_next(const struct cli_command *command, size_t *at);

struct cli_options {
  const char *arguments[CLI_MAX];
  size_t n_arguments;
  const char *sets[CLI_MAX];
  size_t n_sets;
  const char *budgets[CLI_MAX];
  size_t n_budgets;
  const char *out, *params, *deployed, *seed, *seeds, *jobs, *dir, *methods, *by;
  const char *tune; /* step sizes; "": the usual ones; NULL: not asked for */
  bool quick, json;
  /* all that were given, in order: see cli_value */
  struct {
    const struct cli_option *option;
    const char *value;
  } given[CLI_MAX];
  size_t n_given;
};

/* The text given for an option, "" for a flag, or NULL: it is not there. Of one that may be there often, the first. */
const char *cli_value(const struct cli_options *options, const char *name);

/* help.c: how a command is called, in one line, without its end; all about it; the list of commands. */
void cli_print_usage(FILE *stream, const struct cli_command *command);
void cli_print_command_help(const struct cli_command *command);
void cli_print_help(FILE *stream);

/* help.c: the command that the words (n) begin with; *ret_n are those that name it. NULL, after a sentence that may
 * have a suggestion: there is none. */
const struct cli_command *cli_command_find(char **words, size_t n, size_t *ret_n);

/* Whether a family is meant by this word: its name, one of it, or its config key. */
bool cli_is_family(const sprint_family *family, const char *word);

extern const struct cli_command cli_completion, cli_check, cli_run, cli_compare, cli_reproduce, cli_predict, cli_grad,
    cli_init, cli_verify, cli_plot, cli_report, cli_landscape, cli_watch, cli_ask, cli_tell;
extern const struct cli_command cli_theory, cli_fit_shift, cli_list, cli_data_get, cli_data_list, cli_data_check,
    cli_data_info, cli_data_export;

/* Reads argv[1 ..] of a command. Returns CLI_OK; or, after a sentence on stderr, CLI_USAGE. *ret_help: --help. */
int cli_parse(sprint_context *context, const struct cli_command *command, int argc, char **argv,
              struct cli_options *ret_options, bool *ret_help);

/* The library's sentence on stderr; returns CLI_FAILED. */
int cli_failed(const sprint_context *context);

/* A sentence of our own about how the command was called; returns CLI_USAGE. */
int cli_misused(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether a|b|c holds the word. */
bool cli_has_word(const char *list, const char *word);

/* Calls `take` with every word of a|b|c. */
void cli_each_word(const char *list, void (*take)(void *user, const char *word), void *user);

/* Whether the text is a whole number from min to max. */
bool cli_whole(const char *text, int min, int max, int *ret_number);

/* The experiment of options->arguments[0], --set, --seed or --seeds, and --quick. */
sprint_status cli_load(sprint_context *context, const struct cli_options *options, sprint_experiment **ret_experiment);

/* The same for whoever works on one point: a grid of more is refused. */
sprint_status cli_load_point(sprint_context *context, const struct cli_options *options,
                             sprint_experiment **ret_experiment);

double cli_clock(void);

/* A time as people say it: "1.2 s", "12 s", "3 min", "1.5 h", "2.5 days". */
struct cli_time {
  char text[32];
};
struct cli_time cli_time(double seconds);

/* From here on the first of the signals that end a program (HUP, INT, TERM, PIPE, USR1, XCPU, XFSZ) is noted for
 * cli_interrupted, and a second one ends it at once. */
void cli_catch_interrupts(void);
bool cli_interrupted(void);
int cli_interrupt_code(void);   /* to exit with: 128 and the signal's number */
void cli_interrupt(int number); /* as if that signal had come */

/* Runs at a time by --jobs, 0 where it is not given; CLI_OK, or CLI_USAGE after a sentence. */
int cli_jobs_option(const struct cli_command *command, const struct cli_options *options, int *ret_n_jobs);

/* Seconds between two checkpoints by --checkpoint, 0 where it is not given; as above. */
int cli_checkpoint_option(const struct cli_command *command, const struct cli_options *options, double *ret_seconds);

/* One run of an experiment. They are counted by point, then method, then seed. */
struct cli_number {
  size_t point, method, seed;
};
size_t cli_n_runs(const sprint_experiment *experiment);
struct cli_number cli_run_number(const sprint_experiment *experiment, size_t i);

/* "METHOD/seed-S", or "POINT/METHOD/seed-S" where it is wanted and there is a grid; to be freed. */
char *cli_run_name(const sprint_experiment *experiment, struct cli_number run, bool with_point);

/* people.c: how people react, in words; where that differs between methods or points, with their names. */
void cli_print_people(const sprint_experiment *experiment, FILE *stream);

/* The same of what may not be meant: every such sentence once. */
void cli_each_doubt(const sprint_experiment *experiment, void (*take)(void *user, const char *doubt), void *user);

/* What is at `place`, seen from the folder of this program ("../share/sprint"): to be freed; NULL: nobody knows where
 * it is. */
char *cli_beside(const char *place);

/* Goes on as sprint-fetch, which is where this program is, with the arguments (n). Returns only where that fails, after
 * a sentence: CLI_FAILED. */
int cli_become_fetch(const struct cli_command *command, const char *const *arguments, size_t n);

/* Whether OUT can hold results: what of it is there already is a folder that can be written to. Found now, not after
 * hours of training. */
sprint_status cli_check_out(sprint_context *context, const char *out);

/* cmd_report.c: writes the page about the runs in `folder` into it and says where it is; one line where this program
 * was built without pages. */
sprint_status cli_report_on(sprint_context *context, const char *folder, FILE *stream);

/* From here on the program ends where there is no memory for a value of JSON. */
void cli_watch_json(void);

/* Zeroed memory, to be freed; ends the program where there is none. */
void *cli_room(size_t n, size_t size);

/* print.c: fprintf for people, the door by which names, paths and sentences reach a terminal. A text (%s) is shown as
 * cli_clean shows it, on one line and without control characters; its width and precision count characters. */
void cli_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* printf into a new string, to be freed; ends the program where memory is out. */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
