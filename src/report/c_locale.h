/* Numbers in figures have a decimal point, whatever the locale of the program that uses the library. */
#ifndef SPRINT_REPORT_C_LOCALE_H
#define SPRINT_REPORT_C_LOCALE_H

#include <locale.h>

#include "base/arena.h"

/* Returns the locale that this thread had. */
static inline locale_t sprint__locale_enter(void) { return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); }

static inline void sprint__locale_leave(locale_t *before) {
  locale_t ours = uselocale(*before);
  freelocale(ours);
}

/* From here to the end of the scope printf and strtod are those of the C locale, in this thread alone. Needs
 * _POSIX_C_SOURCE 200809L. */
#define SPRINT__IN_C_LOCALE SPRINT__CLEARED(sprint__locale_leave) locale_t locale_before__ = sprint__locale_enter()

#endif
