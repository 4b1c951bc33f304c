/* Time. */
#ifndef SPRINT_BASE_CLOCK_H
#define SPRINT_BASE_CLOCK_H

double sprint__clock(void);        /* seconds, monotonic */
double sprint__clock_coarse(void); /* the same, some milliseconds late, for a fifth of the price */

#endif
