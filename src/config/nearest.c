/* The nearest name to a misspelt one: Damerau-Levenshtein distance in its optimal string alignment form, in which
 * swapped neighbours count once. */
#include <string.h>

#include "base/ascii.h"
#include "config/names.h"

enum { MAX_LENGTH = 64 }; /* longer words are nobody's misspelling */

static int fold(char c) { return c == '_' ? '-' : sprint__ascii_lower(c); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Rows of the distance table are kept for i-2, i-1 and i characters of a. */
static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b) {
  size_t rows[3][MAX_LENGTH + 1] = {{0}};
  for (size_t j = 0; j <= n_b; j++) rows[0][j] = j;
  for (size_t i = 1; i <= n_a; i++) {
    size_t *row = rows[i % 3];
    const size_t *last = rows[(i + 2) % 3], *last_but_one = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n_b; j++) {
      int from = fold(a[i - 1]), to = fold(b[j - 1]);
      row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (from != to));
      if (i > 1 && j > 1 && from == fold(b[j - 2]) && fold(a[i - 2]) == to)
        row[j] = least(row[j], last_but_one[j - 2] + 1);
    }
  }
  return rows[n_a % 3][n_b];
}

static bool starts_alike(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (fold(a[i]) != fold(b[i])) return false;
  return true;
}

const char *sprint__nearest(const char *word, const char *const *names, size_t n) {
  const char *best = NULL;
  size_t best_distance = 0, length = strlen(word);
  if (length > MAX_LENGTH) return NULL;
  size_t reach = length / 3 > 1 ? length / 3 : 1;
  for (size_t i = 0; i < n; i++) {
    size_t name_length = strlen(names[i]), shorter = least(length, name_length);
    if (name_length > MAX_LENGTH) continue;
    size_t d = distance(word, length, names[i], name_length);
    bool near = (d <= reach && d < (length > name_length ? length : name_length)) ||
                (shorter >= 3 && starts_alike(word, names[i], shorter));
    if (near && (!best || d < best_distance)) {
      best = names[i];
      best_distance = d;
    }
  }
  return best;
}

const char *sprint_nearest(const char *word, const char *const *names, size_t n) {
  return word && (names || n == 0) ? sprint__nearest(word, names, n) : NULL;
}
