/* Moves within limits: see limits.h. Everybody's problem is one of single columns, but for the budget: the best move is
 * then the nearest that is allowed, and with a budget the nearest of a part s of it, the largest s that can be paid
 * for (the same for all columns of one alpha, as Lagrange's multiplier has it). */
#include "shift/limits.h"

#include <float.h>
#include <math.h>

#include "base/lanes.h"

/* One person: the record before the move, what limits are counted from, and the slopes. */
struct person {
  const struct sprint__limits *limits;
  const sprint_real *x, *base, *g; /* (d) */
};

struct range {
  sprint_real low, high;
};

static sprint_real within(struct range range, double value) {
  if (!(value > (double)range.low)) return range.low;
  return value < (double)range.high ? (sprint_real)value : range.high;
}

/* Where the person may be in column k: never further out than they are. Bounds that round against one-sidedness, for
 * somebody who stands on one, go before it. */
static struct range range_of(const struct person *person, size_t k) {
  const struct sprint__limit *limit = &person->limits->items[k];
  sprint_real base = person->base[person->limits->columns[k]];
  struct range range = {base < limit->lowest ? base : limit->floor, base > limit->highest ? base : limit->ceiling};
  if (limit->up && base > range.low) range.low = base < range.high ? base : range.high;
  if (limit->down && base < range.high) range.high = base > range.low ? base : range.low;
  return range;
}

/* Where the slope alone would have them. */
static double target_of(const struct person *person, size_t k) {
  const struct sprint__limit *limit = &person->limits->items[k];
  size_t j = person->limits->columns[k];
  return (double)person->x[j] + limit->alpha / limit->cost * (double)person->g[j];
}

/* The same for the part s of the way from the base record. */
static sprint_real place_of(const struct person *person, size_t k, double s) {
  const struct sprint__limits *limits = person->limits;
  double target = target_of(person, k), base = (double)person->base[limits->columns[k]];
  if (s < 1) {
    double slower = limits->most_alpha > 0 ? limits->items[k].alpha / limits->most_alpha : 1;
    target = base + (target - base) * (s > 0 ? s / (s + (1 - s) * slower) : 0);
  }
  return within(range_of(person, k), target);
}

static double spent(const struct person *person, double s) {
  double sum = 0;
  for (size_t k = 0; k < person->limits->n; k++) {
    double move = (double)place_of(person, k, s) - (double)person->base[person->limits->columns[k]];
    sum += person->limits->items[k].cost * move * move;
  }
  return sqrt(sum);
}

/* The largest part of the way that the budget pays for, short of it by a part in a million: as much less as it is too
 * far, where nothing else binds; otherwise found by halving. */
static double part_paid_for(const struct person *person) {
  enum { HALVINGS = 60 };
  const double enough = person->limits->budget * (1 - 1e-6), guess = person->limits->budget * (1 - 5e-7);
  double all = spent(person, 1), low = 0, high = 1, paid = 0;
  if (!(all > person->limits->budget)) return 1;
  for (int i = 0; i < HALVINGS && !(paid >= enough); i++) {
    double middle = i == 0 ? guess / all : (low + high) / 2, price = spent(person, middle);
    if (price > person->limits->budget) {
      high = middle;
    } else {
      low = middle;
      paid = price;
    }
  }
  return low;
}

/* What is lost of a raw value on the way to a feature and back. */
static double rounding_of(const struct sprint__column *column, sprint_real feature) {
  double unit = sizeof(sprint_real) == 8 ? DBL_EPSILON : (double)FLT_EPSILON;
  return 4 * unit * (fabs(column->mean) + column->scale * fabs((double)feature));
}

/* Takes the feature of a raw whole number, if the range has it. */
static bool take_whole(const struct sprint__column *column, struct range range, double raw, sprint_real *ret_x) {
  sprint_real feature = sprint__column_place(column, raw), inside = within(range, (double)feature);
  if (column->scale * fabs((double)feature - (double)inside) > rounding_of(column, feature)) return false;
  *ret_x = inside;
  return true;
}

/* The nearest of the whole numbers of the range and the base value; with a budget, none that is further away. */
static sprint_real whole_near(const struct person *person, size_t k, sprint_real place) {
  const struct sprint__column *column = person->limits->items[k].column;
  sprint_real base = person->base[person->limits->columns[k]], found = base;
  struct range range = range_of(person, k);
  double raw = sprint__column_raw(column, place), from = sprint__column_raw(column, base);
  double slack = rounding_of(column, place), towards = from > raw ? 1 : -1, whole = round(raw);
  if (isfinite(person->limits->budget)) whole = towards > 0 ? ceil(raw - slack) : floor(raw + slack);
  bool taken = take_whole(column, range, whole, &found);
  if (!taken) taken = take_whole(column, range, whole += towards, &found);
  bool base_is_whole = fabs(from - round(from)) <= rounding_of(column, base);
  if (!taken || (!base_is_whole && fabs(from - raw) <= fabs(whole - raw))) return within(range, (double)base);
  return found;
}

/* Writes where the person goes over where they are. */
static void move_person(const struct person *person, double part, sprint_real *x) {
  const struct sprint__limits *limits = person->limits;
  for (size_t k = 0; k < limits->n; k++) {
    sprint_real place = place_of(person, k, part);
    x[limits->columns[k]] = limits->items[k].whole ? whole_near(person, k, place) : place;
  }
}

struct work {
  const struct sprint__limits *limits;
  size_t d;
  const sprint_real *base, *g;
  sprint_real *x;
};

static void move_rows(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct work *work = user;
  for (size_t i = start; i < end; i++) {
    size_t at = i * work->d;
    struct person person = {work->limits, work->x + at, work->base + at, work->g + at};
    double part = isfinite(work->limits->budget) ? part_paid_for(&person) : 1;
    move_person(&person, part, work->x + at);
  }
}

/* Rows do not know of each other: lanes are for speed alone. */
void sprint__limits_move(const struct sprint__limits *limits, sprint_context *context, size_t n, size_t d,
                         const sprint_real *base, const sprint_real *g, sprint_real *x) {
  struct work work = {limits, d, base, g, x};
  double cost = (isfinite(limits->budget) ? 200.0 : 20.0) * (double)limits->n;
  sprint__lanes_run(context, n, sprint__lanes_for(n, cost, 0), move_rows, &work);
}

void sprint__limits_pull(const struct sprint__limits *limits, size_t n, size_t d, const sprint_real *x,
                         const sprint_real *g, const sprint_real *u, sprint_real *ret_u) {
  for (size_t i = 0; i < n * d; i++) ret_u[i] = 0;
  for (size_t i = 0; i < n; i++) {
    struct person person = {limits, x + i * d, x + i * d, g + i * d};
    for (size_t k = 0; k < limits->n; k++) {
      size_t at = i * d + limits->columns[k];
      struct range range = range_of(&person, k);
      double target = target_of(&person, k), rate = limits->items[k].alpha / limits->items[k].cost;
      bool is_free = limits->even || (target >= (double)range.low && target <= (double)range.high);
      if (is_free) ret_u[at] = (sprint_real)(rate * (double)u[at]);
    }
  }
}
