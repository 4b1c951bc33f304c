/* Words of tables: see words.h. */
#include "population/words.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "population/cell.h"

/* Whether the text, without blanks around it, is the word in any case. */
static bool is_word(const char *text, const char *word) {
  size_t length = strlen(word);
  text += strspn(text, " \t");
  return sprint__ascii_same(text, word, length) && !text[length + strspn(text + length, " \t")];
}

bool sprint__boolean_parse(const char *text, double *ret_value) {
  static const char *const words[][2] = {{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}, {"off", "on"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    for (int k = 0; k < 2; k++)
      if (is_word(text, words[i][k])) {
        *ret_value = k;
        return true;
      }
  double value;
  if (sprint__cell_parse(text, &value) != SPRINT__CELL_NUMBER || (value != 0 && value != 1)) return false;
  *ret_value = value;
  return true;
}

bool sprint__means_missing(const char *text) {
  static const char *const words[] = {"null", "n/a", "#n/a", "<na>", "?", "nan", "-nan", "+nan"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (is_word(text, words[i])) return true;
  return false;
}

bool sprint__seems_missing(const char *text) {
  static const char *const words[] = {"na", "none", "nil",     "missing", "unknown", "n.a.",   "-",  "--",
                                      ".",  "\\n",  "#value!", "#ref!",   "#div/0!", "#null!", "nd", "n.d."};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (is_word(text, words[i])) return true;
  return sprint__means_missing(text);
}
