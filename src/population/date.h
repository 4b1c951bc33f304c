/* Dates as tables write them, as numbers. */
#ifndef SPRINT_POPULATION_DATE_H
#define SPRINT_POPULATION_DATE_H

/* 2023-05-17, 2023/5/17, 20230517 or 17.5.2023, with or without a time after a T or a blank (14:30, 14:30:05.25, Z or
 * +02:00 behind it), as days since 1970-01-01 in the Gregorian calendar of today; the time is a fraction of the day.
 * Blanks around it are fine. NULL, or what is wrong with it, to follow the text in a sentence: "is not a day of the
 * calendar".
 */
const char *sprint__date_parse(const char *text, double *ret_days);

/* The day of a number of days, 2023-05-17, the time left out; the number itself where it is of no year 1 .. 9999. */
struct sprint__date {
  char text[32];
};
struct sprint__date sprint__date_of(double days);

#endif
