/* Plugins: kinds from shared objects. An adapter for each family makes a kind of the public header one of the library's
 * own; nobody below this folder knows of it. */
#ifndef SPRINT_PLUGIN_PLUGIN_H
#define SPRINT_PLUGIN_PLUGIN_H

#include "config/section.h"

/* A plugin that is being loaded. */
struct sprint__plugin {
  struct sprint__addition addition; /* first: that is what the context frees */
  sprint_context *context;
  struct sprint__arena arena; /* of all of it */
  size_t n_room;              /* kinds that there is room for */
  sprint_kind *kinds;         /* (n_room) */
  sprint_plugin own;
};

/* Fails with "plugin PATH: " and the sentence. */
sprint_status sprint__plugin_refuse(const struct sprint__plugin *plugin, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* table.c: what a plugin says is looked at before anybody goes by it. Our own tables are right by our tests, and the
 * code that reads them asserts it. */

/* ours (size) := theirs, a struct of the public header that begins with its size; `type` is its name. */
sprint_status sprint__plugin_take(const struct sprint__plugin *plugin, const char *type, const void *theirs, void *ours,
                                  size_t size);

/* Room for all kinds that the plugin says it has. */
sprint_status sprint__plugin_room(struct sprint__plugin *plugin);

/* Adds a kind, with the family's ops, after a look at its name and its parameters. */
sprint_status sprint__plugin_add(struct sprint__plugin *plugin, const sprint_family *family, const sprint_kind *kind);

/* Refuses a kind that has not got what it cannot do without. */
sprint_status sprint__plugin_needs(const struct sprint__plugin *plugin, const sprint_family *family, const char *kind,
                                   const char *what, bool there);

/* A kind as the families have them, from one of the public header. */
#define SPRINT__PLUGIN_KIND(OWN, OPS) \
  (&(const sprint_kind){              \
      .name = (OWN)->name, .help = (OWN)->help, .params = (OWN)->params, .n_params = (OWN)->n_params, .ops = (OPS)})

/* The adapters: each adds all kinds that the plugin has of its family. */
sprint_status sprint__plugin_methods(struct sprint__plugin *plugin);
sprint_status sprint__plugin_shifts(struct sprint__plugin *plugin);
sprint_status sprint__plugin_losses(struct sprint__plugin *plugin);
sprint_status sprint__plugin_steps(struct sprint__plugin *plugin);

/* In an adapter: ADAPTER := a new one, with `own` taken from THEIRS, which is of TYPE. */
#define SPRINT__PLUGIN_ADAPTER(PLUGIN, TYPE, THEIRS, ADAPTER)                                           \
  do {                                                                                                  \
    (ADAPTER) = sprint__arena_take(&(PLUGIN)->arena, 1, sizeof *(ADAPTER));                             \
    if (!(ADAPTER)) return SPRINT_ERROR_MEMORY;                                                         \
    SPRINT__TRY(sprint__plugin_take((PLUGIN), #TYPE, (THEIRS), &(ADAPTER)->own, sizeof(ADAPTER)->own)); \
  } while (0)

/* settings.c: what a kind's setup is shown of its section. */
struct sprint_settings {
  const struct sprint__section *section;
  struct sprint__arena *arena; /* of the object that is being set up */
  bool misread;                /* it asked for what is not there; the context has the sentence */
};

/* For a setup about to be called; and what it came to, where it returned `status`. */
sprint_settings sprint__settings_begin(const struct sprint__section *section, struct sprint__arena *arena);
sprint_status sprint__settings_end(const sprint_settings *settings, sprint_status status);

#endif
