/* Sources: what all have in common, see source.h. */
#include "population/source.h"

void sprint__source_free(struct sprint__source *source) {
  if (!source) return;
  if (source->ops->free) source->ops->free(source);
  sprint__free(source);
}

sprint_status sprint__tap_open(struct sprint__source *source, struct sprint__tap **ret_tap) {
  struct sprint__tap *tap = sprint__alloc(source->context, 1, sizeof *tap);
  if (!tap) return SPRINT_ERROR_MEMORY;
  tap->source = source;
  tap->ending = SPRINT_STOP_RUNNING;
  sprint_status status = source->ops->open(tap);
  if (status == SPRINT_OK)
    *ret_tap = tap;
  else
    sprint__tap_close(tap);
  return status;
}

void sprint__tap_close(struct sprint__tap *tap) {
  if (!tap) return;
  if (tap->impl) tap->source->ops->close(tap);
  sprint__free(tap);
}

sprint_status sprint__tap_read(struct sprint__tap *tap, const struct sprint__draws *draws, size_t n, sprint_real *ret_x,
                               sprint_real *ret_y, size_t *ret_n) {
  SPRINT__TRY(tap->source->ops->read(tap, draws, n, ret_x, ret_y, ret_n));
  tap->n_read += *ret_n;
  return SPRINT_OK;
}

sprint_status sprint__table_size(const struct sprint__section *section, struct sprint__table *table) {
  table->endless = sprint__get_flag(section, "endless");
  table->n = (size_t)sprint__get_integer(section, table->endless ? "window" : "n");
  if (table->endless && sprint__get(section, "n")->given)
    return sprint__refuse(section, "n", "a population without end has no n; its window has a size");
  if (!table->endless && sprint__get(section, "window")->given)
    return sprint__refuse(section, "window",
                          "a window is that of a population without end; endless: true was expected");
  return SPRINT_OK;
}
