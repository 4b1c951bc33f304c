/* printf as the C locale has it: a decimal point, whatever the locale of the program that uses the library. Every real
 * number that is written, into a file, a message or a text, goes through here; it is read by sprint__number_strtod. */
#ifndef SPRINT_BASE_PRINT_H
#define SPRINT_BASE_PRINT_H

#include <stdarg.h>
#include <stdio.h>

int sprint__fprintf(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprint__snprintf(char *room, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int sprint__vsnprintf(char *room, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

#endif
