/* The table of options: the single source of what is parsed, printed by --help, and completed by shells. A new option
 * is one row. */
#include <stddef.h>
#include <string.h>

#include "cli.h"

#define FIELD(name) offsetof(struct cli_options, name)

const struct cli_option cli_option_table[] = {
    /* compare */
    {"budget", "KEY=AMOUNT", "compare", CLI_CHOICE, "ifo=|deployments=|samples=|epochs=|steps=|seconds=", true, true,
     .help = "where every run ends: ifo, deployments, samples, epochs, steps or seconds (of training; not the same to "
             "the byte twice); a ranking for each. All other stop rules are off, but for divergence"},
    {"methods", "M,M,...", "compare", CLI_TEXT, .field = FIELD(methods), .standard = "the config's `compare`",
     .help = "entries of the config's `compare` and kinds of method, each with settings over it: NAME[:KEY=VALUE]..., "
             "as in sgd,sprint:correction=unbiased:step.size=0.05; name=TEXT is what it is called"},
    {"by", "CRITERION", "compare", CLI_CHOICE, "grad|grad-mean|loss|accuracy|distance", .field = FIELD(by),
     .standard = "grad",
     .help = "of the last row: grad (|grad J|^2), grad-mean, loss, accuracy, distance (to eval.reference); grad and "
             "distance are compared on the log scale"},
    {"tune", "G,G,...", "compare", CLI_TEXT, .optional = true, .field = FIELD(tune),
     .standard = "no tuning; without sizes 0.001,0.003,0.01,0.03,0.1,0.3,1",
     .help = "first every method with each of these step sizes on seeds of their own, the best of which is then "
             "ranked"},

    /* check */
    {"starts", "N", "check", CLI_NUMBER, .standard = "3", .help = "seeds that every step is tried from"},
    {"effort", "OPS", "check", CLI_NUMBER,
     .standard = "1e11, some ten seconds on one core, but 5e9 for each method and point of a large grid",
     .help = "operations that all of it may take, about: more of them try longer runs"},
    {"json", "", "check", CLI_NOTHING, .field = FIELD(json), .standard = "off",
     .help = "the same as JSON on standard output"},

    /* theory */
    {"L", "X", "theory", CLI_NUMBER, .help = "smoothness of every record's loss in theta"},
    {"kappa", "X", "theory", CLI_NUMBER,
     .help = "sensitivity of J and its gradient to the deployment; or --L0 and --epsilon"},
    {"L0", "X", "theory", CLI_NUMBER, .help = "the first part of kappa: the loss's slope in the records"},
    {"epsilon", "X", "theory", CLI_NUMBER, .help = "the other part of kappa: how far the records move"},
    {"m", "M", "theory", CLI_NUMBER, .help = "steps of an epoch"},
    {"n", "N", "theory", CLI_NUMBER, .help = "individuals"},
    {"batch", "B", "theory", CLI_NUMBER, .standard = "1", .help = "records of a step"},
    {"delta0", "X", "theory", CLI_NUMBER, .help = "V(theta_0) less a lower bound of V"},
    {"sigma0", "X", "theory", CLI_NUMBER, .standard = "0",
     .help = "variance of a gradient <= sigma0^2 + sigma1^2 |grad J|^2"},
    {"sigma1", "X", "theory", CLI_NUMBER, .standard = "0", .help = "see --sigma0"},
    {"delta", "X", "theory", CLI_NUMBER, .help = "the mean |grad J|^2 that is wanted: steps and IFO until then"},
    {"gamma", "X", "theory", CLI_NUMBER, .standard = "the config's step", .help = "is this step size covered?"},
    {"beta", "X", "theory", CLI_NUMBER, .standard = "the best one", .help = "the beta that goes with --gamma"},
    {"rounds", "T", "theory", CLI_NUMBER, .standard = "the config's steps",
     .help = "steps that the bound is worked out for"},
    {"model", "FILE", "theory", CLI_FILE, ".safetensors|.npy", .standard = "where a run starts",
     .help = "theta at which constants are estimated"},
    {"sample", "N", "theory", CLI_NUMBER, .standard = "2000", .help = "individuals that constants are estimated from"},
    {"probes", "N", "theory", CLI_NUMBER, .standard = "12", .help = "random directions that are probed"},
    {"check", "RUN", "theory", CLI_FOLDER, .help = "compare a saved run of CONFIG with the bound"},
    {"out", "FIGURE", "theory", CLI_FILE, ".svg|.png|.pdf", .field = FIELD(out), .standard = "no figure",
     .help = "draw c_k and Gamma_k: .svg, .png or .pdf"},

    /* plot */
    {"x", "COLUMN", "plot|watch", CLI_CHOICE, "epoch|ifo|samples|deployments|seconds", .standard = "epoch",
     .help = "what curves are drawn against: epoch, ifo, samples, deployments, seconds, or another column of trace.csv "
             "that only grows"},
    {"y", "COLUMN,...", "plot|watch", CLI_CHOICE,
     "loss|accuracy|grad|grad-mean|classes|moved|bias|people|loss_base|accuracy_base|loss_heldout|accuracy_heldout|"
     "entropy|drift|kappa|distance",
     .standard = "loss",
     .help = "what is drawn: columns of trace.csv, a row of panels for each; grad, grad-mean, classes and people are "
             "gradient_sq, gradient_sq_mean, effective_classes and displacement"},
    {"paper", "NAME", "plot", CLI_CHOICE, "credit|mnist|cifar10",
     .help = "the paper's figures of its experiments: accuracy over loss for each alpha, and the squared gradient norm "
             "in a second figure"},
    {"out", "FIGURE", "plot", CLI_FILE, ".svg|.png|.pdf", .field = FIELD(out), .standard = "a plot in text",
     .help = "where the figure goes, drawn by gnuplot: .svg, .png or .pdf; its script (.gp) and numbers (.dat) stay "
             "beside it"},
    {"log", "", "plot|watch", CLI_NOTHING, .standard = "off", .help = "a logarithmic y axis"},
    {"seeds", "", "plot", CLI_NOTHING, .standard = "means alone", .help = "every run as a thin line too"},

    /* landscape */
    {"model", "FILE", "landscape", CLI_FILE, ".safetensors|.npy", true,
     .help = "theta, around which the risk is looked at"},
    {"towards", "FILE", "landscape", CLI_FILE, ".safetensors|.npy", .standard = "where the run starts",
     .help = "where the line from the model goes to"},
    {"across", "FILE", "landscape", CLI_FILE, ".safetensors|.npy",
     .standard = "the direction that gradients on the way have most in common",
     .help = "the way to this model is the plane's second direction"},
    {"method", "NAME", "landscape", CLI_TEXT, .standard = "that of the model's folder, else the config's first",
     .help = "the method of the config whose path is drawn, which trains it once more; none: no path"},
    {"grid", "N", "landscape", CLI_NUMBER, .standard = "41",
     .help = "values along each axis: N x N passes over the population, and as many gradients"},
    {"out", "FIGURE", "landscape", CLI_FILE, ".svg|.png|.pdf", .field = FIELD(out), .standard = "numbers alone",
     .help = "where the figure goes, drawn by gnuplot: .svg, .png or .pdf"},

    /* fit-shift */
    {"log", "DATA.csv=MODEL[@TIME]", "fit-shift", CLI_FILE, ".csv", true, true,
     .help =
         "records that were collected while the model was in force, or DATA.csv=none for base records; logs under one "
         "model tell drift. Times count in any unit; without them the order does: 0, 1, 2, ..."},
    {"kind", "KIND", "fit-shift", CLI_CHOICE, "strategic|linear|location|retention", .standard = "strategic",
     .help = "of response, as `sprint list shifts` has it"},
    {"id", "COLUMN", "fit-shift", CLI_TEXT, .standard = "distributions are compared",
     .help = "by which people are found again in other logs"},
    {"good", "CLASS", "fit-shift", CLI_TEXT,
     .help = "strategic: the class that people want to be in; asked for, never guessed"},
    {"score", "SCORE", "fit-shift", CLI_CHOICE, "logit|probability", .standard = "logit",
     .help = "strategic: what people want higher"},
    {"columns", "C,C,...", "fit-shift", CLI_TEXT, .standard = "all features",
     .help = "strategic and linear: the features that people can change"},
    {"label", "COLUMN", "fit-shift", CLI_TEXT, .standard = "the one that the models were trained on",
     .help = "retention: the column of the classes"},
    {"form", "FORM", "fit-shift", CLI_CHOICE, "matrix|diagonal|scalar",
     .standard = "matrix, or scalar where the deployments do not tell it", .help = "location: what A may be"},
    {"bootstrap", "N", "fit-shift", CLI_NUMBER, .standard = "1000", .help = "resamples behind the standard errors"},
    {"seed", "S", "fit-shift", CLI_NUMBER, .standard = "1", .help = "of the bootstrap"},
    {"json", "", "fit-shift", CLI_NOTHING, .standard = "off", .help = "the result as JSON"},
    {"matrix", "FILE.npy", "fit-shift", CLI_FILE, ".npy", .standard = "not written", .help = "location: A goes here"},
    {"out", "FILE.yaml", "fit-shift", CLI_FILE, ".yaml|.yml", .field = FIELD(out), .standard = "standard output alone",
     .help = "the `shift:` section goes here too"},

    /* ask and tell */
    {"config", "CONFIG.yaml", "ask", CLI_FILE, ".yaml|.yml", .standard = "STATE is there already",
     .help =
         "begin a solver in STATE by the config's data, model, method, step, deploy and stop; where there is one, it "
         "must be of this config"},
    {"json", "", "ask", CLI_NOTHING, .field = FIELD(json), .standard = "off", .help = "the same as JSON"},
    {"request", "R", "tell", CLI_NUMBER, .standard = "not said",
     .help = "the request that the records are for: a part that is told twice is refused"},
    {"deployment", "D", "tell", CLI_NUMBER, .standard = "the column `deployment`",
     .help = "the deployment that made all rows of files without that column"},
    {"stale", "D", "tell", CLI_NUMBER, .standard = "older records are refused",
     .help = "take records of deployments older than wanted, from this one on, as such; they are counted"},
    {"repeats", "", "tell", CLI_NOTHING, .standard = "an id that is there twice is refused",
     .help = "people may be there more than once, as in draws with replacement"},
    {"discard", "", "tell", CLI_NOTHING, .standard = "off",
     .help = "without records: what was told of the request counts for nothing"},
    {"json", "", "tell", CLI_NOTHING, .field = FIELD(json), .standard = "off", .help = "what came of it as JSON"},

    /* where results go */
    {"params", "FILE", "grad", CLI_FILE, ".npy|.safetensors", true, .field = FIELD(params),
     .help = "theta: .npy (flat) or .safetensors"},
    {"deployed", "FILE", "grad", CLI_FILE, ".npy|.safetensors", .field = FIELD(deployed), .standard = "theta",
     .help = "theta' that the population reacts to"},
    {"deployed", "FILE", "data export", CLI_FILE, ".npy|.safetensors", .field = FIELD(deployed),
     .standard = "the base population alone", .help = "theta' that the population reacts to"},
    {"out", "DIR", "run", CLI_FOLDER, .field = FIELD(out), .standard = "the config's `out`, else runs/NAME",
     .help = "where the runs go"},
    {"out", "DIR", "compare", CLI_FOLDER, .field = FIELD(out), .standard = "runs/NAME-compare",
     .help = "where runs and rankings go"},
    {"out", "DIR", "reproduce", CLI_FOLDER, .field = FIELD(out), .standard = "runs/NAME", .help = "where the runs go"},
    {"out", "FILE.html", "report", CLI_FILE, ".html|.htm", .field = FIELD(out), .standard = "report.html in DIR",
     .help = "where the page goes"},
    {"out", "FILE.csv", "predict", CLI_FILE, ".csv", .field = FIELD(out),
     .standard = "standard output; with --label nowhere",
     .help = "where the scores go; with --label, `-` puts them on standard output and the metrics on standard error"},
    {"out", "FILE", "grad|init", CLI_FILE, ".npy|.safetensors", true, .field = FIELD(out),
     .help = "where the numbers go: .npy (flat) or .safetensors"},
    {"out", "PREFIX", "data export", CLI_FILE, NULL, true, .field = FIELD(out),
     .help = "what the files begin with: PREFIX-x.npy, PREFIX-y.npy, with --deployed PREFIX-x-deployed.npy"},
    {"dir", "DIR", "data get", CLI_FOLDER, .field = FIELD(dir),
     .standard = "SPRINT_DATA, else the folder `sprint` in XDG_DATA_HOME or ~/.local/share",
     .help = "where the set goes"},

    /* data info */
    {"config", "", "data info", CLI_NOTHING, .standard = "off",
     .help = "write a first config for a CSV to standard output: what its columns are is guessed, and every guess is a "
             "comment"},
    {"label", "COLUMN", "data info", CLI_TEXT, .standard = "guessed where one is plausible, else to be filled in",
     .help = "with --config: the column to predict"},

    {"memory", "MB", "tell|predict|data info", CLI_NUMBER, .standard = "64 times the size of the file, and 256",
     .help = "memory that may be taken; what needs more is refused, with what it "
             "needs"},

    /* of many */
    {"set", "KEY.PATH=VALUE", "ask|run|check|compare|reproduce|grad|init|theory|landscape|data export", CLI_SETTING,
     .often = true, .help = "lay a value over the config, as YAML"},
    {"seed", "S", "run|check|init|theory|landscape", CLI_NUMBER, .field = FIELD(seed),
     .standard = "the config's `seeds`", .help = "one seed instead of the config's"},
    {"seeds", "S,S,...", "run|reproduce", CLI_TEXT, .field = FIELD(seeds), .standard = "the config's `seeds`",
     .help = "these seeds instead of the config's"},
    {"seeds", "N|S,S,...", "compare", CLI_TEXT, .field = FIELD(seeds), .standard = "the config's `seeds`",
     .help = "so many seeds, or these, instead of the config's"},
    {"quick", "", "run|check|compare|reproduce|landscape", CLI_NOTHING, .field = FIELD(quick), .standard = "off",
     .help = "the config's `quick` settings over the others: a subset, few epochs"},
    {"label", "COLUMN", "predict", CLI_TEXT, .standard = "rows are scored, and that is all",
     .help = "the column that says what came of each row: how good the model is on them is printed, and the scores are "
             "written where --out says"},
    {"positive", "CLASS", "predict", CLI_TEXT, .standard = "the model's, by its config's eval.positive",
     .help = "of two classes, the one that recall, precision, AUC and calibration are about"},
    {"threshold", "P", "predict", CLI_NUMBER, .standard = "the model's, by its config's eval.threshold",
     .help = "of two classes, the positive one is predicted from this probability on"},
    {"weight", "COLUMN", "predict", CLI_TEXT, .standard = "the model's weight column, where the file has it",
     .help = "with --label: how many people each row stands for"},
    {"unweighted", "", "predict", CLI_NOTHING, .standard = "off", .help = "with --label: every row counts once"},
    {"json", "", "predict", CLI_NOTHING, .field = FIELD(json), .standard = "off",
     .help = "with --label: the metrics as JSON"},
    {"anyway", "", "predict", CLI_NOTHING, .standard = "such a model is refused",
     .help = "also with a model whose run diverged, or whose numbers are not all finite"},
    {"only", "METHOD,...", "run|reproduce", CLI_TEXT, .standard = "all of the config's",
     .help = "of the config's methods, these; their folders are as with all"},
    {"json", "", "run|reproduce", CLI_NOTHING, .field = FIELD(json), .standard = "off",
     .help = "the summary as JSON alone on standard output, and all else on standard error"},
    {"jobs", "N", "run|compare|reproduce", CLI_NUMBER, .field = FIELD(jobs),
     .standard = "one per thread where an epoch is less than 1e12 operations, else one after the other on all threads",
     .help = "runs at a time, one thread each"},
    {"checkpoint", "SECONDS", "run|reproduce", CLI_NUMBER, .standard = "5, and at most a hundredth of the time",
     .help = "seconds between two checkpoints of a run, from which it goes on after a kill"},
    {"threads", "N", "ask|tell|run|check|compare|reproduce|predict|grad|theory|landscape|fit-shift|verify", CLI_NUMBER,
     .standard = "0: one per core", .help = "threads to use; results do not depend on it"},
    {"data", "DIR",
     "ask|run|check|compare|reproduce|grad|init|theory|landscape|data list|data check|data info|data export",
     CLI_FOLDER, .standard = "SPRINT_DATA, else the folder `sprint` in XDG_DATA_HOME or ~/.local/share",
     .help = "where data files are looked for that are not here"},
    {"plugin", "FILE.so", "run|check|compare|reproduce|predict|grad|init|theory|landscape|fit-shift|list|data export",
     CLI_FILE, ".so", .often = true, .help = "load kinds of your own"},
};

const size_t cli_n_options = sizeof cli_option_table / sizeof cli_option_table[0];

const struct cli_option *cli_option_next(const struct cli_command *command, size_t *at) {
  while (*at < cli_n_options) {
    const struct cli_option *option = &cli_option_table[(*at)++];
    if (cli_has_word(option->commands, command->name)) return option;
  }
  return NULL;
}

const struct cli_option *cli_option_find(const struct cli_command *command, const char *name) {
  const struct cli_option *option;
  for (size_t at = 0; (option = cli_option_next(command, &at));)
    if (strcmp(option->name, name) == 0) return option;
  return NULL;
}
