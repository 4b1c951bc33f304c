/* Colours and dashes: see styles.h. */
#include "report/styles.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VERMILLION, BLUE, GREEN, ORANGE, PURPLE, SKY, BLACK };
enum { WHOLE, DASHED, DOTTED, DASH_DOT, LONG };

static const struct {
  const char *colour;
  int terminal;
} colours[SPRINT__N_COLOURS] = {
    {"#D55E00", 166}, {"#0072B2", 25}, {"#009E73", 36},  {"#E69F00", 178},
    {"#CC79A7", 175}, {"#56B4E9", 74}, {"#000000", 245},
};

static const char *const dashes[SPRINT__N_DASHES] = {"", "6,3", "2,2.5", "7,2.5,2,2.5", "12,4"};

/* The methods of the library; those that are compared most differ in colour and dash. */
static const struct look {
  const char *kind, *correction;
  size_t colour, dash;
} looks[] = {
    {"sgd", "", VERMILLION, DASHED},
    {"sprint", "paper", BLUE, DASH_DOT},
    {"sprint", "unbiased", GREEN, WHOLE},
    {"sprint", "coupled", PURPLE, LONG},
    {"sprint", "stratified", SKY, DASHED},
    {"sprint", "", GREEN, WHOLE},
    {"rgd", "", BLACK, DOTTED},
    {"saga", "", ORANGE, LONG},
    {"sarah", "", PURPLE, DOTTED},
    {"spider", "", SKY, DASH_DOT},
    {"page", "", ORANGE, DOTTED},
    {"rrm", "", BLACK, WHOLE},
    {"clipped", "", VERMILLION, DOTTED},
    {"perfgd", "", ORANGE, DASH_DOT},
    {"perfgd-full", "", ORANGE, WHOLE},
    {"dfo", "", BLACK, DASH_DOT},
    {"two-stage", "", PURPLE, WHOLE},
};

/* The name in small letters without marks, cut to the room (size). */
static void squeeze(const char *name, char *ret_text, size_t size) {
  size_t n = 0;
  for (; *name && n + 1 < size; name++)
    if (isalnum((unsigned char)*name)) ret_text[n++] = (char)tolower((unsigned char)*name);
  ret_text[n] = '\0';
}

/* Whether the name is a usual one for the look: its kind, its correction or both; SGD-GD for sgd. */
static bool is_usual(const char *name, const struct look *look) {
  char got[64], kind[64], correction[64], both[128];
  squeeze(name, got, sizeof got);
  squeeze(look->kind, kind, sizeof kind);
  squeeze(look->correction, correction, sizeof correction);
  memcpy(both, kind, strlen(kind) + 1);
  strcat(both, correction);
  return strcmp(got, both) == 0 || strcmp(got, kind) == 0 || (*correction && strcmp(got, correction) == 0) ||
         (strcmp(kind, "sgd") == 0 && strcmp(got, "sgdgd") == 0);
}

static const struct look *look_of(const struct sprint__styled *method) {
  const struct look *by_kind = NULL;
  for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
    const struct look *look = &looks[i];
    if (!*method->kind && is_usual(method->name, look)) return look;
    if (strcmp(method->kind, look->kind) != 0) continue;
    if (strcmp(method->correction, look->correction) == 0) return look;
    if (!by_kind) by_kind = look;
  }
  return by_kind;
}

/* FNV-1a: the same on every machine. */
static uint32_t hash(const char *text) {
  uint32_t h = 2166136261u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
  return h ^ h >> 15;
}

struct claim {
  const struct sprint__styled *method;
  size_t number, colour, dash;
  bool usual;
};

static struct claim claim_of(const struct sprint__styled *method, size_t number) {
  const struct look *look = look_of(method);
  uint32_t h = hash(method->name);
  struct claim claim = {method, number, h % SPRINT__N_COLOURS, h / SPRINT__N_COLOURS % SPRINT__N_DASHES, false};
  if (!look || !is_usual(method->name, look)) return claim;
  return (struct claim){method, number, look->colour, look->dash, true};
}

static int order_claims(const void *a, const void *b) {
  const struct claim *x = a, *y = b;
  return x->usual != y->usual ? y->usual - x->usual : strcmp(x->method->name, y->method->name);
}

/* A usual look is taken as it is, while it is free. Any other one takes the next colour that nobody has, and where all
 * are taken, the next colour and dash that are free. */
static void settle(struct claim *claim, bool taken[SPRINT__N_COLOURS][SPRINT__N_DASHES],
                   size_t n_of[SPRINT__N_COLOURS]) {
  size_t start = claim->colour;
  for (size_t i = 0; !claim->usual && i < SPRINT__N_COLOURS; i++) {
    claim->colour = (start + i) % SPRINT__N_COLOURS;
    if (n_of[claim->colour] == 0) break;
    claim->colour = start;
  }
  for (size_t i = 0; i < SPRINT__N_COLOURS * SPRINT__N_DASHES && taken[claim->colour][claim->dash]; i++) {
    claim->colour = (claim->colour + 1) % SPRINT__N_COLOURS;
    if (claim->colour == start) claim->dash = (claim->dash + 1) % SPRINT__N_DASHES;
  }
  taken[claim->colour][claim->dash] = true;
  n_of[claim->colour]++;
}

/* Up to so many at a time are told apart. */
static void assign_some(const struct sprint__styled *methods, size_t n, struct sprint__style *ret_styles) {
  struct claim claims[SPRINT__N_COLOURS * SPRINT__N_DASHES];
  bool taken[SPRINT__N_COLOURS][SPRINT__N_DASHES] = {{false}};
  size_t n_of[SPRINT__N_COLOURS] = {0};
  for (size_t i = 0; i < n; i++) claims[i] = claim_of(&methods[i], i);
  qsort(claims, n, sizeof *claims, order_claims);
  for (size_t i = 0; i < n; i++) {
    settle(&claims[i], taken, n_of);
    ret_styles[claims[i].number] =
        (struct sprint__style){colours[claims[i].colour].colour, dashes[claims[i].dash],
                               colours[claims[i].colour].terminal, claims[i].colour, claims[i].dash};
  }
}

void sprint__styles_assign(const struct sprint__styled *methods, size_t n, struct sprint__style *ret_styles) {
  size_t most = SPRINT__N_COLOURS * SPRINT__N_DASHES;
  for (size_t i = 0; i < n; i += most) assign_some(methods + i, n - i < most ? n - i : most, ret_styles + i);
}
