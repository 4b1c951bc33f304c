/* Whether records mapped back to the base look alike whatever the model was: Wasserstein-1 distances between logs,
 * column by column, against those of records that were dealt to the logs by chance. That the response was chosen to
 * bring means together makes them smaller, so that the test errs on the side of a good fit. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "fit/moves.h"

enum { MOST = 20000, PERMUTATIONS = 199 };

struct sorted {
  double value;
  uint32_t record; /* of those that are looked at */
};

static int by_value(const void *a, const void *b) {
  const struct sorted *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return (p->record > q->record) - (p->record < q->record);
}

struct distance {
  size_t n, n_logs, m;
  uint32_t *log;         /* (n) */
  double *size;          /* (n_logs) */
  double *share;         /* (n_logs) room */
  struct sorted *sorted; /* (m, n) */
};

/* Mean over columns and pairs of logs of the integral of |F_k - F_l|. */
static double measure(const struct distance *d) {
  double sum = 0;
  for (size_t j = 0; j < d->m; j++) {
    const struct sorted *at = d->sorted + j * d->n;
    for (size_t k = 0; k < d->n_logs; k++) d->share[k] = 0;
    for (size_t i = 0; i + 1 < d->n; i++) {
      double gap = at[i + 1].value - at[i].value;
      uint32_t log = d->log[at[i].record];
      d->share[log] += 1 / d->size[log];
      for (size_t k = 0; gap > 0 && k < d->n_logs; k++)
        for (size_t l = 0; l < k; l++) sum += gap * fabs(d->share[k] - d->share[l]);
    }
  }
  return sum / ((double)d->m * (double)(d->n_logs * (d->n_logs - 1) / 2));
}

/* Values of every step-th record: z less the drift and, `back`, less the move. */
static void fill(const struct sprint__moves *moves, size_t step, bool back, struct distance *d) {
  const struct sprint__fit_people *people = &moves->fit->people;
  for (size_t j = 0; j < d->m; j++) {
    struct sorted *at = d->sorted + j * d->n;
    for (size_t i = 0; i < d->n; i++) {
      size_t o = i * step;
      double drift = moves->r > moves->q ? moves->beta[j * moves->r + moves->q] : 0;
      double value = moves->z[o * d->m + j] - drift * moves->fit->logs[people->log[o]].time;
      at[i] = (struct sorted){back ? value - sprint__moves_of(moves, o, j) : value, (uint32_t)i};
    }
    qsort(at, d->n, sizeof *at, by_value);
  }
}

static double permute(const struct sprint__moves *moves, struct distance *d, double seen) {
  size_t as_far = 1;
  for (size_t k = 0; k < PERMUTATIONS; k++) {
    sprint__shuffle(moves->fit->options.seed + k, SPRINT__FOR_PERMUTING, d->log, (uint32_t)d->n);
    as_far += measure(d) >= seen;
  }
  return (double)as_far / (PERMUTATIONS + 1);
}

sprint_status sprint__moves_distance(struct sprint__moves *moves) {
  SPRINT__SCRATCH(room, moves->fit->context);
  sprint_fit *fit = moves->fit;
  const struct sprint__fit_people *people = &fit->people;
  size_t step = (people->n_records + MOST - 1) / MOST, n = (people->n_records + step - 1) / step;
  struct distance d = {.n = n, .n_logs = fit->n_logs, .m = moves->m};
  d.log = sprint__arena_take(&room, n, sizeof *d.log);
  d.size = sprint__arena_take(&room, fit->n_logs, sizeof *d.size);
  d.share = sprint__arena_take(&room, fit->n_logs, sizeof *d.share);
  d.sorted = sprint__arena_take(&room, n, moves->m * sizeof *d.sorted);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < n; i++) {
    d.log[i] = people->log[i * step];
    d.size[d.log[i]]++;
  }
  fill(moves, step, false, &d);
  fit->summary.before = measure(&d);
  fill(moves, step, true, &d);
  fit->summary.after = measure(&d);
  fit->summary.fit_p = permute(moves, &d, fit->summary.after);
  return SPRINT_OK;
}
