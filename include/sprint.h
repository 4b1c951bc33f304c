/* sprint.h: stable learning when the deployed model changes its own data.
 *
 * The whole public interface of libsprint, in tiers. Stop reading where your need ends:
 *
 *   1. Contexts and errors        every program
 *   2. Run a config               the `sprint run` command as a call
 *   3. Explicit objects           population, model, shift, run: build them, run them, read the trace
 *   4. Ask and tell               drive the solver by hand, with records from anywhere
 *   5. Your own shift, your own loss
 *   6. The tables                 every kind with its parameters, as `sprint list` prints them
 *   7. Theory                     step sizes with a proof, what they promise, and constants estimated from data
 *   8. Plugins                    your own method, shift, loss or step rule by name, in a file that is loaded
 *   9. Results                    what runs left in folders, as figures; the landscape of the risk around a model
 *
 * Conventions. Functions that can fail return a sprint_status and leave their ret_ outputs untouched on failure (an
 * array may hold part of a result); sprint_context_error() then has the sentence. Objects come from _new and end with
 * _free, which takes NULL. What a getter returns is lent: it lives as long as its object and is not yours to free.
 * NULL where a function needs something is SPRINT_ERROR_ARGUMENT, with a sentence that names it (none where the context
 * or the object itself is NULL); a getter of NULL, or past its end, returns NULL, 0, false or NaN.
 * Structs whose first field is `size` may grow in later versions: set it to the struct's sizeof, as in
 * `sprint_run_options options = {.size = sizeof options, .shift = shift};`. Matrices are row-major. A `spec` is a YAML
 * mapping with the keys of the config section of that name, for example
 * "{kind: strategic, alpha: 0.2}".
 *
 * One context belongs to one thread at a time; different contexts are independent. The library never prints and never
 * exits. Creating a context sets OpenBLAS to one thread, for the whole process: parallel work is cut into lanes
 * whose number does not depend on the threads, which is what makes results equal to the bit at any thread count. */
#ifndef SPRINT_H
#define SPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number type of parameters and features: float in libsprint, double in libsprint-f64. The pkg-config files
 * `sprint` and `sprint-f64` set SPRINT_DOUBLE to match; mixing header and library up is a link error. */
#ifdef SPRINT_DOUBLE
typedef double sprint_real;
#define SPRINT_PRECISION   "double"
#define sprint_context_new sprint_context_new_f64
#else
typedef float sprint_real;
#define SPRINT_PRECISION "float"
#endif

#if defined(__GNUC__)
#define SPRINT_API __attribute__((visibility("default")))
#else
#define SPRINT_API
#endif

#define SPRINT_VERSION "0.1.0"

/* Of the library that is running: its version, and "float" or "double". */
SPRINT_API const char *sprint_version(void);
SPRINT_API const char *sprint_precision(void);

/* What OPENBLAS_CORETYPE should be in the environment before the program starts, where OpenBLAS does not know the
 * processor and has fallen back to kernels that are several times slower than it has; NULL where it has picked well.
 * The commands see to it themselves. */
SPRINT_API const char *sprint_blas_better_core(void);

/* ------------------------------------------------------------------------------------------------------------------
 * 1. Contexts and errors
 */

#define SPRINT_STATUS_LIST(X)                                               \
  X(OK, "ok")                                                               \
  X(ERROR_MEMORY, "out of memory")                                          \
  X(ERROR_IO, "a file could not be read or written")                        \
  X(ERROR_INPUT, "a file, config or value is not what was expected")        \
  X(ERROR_ARGUMENT, "a function was called with arguments that do not fit") \
  X(ERROR_CALLBACK, "a callback reported failure")

typedef enum sprint_status {
#define X(name, text) SPRINT_##name,
  SPRINT_STATUS_LIST(X)
#undef X
} sprint_status;

/* The status in a few words; a static string. */
SPRINT_API const char *sprint_status_text(sprint_status status);

typedef struct sprint_context sprint_context;

SPRINT_API sprint_status sprint_context_new(sprint_context **ret_context);
SPRINT_API void sprint_context_free(sprint_context *context);

/* The sentence of the newest failure: file, line, key, value, what was expected. "" where nothing failed yet. */
SPRINT_API const char *sprint_context_error(const sprint_context *context);

/* Threads to use; 0 (the default) for one per core. Results do not depend on it. */
SPRINT_API sprint_status sprint_context_set_threads(sprint_context *context, int n_threads);
SPRINT_API int sprint_context_threads(const sprint_context *context); /* in use: at least 1 */

/* The data folder: where a relative path in a data section is looked for when it does not exist in the working folder.
 * NULL (the default): the environment's SPRINT_DATA, else $XDG_DATA_HOME/sprint, else ~/.local/share/sprint. */
SPRINT_API sprint_status sprint_context_set_data(sprint_context *context, const char *folder);
SPRINT_API const char *sprint_context_data(const sprint_context *context); /* in use; "" where there is none */

/* Bytes that may be taken to score with a model, or to describe a file. 0 (the default): 64 times the
 * size of the file, and 256 MB; what needs more is refused, with what it needs. */
SPRINT_API sprint_status sprint_context_set_memory(sprint_context *context, uint64_t most);

/* From here on a file that is, or was, read with this context (the newest 64) is not overwritten by it: whoever tries
 * gets a sentence. For programs that read, write and end. */
SPRINT_API void sprint_context_protect_inputs(sprint_context *context);

/* Sets the context's error sentence, for callbacks that fail: printf style; returns `status` for `return
 * sprint_fail(...)`.
 */
SPRINT_API sprint_status sprint_fail(sprint_context *context, sprint_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* ------------------------------------------------------------------------------------------------------------------
 * 2. Run a config
 */

typedef struct sprint_experiment sprint_experiment;
typedef struct sprint_population sprint_population;
typedef struct sprint_model sprint_model;
typedef struct sprint_shift sprint_shift;
typedef struct sprint_solver sprint_solver;
typedef struct sprint_run sprint_run;

#define SPRINT_STOP_LIST(X)                                                        \
  X(RUNNING, "running", "not stopped")                                             \
  X(EPOCHS, "epochs", "the epochs asked for are done")                             \
  X(STEPS, "steps", "the steps asked for are done")                                \
  X(IFO, "ifo", "the budget of per-sample gradients is used up")                   \
  X(SAMPLES, "samples", "the budget of samples is used up")                        \
  X(DEPLOYMENTS, "deployments", "the budget of deployments is used up")            \
  X(GRADIENT, "gradient", "the squared gradient norm on D(theta) is small enough") \
  X(DIVERGED, "diverged", "a value became non-finite or the loss exploded")        \
  X(REQUESTED, "requested", "the caller asked to stop")                            \
  X(SECONDS, "seconds", "the budget of training time is used up")                  \
  X(FINISHED, "finished", "the method has done all that it does")                  \
  X(STREAM, "stream", "the stream of records ended")                               \
  X(STALLED, "stalled", "no record came within the stream's patience")

typedef enum sprint_stop {
#define X(name, word, text) SPRINT_STOP_##name,
  SPRINT_STOP_LIST(X)
#undef X
} sprint_stop;

SPRINT_API const char *sprint_stop_word(sprint_stop stop);
SPRINT_API const char *sprint_stop_text(sprint_stop stop);

/* What a run has cost so far. Evaluation for the trace costs nothing here. */
typedef struct sprint_counters {
  uint64_t epochs;  /* complete epochs */
  uint64_t steps;   /* updates of theta */
  uint64_t ifo;     /* per-sample gradients */
  uint64_t samples; /* records delivered: batches and snapshots; an individual's second record is not a new sample */
  uint64_t deployments; /* times a theta was put in front of the population */
  uint64_t shift_evals; /* per-sample model evaluations that only simulate the shift */
  uint64_t unsolved;    /* steps of methods that minimise (rrm, two-stage) which ended short of their tolerance */
  uint64_t reserved[1]; /* for counters to come; 0 */
} sprint_counters;

/* One row of the trace. What a run cannot know (accuracy of a regression, no held-out part) is NaN. */
typedef struct sprint_trace_row {
  size_t size;
  double epoch;         /* steps / inner length: whole at the end of an epoch */
  sprint_counters cost; /* when the row was taken */
  double seconds;       /* training so far, evaluation left out */
  double loss;          /* J(theta; theta) */
  double accuracy;
  double loss_base; /* the same theta on the base population, as if nobody reacted */
  double accuracy_base;
  double loss_heldout; /* held-out part under D(theta); NaN, too, where people remember or are known one by one */
  double accuracy_heldout;
  double gradient_sq;      /* |grad J(theta; theta)|^2 */
  double gradient_sq_mean; /* its mean over epochs: a row stands for those since the row before it, the first for one */
  double moved;            /* |theta - theta of the row before| */
  double displacement;     /* mean over the population of |x(theta) - x| */
  double entropy;          /* of the strata probabilities p_c(theta), natural logarithm */
  double effective_classes; /* exp(entropy): how many classes are left, in effect */
  double bias;              /* |E[v] - grad J(theta; theta)|, over all draws of a step as the newest one was */
  double drift;             /* the same as the method itself could know it: sprint_drift's bias, */
  double drift_noise;       /* its noise, */
  double kappa;             /* and its kappa */
  double distance;          /* |theta - reference| of eval.reference */
  double bias_deployed;     /* |E[v] - grad J(theta; deployed)|: the part of it that is the estimator's own */
} sprint_trace_row;

/* Called at every trace row, and (row == NULL) now and then between rows with the cost so far. Return false to stop
 * the run: it ends with SPRINT_STOP_REQUESTED and keeps its trace. */
typedef bool (*sprint_observer)(void *user, const sprint_run *run, const sprint_trace_row *row,
                                const sprint_counters *cost);

/* Reads and checks a config; every complaint names file, line, key and what was expected. `sets` are `key.path=value`
 * texts laid over the file, as --set does. Nothing is trained yet. */
SPRINT_API sprint_status sprint_experiment_load(sprint_context *context, const char *path, const char *const *sets,
                                                size_t n_sets, sprint_experiment **ret_experiment);
/* The same with the config's `quick` mapping laid over it, below the sets; without that call it is only checked. */
SPRINT_API sprint_status sprint_experiment_load_quick(sprint_context *context, const char *path,
                                                      const char *const *sets, size_t n_sets,
                                                      sprint_experiment **ret_experiment);
/* All that can be laid over a config, each over what is before it. */
typedef struct sprint_experiment_options {
  size_t size;
  bool quick;
  const char *const *sets;
  size_t n_sets;
  /* Methods that take the place of the config's `compare`, separated by commas. Each is the name of an entry of
   * `compare` or of a kind of method, and settings over it, NAME[:KEY=VALUE]... as in
   * "sgd,sprint:correction=unbiased:step.size=0.05". A key within the sections of an entry is named in full, all others
   * are the method's own; `name` is what it is called. NULL: as the config has it. */
  const char *methods;
  /* Every method with each of these step sizes instead of its own: method m with size s has the number
   * m * n_step_sizes + s, and is called NAME-step-SIZE. 0: they keep their own. */
  const double *step_sizes;
  size_t n_step_sizes;
  /* Whoever asks works on one point: a grid of more is refused, and the sentence says what there is to choose from. */
  bool one_point;
} sprint_experiment_options;
SPRINT_API sprint_status sprint_experiment_open(sprint_context *context, const char *path,
                                                const sprint_experiment_options *options,
                                                sprint_experiment **ret_experiment);
SPRINT_API void sprint_experiment_free(sprint_experiment *experiment);

/* An experiment is points x methods x seeds. The points are those of the config's `grid`, one without a name where it
 * has none; every method starts from the same theta_0 and, seed by seed, sees the same random numbers. */
SPRINT_API size_t sprint_experiment_n_points(const sprint_experiment *experiment);
SPRINT_API const char *sprint_experiment_point_name(const sprint_experiment *experiment, size_t point); /* alpha-0.2 */
SPRINT_API size_t sprint_experiment_n_methods(const sprint_experiment *experiment);
SPRINT_API size_t sprint_experiment_n_seeds(const sprint_experiment *experiment);
SPRINT_API const char *sprint_experiment_method_name(const sprint_experiment *experiment, size_t method);
/* What kind it is, as `sprint list methods` has it. */
SPRINT_API const struct sprint_kind *sprint_experiment_method_kind(const sprint_experiment *experiment, size_t method);
SPRINT_API uint64_t sprint_experiment_seed(const sprint_experiment *experiment, size_t seed);
SPRINT_API const char *sprint_experiment_name(const sprint_experiment *experiment);
SPRINT_API const char *sprint_experiment_out(const sprint_experiment *experiment); /* the config's `out`, or "" */
SPRINT_API const sprint_population *sprint_experiment_population(const sprint_experiment *experiment);
/* Whether the config says which data; where it does not, the population is the default kind's, people who are made up.
 */
SPRINT_API bool sprint_experiment_names_data(const sprint_experiment *experiment);

/* How people react, in words: sprint_shift_people of a method's shift at a point. NULL: there is no such point or
 * method. */
SPRINT_API const char *sprint_experiment_people(const sprint_experiment *experiment, size_t point, size_t method);

/* The model and the shift of a method at a point, for gradients and risks by hand; yours to free, the shift first, both
 * before the experiment. */
SPRINT_API sprint_status sprint_experiment_parts(const sprint_experiment *experiment, size_t point, size_t method,
                                                 sprint_model **ret_model, sprint_shift **ret_shift);

/* A run of point x method x seed, ready to go; free it before the experiment. */
SPRINT_API sprint_status sprint_experiment_start(sprint_experiment *experiment, size_t point, size_t method,
                                                 size_t seed, sprint_run **ret_run);

/* Which step sizes a method bears, seen before training: runs from several starts, with the config's step sizes as they
 * are, then multiplied until a start leaves (it diverges, or loss and gradient end far above where they began) or
 * divided until none does, and what lies between halved twice more. Where a run came to rest, the curvature there has a
 * say too: from step times curvature = 2 on theta would swing about that point for ever. Nothing is saved. */
typedef struct sprint_step_options {
  size_t size;
  size_t starts; /* seeds of the config, and others where it has fewer; 0: 3 */
  double effort; /* operations that all of it may take, about, which cut the runs short; 0: 1e11, some ten seconds */
} sprint_step_options;

typedef struct sprint_step_check {
  size_t size;
  double step;          /* of the config, its first; NaN: the method does not go by steps, and nothing was tried */
  size_t starts, left;  /* and how many of them left at that step */
  double largest;       /* step that no start left; 0: all that was tried was left */
  double least_left;    /* step that a start left; INFINITY: none was found */
  double epochs;        /* that the runs with the config's step went, if they did not leave before, */
  double planned;       /* of so many that the config asks for; 0: no bound on epochs, steps, IFO or the like */
  double edge;          /* step times curvature at the end of the first start that stayed; from 2 on theta runs away */
  double epoch_seconds; /* of training and its row of the trace, as they were here */
  double tried_epochs;  /* that the runs with other steps went */
  double rows;          /* of the trace of a whole run, about; 0: not known */
  sprint_counters cost; /* of a whole run, about; zeros: there is no bound */
} sprint_step_check;

SPRINT_API sprint_status sprint_experiment_check_step(sprint_experiment *experiment, size_t point, size_t method,
                                                      const sprint_step_options *options, sprint_step_check *ret_check);

/* Which method for a problem: the rule of docs/methods.md, "Which method?", and what it goes by. */
typedef struct sprint_problem {
  size_t size;
  bool moves, reweights;     /* what a deployment does: features move; classes show up more or less often */
  bool endless;              /* the population has no end */
  bool few_deployments;      /* they are dear: not every step is deployed, or stop.deployments bounds them */
  double n, batch, n_params; /* individuals, records of a step, parameters */
  bool biased;               /* the method's `correction` leaves a bias under this shift */
} sprint_problem;

typedef struct sprint_advice {
  size_t size;
  const char *method, *deploy; /* sections as a config has them; deploy "": as it is. All texts are static */
  const char *because;         /* why, in a sentence */
  const char *instead;         /* what else, and when */
} sprint_advice;

SPRINT_API sprint_status sprint_experiment_problem(sprint_experiment *experiment, size_t point, size_t method,
                                                   sprint_problem *ret_problem);
SPRINT_API sprint_status sprint_advise(sprint_context *context, const sprint_problem *problem,
                                       sprint_advice *ret_advice);

/* ------------------------------------------------------------------------------------------------------------------
 * 3. Explicit objects
 */

/* Loads what a config's `data:` section describes. With `holdout` above 0, *ret_heldout gets the held-out part (pass
 * NULL to drop it), else NULL. */
SPRINT_API sprint_status sprint_population_load(sprint_context *context, const char *spec,
                                                sprint_population **ret_population, sprint_population **ret_heldout);

/* A population from arrays, copied: x (n, d), y (n). n_classes > 0: y holds class numbers 0 .. n_classes-1, which are
 * also the strata; 0: y holds values, and all are one stratum. */
SPRINT_API sprint_status sprint_population_new(sprint_context *context, size_t n, size_t d, const sprint_real *x,
                                               const sprint_real *y, size_t n_classes,
                                               sprint_population **ret_population);

/* The same of features that lie anywhere in memory: those of row i and column j at x[i * row_stride + j *
 * column_stride]. Strides count elements and may be negative; of an array in Fortran order they are 1 and n, of every
 * third row of a (3n, d) array in C order 3d and 1. */
typedef struct sprint_strided {
  size_t size;
  size_t n, d;
  const sprint_real *x;
  ptrdiff_t row_stride, column_stride;
} sprint_strided;
SPRINT_API sprint_status sprint_population_new_strided(sprint_context *context, const sprint_strided *x,
                                                       const sprint_real *y, size_t n_classes,
                                                       sprint_population **ret_population);
SPRINT_API void sprint_population_free(sprint_population *population);

/* Weights (n) of at least 0, copied: record i stands for so many people, is drawn so often, and counts so much in every
 * mean. To be said before anything else is made with the population. */
SPRINT_API sprint_status sprint_population_weigh(sprint_population *population, const double *weights);
SPRINT_API const double *sprint_population_weights(const sprint_population *population); /* (n); NULL: one each */
SPRINT_API size_t sprint_population_n(const sprint_population *population);
/* Whether it has no end: its n records are then a window, which is evaluated; training sees others. */
SPRINT_API bool sprint_population_is_endless(const sprint_population *population);
SPRINT_API size_t sprint_population_n_features(const sprint_population *population);
SPRINT_API size_t sprint_population_n_classes(const sprint_population *population); /* 0: values */
SPRINT_API size_t sprint_population_n_strata(const sprint_population *population);
SPRINT_API const char *sprint_population_feature_name(const sprint_population *population, size_t feature);
SPRINT_API const char *sprint_population_class_name(const sprint_population *population, size_t class_number);
/* (n, d); NULL where the records are images kept as bytes: sprint_population_rows gives both. */
SPRINT_API const sprint_real *sprint_population_x(const sprint_population *population);
SPRINT_API const sprint_real *sprint_population_y(const sprint_population *population); /* (n) */

/* Features of the individuals `who` (n), or where that is NULL of start, start+1, ...: ret_x (n, d). */
SPRINT_API sprint_status sprint_population_rows(const sprint_population *population, const uint32_t *who, size_t start,
                                                size_t n, sprint_real *ret_x);

/* Whether the records are images: ret_shape is then channels, height, width. Feature (channel, row, column) has the
 * number (channel * height + row) * width + column. */
SPRINT_API bool sprint_population_image(const sprint_population *population, size_t ret_shape[3]);

/* A network and loss by the keys of a config's `model:` section, for the features and classes of the population. */
SPRINT_API sprint_status sprint_model_new(sprint_context *context, const char *spec,
                                          const sprint_population *population, sprint_model **ret_model);
SPRINT_API void sprint_model_free(sprint_model *model);
SPRINT_API size_t sprint_model_n_params(const sprint_model *model);
SPRINT_API size_t sprint_model_n_features(const sprint_model *model);
SPRINT_API double sprint_model_cost_per_row(const sprint_model *model); /* operations of a row's gradient, roughly */

/* The starting point that a run with this seed has. */
SPRINT_API sprint_status sprint_model_start(sprint_model *model, uint64_t seed, sprint_real *ret_theta);

/* Mean loss over n rows; each ret_ may be NULL. ret_gradient (n_params) is the gradient in theta of that mean,
 * ret_gradient_x (n, d) row i is the gradient of row i's own loss in its features (L2 is not part of it),
 * ret_correct counts rows classified right. */
typedef struct sprint_batch {
  size_t size;
  size_t n;
  const sprint_real *x; /* (n, d) */
  const sprint_real *y; /* (n) */
} sprint_batch;
SPRINT_API sprint_status sprint_model_gradient(sprint_model *model, const sprint_real *theta, const sprint_batch *batch,
                                               double *ret_loss, size_t *ret_correct, sprint_real *ret_gradient,
                                               sprint_real *ret_gradient_x);

/* The mean gradients of the same n individuals at two parameter vectors, in one call: at theta_a on batch->x, at
 * theta_b on x_b (NULL: batch->x too). */
SPRINT_API sprint_status sprint_model_gradient_pair(sprint_model *model, const sprint_batch *batch,
                                                    const sprint_real *theta_a, const sprint_real *theta_b,
                                                    const sprint_real *x_b, double *ret_loss_a,
                                                    sprint_real *ret_gradient_a, sprint_real *ret_gradient_b);

/* The raw outputs of the network, (n, n_outputs). */
SPRINT_API size_t sprint_model_n_outputs(const sprint_model *model);
SPRINT_API sprint_status sprint_model_outputs(sprint_model *model, const sprint_real *theta, const sprint_real *x,
                                              size_t n, sprint_real *ret_outputs);

/* Where in theta number i of the parameters is, counted in the order of PyTorch's nn.Sequential, tensor after tensor.
 * The tensors follow one another in theta too, but a dense layer's weights (out, in) are held by input: (in, out). Past
 * its end: SIZE_MAX. */
SPRINT_API size_t sprint_model_place(const sprint_model *model, size_t i);

/* Parameters in a file, in PyTorch's order: .npy (one flat vector) or .safetensors (named tensors, as nn.Sequential
 * names them). Loading checks the shapes against the model. */
SPRINT_API sprint_status sprint_model_read_theta(sprint_model *model, const char *path, sprint_real *ret_theta);
SPRINT_API sprint_status sprint_model_write_theta(sprint_model *model, const char *path, const sprint_real *theta);
/* A gradient (n_params) in the same form; .npy keeps its double precision. */
SPRINT_API sprint_status sprint_model_write_gradient(sprint_model *model, const char *path, const double *gradient);

/* The distribution map of a config's `shift:` section. It keeps pointers to model and population: free it first. */
SPRINT_API sprint_status sprint_shift_new(sprint_context *context, const char *spec, sprint_model *model,
                                          const sprint_population *population, sprint_shift **ret_shift);
SPRINT_API void sprint_shift_free(sprint_shift *shift);

/* Who wants and does what, in words: "people want repaid = 1; they can change income (only up), debt (0 to 1)". */
SPRINT_API const char *sprint_shift_people(const sprint_shift *shift);

/* The records of individuals `who` (n) under deployment `deployed` (n_params): ret_x (n, d). Nobody counts as drawn. */
SPRINT_API sprint_status sprint_shift_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                              size_t n, sprint_real *ret_x);
/* The strata probabilities under `deployed`: ret_p (n_strata). */
SPRINT_API sprint_status sprint_shift_strata(sprint_shift *shift, const sprint_real *deployed, double *ret_p);

/* J(theta; deployed) and its gradient in the first argument over the whole population; each ret_ may be NULL. */
SPRINT_API sprint_status sprint_risk(sprint_shift *shift, const sprint_real *theta, const sprint_real *deployed,
                                     double *ret_loss, double *ret_accuracy, double *ret_gradient);

/* A run: the driver loop that simulates deployments of the shift and feeds the solver. */
typedef struct sprint_run_options {
  size_t size;
  const char *spec; /* the sections method, step, deploy, stop, eval, as one YAML mapping; NULL: all defaults */
  uint64_t seed;
  sprint_shift *shift;              /* with its model and population; required */
  const sprint_population *heldout; /* or NULL */
  const sprint_real *theta;         /* starting point; NULL: sprint_model_start of the seed */
} sprint_run_options;

SPRINT_API sprint_status sprint_run_new(sprint_context *context, const sprint_run_options *options,
                                        sprint_run **ret_run);
SPRINT_API void sprint_run_free(sprint_run *run);

/* Runs to a stop reason. Diverging is a stop reason, not a failure. The observer and the callbacks of a custom shift
 * are called on this thread; where the context has several, within a parallel region of OpenMP, in which parallel loops
 * of their own run on one thread unless OMP_MAX_ACTIVE_LEVELS says otherwise. */
SPRINT_API sprint_status sprint_run_go(sprint_run *run, sprint_observer observer, void *user);

/* Nothing is lost: before sprint_run_go, says where the run keeps what it needs to go on, in folder/unfinished: its
 * trace as it grows, row by row, and checkpoints, every five seconds or, where they are large, for a hundredth of the
 * time. Where a checkpoint of the same run is there (same settings, population, seed, version, plugins), the run goes
 * on from it, and ends with the same bytes as one that was never interrupted. An observer that returns false then
 * pauses the run: it ends with SPRINT_STOP_REQUESTED and takes no further row, and another process may go on.
 * sprint_run_save to the same folder takes the folder `unfinished` away. One process at a time may keep a run in a
 * folder: others are refused. Methods, shifts and step rules of plugins and callbacks, and streams, take no
 * checkpoints: such a run begins anew. */
typedef struct sprint_keep_options {
  size_t size;
  double every; /* seconds between two checkpoints, at least; 0: five, and a hundred times what one takes */
} sprint_keep_options;
SPRINT_API sprint_status sprint_run_keep(sprint_run *run, const char *folder,
                                         const sprint_keep_options *options); /* or NULL: none */
/* Whether it can be taken up where it was left. */
SPRINT_API bool sprint_run_resumes(const sprint_run *run);
/* What whoever started a run that is kept should know: where it goes on from, that a checkpoint was damaged or could
 * not be written; "": nothing. The newest such sentence. */
SPRINT_API const char *sprint_run_note(const sprint_run *run);

/* Keeps other processes that ask for the same lock out of a folder, which is made if it is missing, until the lock is
 * freed or the process, with all that it forked since, has ended. */
typedef struct sprint_lock sprint_lock;
SPRINT_API sprint_status sprint_folder_lock(sprint_context *context, const char *folder, sprint_lock **ret_lock);
SPRINT_API void sprint_lock_free(sprint_lock *lock);

SPRINT_API sprint_stop sprint_run_stop(const sprint_run *run);
SPRINT_API const sprint_real *sprint_run_theta(const sprint_run *run);
/* Theta of the newest sound row of the trace: one whose values are finite, before anything exploded; *ret_row (or NULL)
 * is its number. It is what is left of a run that diverged. NULL: no row is sound. */
SPRINT_API const sprint_real *sprint_run_last_sound(const sprint_run *run, size_t *ret_row);
SPRINT_API const char *sprint_run_engine(
    const sprint_run *run); /* who works on its records, as `sprint list engines` says */
SPRINT_API size_t sprint_run_n_rows(const sprint_run *run); /* of the trace so far */
SPRINT_API const sprint_trace_row *sprint_run_row(const sprint_run *run, size_t row);
SPRINT_API const double *sprint_run_strata(const sprint_run *run, size_t row); /* (n_strata) p_c(theta) at a row */
SPRINT_API uint64_t sprint_run_steps_planned(const sprint_run *run); /* 0: no stop rule that bounds the steps */
/* The same in epochs, or fewer where the budget of per-sample gradients is used up before, about. */
SPRINT_API double sprint_run_epochs_planned(const sprint_run *run);
/* How far the run is, 0 to 1, by the budget that is used up most; NaN: it has none. */
SPRINT_API double sprint_run_share(const sprint_run *run);

/* Whether time bounds it (stop.seconds): how far it gets then depends on what else the machine does. */
SPRINT_API bool sprint_run_is_timed(const sprint_run *run);

/* Floating-point operations of one epoch with its trace row, roughly; those that only simulate the shift left out. */
SPRINT_API double sprint_run_cost_per_epoch(const sprint_run *run);

/* Writes trace.csv, timing.csv, run.json and model.safetensors into the folder, which is made if it is missing. A run
 * that is there is replaced whole or not at all: the files are written into a folder within it, and moved once all are
 * there; a kill in the middle of that is made good by whoever asks for the run next. run.json has their SHA-256 sums. A
 * run that diverged has no model, and an older one that is there goes away: it leaves last-finite.safetensors, the
 * parameters of sprint_run_last_sound. The metadata of both say how the run ended. */
SPRINT_API sprint_status sprint_run_save(const sprint_run *run, const char *folder);

/* Whether the folder holds this run, finished: its files are as they were written, its run.json has the same settings,
 * population, reference point, seed, version, precision and plugins, and the run was not stopped on request. */
SPRINT_API bool sprint_run_is_saved(const sprint_run *run, const char *folder);

/* The last trace row and the stop reason of a saved run, from its run.json; what it does not have is NaN. */
SPRINT_API sprint_status sprint_saved_final(sprint_context *context, const char *folder, sprint_trace_row *ret_row,
                                            sprint_stop *ret_stop);

/* How good a model is on a set of records. What there is no such thing of (an AUC of values, a precision where nobody
 * was said to be of the class) is NaN. Means are over people: by weight, and under D(theta) by how often each shows up.
 */
#define SPRINT_CALIBRATION_BINS 10
#define SPRINT_ROC_POINTS       101

typedef struct sprint_metrics {
  size_t size;
  size_t n;      /* records */
  double people; /* that they stand for */
  double loss;   /* with the penalty */

  size_t n_classes; /* 0: values */
  size_t positive;  /* of two classes, the one that recall, precision, ROC and calibration are about */
  double threshold; /* it is said where its probability is at least this */
  double accuracy;
  double majority;          /* the accuracy of saying the largest class of everybody */
  double auc;               /* area under the ROC; of more than two classes the mean over them, each against the rest */
  double recall, precision; /* of the positive class; of more than two, means over classes */
  double brier;             /* mean of (p - 1 or 0)^2 of the positive class; of more than two, summed over classes */
  double calibration_error; /* mean over people of |said - came| of their bin */
  struct {
    double share, said, came;             /* of people; the mean probability in the bin; how often it came true */
  } calibration[SPRINT_CALIBRATION_BINS]; /* by the probability of the positive class, or of the class that was said */
  size_t n_scored; /* records behind auc and roc: all, or every so many-th where that would take much memory */
  size_t n_roc;    /* points from (0, 0) to (1, 1); 0: there are not two classes */
  struct {
    double false_positives, true_positives;
  } roc[SPRINT_ROC_POINTS];
  const double *confusion; /* (n_classes, n_classes) people of class i who were said to be of class j; lent */

  double rmse, mae, r2; /* of values */
} sprint_metrics;

/* What a run came to: how good its model is, on which records; whether it is stable; and what a person should know
 * before acting on it. */
typedef struct sprint_assessment sprint_assessment;

typedef enum sprint_set {
  SPRINT_SET_DEPLOYED,     /* the population under D(theta) */
  SPRINT_SET_BASE,         /* the same as if nobody had reacted */
  SPRINT_SET_HELDOUT,      /* the held-out part under D(theta) */
  SPRINT_SET_HELDOUT_BASE, /* the same as if nobody had reacted */
  SPRINT_N_SETS
} sprint_set;
SPRINT_API const char *sprint_set_word(sprint_set set); /* deployed, base, heldout, heldout_base */

#define SPRINT_VERDICT_LIST(X)                                                                        \
  X(UNKNOWN, "unknown", "unknown")                 /* there is too little to go by */                 \
  X(STABLE, "stable", "stable as asked for")       /* |grad J|^2 is what stop.gradient asked for */   \
  X(NEAR, "near", "near a stable point")           /* 1/100 or less of where it began, or rounding */ \
  X(MOVING, "moving", "not at a stable point yet") /* on its way: smaller than where it began */      \
  X(UNSTABLE, "unstable", "not stable")            /* not smaller, or growing */                      \
  X(DIVERGED, "diverged", "diverged")

typedef enum sprint_verdict {
#define X(name, word, text) SPRINT_VERDICT_##name,
  SPRINT_VERDICT_LIST(X)
#undef X
} sprint_verdict;
SPRINT_API const char *sprint_verdict_word(sprint_verdict verdict);
SPRINT_API const char *sprint_verdict_text(sprint_verdict verdict); /* in words; NULL: there is no such */

/* Reasons not to trust a run without a second look. */
#define SPRINT_WARNING_LIST(X)                                                             \
  X(DIVERGED, "diverged")       /* a value became non-finite, or the loss exploded */      \
  X(INTERRUPTED, "interrupted") /* it was stopped on request */                            \
  X(STALLED, "stalled")         /* its stream of records did not go on */                  \
  X(ENDED, "ended")             /* its stream of records ended before any bound */         \
  X(COLLAPSED, "collapsed")     /* few classes are left in effect */                       \
  X(BIASED, "biased")           /* its steps are biased beyond the gradient */             \
  X(EDGE, "edge")               /* a slightly larger step would run away */                \
  X(MAJORITY, "majority")       /* no better than saying the largest class of everybody */ \
  X(UNSOLVED, "unsolved")       /* minimisations ended short of their tolerance */         \
  X(RANGE, "range")             /* more than 1 % of people left the range of the data */   \
  X(MODEL, "model")             /* its last layer or its loss may not be what was meant */ \
  X(BATCH, "batch")             /* the default batch is more than the people there are */  \
  X(UNTRAINED, "untrained")     /* its budget was too small for a single step */

typedef enum sprint_warning_kind {
#define X(name, word) SPRINT_WARNING_##name,
  SPRINT_WARNING_LIST(X)
#undef X
      SPRINT_N_WARNINGS
} sprint_warning_kind;
SPRINT_API const char *sprint_warning_word(sprint_warning_kind kind);

/* What may not be meant of a method at a point, known before anything is trained: the sentence of a MODEL or BATCH
 * warning, which its runs will have too. NULL: there is no reason for it, or no such point or method. */
SPRINT_API const char *sprint_experiment_doubt(const sprint_experiment *experiment, size_t point, size_t method,
                                               sprint_warning_kind kind);

/* Assesses the run as it is, its theta having been looked at in a trace row: some passes over the population, which
 * cost nothing in the counters. It is done once for a theta, and lent by the run until that moves. sprint_run_save does
 * it too, and writes it into run.json; sprint_saved_assessment reads that again, yours to free. */
SPRINT_API sprint_status sprint_run_assess(const sprint_run *run, const sprint_assessment **ret_assessment);
SPRINT_API sprint_status sprint_saved_assessment(sprint_context *context, const char *folder,
                                                 sprint_assessment **ret_assessment);
SPRINT_API void sprint_assessment_free(sprint_assessment *assessment);

/* NULL where there is no such set, or theta is not finite. */
SPRINT_API const sprint_metrics *sprint_assessment_metrics(const sprint_assessment *assessment, sprint_set set);
SPRINT_API sprint_verdict sprint_assessment_verdict(const sprint_assessment *assessment, const char **ret_sentence);
/* The sentence of a warning; NULL: there is no reason for it. */
SPRINT_API const char *sprint_assessment_warning(const sprint_assessment *assessment, sprint_warning_kind kind);
/* Of |grad J|^2 over epochs, by the trace's rows but for the first, which all methods share: each stands for the epochs
 * since the row before it. NaN where there is one row. */
SPRINT_API double sprint_assessment_gradient_mean(const sprint_assessment *assessment);
/* The step size times the largest eigenvalue of theta -> grad J(theta; theta): from 2 on theta runs away. NaN where the
 * method does not go by such steps. */
SPRINT_API double sprint_assessment_edge(const sprint_assessment *assessment);

/* How people's records under D(theta) differ from their base records, in one column, in the units of the data. Shares,
 * quantiles and histograms are of people, by weight, each class as often as in the population. */
#define SPRINT_MOVE_BINS 20

typedef struct sprint_column_move {
  size_t size;
  const char *name;                         /* of the column; lent by the assessment */
  double moved;                             /* share of people whose value is another one */
  double median;                            /* of the move: value under D(theta) less base value */
  double q95;                               /* 95 % of people moved by no more than this, up or down */
  double median_before, median_after;       /* of the value */
  double least, greatest;                   /* that anybody has under D(theta) */
  double observed_least, observed_greatest; /* that the data has; NaN: not known */
  double left;                              /* share of people who moved out of the latter range, */
  double people_left;                       /* and how many they are */
  size_t n_ranked; /* records behind quantiles and histograms: all, or every so many-th where those are too many */
  double bins_low, bins_high; /* range of the histograms, of equal bins; the outer bins have whoever is beyond, too */
  double before[SPRINT_MOVE_BINS], after[SPRINT_MOVE_BINS]; /* shares of people */
} sprint_column_move;

/* The columns in which anybody moved, in the order of the data; none where features do not move, of images, and where
 * theta is not finite. NULL: there is no such number. */
SPRINT_API size_t sprint_assessment_n_moves(const sprint_assessment *assessment);
SPRINT_API const sprint_column_move *sprint_assessment_move(const sprint_assessment *assessment, size_t i);

/* Writes one self-contained page of HTML about all runs in a folder, as sprint_run_save left them, with
 * POINT/METHOD/seed-S/ below it or the files of one run in it: who won on which budget, curves, tables, how far people
 * moved. What can be shown is, and what is wrong with the others is said on the page and in the report's notes,
 * sentences that it lends. Refused: a folder without runs; and where the library was built without the page's chart
 * library, any, the reason of which sprint_report_missing has (NULL: it is there). ret_report may be NULL. */
typedef struct sprint_report sprint_report;
SPRINT_API sprint_status sprint_report_write(sprint_context *context, const char *folder, const char *path,
                                             sprint_report **ret_report);
SPRINT_API void sprint_report_free(sprint_report *report);
SPRINT_API size_t sprint_report_n_runs(const sprint_report *report);
SPRINT_API size_t sprint_report_n_notes(const sprint_report *report);
SPRINT_API const char *sprint_report_note(const sprint_report *report, size_t i);
SPRINT_API const char *sprint_report_missing(void);

/* A saved model: score rows of a CSV with nothing but the file. One whose run diverged, or whose parameters are not
 * all finite, is refused unless the options say otherwise. */
typedef struct sprint_predictor sprint_predictor;
typedef struct sprint_predictor_options {
  size_t size;
  bool anyway;          /* whatever became of its run */
  const char *positive; /* of two classes, the one that is said from the threshold on; NULL: the model's */
  const double
      *threshold; /* of its probability, 0 to 1; NULL: the model's. The model's are those of its run's `eval` */
} sprint_predictor_options;
SPRINT_API sprint_status sprint_predictor_open(sprint_context *context, const char *path,
                                               const sprint_predictor_options *options, /* or NULL: none */
                                               sprint_predictor **ret_predictor);
SPRINT_API sprint_status sprint_predictor_load(sprint_context *context, const char *path,
                                               sprint_predictor **ret_predictor);
SPRINT_API void sprint_predictor_free(sprint_predictor *predictor);

/* Scores a CSV ("-": standard input) that has the model's feature columns (others are ignored) and writes a CSV to
 * out_path (NULL or "-": standard output): row, prediction, then one probability per class. Of two classes the
 * prediction goes by the threshold, of more it is the likeliest. The CSV and the model are refused as out_path. */
SPRINT_API sprint_status sprint_predictor_score_csv(sprint_predictor *predictor, const char *csv_path,
                                                    const char *out_path);

/* How good the model is on a CSV that has a label too: the metrics that a run has of its own records. Classes must be
 * the model's, by name; a label that is none of them, or missing, is refused. *ret_metrics is lent until the next call.
 * Loss: with the model's penalty. Class weights of the training do not count. */
typedef struct sprint_labelled {
  size_t size;
  const char *label;  /* the column; NULL: the one that the model was trained on */
  const char *weight; /* the column that says how many people a row stands for; NULL: the model's, if the CSV has it */
  bool unweighted;    /* every row is one person, whatever columns there are */
  const char *out;    /* scores go here too, as from sprint_predictor_score_csv; NULL: nowhere */
} sprint_labelled;
SPRINT_API sprint_status sprint_predictor_assess_csv(sprint_predictor *predictor, const char *csv_path,
                                                     const sprint_labelled *options, /* or NULL: as above */
                                                     const sprint_metrics **ret_metrics);

/* Names of classes, NULL beyond the last; the column that it was trained to predict, "" where the file does not say;
 * the column that the newest metrics counted people by, or NULL. */
SPRINT_API const char *sprint_predictor_class(const sprint_predictor *predictor, size_t class_number);
SPRINT_API const char *sprint_predictor_label(const sprint_predictor *predictor);
SPRINT_API const char *sprint_predictor_weight(const sprint_predictor *predictor);
/* What of two classes is said, and from which probability on; the threshold is NaN where there are not two. */
SPRINT_API size_t sprint_predictor_positive(const sprint_predictor *predictor);
SPRINT_API double sprint_predictor_threshold(const sprint_predictor *predictor);

/* Scores n rows of raw (not standardised) features, in the order of sprint_predictor_feature. ret_scores is
 * (n, n_classes): class probabilities; or (n) values of a regression. */
SPRINT_API size_t sprint_predictor_n_features(const sprint_predictor *predictor);
SPRINT_API size_t sprint_predictor_n_scores(const sprint_predictor *predictor);
SPRINT_API const char *sprint_predictor_feature(const sprint_predictor *predictor, size_t feature);
SPRINT_API sprint_status sprint_predictor_score(sprint_predictor *predictor, const double *raw, size_t n,
                                                double *ret_scores);

/* Writes a file that appears whole or not at all, as all files of the library do: under another name beside it, synced
 * and renamed. A link stays, and what it leads to is replaced; a device or a FIFO is written to as it is. */
SPRINT_API sprint_status sprint_file_write(sprint_context *context, const char *path, const void *bytes, size_t size);

/* How people respond, estimated from logs: CSV files of records that were collected under models, as `sprint fit-shift`
 * does. docs/fit-shift.md says how, and what it takes for granted. */
typedef struct sprint_fit_log {
  const char *data;  /* path of the CSV */
  const char *model; /* path of the model.safetensors in force; NULL: none was, these are base records */
  double time;       /* when, in any unit; read where sprint_fit_options.timed is set */
} sprint_fit_log;

typedef struct sprint_fit_options {
  size_t size;
  const sprint_fit_log *logs;
  size_t n_logs;
  bool timed;        /* logs say their time; otherwise they are 0, 1, 2, ... in their order */
  const char *kind;  /* strategic, linear, location or retention; NULL: strategic */
  const char *id;    /* the column by which people are found again; NULL: distributions are compared */
  const char *label; /* the column of the classes, for retention; NULL: the one that the models were trained on */
  const char *good;  /* strategic: the class that people want to be in; required where there are classes */
  const char *score; /* strategic: logit or probability; NULL: logit */
  const char *form;  /* location: matrix, diagonal or scalar; NULL: matrix where the deployments tell it */
  const char *const *columns; /* that people can change; n_columns 0: all */
  size_t n_columns;
  size_t resamples; /* of the bootstrap; 0: 1000 */
  uint64_t seed;    /* of the same */
} sprint_fit_options;

/* What was found. What does not apply is NaN. A standard deviation (sd) is that of a column within logs. */
typedef struct sprint_fit_summary {
  size_t size;
  const char *kind;
  bool paired;                /* by id */
  size_t n_people, n_records; /* that the estimate is made of */
  size_t n_missing;           /* records left out: a value is missing */
  size_t n_alone;             /* records left out: of people who are in one log only */
  size_t n_models;            /* distinct */
  size_t resamples;

  bool response;                 /* told apart from chance and, where there is a placebo, from steady drift */
  double level;                  /* of that test: how often it is wrong where there is none */
  double statistic, df1, df2, p; /* of the test: Wald's with the bootstrap's covariance, by Hotelling's F */
  bool placebo;                  /* there are logs of different times under one model: drift is told and taken off */
  double drift_statistic, drift_df1, drift_df2, drift_p;

  double r2;     /* paired: share of the squared displacement, drift taken off, that the response explains */
  double before; /* unpaired: distance of the logs (Wasserstein-1, mean over columns, sd), */
  double after;  /* the same of the records mapped back to the base, */
  double fit_p;  /* and whether those can be told apart: permutations; retention: chi^2 of class frequencies */
  double chi2, chi2_df;
  double power; /* mean distance that people moved, sd; retention: greatest total variation of class frequencies */
  double one_alpha, one_alpha_error, one_alpha_p; /* strategic: one alpha for all columns, in features of the last
                                                     model, and whether it fits as well */
  double likelihood_error; /* retention: the standard error by the likelihood, class losses taken as known */
} sprint_fit_summary;

typedef struct sprint_fit_parameter {
  const char *name;               /* alpha, epsilon or A */
  const char *column;             /* of the response; NULL: all */
  size_t parameter;               /* of A: which number of theta */
  double value, error, low, high; /* estimate, standard error, 95 % interval; NaN: the logs do not tell it. Of alpha by
                                     column in raw units, alpha_raw; */
  double feature_value, feature_error; /* the same in features as the last model standardises */
} sprint_fit_parameter;

typedef struct sprint_fit_column {
  const char *name;
  double sd;                 /* raw */
  double power, power_raw;   /* mean |move|, in sd and in raw units */
  double r2;                 /* paired */
  double drift, drift_error; /* raw, per unit of time; NaN without a placebo */
} sprint_fit_column;

typedef struct sprint_fit sprint_fit;
SPRINT_API sprint_status sprint_fit_shift(sprint_context *context, const sprint_fit_options *options,
                                          sprint_fit **ret_fit);
SPRINT_API void sprint_fit_free(sprint_fit *fit);
SPRINT_API const sprint_fit_summary *sprint_fit_result(const sprint_fit *fit);
SPRINT_API size_t sprint_fit_n_parameters(const sprint_fit *fit);
SPRINT_API const sprint_fit_parameter *sprint_fit_parameter_of(const sprint_fit *fit, size_t i);
SPRINT_API size_t sprint_fit_n_columns(const sprint_fit *fit); /* 0: features do not move */
SPRINT_API const sprint_fit_column *sprint_fit_column_of(const sprint_fit *fit, size_t i);
SPRINT_API size_t sprint_fit_n_notes(const sprint_fit *fit); /* sentences that a reader should know */
SPRINT_API const char *sprint_fit_note(const sprint_fit *fit, size_t i);
/* The `shift:` section of a config, with comments; `shift: none` where there is no response. */
SPRINT_API const char *sprint_fit_section(const sprint_fit *fit);
/* A of a location family (features, parameters) as the .npy file that `shift.matrix` names. */
SPRINT_API sprint_status sprint_fit_write_matrix(const sprint_fit *fit, const char *path);

/* NPY arrays: numbers of up to 4 dimensions. Either byte order and either order of indices is read, into C order and
 * double; written is little-endian and C order, as float64, or float32 in the float build where `data` is a sprint_real
 * array. */
typedef struct sprint_array {
  size_t n_dims;
  size_t shape[4];
  double *data; /* yours: sprint_array_clear frees it */
} sprint_array;
SPRINT_API sprint_status sprint_npy_read(sprint_context *context, const char *path, sprint_array *ret_array);
SPRINT_API sprint_status sprint_npy_write(sprint_context *context, const char *path, size_t n_dims, const size_t *shape,
                                          const sprint_real *data);
SPRINT_API sprint_status sprint_npy_write_double(sprint_context *context, const char *path, size_t n_dims,
                                                 const size_t *shape, const double *data);
SPRINT_API void sprint_array_clear(sprint_array *array);

/* What is in a data file: CSV, NPY, IDX (plain or gzip) or a batch of CIFAR-10 (.bin), found by its contents. The path
 * is looked for as that of a data section. Of a model (safetensors) the format alone is said: see
 * sprint_model_info_read. */
typedef struct sprint_value_info {
  char *text;
  size_t n; /* how often it is there */
} sprint_value_info;

typedef struct sprint_column_info {
  char *name;
  size_t n_missing, n_texts; /* what is no number is a text */
  double min, max, mean;     /* of the numbers; NaN where there are none */
  size_t n_values;           /* distinct values, in order; 0 where there are more than 20 */
  sprint_value_info *values;
  /* of a CSV, what the column may be, for people to confirm: number, integer, boolean, date, category, id, constant,
   * text (too many different ones for a category), empty; NULL of other files */
  const char *guess;
  bool distinct;         /* every row has a value, and none comes twice; may be false of numbers that are not whole */
  size_t n_seem_missing; /* the missing, and the fields that hold one of these words: */
  size_t n_words;        /* texts that seem to mean missing, and do where a config lists them: NULL, N/A, ? */
  char **words;
  size_t n_levels; /* different values but for those, in order; 0 where there are more than 1000 */
  char **levels;
} sprint_column_info;

typedef struct sprint_file_info {
  const char *format; /* csv, npy, idx, cifar10, safetensors */
  char *path;         /* where it was found */
  size_t n_rows;
  size_t n_dims, shape[4]; /* of arrays; 0 of a CSV */
  size_t n_columns;
  sprint_column_info *columns; /* all pixels of images are one column, or one by channel */
  char separator, decimal;     /* of a CSV, as they were found: the mark is '.', ',', or 0 where nothing told */
} sprint_file_info;

SPRINT_API sprint_status sprint_file_info_read(sprint_context *context, const char *path, sprint_file_info **ret_info);
SPRINT_API void sprint_file_info_free(sprint_file_info *info);

/* What is in a model file, sound or not. What a file does not say, as others than this program write it, is NULL. */
typedef struct sprint_model_info {
  char *path;         /* where it was found */
  size_t n_tensors;   /* of parameters */
  size_t n_params;    /* in all of them */
  size_t n_nonfinite; /* of those; types other than F32 and F64 are not looked into */
  char *version;      /* of the program that wrote it */
  char *layers, *loss, *label;
  char *stop, *epoch; /* how its run ended (see sprint_stop_word), and when these were its parameters */
  size_t n_features, n_classes;
  char **features, **classes;
  char *positive, *threshold; /* of two classes, the one that is said, and from which probability on */
} sprint_model_info;

SPRINT_API sprint_status sprint_model_info_read(sprint_context *context, const char *path,
                                                sprint_model_info **ret_info);
SPRINT_API void sprint_model_info_free(sprint_model_info *info);

/* ------------------------------------------------------------------------------------------------------------------
 * 4. Ask and tell
 *
 *     sprint_want want = {.size = sizeof want};
 *     while (sprint_solver_ask(solver, &want) == SPRINT_OK && want.kind != SPRINT_WANT_NOTHING) {
 *       if (want.deploy) put_in_production(want.theta, want.deployment);
 *       collect want.n records (or, of SPRINT_WANT_POPULATION, everybody's);
 *       sprint_solver_tell(solver, &records);
 *     }
 */

typedef enum sprint_want_kind {
  SPRINT_WANT_NOTHING,    /* stopped: see sprint_solver_stop */
  SPRINT_WANT_POPULATION, /* everybody's record, each once; the last part is marked */
  SPRINT_WANT_BATCH,      /* n records drawn from the deployment's distribution */
  SPRINT_WANT_SAMPLE,     /* the same for a sampled snapshot; the last part is marked */
} sprint_want_kind;

typedef struct sprint_want {
  size_t size;
  sprint_want_kind kind;
  size_t n;                 /* records wanted: of a batch b, of a population its n, of a sample its size */
  uint64_t deployment;      /* the deployment that they must come from, counted from 1 */
  bool deploy;              /* it is new: deploy theta first */
  const sprint_real *theta; /* the parameters to deploy; lent until the next tell */
  uint64_t reference;       /* also give each individual's record under this older deployment (x_reference), or 0 */
  uint64_t step;            /* updates done so far */
  uint64_t epoch;
  uint64_t request; /* the number of what is wanted, counted from 1: records that say it are never taken for another */
} sprint_want;

/* Records, in one part or in many, of any sizes, as they come in: the result is the same to the bit. A batch is whole
 * once want.n records were told. Parts of what is wanted have the same arrays, or do not have them, all alike. */
typedef struct sprint_records {
  size_t size;
  size_t n;
  const sprint_real *x;            /* (n, d); or NULL: the base records of `who` in `images` */
  const sprint_real *y;            /* (n) */
  const sprint_real *x_reference;  /* (n, d) under the deployment `reference` of what is wanted; NULL: it is 0 or that
                                      of the records themselves, or features never move (`still`) */
  const uint32_t *stratum;         /* (n), or NULL: all are of stratum 0; of a batch, not said */
  const double *p;                 /* (n_strata) probabilities of the deployment; NULL: not said, which methods that
                                      weigh strata (stratified, unbiased, saga) refuse where n_strata is above 1. Those
                                      of the last part count */
  bool last;                       /* nothing follows: a population or sample ends here; of a batch, which ends by
                                      itself, fewer records than wanted are refused */
  const sprint_population *images; /* a population that keeps its records as bytes, for a network */
  const uint32_t *who;             /* (n) individuals; may stand beside x too, or be NULL then */
  uint64_t deployment;             /* that made the records; others than wanted are refused. 0: not said */
  const double *weight;  /* (n) how many people each record of a population stands for; NULL: one each. A batch is drawn
                            by weight: there it is of interest to `saga` alone, which keeps sums over people */
  uint64_t request;      /* want.request that the records are for; others are refused. 0: not said */
  const char *const *id; /* (n) who each is, any texts: one who is there twice is refused. NULL: not said */
  bool repeats;          /* of a batch or sample: people may be there more than once, as in draws with replacement */
  const uint64_t *deployments; /* (n) `deployment` of each record, where they differ; NULL: that holds for all */
  uint64_t stale_from; /* of a batch: records of older deployments than wanted, from this one on, are taken as such, as
                          if it had not been deployed since, and counted. sgd, clipped, saga and sprint can, where no
                          strata are weighed. 0: they are refused */
  const bool *lacks_reference; /* (n) who has no record under `reference`: their x_reference is not looked at, and they
                                  are counted. sprint can do without, see docs/ask-tell.md; NULL: everybody has one */
} sprint_records;

typedef struct sprint_solver_options {
  size_t size;
  const char *spec;         /* the sections method, step, deploy, stop, as one YAML mapping; NULL: all defaults */
  sprint_model *model;      /* required; used by this solver alone while it lives */
  size_t n;                 /* size of the population: sets the inner length where the spec does not; 0: without end */
  size_t n_strata;          /* of deployments that reweight; 1: none do; 0: not said, which methods that weigh strata
                               (corrections stratified and unbiased, saga) refuse */
  const sprint_real *theta; /* starting point, copied; required */
  uint64_t seed;            /* of a method's own coin flips; data are drawn by whoever tells them */
  bool still;               /* features never move: all that a deployment changes is how often strata show up */
  const double
      *strata_sizes;   /* (n_strata) people of each, by weight, copied; NULL: not known, which `saga` alone minds */
  sprint_shift *shift; /* how the population is thought to react, for methods that go by it (perfgd); or NULL */
} sprint_solver_options;

SPRINT_API sprint_status sprint_solver_new(sprint_context *context, const sprint_solver_options *options,
                                           sprint_solver **ret_solver);
SPRINT_API void sprint_solver_free(sprint_solver *solver);
SPRINT_API sprint_status sprint_solver_ask(sprint_solver *solver, sprint_want *ret_want);
/* Records that do not fit what is wanted, that are too many, or that are not finite, are refused, and the solver is as
 * it was, with all that was told before. */
SPRINT_API sprint_status sprint_solver_tell(sprint_solver *solver, const sprint_records *records);
/* What was told of the newest request counts for nothing: it is told again from the start. Nothing is done where none
 * was told, or where the request is complete. */
SPRINT_API sprint_status sprint_solver_discard(sprint_solver *solver);

/* What was told so far. */
typedef struct sprint_told {
  size_t size;
  size_t n;         /* records of what is wanted */
  uint64_t stale;   /* records of complete requests that were of older deployments than wanted, see stale_from; */
  uint64_t lacking; /* and of batches, people without the reference record that was wanted */
} sprint_told;
SPRINT_API sprint_status sprint_solver_told(const sprint_solver *solver, sprint_told *ret_told);

/* All of a solver in a file, between any two calls, so that the process may end: the file appears whole or not at all.
 * And back, into a solver that was made by the same options (the starting point may be another) and has not been asked:
 * it goes on as if nothing had happened, to the bit. A file that is damaged, or of other options, is refused, and the
 * solver is as it was. Where memory runs out while it is loaded, it can be loaded again, and nothing else: asking and
 * telling are refused. Methods and step rules of plugins are refused: they do not say what they remember. */
SPRINT_API sprint_status sprint_solver_save(const sprint_solver *solver, const char *path);
SPRINT_API sprint_status sprint_solver_load(sprint_solver *solver, const char *path);
SPRINT_API const sprint_real *sprint_solver_theta(const sprint_solver *solver);
SPRINT_API const sprint_real *sprint_solver_direction(const sprint_solver *solver); /* v of the newest step */
SPRINT_API sprint_counters sprint_solver_counters(const sprint_solver *solver);
/* |grad J(theta; theta)|^2 as the newest population (or sample) told had it, which stop.gradient goes by; NaN: none was
 * told yet. */
SPRINT_API double sprint_solver_gradient_sq(const sprint_solver *solver);
SPRINT_API sprint_stop sprint_solver_stop(const sprint_solver *solver);
SPRINT_API void sprint_solver_halt(sprint_solver *solver, sprint_stop reason); /* the next ask wants nothing */

/* The drift meter of a SPRINT solver: how far the population's answers to theta have carried the gradient away from the
 * snapshot that v leans on, since that snapshot. What is not known is NaN: before the first look at a batch, of other
 * methods, and of corrections whose reference records do not show it (coupled and unbiased, where features move). */
typedef struct sprint_drift {
  size_t size;
  double bias;     /* |b|, b = grad J(theta~; theta) - g^: estimated bias of v; exact where features never move */
  double noise;    /* the standard error of b: a |bias| near it may be none at all; 0 where it is exact */
  double distance; /* mean |theta - theta~| over what was looked at */
  double kappa;    /* bias / distance: how sensitive the gradient is to deployments */
  size_t looks;    /* batches looked at */
} sprint_drift;
SPRINT_API sprint_status sprint_solver_drift(const sprint_solver *solver, sprint_drift *ret_drift);

/* A solver in a folder, for those who end between any two calls, such as a nightly job: raw records come in as CSVs,
 * models to deploy come out as safetensors, and all that goes on is in the folder, which changes whole or not at all.
 * `sprint ask` and `sprint tell` are these calls; docs/ask-tell.md tells how to use them. */
typedef struct sprint_session sprint_session;

/* Begins one by a config of one point, method and seed, with `sets` over it as --set lays them. How raw columns become
 * features, and the starting point, are those that a run of the config would have, and stay so. Its shift is not looked
 * at. Refused where there is a session already. */
SPRINT_API sprint_status sprint_session_begin(sprint_context *context, const char *folder, const char *config,
                                              const char *const *sets, size_t n_sets);

/* Whether there is one in the folder; and whether it was begun by this config, as it is, and these sets. */
SPRINT_API bool sprint_session_is_there(const char *folder);
SPRINT_API sprint_status sprint_session_is_of(sprint_context *context, const char *folder, const char *config,
                                              const char *const *sets, size_t n_sets, bool *ret_same);

/* Opens it. One process at a time has it, until it is freed; another is refused. */
SPRINT_API sprint_status sprint_session_open(sprint_context *context, const char *folder, sprint_session **ret_session);
SPRINT_API void sprint_session_free(sprint_session *session);

/* Its solver, lent: what it has been told, its parameters, what it has cost. */
SPRINT_API const sprint_solver *sprint_session_solver(const sprint_session *session);

/* What is wanted next, the same however often it is asked. *ret_model, lent, is the path of the model that the records
 * are to come from: written here where want.deploy says that it is new, and `sprint predict` scores with it. Once
 * nothing is wanted it is the final model, or NULL where the solver diverged. */
SPRINT_API sprint_status sprint_session_ask(sprint_session *session, sprint_want *ret_want, const char **ret_model);

/* The same without asking: what is wanted already, which is refused where it is not yet asked for. */
SPRINT_API sprint_status sprint_session_wanted(const sprint_session *session, sprint_want *ret_want);

/* Rows of CSVs, all together one part of what is wanted. A row has the columns of the config's data; the column `id`,
 * or what the config's data.id names; `deployment`, the number of the one that made it; and, where people may lack the
 * reference record that is wanted, `no_reference`, true for them. A row of the reference's deployment is the reference
 * record of the row of the same id. The part that brings the number of records wanted is the last. */
typedef struct sprint_session_records {
  size_t size;
  const char *const *paths; /* (n_paths); "-" is standard input */
  size_t n_paths;
  uint64_t request;    /* that they are for, as sprint_records has it; 0: not said */
  uint64_t deployment; /* of files without such a column; 0: they are refused */
  uint64_t stale_from; /* as sprint_records has it */
  bool repeats;
} sprint_session_records;

/* Fails without a trace, or has told and saved. *ret_n: the records, reference records aside. */
SPRINT_API sprint_status sprint_session_tell(sprint_session *session, const sprint_session_records *records,
                                             size_t *ret_n);
/* As sprint_solver_discard, saved. */
SPRINT_API sprint_status sprint_session_discard(sprint_session *session);

/* ------------------------------------------------------------------------------------------------------------------
 * 5. Your own shift, your own loss
 */

/* respond and strata must be pure functions of their arguments, of what `user` holds fixed, and of what `deployed` was
 * told. A callback that fails
 * returns a status other than SPRINT_OK. Leave one NULL where your shift does not move, or does not reweight. */
typedef struct sprint_shift_callbacks {
  size_t size;
  void *user;
  /* x (n, d): on entry the base records of individuals `who`, with labels y (n); on return their records under
   * `deployed`. who is NULL for records from outside the population (the held-out part). */
  sprint_status (*respond)(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y, size_t n,
                           sprint_real *x);
  /* ret_p (n_strata): how often each stratum shows up under `deployed`. Checked to be a distribution. */
  sprint_status (*strata)(void *user, const sprint_real *deployed, double *ret_p);
  /* theta was put in front of the population: once for each deployment, before anything is asked about it. A shift that
   * has this may remember what was deployed, and answer by it. */
  sprint_status (*deployed)(void *user, const sprint_real *theta);
  uint64_t evals; /* model evaluations that respond takes for a record: what shift_evals counts */
} sprint_shift_callbacks;

SPRINT_API sprint_status sprint_shift_new_custom(sprint_context *context, const sprint_shift_callbacks *callbacks,
                                                 sprint_model *model, const sprint_population *population,
                                                 sprint_shift **ret_shift);

/* `gradient` may be called from several threads at once. */
typedef struct sprint_model_callbacks {
  size_t size;
  void *user;
  size_t n_params;
  size_t n_features;
  /* Adds to *ret_loss the sum of the losses of n rows and, unless it is NULL, to ret_gradient (n_params) the sum of
   * their gradients in theta. */
  void (*gradient)(void *user, const sprint_real *theta, const sprint_real *x, const sprint_real *y, size_t n,
                   double *ret_loss, sprint_real *ret_gradient);
  /* Optional: ret_gradient_x (n, d) = gradient in the features of the score that individuals want higher. Needed by
   * the strategic shift alone. */
  void (*score_gradient)(void *user, const sprint_real *theta, const sprint_real *x, size_t n,
                         sprint_real *ret_gradient_x);
  /* Optional: the starting point of a seed; zeros without it. */
  void (*start)(void *user, uint64_t seed, sprint_real *ret_theta);
} sprint_model_callbacks;

SPRINT_API sprint_status sprint_model_new_custom(sprint_context *context, const sprint_model_callbacks *callbacks,
                                                 sprint_model **ret_model);

/* ------------------------------------------------------------------------------------------------------------------
 * 6. The tables
 */

typedef enum sprint_param_type {
  SPRINT_PARAM_BOOL,
  SPRINT_PARAM_INTEGER,
  SPRINT_PARAM_REAL,
  SPRINT_PARAM_TEXT,
  SPRINT_PARAM_CHOICE,  /* one of `choices`, a|b|c */
  SPRINT_PARAM_TEXTS,   /* a list of texts; one alone may stand without brackets */
  SPRINT_PARAM_REALS,   /* a list of numbers */
  SPRINT_PARAM_NUMBERS, /* a mapping from names to numbers; or one of `choices`, where there are any */
  SPRINT_PARAM_RANGES,  /* a mapping from names to [low, high], either of which may be ~, or to one of `choices` */
  SPRINT_PARAM_MAPS,    /* a list of mappings, such as `compare` */
  SPRINT_PARAM_MAP,     /* a mapping, such as `grid` */
  SPRINT_PARAM_KIND,    /* a section of its own: a kind of `family` by name, or a mapping with `kind` and its keys */
} sprint_param_type;

typedef struct sprint_family sprint_family;

typedef struct sprint_param {
  const char *name;
  sprint_param_type type;
  const char *standard; /* the default, as a config would say it; NULL: required; "": none */
  double min, max;      /* inclusive, of numbers; both 0: any */
  const char *choices;
  const sprint_family *family;
  const char *help;
} sprint_param;

/* A kind: one way to fill a section. `ops` belongs to the library. */
typedef struct sprint_kind {
  const char *name;
  const char *help;
  const sprint_param *params;
  size_t n_params;
  const void *ops;
  /* Of methods, for people; NULL: nothing is said. */
  const char *cites;  /* the paper */
  const char *cost;   /* per-sample gradients of a step, and what else it takes */
  const char *memory; /* beyond theta and v, in reals; d parameters, n individuals */
  bool optimal;       /* it seeks the performative optimum, where |grad J(theta; theta)| need not be small */
} sprint_kind;

/* A family: all kinds of one section, and the keys that they share. A family of one nameless kind is a plain section.
 */
struct sprint_family {
  const char *name; /* plural, as in `sprint list methods` */
  const char *key;  /* the config key, as in `method:` */
  const char *help;
  const sprint_param *params; /* shared by every kind */
  size_t n_params;
  const sprint_kind *const *kinds;
  size_t n_kinds;
  const char *standard; /* the default kind, or NULL */
};

/* Every family, in the order of a config. */
SPRINT_API const sprint_family *const *sprint_families(size_t *ret_n);

/* The kinds of a family that the context knows, by number: family->kinds, then those of its plugins. NULL: there are
 * not so many. */
SPRINT_API size_t sprint_context_n_kinds(const sprint_context *context, const sprint_family *family);
SPRINT_API const sprint_kind *sprint_context_kind(const sprint_context *context, const sprint_family *family,
                                                  size_t kind);

/* What was meant by a word: the name of the n that is nearest to it, lent, or NULL: none is near. */
SPRINT_API const char *sprint_nearest(const char *word, const char *const *names, size_t n);

/* Reproduces the closed forms of the theory and reports each; *ret_all_ok says whether all of them held. */
typedef struct sprint_verify_case {
  const char *name;
  double expected, got, tolerance;
  bool ok;
} sprint_verify_case;
typedef void (*sprint_verify_report)(void *user, const sprint_verify_case *result);
SPRINT_API sprint_status sprint_verify(sprint_context *context, sprint_verify_report report, void *user,
                                       bool *ret_all_ok);

/* ------------------------------------------------------------------------------------------------------------------
 * 7. Theory: docs/theory.md, and docs/math.md section 5. Everything is in double, in both precisions.
 */

/* What a guarantee is made of. L and kappa are above or at 0, m, n and batch at least 1. */
typedef struct sprint_constants {
  size_t size;
  double L;       /* smoothness of every record's loss in theta; above 0 */
  double kappa;   /* sensitivity of J and of its gradient to the deployment: the larger of L_0 epsilon and kappa_g */
  double m;       /* steps of an epoch */
  double n;       /* individuals: gradients of a snapshot */
  double batch;   /* records of a step */
  double delta_0; /* V(theta_0) less a lower bound of V */
  double sigma_0, sigma_1; /* variance of one record's gradient <= sigma_0^2 + sigma_1^2 |grad J|^2; for SGD-GD alone */
} sprint_constants;

/* A constant step size with what the recursion makes of it. */
typedef struct sprint_certificate {
  size_t size;
  bool valid; /* Gamma > 0: the bound holds. False with gamma 0: there is no such step size */
  double gamma, beta;
  double c_0;       /* the largest c_k */
  double Gamma;     /* min_k (Gamma_k - gamma/4) */
  double remaining; /* Delta_1 = (kappa^4 + 2 kappa^2 L^2 + 2 kappa^2) gamma / Gamma; NaN where it is not valid */
} sprint_certificate;

/* The recursion itself, backwards from c_m = 0: ret_c (m + 1) and ret_Gamma (m), each or NULL. */
SPRINT_API sprint_status sprint_theory_epoch(sprint_context *context, const sprint_constants *constants, double gamma,
                                             double beta, double *ret_c, double *ret_Gamma);

/* Of a given step; beta 0: the one with the largest Gamma. */
SPRINT_API sprint_status sprint_theory_check(sprint_context *context, const sprint_constants *constants, double gamma,
                                             double beta, sprint_certificate *ret_certificate);

/* The closed form, which needs kappa < 6 L. */
SPRINT_API sprint_status sprint_theory_closed_form(sprint_context *context, const sprint_constants *constants,
                                                   sprint_certificate *ret_certificate);

/* The largest gamma with Gamma > 0, over all beta: by bisection. There Gamma is nearly 0, and the bound useless. */
SPRINT_API sprint_status sprint_theory_largest(sprint_context *context, const sprint_constants *constants,
                                               sprint_certificate *ret_certificate);

/* The step, over gamma and beta, of the largest Gamma (delta 0); or that whose bound is down to delta first, where not
 * valid means that none ever is. */
SPRINT_API sprint_status sprint_theory_best(sprint_context *context, const sprint_constants *constants, double delta,
                                            sprint_certificate *ret_certificate);

/* Below this no step size and no number of steps gives a guarantee: 4/3 (kappa^4 + 2 kappa^2 L^2 + 2 kappa^2). */
SPRINT_API double sprint_theory_floor(const sprint_constants *constants);

/* Steps and per-sample gradients until a bound is down to delta: its first term alone, and all of it. Infinite where no
 * number of steps is enough. */
typedef struct sprint_theory_cost {
  size_t size;
  double steps, ifo;         /* until the first term is delta */
  double all_steps, all_ifo; /* until both together are */
  double remaining;          /* the second term, which no number of steps changes */
} sprint_theory_cost;

SPRINT_API sprint_status sprint_theory_cost_sprint(sprint_context *context, const sprint_constants *constants,
                                                   const sprint_certificate *certificate, double delta,
                                                   sprint_theory_cost *ret_cost);
/* SGD-GD with batches of one and gamma = 1/sqrt(T). */
SPRINT_API sprint_status sprint_theory_cost_sgd(sprint_context *context, const sprint_constants *constants,
                                                double delta, sprint_theory_cost *ret_cost);

/* c_k and Gamma_k over an epoch, as a figure by gnuplot: .svg, .png or .pdf. The script (.gp) and the numbers (.dat)
 * stay beside it. */
SPRINT_API sprint_status sprint_theory_draw(sprint_context *context, const sprint_constants *constants,
                                            const sprint_certificate *certificate, const char *path);

/* A constant seen at several probes. Those of the theory hold everywhere; probes see some places, so that the largest
 * value seen is a lower estimate. */
typedef struct sprint_estimate {
  double value;           /* that goes on into the certificate; NaN: does not apply */
  double mean, deviation; /* over the probes: their mean and standard deviation */
  double least, greatest;
  size_t n_probes;
} sprint_estimate;

typedef struct sprint_estimate_options {
  size_t size;
  sprint_shift *shift;      /* with its model and population; required */
  const sprint_real *theta; /* where; required */
  size_t sample;            /* individuals looked at; 0: 2000 */
  size_t probes;            /* random directions; 0: 16 */
  size_t projections;       /* of sliced W1; 0: 50 */
  double radius;            /* half the distance of nearby deployments, in multiples of max(1, |theta|); 0: 0.01 */
  double spread;            /* random theta of the noise lie within this, in the same multiples; 0: 0.5 */
  uint64_t seed;
} sprint_estimate_options;

typedef struct sprint_estimates {
  size_t size;
  sprint_estimate L;              /* of single records: the largest |eigenvalue| of their Hessians */
  sprint_estimate L_risk;         /* of J(theta; theta) */
  sprint_estimate L_0;            /* |gradient of the loss in the features| of single records */
  sprint_estimate epsilon;        /* W_1 under the coupling by identity, over the distance of the deployments */
  sprint_estimate epsilon_sliced; /* sliced W_1, mean over random directions; as above */
  sprint_estimate epsilon_tv;     /* total variation of the strata probabilities; as above */
  sprint_estimate loss_range;     /* between the mean losses of strata: what total variation is multiplied by */
  sprint_estimate kappa_l;        /* |J(theta; theta') - J(theta; theta'')|, over the distance */
  sprint_estimate kappa_g;        /* |grad J(theta; theta') - grad J(theta; theta'')|, over the distance */
  double kappa;                   /* the largest of L_0 epsilon + loss_range epsilon_tv, kappa_l and kappa_g */
  double sigma_0, sigma_1;        /* a line above all points (|grad J|^2, variance) seen */
  double sigma_0_fit, sigma_1_fit, sigma_residual; /* least squares, and its residuals' standard deviation */
  size_t n_sigma;                                  /* points */
  double risk;                                     /* V(theta) over the whole population */
  bool below_zero;                                 /* a record's loss was: 0 is no lower bound of V */
  bool remembers;                                  /* the shift does: its state was left as it was when it was made */
  bool sampled_losses; /* a reweighting shift was told class losses of the sample, as all would take long */
  size_t sample;       /* individuals looked at */
  size_t n_singles;    /* of them, those whose gradients were looked at one by one */
} sprint_estimates;

SPRINT_API sprint_status sprint_theory_estimate(sprint_context *context, const sprint_estimate_options *options,
                                                sprint_estimates *ret_estimates);

/* Wasserstein-1 of two samples of equal size, x and y (n, d), projected on each of `directions` (n_directions, d) of
 * length 1, the mean over them. */
SPRINT_API sprint_status sprint_sliced_w1(sprint_context *context, const sprint_real *x, const sprint_real *y, size_t n,
                                          size_t d, const double *directions, size_t n_directions, double *ret_w1);

/* What an experiment's method does, as the theory counts it. */
typedef struct sprint_theory_plan {
  size_t size;
  double m, n, batch;
  double gamma;       /* of the first step */
  bool constant;      /* gamma stays so */
  bool plain;         /* a step goes against v itself: no momentum, no Adam */
  double steps;       /* planned; 0: not bounded */
  const char *method; /* kind: sprint, sgd, ...; lent by the experiment */
} sprint_theory_plan;

SPRINT_API sprint_status sprint_theory_plan_of(sprint_experiment *experiment, size_t point, size_t method,
                                               sprint_theory_plan *ret_plan);

/* ------------------------------------------------------------------------------------------------------------------
 * 8. Plugins
 *
 * A plugin is a shared object that brings kinds of its own: methods, shifts, losses and step rules, with parameters.
 * They are found by name like the library's, in configs and specs, in `sprint list`, and in suggestions.
 *
 *     cc -shared -fPIC $(pkg-config --cflags sprint) mine.c -o mine.so
 *     sprint run config.yaml --plugin ./mine.so
 *
 * It may call everything in this header; that is the library which loads it, so it is not linked against one. A program
 * of your own that loads plugins links libsprint.so; or all of libsprint.a, with -rdynamic.
 *
 * Callbacks get what setup left in *ret_user (NULL without a setup). A plugin keeps nothing in variables of its own:
 * several objects of a kind may live at once.
 */

/* Loads a plugin; it stays as long as the context, and all objects made with its kinds end before that. A path without
 * a slash is a file of the working folder. Refused in a sentence: what is no shared object or has no entry point, what
 * was compiled for another version (0.1.x wants 0.1.x) or precision, tables that do not hold together, and names that
 * are taken. */
SPRINT_API sprint_status sprint_context_load_plugin(sprint_context *context, const char *path);

/* What a config says of the kind, checked by its parameters. Settings live during setup, and so do the texts and lists
 * that they lend. Asking for a key that the parameters do not have, or by another type, makes the setup fail. */
typedef struct sprint_settings sprint_settings;
SPRINT_API double sprint_settings_real(sprint_settings *settings, const char *key);
SPRINT_API int64_t sprint_settings_integer(sprint_settings *settings, const char *key);
SPRINT_API bool sprint_settings_flag(sprint_settings *settings, const char *key);
SPRINT_API const char *sprint_settings_text(sprint_settings *settings, const char *key); /* also of a choice */
SPRINT_API const double *sprint_settings_reals(sprint_settings *settings, const char *key, size_t *ret_n);
SPRINT_API const char *const *sprint_settings_texts(sprint_settings *settings, const char *key, size_t *ret_n);

/* Zeroed memory that lives as long as the object being set up; NULL with the error set. */
SPRINT_API void *sprint_settings_memory(sprint_settings *settings, size_t n, size_t size);
/* call(user) when the object ends, before its memory goes: for files and the like. */
SPRINT_API void sprint_settings_at_end(sprint_settings *settings, void (*call)(void *user), void *user);
SPRINT_API sprint_context *sprint_settings_context(sprint_settings *settings); /* for sprint_fail */

/* Refuses a value, or the section ("kind"): file, line and key, and then the sentence; for `return
 * sprint_settings_refuse(...)`. */
SPRINT_API sprint_status sprint_settings_refuse(sprint_settings *settings, const char *key, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* What every kind begins with. Names are of small letters, digits and '-'. Of parameters, the types from BOOL to REALS
 * can be used. setup may be NULL where there is nothing to set up. */
#define SPRINT_KIND_FIELDS    \
  size_t size;                \
  const char *name;           \
  const char *help;           \
  const sprint_param *params; \
  size_t n_params

/* A shift: the callbacks of sprint_shift_callbacks, which see. Its records and probabilities are worked out by
 * callbacks alone, so that no engine but `plain` serves one that moves features. */
typedef struct sprint_shift_kind {
  SPRINT_KIND_FIELDS;
  sprint_status (*setup)(sprint_settings *settings, sprint_model *model, const sprint_population *population,
                         void **ret_user);
  sprint_status (*respond)(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y, size_t n,
                           sprint_real *x);
  sprint_status (*strata)(void *user, const sprint_real *deployed, double *ret_p);
  sprint_status (*deployed)(void *user, const sprint_real *theta);
  uint64_t evals;
} sprint_shift_kind;

/* What the outputs f of a network mean to a loss. */
typedef enum sprint_outputs {
  SPRINT_OUTPUTS_VALUE,   /* one: a prediction of y, a value or a class number */
  SPRINT_OUTPUTS_SIDE,    /* one, of two classes: class 1 where f > 0; f counts as its log-odds */
  SPRINT_OUTPUTS_CLASSES, /* one for each class, y the class number: the largest wins; softmax(f) are probabilities */
} sprint_outputs;

/* A loss of a network's outputs, under `model: {loss: NAME}`. `row` is a pure function, called by several threads at
 * once: the loss of one record with outputs f (n_outputs) and label y; unless ret_slope is NULL, also its gradient in f
 * (n_outputs). */
typedef struct sprint_loss_kind {
  SPRINT_KIND_FIELDS;
  sprint_outputs outputs;
  sprint_status (*setup)(sprint_settings *settings, size_t n_classes, void **ret_user);
  double (*row)(const void *user, const sprint_real *f, size_t n_outputs, sprint_real y, sprint_real *ret_slope);
} sprint_loss_kind;

/* A step as a method sees it. */
typedef struct sprint_method_step {
  size_t size;
  sprint_model *model;
  size_t n_params;
  const sprint_real *theta;          /* (n_params) */
  size_t n;                          /* of the population; 0: it has no end */
  size_t batch;                      /* b */
  uint64_t step;                     /* updates done so far */
  uint64_t epoch, epoch_step, inner; /* epoch_step: of 0 .. inner-1 */
  uint64_t deployment;               /* the newest */
  uint64_t seed;                     /* for a method's own chances */
  const sprint_records *records;     /* in `batch`; x is NULL where records are images kept as bytes */
  double loss;                       /* out: mean loss at theta, by which divergence is seen */
  uint64_t ifo;                      /* out: per-sample gradients taken for it */
} sprint_method_step;

/* The mean over the step's records of the loss and of its gradient at any theta (n_params), and the mean of
 * grad l(z; step->theta) - grad l(z~; theta): z~ is z or, at_reference, the same individual's record of the newest
 * snapshot. Neither has the L2 penalty, whose gradient is added to every v. Both set step->loss, where it is that at
 * step->theta, and count into step->ifo. */
SPRINT_API void sprint_method_gradient(sprint_method_step *step, const sprint_real *theta, sprint_real *ret_gradient);
SPRINT_API void sprint_method_difference(sprint_method_step *step, const sprint_real *theta, bool at_reference,
                                         sprint_real *ret_difference);

/* A method: v (n_params) from records, and theta then goes against it by the step rule. Costs are counted, and every
 * engine gives the same numbers. The keys batch and inner are there without asking. */
typedef struct sprint_method_kind {
  SPRINT_KIND_FIELDS;
  bool full;                         /* every step looks at everybody: `population` makes v, and there are no batches */
  bool coupled;                      /* batches carry each individual's record of the newest snapshot too */
  const char *cites, *cost, *memory; /* as in sprint_kind, for people; or NULL */
  bool unbiased; /* you promise that v, over all draws, is grad J(theta; deployed): the trace then says so */
  sprint_status (*setup)(sprint_settings *settings, sprint_model *model, void **ret_user);
  /* Whether theta is to be deployed and everybody's record taken before the step to come; asked once before each.
   * NULL: never. */
  bool (*snapshot)(void *user, const sprint_method_step *step);
  /* Everybody was seen: v is grad J(theta; deployed). Returns true where v is ready to step by, changed or not; false
   * where a batch is wanted first. Needed with `full` or `snapshot`. */
  bool (*population)(void *user, sprint_method_step *step, sprint_real *v);
  /* A batch was drawn: writes v. */
  void (*batch)(void *user, sprint_method_step *step, sprint_real *ret_v);
} sprint_method_kind;

/* What a step rule has to fit. */
typedef struct sprint_step_frame {
  size_t size;
  size_t n_params;
  uint64_t planned_steps; /* of the run; 0: nobody knows how many */
  uint64_t inner;         /* steps of an epoch */
} sprint_step_frame;

/* A step rule: theta - gamma v, or theta - gamma u where it turns v into another direction u. Both get the number of
 * the step, from 0; size_of is a pure function of it, and turn is called once a step, in their order. The key radius is
 * there without asking. */
typedef struct sprint_step_kind {
  SPRINT_KIND_FIELDS;
  sprint_status (*setup)(sprint_settings *settings, const sprint_step_frame *frame, void **ret_user);
  double (*size_of)(const void *user, uint64_t step);                                /* gamma */
  void (*turn)(void *user, uint64_t step, const sprint_real *v, sprint_real *ret_u); /* (n_params) each; NULL: u is v */
} sprint_step_kind;

/* What a plugin brings; begin with SPRINT_PLUGIN_HEAD. */
typedef struct sprint_plugin {
  size_t size;
  const char *version;   /* SPRINT_VERSION and */
  const char *precision; /* SPRINT_PRECISION that it was compiled with */
  const sprint_method_kind *const *methods;
  size_t n_methods;
  const sprint_shift_kind *const *shifts;
  size_t n_shifts;
  const sprint_loss_kind *const *losses;
  size_t n_losses;
  const sprint_step_kind *const *steps;
  size_t n_steps;
} sprint_plugin;

#define SPRINT_PLUGIN_HEAD .size = sizeof(sprint_plugin), .version = SPRINT_VERSION, .precision = SPRINT_PRECISION

/* The one function that a plugin defines. */
SPRINT_API const sprint_plugin *sprint_plugin_entry(void);

/* ------------------------------------------------------------------------------------------------------------------
 * 9. Results
 *
 * What runs left in folders: DIR/[POINT/]METHOD/seed-S/, or one run's folder. What cannot be read is told, and what can
 * be is drawn: runs that are still going on, that were cut short, that another version wrote. Runs that diverged are
 * told of and left out of means.
 */

/* A line of text, without its end. */
typedef void (*sprint_listener)(void *user, const char *line);

typedef struct sprint_plot_options {
  size_t size;
  const char *const *folders; /* (n_folders) required */
  size_t n_folders;
  const char *x; /* a column of the trace, or `seconds`; NULL: epoch */
  const char
      *y; /* a column, or several with commas between them: a row of panels for each. grad, grad-mean, classes
             and people stand for gradient_sq, gradient_sq_mean, effective_classes and displacement. NULL: loss */
  const char *paper; /* credit, mnist or cifar10: accuracy over loss by alpha in one figure, |grad J|^2 in another, in
                        place of y and log; NULL: as they say */
  bool log;          /* a logarithmic y axis, but for shares (accuracy) beside others */
  bool seeds;        /* every run by itself too */
  size_t columns, rows;     /* sprint_plot_print: of a panel; 0: 80 and 20 */
  bool braille, colour;     /* sprint_plot_print: for terminals that show it; neither: plain ASCII */
  sprint_listener complain; /* gets a sentence for each thing that was not as it should be; NULL: nobody */
  void *user;
} sprint_plot_options;

/* Means over seeds with bands of a standard error, a panel for each point, by gnuplot: .svg, .png or .pdf, with the
 * script (.gp) and the numbers (.dat) beside it. `drawn` (or NULL) gets the path of each figure: with `paper` there is
 * a second one, whose name has -gradient before its ending. Refused: folders without a run, columns that no run has. */
SPRINT_API sprint_status sprint_plot_draw(sprint_context *context, const sprint_plot_options *options, const char *path,
                                          sprint_listener drawn);

/* The same in text, line by line. */
SPRINT_API sprint_status sprint_plot_print(sprint_context *context, const sprint_plot_options *options,
                                           sprint_listener line);

/* How far the runs in the folders are, line by line: a row for each method and point with its slowest run's epoch, rate
 * and time left, and what was not as it should be. The time left goes by finished runs beside it, and is not known
 * before there is one. Of the options, folders and columns count. *ret_going: runs that are not finished. */
SPRINT_API sprint_status sprint_progress_print(sprint_context *context, const sprint_plot_options *options,
                                               sprint_listener line, size_t *ret_going);

/* Refuses a figure's name that does not end in .svg, .png or .pdf: before the work that it is to show. */
SPRINT_API sprint_status sprint_figure_check(sprint_context *context, const char *path);

/* The landscape of the risk around a model theta: J(theta(t); theta(t')) along the line theta(t) = theta + t (towards -
 * theta), and V(theta(t, w)) = J at equal arguments on the plane that a second direction of the same length adds.
 * Where the line's slope of J in its first argument is 0, at t' = t, and rises, the line has a stable point; where V is
 * least, its optimum. Nothing is trained. */
typedef struct sprint_landscape sprint_landscape;

typedef struct sprint_landscape_options {
  size_t size;
  sprint_shift *shift;        /* with its model and population; required */
  const sprint_real *theta;   /* (n_params) required */
  const sprint_real *towards; /* (n_params) where t = 1; required: the start of a run, or another model */
  const sprint_real *second; /* (n_params) the way to it is the second direction; NULL: what gradients between theta and
                                `towards` have most in common beside the first */
  size_t grid;               /* values of t, and of w; 0: 41 */
  const sprint_real *path;   /* (n_path, n_params) thetas of a run, one after the other; or NULL */
  size_t n_path;
  bool (*progress)(void *user, double share); /* called now and then; false ends it with SPRINT_ERROR_CALLBACK */
  void *user;
} sprint_landscape_options;

/* Takes grid^2 passes over the population, and as many gradients where there is a second direction. Refused: a theta
 * that is `towards`. */
SPRINT_API sprint_status sprint_landscape_new(sprint_context *context, const sprint_landscape_options *options,
                                              sprint_landscape **ret_landscape);
SPRINT_API void sprint_landscape_free(sprint_landscape *landscape);

typedef enum sprint_mark { SPRINT_MARK_STABLE, SPRINT_MARK_OPTIMUM } sprint_mark;

/* Where a point is, on the line or, `plane`, on the plane: between grid values, by interpolation (exact where the risk
 * is quadratic) and for the optimum by a short search around it; of several stable points the one nearest to theta.
 * ret_w is 0 on the line, ret_risk is V there. False: there is none within the range. */
SPRINT_API bool sprint_landscape_mark(const sprint_landscape *landscape, sprint_mark mark, bool plane, double *ret_t,
                                      double *ret_w, double *ret_risk);

/* Whether it has a plane: gradients may all go along the line, as with one parameter. */
SPRINT_API bool sprint_landscape_has_plane(const sprint_landscape *landscape);
SPRINT_API double sprint_landscape_length(const sprint_landscape *landscape); /* |towards - theta| */
SPRINT_API void sprint_landscape_range(const sprint_landscape *landscape, double *ret_first,
                                       double *ret_last); /* of t */

/* As a figure by gnuplot, as sprint_plot_draw: heat maps of both, with the diagonal, the points and the path. `towards`
 * is what is at t = 1, in a few words ("the start"). */
SPRINT_API sprint_status sprint_landscape_draw(const sprint_landscape *landscape, const char *path,
                                               const char *towards);

#ifdef __cplusplus
}
#endif
#endif
