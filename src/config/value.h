/* One value of a section, read by its parameter. */
#ifndef SPRINT_CONFIG_VALUE_H
#define SPRINT_CONFIG_VALUE_H

#include <stdarg.h>

#include "config/section.h"

/* Reads the node into the value, which is one of the section, by the parameter's type; all but SPRINT_PARAM_KIND. */
sprint_status sprint__value_read(struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, struct sprint__value *value);

/* The same from param->standard, which is not NULL. */
sprint_status sprint__value_default(struct sprint__section *section, const sprint_param *param,
                                    struct sprint__value *value);

/* pairs.c: the same of SPRINT_PARAM_NUMBERS and SPRINT_PARAM_RANGES. */
sprint_status sprint__pairs_read(struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, struct sprint__value *value);

/* A number within the parameter's range; `node` may be of any form. */
sprint_status sprint__value_real(const struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, double *ret_real);

/* A dot where the section has a path to set off from a key. */
const char *sprint__dot(const struct sprint__section *section);

/* Fails with the place, "key 'PATH.KEY': " and the sentence. */
sprint_status sprint__complain_key(const struct sprint__section *section, struct sprint__place place, const char *key,
                                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "key 'PATH.KEY'"; with key "", "key 'PATH'"; "the section" where that leaves nothing. Yours to free, or NULL. */
char *sprint__subject(const struct sprint__section *section, const char *key);

/* Fails with the place of the scalar `word`, its subject and "'WORD' is not WHAT; did you mean 'NAME'? (one of NAMES)".
 */
sprint_status sprint__complain_name(const struct sprint__section *section, const char *key,
                                    const struct sprint__node *word, const char *what, const char *const *names,
                                    size_t n);

#endif
