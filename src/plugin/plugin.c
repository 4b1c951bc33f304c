/* Loading a plugin: the shared object, its entry point, its version and precision, and what it brings. */
#include "plugin/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"

#define ENTRY "sprint_plugin_entry"

static void plugin_free(struct sprint__addition *addition) {
  struct sprint__plugin *plugin = (struct sprint__plugin *)addition; /* its first field */
  sprint__arena_free(&plugin->arena);
  sprint__free(plugin);
}

static void plugin_free_at(struct sprint__plugin **at) {
  if (*at) plugin_free(&(*at)->addition);
}

/* Whether there is such a file, and its sum, by which a run says later what it was made with. */
static sprint_status look_at_file(struct sprint__plugin *plugin) {
  unsigned char bytes[1 << 14];
  SPRINT__SCOPED(fclose) FILE *stream = fopen(plugin->addition.path, "rb");
  size_t n = 0;
  uLong sum = crc32(0, NULL, 0);
  if (!stream) return sprint__plugin_refuse(plugin, "cannot be read: %s", strerror(errno));
  if (!sprint__file_is_regular(stream)) return sprint__plugin_refuse(plugin, "is not a regular file");
  while ((n = fread(bytes, 1, sizeof bytes, stream)) > 0) sum = crc32(sum, bytes, (uInt)n);
  if (ferror(stream)) return sprint__plugin_refuse(plugin, "cannot be read: %s", strerror(errno));
  plugin->addition.checksum = (uint32_t)sum;
  return SPRINT_OK;
}

static void close_object(void *handle) { dlclose(handle); }

/* A plugin of another version may want functions that there are not, which must not hide why: it is opened all the
 * same, and *ret_missing says what it lacks. */
static sprint_status open_object(struct sprint__plugin *plugin, void **ret_handle, char **ret_missing) {
  void *handle = dlopen(plugin->addition.path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    *ret_missing = sprint__arena_strdup(&plugin->arena, dlerror());
    SPRINT__TRY(sprint__arena_status(&plugin->arena));
    handle = dlopen(plugin->addition.path, RTLD_LAZY | RTLD_LOCAL);
  }
  if (!handle) return sprint__plugin_refuse(plugin, "cannot be loaded as a shared object: %s", *ret_missing);
  sprint__arena_at_end(&plugin->arena, close_object, handle);
  *ret_handle = handle;
  return sprint__arena_status(&plugin->arena);
}

/* Whether both begin with the same MAJOR.MINOR. */
static bool same_version(const char *a, const char *b) {
  for (int dots = 0; *a == *b && *a; a++, b++)
    if (*a == '.' && ++dots == 2) return true;
  return *a == *b;
}

static sprint_status check_head(struct sprint__plugin *plugin, const sprint_plugin *theirs) {
  if (!theirs) return sprint__plugin_refuse(plugin, "its " ENTRY " returns NULL; a sprint_plugin was expected");
  SPRINT__TRY(sprint__plugin_take(plugin, "sprint_plugin", theirs, &plugin->own, sizeof plugin->own));
  const sprint_plugin *own = &plugin->own;
  if (!own->version || !own->precision)
    return sprint__plugin_refuse(plugin,
                                 "does not say its version and precision; .version and .precision were expected, as by "
                                 "SPRINT_PLUGIN_HEAD");
  if (!same_version(own->version, SPRINT_VERSION))
    return sprint__plugin_refuse(plugin,
                                 "was compiled for version %.40s; this is version " SPRINT_VERSION
                                 ", and the same major and minor number were expected",
                                 own->version);
  if (strcmp(own->precision, sprint_precision()) != 0)
    return sprint__plugin_refuse(
        plugin,
        "was compiled for %.40s numbers; this library has %s, for which there is `pkg-config --cflags "
        "%s`",
        own->precision, sprint_precision(), sizeof(sprint_real) == 8 ? "sprint-f64" : "sprint");
  return SPRINT_OK;
}

static sprint_status enter(struct sprint__plugin *plugin) {
  void *handle = NULL, *symbol = NULL;
  char *missing = NULL;
  const sprint_plugin *(*entry)(void) = NULL;
  SPRINT__TRY(open_object(plugin, &handle, &missing));
  symbol = dlsym(handle, ENTRY);
  if (!symbol) return sprint__plugin_refuse(plugin, "has no entry point; a function " ENTRY " was expected");
  memcpy(&entry, &symbol, sizeof entry); /* as POSIX has it, for want of a cast */
  const sprint_plugin *theirs = entry();
  bool sized = theirs && theirs->size >= offsetof(sprint_plugin, methods);
  if (missing && sized && theirs->version && same_version(theirs->version, SPRINT_VERSION))
    return sprint__plugin_refuse(plugin, "cannot be loaded as a shared object: %s", missing);
  return check_head(plugin, theirs);
}

static sprint_status take_kinds(struct sprint__plugin *plugin) {
  SPRINT__TRY(sprint__plugin_room(plugin));
  SPRINT__TRY(sprint__plugin_methods(plugin));
  SPRINT__TRY(sprint__plugin_shifts(plugin));
  SPRINT__TRY(sprint__plugin_losses(plugin));
  SPRINT__TRY(sprint__plugin_steps(plugin));
  if (plugin->addition.n_kinds > 0) return SPRINT_OK;
  return sprint__plugin_refuse(plugin, "brings nothing; methods, shifts, losses or steps were expected");
}

/* A path without a slash would be looked for in the folders of system libraries. */
static sprint_status fill(struct sprint__plugin *plugin, const char *path) {
  char *here =
      strchr(path, '/') ? sprint__strdup(plugin->context, path) : sprint__printf(plugin->context, "./%s", path);
  plugin->addition.path = sprint__arena_keep(&plugin->arena, here);
  SPRINT__TRY(sprint__arena_status(&plugin->arena));
  SPRINT__TRY(look_at_file(plugin));
  SPRINT__TRY(enter(plugin));
  return take_kinds(plugin);
}

sprint_status sprint_context_load_plugin(sprint_context *context, const char *path) {
  SPRINT__REQUIRE(context, path);
  if (!*path) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a plugin was to be loaded without a path");
  SPRINT__SCOPED(plugin_free) struct sprint__plugin *plugin = sprint__alloc(context, 1, sizeof *plugin);
  if (!plugin) return SPRINT_ERROR_MEMORY;
  plugin->context = plugin->arena.context = context;
  plugin->addition.free = plugin_free;
  SPRINT__TRY(fill(plugin, path));
  struct sprint__addition **end = &context->additions;
  while (*end) end = &(*end)->next;
  *end = &((struct sprint__plugin *)sprint__give(&plugin))->addition;
  return SPRINT_OK;
}
