/* A section: the checked values of one config mapping, read by the parameter tables of its family and kind. The tables
 * are the single source for keys, types, ranges, defaults and help. */
#ifndef SPRINT_CONFIG_SECTION_H
#define SPRINT_CONFIG_SECTION_H

#include "config/names.h"
#include "config/node.h"

struct sprint__section;

/* A default of "" is no value: real is NaN, integer 0, flag false, text "", no items, section NULL. */
struct sprint__value {
  const sprint_param *param;
  bool given; /* false: the default */
  struct sprint__place place;
  double real;     /* REAL */
  int64_t integer; /* INTEGER */
  bool flag;       /* BOOL */
  char *text;      /* TEXT, CHOICE; NUMBERS and RANGES that are one of the choices as a whole, otherwise NULL */
  char **texts;    /* TEXTS (n_items); the names of NUMBERS and RANGES */
  double *reals;   /* REALS, NUMBERS (n_items); RANGES (n_items, 2), an open end is infinite, a choice has NaN */
  char **words;    /* RANGES (n_items) the choice in place of a range, or NULL */
  size_t n_items;
  struct sprint__section *section; /* KIND */
};

struct sprint__section {
  sprint_context *context;
  struct sprint__arena arena; /* of all its values, and of the names in places */
  const sprint_family *family;
  const sprint_kind *kind;
  char *path; /* of the section in the config, "shift"; "" for the root */
  struct sprint__place place;
  size_t n_values;
  struct sprint__value *values;
};

/* Reads `node` (NULL: all defaults) as a section of the family. A scalar node stands for {kind: scalar}. Unknown keys,
 * wrong types and values out of range are refused with file, line, key, value, what was expected, and the nearest
 * valid name. `path` is the section's dotted path in messages. The section keeps nothing of the node. */
sprint_status sprint__section_read(sprint_context *context, const sprint_family *family,
                                   const struct sprint__node *node, const char *path,
                                   struct sprint__section **ret_section);

/* The same from a text, as the C interface takes it; `name` stands for the file in messages, the family's key is the
 * path. NULL or empty text: all defaults. */
sprint_status sprint__section_parse(sprint_context *context, const sprint_family *family, const char *text,
                                    const char *name, struct sprint__section **ret_section);
void sprint__section_free(struct sprint__section *section);
SPRINT__FREE_AT(sprint__section_free, struct sprint__section)

/* The section as a config would say it on one line: the kind's name where it has no parameters, else
 * "{kind: NAME, KEY: VALUE, ...}" with all that have a value; nested sections are left out. Yours to free, or NULL. */
char *sprint__section_text(const struct sprint__section *section);

/* The kind of this name that the context knows of the family, or NULL. */
const sprint_kind *sprint__kind_find(const sprint_context *context, const sprint_family *family, const char *name);

/* The names of all of them, of the arena; NULL with the error set. */
const char **sprint__kind_names(struct sprint__arena *arena, const sprint_family *family, size_t *ret_n);

/* Rows of a parameter table: name, default (NULL: required), what else the type takes, help. */
#define SPRINT__REAL(NAME, STANDARD, MIN, MAX, HELP) \
  { NAME, SPRINT_PARAM_REAL, STANDARD, MIN, MAX, NULL, NULL, HELP }
#define SPRINT__INTEGER(NAME, STANDARD, MIN, MAX, HELP) \
  { NAME, SPRINT_PARAM_INTEGER, STANDARD, MIN, MAX, NULL, NULL, HELP }
#define SPRINT__REALS(NAME, STANDARD, MIN, MAX, HELP) \
  { NAME, SPRINT_PARAM_REALS, STANDARD, MIN, MAX, NULL, NULL, HELP }
#define SPRINT__NUMBERS(NAME, STANDARD, MIN, MAX, CHOICES, HELP) \
  { NAME, SPRINT_PARAM_NUMBERS, STANDARD, MIN, MAX, CHOICES, NULL, HELP }
#define SPRINT__RANGES(NAME, STANDARD, CHOICES, HELP) \
  { NAME, SPRINT_PARAM_RANGES, STANDARD, 0, 0, CHOICES, NULL, HELP }
#define SPRINT__CHOICE(NAME, STANDARD, CHOICES, HELP) \
  { NAME, SPRINT_PARAM_CHOICE, STANDARD, 0, 0, CHOICES, NULL, HELP }
#define SPRINT__TEXT(NAME, STANDARD, HELP) \
  { NAME, SPRINT_PARAM_TEXT, STANDARD, 0, 0, NULL, NULL, HELP }
#define SPRINT__TEXTS(NAME, STANDARD, HELP) \
  { NAME, SPRINT_PARAM_TEXTS, STANDARD, 0, 0, NULL, NULL, HELP }
#define SPRINT__FLAG(NAME, STANDARD, HELP) \
  { NAME, SPRINT_PARAM_BOOL, STANDARD, 0, 0, NULL, NULL, HELP }
#define SPRINT__SECTION(NAME, STANDARD, FAMILY, HELP) \
  { NAME, SPRINT_PARAM_KIND, STANDARD, 0, 0, NULL, FAMILY, HELP }

/* Values by key; asking for a key that the tables do not have, or by another type, is a bug of ours and asserts. */
const struct sprint__value *sprint__get(const struct sprint__section *section, const char *key);
double sprint__get_real(const struct sprint__section *section, const char *key);
int64_t sprint__get_integer(const struct sprint__section *section, const char *key);
bool sprint__get_flag(const struct sprint__section *section, const char *key);
const char *sprint__get_text(const struct sprint__section *section, const char *key);
int sprint__get_choice(const struct sprint__section *section, const char *key); /* index into `choices`; -1: none */
const struct sprint__section *sprint__get_section(const struct sprint__section *section, const char *key);

/* Fails with "FILE:LINE: key 'PATH.KEY': " and the sentence: for checks that the tables cannot make. A value that was
 * not given is placed where its section is. `key` may be "kind". */
sprint_status sprint__refuse(const struct sprint__section *section, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* settings.c: every value of a section, defaults included, as JSON text. */
char *sprint__settings_text(sprint_context *context, const struct sprint__section *section);

#endif
