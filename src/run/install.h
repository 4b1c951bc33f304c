/* A run is replaced whole or not at all. Its files are written into a folder within its own, FOLDER/saving, which is
 * renamed to FOLDER/complete once all of them are there and synced: that is the moment. From then on they are moved to
 * where they belong, and whoever comes by after a kill goes on with that. */
#ifndef SPRINT_RUN_INSTALL_H
#define SPRINT_RUN_INSTALL_H

#include "base/lock.h"
#include "run/run.h"

/* The folder for the files to come, locked and empty; its path is yours to free. */
sprint_status sprint__install_begin(sprint_context *context, const char *folder, sprint_lock **ret_lock,
                                    char **ret_saving);

/* They are there, run.json among them, which lists them: from here on the run in the folder is this one. */
sprint_status sprint__install_commit(sprint_context *context, const char *folder);

/* Goes on with what a kill has cut short, where there is anything. */
sprint_status sprint__install_settle(sprint_context *context, const char *folder);

#endif
