/* Words of tables: those for true and false, and those for nothing. */
#ifndef SPRINT_POPULATION_WORDS_H
#define SPRINT_POPULATION_WORDS_H

#include <stdbool.h>

/* true/false, yes/no, t/f, y/n, on/off in any case, and 1/0 as any number: 1 and 0. False: it is none of these. */
bool sprint__boolean_parse(const char *text, double *ret_value);

/* Whether a text is one of those that people write where they know nothing: NULL, N/A, ?, -, none, ... */
bool sprint__seems_missing(const char *text);

/* Whether it is one that can hardly be anything else, as the name of a class or a level might: NULL, N/A, #N/A, ?, nan.
 */
bool sprint__means_missing(const char *text);

#endif
