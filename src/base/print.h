/* printf as the C locale has it: a decimal point, whatever the locale of the program that uses the library. Every real
 * number that is written, into a file, a message or a text, goes through here; it is read by sprint__number_strtod. */
#ifndef SPRINT_BASE_PRINT_H
#define SPRINT_BASE_PRINT_H

#include <stdarg.h>
#include <stdio.h>

int sprint__fprintf(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprint__snprintf(char *room, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int sprint__vsnprintf(char *room, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* Of a control character at the start of `text` (U+0001 to U+001F, U+007F to U+009F), "\\x1b" or the like into room
 * (8); returns how many bytes the character has. 0: it is another one. The second prints it at once. */
size_t sprint__show_control(const char *text, char *room);
size_t sprint__print_control(FILE *stream, const char *text);

/* The text on one line, whatever the names and values in it hold: line ends and tabs are blanks, other control
 * characters are shown. Cut between characters where there is no room; returns how many bytes of the text were taken.
 */
size_t sprint__one_line(const char *text, char *room, size_t size);

#endif
