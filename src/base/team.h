/* A team: the context's other threads, which wait for lanes to do while this one works. A lane is handed to them in a
 * few tenths of a microsecond, where OpenMP's own regions take more than a whole one; and they are waited for only
 * where they are in the middle of a lane, so that another program on their core holds up little. */
#ifndef SPRINT_BASE_TEAM_H
#define SPRINT_BASE_TEAM_H

#include "base/lanes.h"

/* Returns body(user), which runs on this thread while the others wait for its lanes. What it calls is within a
 * parallel region of OpenMP; but for a child of a process that has had one, which works alone. */
sprint_status sprint__team_run(sprint_context *context, sprint_status (*body)(void *user), void *user);

/* Does all lanes with the team that is there or, where there is none, with one for these lanes alone. False, and
 * nothing done: there can be no team. Not to be called in a lane. */
bool sprint__team_share(sprint_context *context, const struct sprint__split *split);

#endif
