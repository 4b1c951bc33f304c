/* A run is replaced whole or not at all: see install.h. */
#include "run/install.h"

#include "base/file.h"
#include "run/saved.h"

#define SAVING   "saving"
#define COMPLETE "complete"

static const char *const names[] = SPRINT__RUN_FILES;

sprint_status sprint__install_begin(sprint_context *context, const char *folder, sprint_lock **ret_lock,
                                    char **ret_saving) {
  SPRINT__SCOPED(sprint__free) char *saving = sprint__printf(context, "%s/" SAVING, folder);
  SPRINT__SCOPED(sprint_lock_free) sprint_lock *lock = NULL;
  if (!saving) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__folder_make(context, folder));
  SPRINT__TRY(sprint__install_settle(context, folder));
  SPRINT__TRY(sprint__folder_lock_own(context, saving, &lock));
  SPRINT__TRY(sprint__folder_clear(context, saving));
  *ret_lock = sprint__give(&lock);
  *ret_saving = sprint__give(&saving);
  return SPRINT_OK;
}

/* One file to where it belongs. What is not among the new files and not listed by them is of an older run. */
static sprint_status move(sprint_context *context, const char *folder, const char *name, const json_t *files) {
  SPRINT__SCOPED(sprint__free) char *from = sprint__printf(context, "%s/" COMPLETE "/%s", folder, name);
  SPRINT__SCOPED(sprint__free) char *to = sprint__printf(context, "%s/%s", folder, name);
  bool is_there = false;
  if (!from || !to) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__file_exists(context, from, &is_there));
  if (is_there) return sprint__file_rename(context, from, to);
  return json_object_get(files, name) ? SPRINT_OK : sprint__file_remove(context, to);
}

/* Moves all; run.json goes first and comes last, so that it never speaks for other files. With it gone from among the
 * new ones, all was moved before. */
static sprint_status move_all(sprint_context *context, const char *folder, const char *complete) {
  SPRINT__SCOPED(sprint__free) char *record = sprint__printf(context, "%s/" SPRINT__RECORD_FILE, complete);
  SPRINT__SCOPED(json_decref) json_t *json = NULL;
  bool is_there = false;
  if (!record) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__file_exists(context, record, &is_there));
  if (!is_there) return SPRINT_OK;
  SPRINT__TRY(sprint__saved_read(context, complete, &json));
  SPRINT__TRY(sprint__saved_forget(context, folder));
  for (size_t i = 0; i < SPRINT__COUNT(names); i++)
    SPRINT__TRY(move(context, folder, names[i], json_object_get(json, "files")));
  SPRINT__TRY(sprint__folder_sync(context, folder));
  return move(context, folder, SPRINT__RECORD_FILE, NULL);
}

static sprint_status finish(sprint_context *context, const char *folder, const char *complete) {
  SPRINT__TRY(move_all(context, folder, complete));
  SPRINT__TRY(sprint__folder_sync(context, folder));
  return sprint__folder_remove(context, complete);
}

sprint_status sprint__install_settle(sprint_context *context, const char *folder) {
  SPRINT__SCOPED(sprint__free) char *complete = sprint__printf(context, "%s/" COMPLETE, folder);
  SPRINT__SCOPED(sprint_lock_free) sprint_lock *lock = NULL;
  bool is_there = false;
  if (!complete) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__file_exists(context, complete, &is_there));
  if (!is_there) return SPRINT_OK;
  SPRINT__TRY(sprint__folder_lock_own(context, complete, &lock));
  return finish(context, folder, complete);
}

sprint_status sprint__install_commit(sprint_context *context, const char *folder) {
  SPRINT__SCOPED(sprint__free) char *saving = sprint__printf(context, "%s/" SAVING, folder);
  SPRINT__SCOPED(sprint__free) char *complete = sprint__printf(context, "%s/" COMPLETE, folder);
  if (!saving || !complete) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__file_rename(context, saving, complete));
  SPRINT__TRY(sprint__folder_sync(context, folder));
  return finish(context, folder, complete);
}
