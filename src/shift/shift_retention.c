/* Retention, MATH.md section 2: people whom the model serves badly leave,
 *
 *     p_c(theta') = exp(-alpha l_c(theta')) / sum_c' exp(-alpha l_c'(theta')),
 *
 * l_c the mean loss of class c on the base population. The class losses are known exactly at every deployment, from a
 * fixed probe, from decayed means of the losses seen in batches, or from the newest snapshot. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "shift/shift.h"
#include "shift/tracked.h"

enum { PIECE = 1024 }; /* rows whose losses are worked out at once */

enum knowledge { EXACT, PROBE, RUNNING, SNAPSHOT };

struct retention {
  double alpha, rate;
  enum knowledge knowledge;
  bool known;                      /* state holds losses */
  size_t n_probe;                  /* of each class, at most */
  uint32_t *probe;                 /* (n_strata, n_probe) individuals */
  sprint_real *x, *y;              /* (PIECE, d), (PIECE) */
  uint32_t *members;               /* (PIECE) */
  double *losses;                  /* (n_strata) */
  double most;                     /* bytes that tracking may take */
  struct sprint__tracked *tracked; /* exact losses that follow the steps of a run, or NULL */
};

static void retention_free(sprint_shift *shift) {
  struct retention *r = shift->impl;
  if (!r) return;
  sprint__free(r->probe);
  sprint__free(r->x);
  sprint__free(r->y);
  sprint__free(r->members);
  sprint__tracked_free(r->tracked);
  sprint__free(r->losses);
  sprint__free(r);
}

static size_t stratum_size(const sprint_population *population, size_t c) {
  return population->stratum_start[c + 1] - population->stratum_start[c];
}

/* n_probe individuals of each class (all of a smaller one), by the seed of the section. */
static sprint_status choose_probe(sprint_shift *shift, uint64_t seed) {
  struct retention *r = shift->impl;
  const sprint_population *population = shift->population;
  r->probe = sprint__alloc(shift->context, population->n_strata * r->n_probe, sizeof *r->probe);
  uint32_t *order = sprint__alloc(shift->context, population->n, sizeof *order);
  if (!r->probe || !order) {
    sprint__free(order);
    return SPRINT_ERROR_MEMORY;
  }
  memcpy(order, population->by_stratum, population->n * sizeof *order);
  for (size_t c = 0; c < population->n_strata; c++) {
    uint32_t *members = order + population->stratum_start[c];
    size_t size = stratum_size(population, c);
    sprint__shuffle(seed + c, SPRINT__FOR_PROBE, members, (uint32_t)size);
    memcpy(r->probe + c * r->n_probe, members, (size < r->n_probe ? size : r->n_probe) * sizeof *members);
  }
  sprint__free(order);
  return SPRINT_OK;
}

static sprint_status retention_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct retention *r = shift->impl = sprint__alloc(shift->context, 1, sizeof *r);
  if (!r) return SPRINT_ERROR_MEMORY;
  size_t n_strata = shift->population->n_strata;
  if (n_strata < 2)
    return sprint__refuse(section, "kind", "'retention' needs classes to come and go; the data has none");
  r->alpha = sprint__get_real(section, "alpha");
  r->rate = sprint__get_real(section, "rate");
  r->knowledge = (enum knowledge)sprint__get_choice(section, "losses");
  r->n_probe = (size_t)sprint__get_integer(section, "probe");
  r->most = 1e6 * (double)sprint__get_integer(section, "gram");
  shift->ignores_theta = r->knowledge == SNAPSHOT;
  shift->forgets_theta = r->knowledge != RUNNING;
  r->x = sprint__alloc(shift->context, PIECE, shift->population->d * sizeof *r->x);
  r->y = sprint__alloc(shift->context, PIECE, sizeof *r->y);
  r->losses = sprint__alloc(shift->context, n_strata, sizeof *r->losses);
  r->members = sprint__alloc(shift->context, PIECE, sizeof *r->members);
  if (!r->x || !r->y || !r->losses || !r->members) return SPRINT_ERROR_MEMORY;
  if (r->knowledge == RUNNING || r->knowledge == SNAPSHOT) {
    shift->n_state = n_strata;
    shift->state = sprint__alloc(shift->context, n_strata, sizeof *shift->state);
    if (!shift->state) return SPRINT_ERROR_MEMORY;
  }
  return r->knowledge == PROBE ? choose_probe(shift, (uint64_t)sprint__get_integer(section, "seed")) : SPRINT_OK;
}

/* At theta of individuals who (n), at most PIECE of them, as base records. */
static double sum_of_losses(sprint_shift *shift, const sprint_real *theta, const uint32_t *who, size_t n) {
  struct retention *r = shift->impl;
  const sprint_population *population = shift->population;
  bool refers = sprint__shift_refers(shift);
  struct sprint__rows rows = {.n = n, .x = refers ? NULL : r->x, .y = r->y, .pixels = &population->pixels, .who = who};
  struct sprint__sums sums = {0, 0, NULL};
  for (size_t i = 0; i < n; i++) r->y[i] = population->y[who[i]];
  if (!refers) sprint__population_gather(population, who, 0, n, r->x);
  sprint__model_sums(shift->model, theta, &rows, &sums, NULL);
  return sums.loss;
}

/* The mean loss at theta of individuals who (n), all of one class. */
static double mean_loss(sprint_shift *shift, const sprint_real *theta, const uint32_t *who, size_t n) {
  double loss = 0;
  for (size_t start = 0; start < n; start += PIECE) {
    size_t rows = n - start < PIECE ? n - start : PIECE;
    loss += sum_of_losses(shift, theta, who + start, rows);
  }
  shift->evals += n;
  return loss / (double)n;
}

/* losses := l_c(theta) on the whole base population. */
static void exact_losses(sprint_shift *shift, const sprint_real *theta) {
  struct retention *r = shift->impl;
  const sprint_population *population = shift->population;
  for (size_t c = 0; c < population->n_strata; c++)
    r->losses[c] =
        mean_loss(shift, theta, population->by_stratum + population->stratum_start[c], stratum_size(population, c));
}

static void probe_losses(sprint_shift *shift, const sprint_real *theta) {
  struct retention *r = shift->impl;
  for (size_t c = 0; c < shift->population->n_strata; c++) {
    size_t size = stratum_size(shift->population, c);
    r->losses[c] = mean_loss(shift, theta, r->probe + c * r->n_probe, size < r->n_probe ? size : r->n_probe);
  }
}

/* Whether the losses to be known at this moment are those of the whole population. */
static bool retention_wants_losses(const sprint_shift *shift, enum sprint__moment moment) {
  const struct retention *r = shift->impl;
  if (moment == SPRINT__LOOKING || r->knowledge == EXACT) return true;
  return r->knowledge == SNAPSHOT && (moment == SPRINT__REFRESHING || !r->known);
}

/* By log-sum-exp: the smallest loss is taken off first. */
static void weigh(const struct retention *r, const double *losses, size_t n, double *ret_p) {
  double least = INFINITY, sum = 0;
  for (size_t c = 0; c < n; c++) least = fmin(least, losses[c]);
  for (size_t c = 0; c < n; c++) sum += ret_p[c] = exp(-r->alpha * (losses[c] - least));
  for (size_t c = 0; c < n; c++) ret_p[c] /= sum;
}

static void remember(sprint_shift *shift, const double *losses) {
  struct retention *r = shift->impl;
  for (size_t c = 0; c < shift->n_state; c++) shift->state[c] = (sprint_real)losses[c];
  r->known = true;
}

static sprint_status retention_prepare(sprint_shift *shift, size_t batch) {
  struct retention *r = shift->impl;
  sprint__tracked_free(r->tracked);
  r->tracked = NULL;
  return r->knowledge == EXACT ? sprint__tracked_new(shift, batch, r->most, &r->tracked) : SPRINT_OK;
}

static void retention_moved(sprint_shift *shift, const struct sprint__move *move) {
  struct retention *r = shift->impl;
  if (r->tracked && move)
    sprint__tracked_move(r->tracked, move);
  else if (r->tracked)
    sprint__tracked_forget(r->tracked);
}

static const sprint_real *retention_products(sprint_shift *shift, const uint32_t *who, size_t n) {
  struct retention *r = shift->impl;
  return r->tracked ? sprint__tracked_products(r->tracked, who, n) : NULL;
}

static void retention_from_losses(sprint_shift *shift, const double *losses, double *ret_p) {
  struct retention *r = shift->impl;
  if (r->tracked) sprint__tracked_forget(r->tracked);
  remember(shift, losses);
  for (size_t c = 0; c < shift->population->n_strata; c++)
    r->losses[c] = shift->state ? (double)shift->state[c] : losses[c];
  weigh(r, r->losses, shift->population->n_strata, ret_p);
}

static sprint_status retention_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                      double *ret_p) {
  struct retention *r = shift->impl;
  size_t n = shift->population->n_strata;
  if (retention_wants_losses(shift, moment) || (r->knowledge == RUNNING && !r->known)) {
    if (r->tracked && moment == SPRINT__REFRESHING) sprint__tracked_forget(r->tracked);
    if (r->tracked && moment != SPRINT__LOOKING) {
      sprint__tracked_losses(r->tracked, deployed, r->losses);
      shift->evals += shift->population->n;
    } else {
      exact_losses(shift, deployed);
    }
    if (moment != SPRINT__LOOKING) remember(shift, r->losses);
  } else if (r->knowledge == PROBE) {
    probe_losses(shift, deployed);
  }
  bool remembered = shift->state && moment != SPRINT__LOOKING;
  for (size_t c = 0; remembered && c < n; c++) r->losses[c] = (double)shift->state[c];
  weigh(r, r->losses, n, ret_p);
  return SPRINT_OK;
}

/* `running`: each class that was drawn moves its loss towards the mean over its records in the batch. */
static sprint_status retention_drawn(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, const sprint_real *x) {
  struct retention *r = shift->impl;
  size_t d = shift->population->d;
  if (r->knowledge != RUNNING) return SPRINT_OK;
  for (size_t c = 0; c < shift->population->n_strata; c++) {
    size_t rows = 0;
    double loss = 0;
    for (size_t start = 0, end; start < n; start = end) {
      size_t piece = 0;
      for (end = start; end < n && piece < PIECE; end++) {
        if (sprint__population_stratum(shift->population, who[end]) != c) continue;
        if (x) memcpy(r->x + piece * d, x + end * d, d * sizeof *x);
        r->members[piece] = who[end];
        r->y[piece++] = y[end];
      }
      if (piece == 0) continue;
      struct sprint__rows answers = {.n = piece, .x = r->x, .y = r->y};
      struct sprint__sums sums = {0, 0, NULL};
      if (x) sprint__model_sums(shift->model, deployed, &answers, &sums, NULL);
      loss += x ? sums.loss : sum_of_losses(shift, deployed, r->members, piece);
      rows += piece;
    }
    if (rows) shift->state[c] += (sprint_real)(r->rate * (loss / (double)rows - (double)shift->state[c]));
    shift->evals += rows;
  }
  return SPRINT_OK;
}

static const struct sprint__shift_ops retention_ops = {
    .setup = retention_setup,
    .free = retention_free,
    .strata = retention_strata,
    .wants_losses = retention_wants_losses,
    .from_losses = retention_from_losses,
    .prepare = retention_prepare,
    .moved = retention_moved,
    .products = retention_products,
    .drawn = retention_drawn,
};

static const sprint_param retention_params[] = {
    {.name = "alpha",
     .type = SPRINT_PARAM_REAL,
     .standard = "20",
     .min = 0,
     .max = 1e6,
     .help = "how strongly a class's loss drives it away"},
    {.name = "losses",
     .type = SPRINT_PARAM_CHOICE,
     .standard = "exact",
     .choices = "exact|probe|running|snapshot",
     .help = "how class losses are known: a full pass at each deployment; a fixed probe; decayed means over batches; a "
             "full pass at the start of each epoch"},
    {.name = "probe",
     .type = SPRINT_PARAM_INTEGER,
     .standard = "100",
     .min = 1,
     .max = 1e9,
     .help = "individuals of each class in the probe"},
    {.name = "seed", .type = SPRINT_PARAM_INTEGER, .standard = "1", .min = 0, .max = 1e15, .help = "of the probe"},
    {.name = "rate",
     .type = SPRINT_PARAM_REAL,
     .standard = "0.1",
     .min = 1e-9,
     .max = 1,
     .help = "of running means: weight of the newest batch"},
    {.name = "gram",
     .type = SPRINT_PARAM_INTEGER,
     .standard = "1000",
     .min = 0,
     .max = 1e6,
     .help = "of exact losses: megabytes that the products of images with each other may take, by which losses follow "
             "the steps (4 n^2 bytes; dense first layer, images mostly zero); 0: always by a full pass"},
};

const sprint_kind sprint__shift_retention = {"retention", "classes that are served badly leave: p_c ~ exp(-alpha l_c)",
                                             retention_params, SPRINT__COUNT(retention_params), &retention_ops};
