/* Lists of pixels: see pixel_lists.h. */
#include "engine/pixel_lists.h"

#include "base/fast.h"

/* Below this share of pixels that are not zero, going from one to the next beats multiplying by all. */
#define MOST_USED 0.35

SPRINT__FAST static size_t count_used(const uint8_t *bytes, size_t n) {
  size_t used = 0;
  for (size_t i = 0; i < n; i++) used += bytes[i] != 0;
  return used;
}

static size_t used_pixels(const sprint_population *population) {
  return count_used(population->bytes, population->n * population->d);
}

bool sprint__pixel_lists_pay(const sprint_population *population) {
  const struct sprint__pixels *pixels = &population->pixels;
  if (!population->bytes || population->d > UINT16_MAX || pixels->channels > UINT8_MAX) return false;
  for (size_t c = 0; c < pixels->channels; c++)
    if (pixels->levels[c * 256] != 0) return false;
  return (double)used_pixels(population) <= MOST_USED * (double)population->n * (double)population->d;
}

static void fill(const sprint_population *population, struct sprint__pixel_lists *lists) {
  size_t used = 0, d = population->d;
  for (size_t i = 0; i < population->n; i++) {
    const uint8_t *bytes = population->bytes + i * d;
    size_t first = used;
    for (size_t k = 0; k < d; k++) {
      if (k % SPRINT__PIXEL_BAND == 0) lists->start[i * lists->bands + k / SPRINT__PIXEL_BAND] = used;
      if (bytes[k]) lists->list[used++] = sprint__pixel_of(k, k / population->pixels.plane * 256 + bytes[k]);
    }
    if (used - first > lists->longest) lists->longest = used - first;
  }
  lists->start[population->n * lists->bands] = used;
}

sprint_status sprint__pixel_lists_new(const sprint_population *population, struct sprint__pixel_lists *ret_lists) {
  size_t bands = (population->d + SPRINT__PIXEL_BAND - 1) / SPRINT__PIXEL_BAND;
  struct sprint__pixel_lists lists = {
      .arena = {.context = population->context}, .levels = population->levels, .bands = bands};
  lists.list = sprint__arena_take(&lists.arena, used_pixels(population), sizeof *lists.list);
  lists.start = sprint__arena_take(&lists.arena, population->n * bands + 1, sizeof *lists.start);
  if (lists.arena.failed) {
    sprint__pixel_lists_clear(&lists);
    return SPRINT_ERROR_MEMORY;
  }
  fill(population, &lists);
  *ret_lists = lists;
  return SPRINT_OK;
}

void sprint__pixel_lists_clear(struct sprint__pixel_lists *lists) {
  sprint__arena_free(&lists->arena);
  *lists = (struct sprint__pixel_lists){0};
}
