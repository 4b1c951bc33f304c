/* How a CSV is written: see dialect.h. */
#include "population/dialect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE_ROWS = 50, MAX_CANDIDATES = 5 };

sprint_status sprint__dialect_words(struct sprint__dialect *dialect, struct sprint__arena *arena, char **words,
                                    size_t n_words) {
  dialect->words = words;
  dialect->n_words = n_words;
  dialect->values = sprint__arena_take(arena, n_words, sizeof *dialect->values);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t i = 0; i < n_words; i++)
    if (sprint__cell_parse(words[i], &dialect->values[i]) != SPRINT__CELL_NUMBER) dialect->values[i] = NAN;
  return SPRINT_OK;
}

/* How often each candidate stands in the rows of a sample, outside of quotes. */
struct sniffer {
  char candidates[MAX_CANDIDATES + 1];
  size_t header[MAX_CANDIDATES], row[MAX_CANDIDATES];
  bool uneven[MAX_CANDIDATES]; /* a row has more or fewer than the header */
  size_t n_rows;               /* with the header */
  bool filled;                 /* the row in progress is not blank */
};

static void end_row(struct sniffer *s) {
  if (!s->filled) return;
  for (size_t c = 0; s->candidates[c]; c++) {
    if (s->n_rows == 0) s->header[c] = s->row[c];
    if (s->row[c] != s->header[c]) s->uneven[c] = true;
    s->row[c] = 0;
  }
  s->n_rows++;
  s->filled = false;
}

/* A row that the sample cuts counts as the header alone. */
static void sniff(struct sniffer *s, const char *sample, size_t size) {
  bool quoted = false;
  for (size_t i = 0; i < size && s->n_rows < SAMPLE_ROWS; i++) {
    const char *found = strchr(s->candidates, sample[i]);
    if (sample[i] == '"') quoted = !quoted;
    if (!quoted && (sample[i] == '\n' || sample[i] == '\r')) {
      end_row(s);
      continue;
    }
    if (!quoted && sample[i] && found) s->row[found - s->candidates]++;
    if (found || (sample[i] != ' ' && sample[i] != '\t')) s->filled = true;
  }
  if (s->n_rows == 0) end_row(s);
}

/* The candidate that fits: the only one in the header, or the only one of those whose rows are all alike. *ret_n: how
 * many fit. */
static char choose(const struct sniffer *s, char usual, size_t *ret_n, char ret_fitting[MAX_CANDIDATES]) {
  size_t n_there = 0, n_even = 0, most = 0;
  for (size_t c = 0; s->candidates[c]; c++) {
    if (!s->header[c]) continue;
    n_there++;
    if (s->header[c] > s->header[most]) most = c;
    if (!s->uneven[c]) ret_fitting[n_even++] = s->candidates[c];
  }
  *ret_n = n_even;
  if (n_there == 0) return '\0';
  if (n_there == 1 || n_even == 0) return s->candidates[most]; /* where none is even, the rows will be refused */
  return n_even == 1 || !memchr(ret_fitting, usual, n_even) ? ret_fitting[0] : usual;
}

static char find_separator(const struct sprint__dialect *dialect, const char *sample, size_t size, size_t *ret_n,
                           char ret_fitting[MAX_CANDIDATES]) {
  struct sniffer s = {.candidates = ",;\t|"};
  char usual = dialect->usual_separator;
  if (usual && !strchr(s.candidates, usual)) s.candidates[4] = usual;
  sniff(&s, sample, size);
  char found = choose(&s, usual, ret_n, ret_fitting);
  if (!found) found = dialect->decimal == SPRINT__DECIMAL_COMMA ? ';' : ','; /* one column */
  if (usual && found == usual) *ret_n = 1;
  return found;
}

static const char *name_of(char separator) {
  return separator == '\t' ? "tab" : separator == ';' ? "';'" : separator == '|' ? "'|'" : "','";
}

enum mark { MARK_NONE, MARK_POINT, MARK_COMMA, MARK_EITHER };

/* The mark of the n bytes at `text`, where they are a number with one. A mark behind one to three digits and before
 * three, 1,500, may as well stand between thousands. */
static enum mark mark_of(const char *text, size_t n) {
  size_t i = 0, n_whole = 0, n_fraction = 0;
  while (i < n && (text[i] == ' ' || text[i] == '\t' || text[i] == '"')) i++;
  if (i < n && (text[i] == '-' || text[i] == '+')) i++;
  const char *whole = text + i;
  for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) n_whole++;
  if (i == n || (text[i] != '.' && text[i] != ',')) return MARK_NONE;
  char mark = text[i++];
  for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) n_fraction++;
  bool exponent = i < n && (text[i] == 'e' || text[i] == 'E');
  while (exponent && i < n && strchr("eE+-0123456789", text[i])) i++;
  while (i < n && (text[i] == ' ' || text[i] == '\t' || text[i] == '"')) i++;
  if (i < n || n_whole + n_fraction == 0) return MARK_NONE;
  if (!exponent && n_fraction == 3 && n_whole >= 1 && n_whole <= 3 && *whole != '0') return MARK_EITHER;
  return mark == '.' ? MARK_POINT : MARK_COMMA;
}

/* The decimals of all fields below the header; AUTO where none has a mark, or some have the one and some the other. */
static enum sprint__decimal decimals_of(const char *sample, size_t size, char separator) {
  size_t counts[MARK_EITHER + 1] = {0}, start = 0, n_rows = 0;
  bool quoted = false;
  for (size_t i = 0; i < size; i++) {
    if (sample[i] == '"') quoted = !quoted;
    bool ends = sample[i] == '\n' || sample[i] == '\r';
    if (quoted || (!ends && sample[i] != separator)) continue;
    if (n_rows > 0) counts[mark_of(sample + start, i - start)]++;
    if (ends) n_rows++;
    start = i + 1;
  }
  if (!counts[MARK_POINT] == !counts[MARK_COMMA]) return SPRINT__DECIMAL_AUTO;
  return counts[MARK_POINT] ? SPRINT__DECIMAL_POINT : SPRINT__DECIMAL_COMMA;
}

static void find_decimal(struct sprint__dialect *dialect, const char *sample, size_t size) {
  bool usual = dialect->separator == dialect->usual_separator && dialect->usual_decimal;
  if (dialect->decimal) return;
  if (dialect->separator != ',') dialect->decimal = decimals_of(sample, size, dialect->separator);
  if (!dialect->decimal && usual) dialect->decimal = dialect->usual_decimal;
  if (!dialect->decimal && dialect->separator == ',') dialect->decimal = SPRINT__DECIMAL_POINT;
}

sprint_status sprint__dialect_find(struct sprint__dialect *dialect, sprint_context *context, const char *path,
                                   const char *sample, size_t size) {
  char fitting[MAX_CANDIDATES];
  size_t n = 1;
  char found = find_separator(dialect, sample, size, &n, fitting);
  if (n > 1 && !dialect->separator)
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: its fields may be separated by %s or by %s%s", path,
                       name_of(fitting[0]), name_of(fitting[1]), dialect->advises ? "; data.separator says which" : "");
  if (!dialect->separator) dialect->separator = found;
  dialect->findable = n <= 1 && dialect->separator == found;
  find_decimal(dialect, sample, size);
  return SPRINT_OK;
}

static void settle_decimal(struct sprint__dialect *dialect, enum mark mark) {
  if (mark == MARK_POINT) dialect->decimal = SPRINT__DECIMAL_POINT;
  if (mark == MARK_COMMA) dialect->decimal = SPRINT__DECIMAL_COMMA;
  if (mark == MARK_EITHER) dialect->decimal = dialect->usual_decimal;
}

static bool is_listed(const struct sprint__dialect *dialect, const char *text) {
  for (size_t i = 0; i < dialect->n_words; i++)
    if (sprint__cell_is(text, dialect->words[i])) return true;
  return false;
}

static bool is_listed_value(const struct sprint__dialect *dialect, double value) {
  for (size_t i = 0; i < dialect->n_words; i++)
    if (dialect->values[i] == value) return true;
  return false;
}

enum sprint__cell sprint__dialect_number(struct sprint__dialect *dialect, const char *text, double *ret_value) {
  double value = NAN;
  if (!dialect->decimal) {
    enum mark mark = mark_of(text, strlen(text));
    settle_decimal(dialect, mark);
    if (mark == MARK_EITHER && !dialect->decimal && !is_listed(dialect, text)) return SPRINT__CELL_EITHER;
  }
  enum sprint__cell cell = sprint__cell_parse_mark(text, dialect->decimal == SPRINT__DECIMAL_COMMA ? ',' : '.', &value);
  if (cell == SPRINT__CELL_NUMBER ? is_listed_value(dialect, value) : is_listed(dialect, text)) {
    value = NAN;
    cell = SPRINT__CELL_MISSING;
  }
  if (cell == SPRINT__CELL_NUMBER || cell == SPRINT__CELL_MISSING) *ret_value = value;
  return cell;
}

bool sprint__dialect_is_missing(const struct sprint__dialect *dialect, const char *text) {
  double value;
  enum sprint__cell cell = sprint__cell_parse(text, &value);
  if (cell == SPRINT__CELL_MISSING || is_listed(dialect, text)) return true;
  return cell == SPRINT__CELL_NUMBER && is_listed_value(dialect, value);
}
