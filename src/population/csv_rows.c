/* Rows of a CSV as records: see csv_rows.h. */
#include "population/csv_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"

static sprint_status refuse_missing(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, size_t column,
                                    bool category) {
  if (r->fill)
    return sprint__csv_refuse(&r->header, row, column, "the value is missing, and there is nothing to fill it with");
  return sprint__csv_refuse(&r->header, row, column,
                            category ? "the value is missing; missing: drop leaves such rows out, missing: median "
                                       "makes a level of it"
                                     : "the value is missing; missing: drop or missing: median deals with it");
}

enum { LISTED = 12 }; /* levels or classes that a complaint names */

/* what: "levels of the training rows"; advice: what may be done about it, or "". */
static sprint_status refuse_name(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, size_t column,
                                 const struct sprint__labels *names, const char *what, const char *advice) {
  size_t n = names->n < LISTED ? names->n : LISTED;
  SPRINT__SCOPED(sprint__free)
  char *all = sprint__names_join(r->context, (const char *const *)names->names, n, ", ");
  if (!all) return SPRINT_ERROR_MEMORY;
  char rest[600];
  snprintf(rest, sizeof rest, "'%s' is none of the %zu %s (%.300s%s)%s",
           sprint__show(sprint__csv_field(row, column)).text, names->n, what, all, n < names->n ? ", ..." : "", advice);
  return sprint__csv_refuse(&r->header, row, column, rest);
}

/* Blanks around a level do not count. */
static const char *trim(const char *text, char *room, size_t size) {
  text += strspn(text, " \t");
  size_t n = strlen(text);
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
  if (!text[n] || n >= size) return text;
  memcpy(room, text, n);
  room[n] = '\0';
  return room;
}

static sprint_status find_level(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, size_t k,
                                const char *text, bool missing, double *ret_code) {
  const struct sprint__labels *levels = &r->encoding->fields[k].levels;
  size_t level;
  bool found = sprint__labels_find(levels, text, &level);
  *ret_code = found ? (double)level : -1;
  if (found || r->encoding->unseen == SPRINT__UNSEEN_ZEROS) return SPRINT_OK;
  if (missing)
    return sprint__csv_refuse(&r->header, row, r->columns[k],
                              "the value is missing, as it was in no training row; training with unseen: zeros takes "
                              "it as none of the levels");
  return refuse_name(r, row, r->columns[k], levels, "levels of the training rows",
                     "; training with unseen: zeros takes it as none of them");
}

static sprint_status read_level(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, size_t k,
                                double *ret_code) {
  struct sprint__encoding *encoding = r->encoding;
  char room[256];
  const char *text = trim(sprint__csv_field(row, r->columns[k]), room, sizeof room);
  bool missing = false;
  SPRINT__TRY(sprint__csv_name(&r->header, row, r->columns[k], "level", &missing));
  *ret_code = NAN;
  if (missing && !r->fill && encoding->missing != SPRINT__MISSING_MEDIAN) return SPRINT_OK;
  if (missing) text = SPRINT__MISSING_LEVEL;
  if (encoding->settled) return find_level(r, row, k, text, missing, ret_code);
  size_t id;
  SPRINT__TRY(sprint__labels_add(&encoding->fields[k].levels, text, &id));
  *ret_code = (double)id;
  return SPRINT_OK;
}

static sprint_status read_code(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, size_t k,
                               double *ret_code) {
  switch (r->encoding->fields[k].kind) {
    case SPRINT__NUMBER:
      break;
    case SPRINT__BOOLEAN:
      return sprint__csv_boolean(&r->header, row, r->columns[k], ret_code);
    case SPRINT__DATE:
      return sprint__csv_date(&r->header, row, r->columns[k], ret_code);
    case SPRINT__LEVEL:
      return read_level(r, row, k, ret_code);
  }
  return sprint__csv_feature(&r->header, row, r->columns[k], ret_code);
}

static bool can_fill(const struct sprint__csv_rows *r, size_t k) {
  return r->fill ? !isnan(r->fill[k]) : r->encoding->missing == SPRINT__MISSING_MEDIAN;
}

sprint_status sprint__csv_rows_codes(const struct sprint__csv_rows *r, const struct sprint__csv_row *row,
                                     double *ret_codes, bool *ret_dropped) {
  const struct sprint__encoding *encoding = r->encoding;
  *ret_dropped = false;
  for (size_t k = 0; k < encoding->n_fields; k++) {
    SPRINT__TRY(read_code(r, row, k, &ret_codes[k]));
    if (!isnan(ret_codes[k]) || can_fill(r, k)) continue;
    if (r->fill || encoding->missing == SPRINT__MISSING_REFUSE)
      return refuse_missing(r, row, r->columns[k], encoding->fields[k].kind == SPRINT__LEVEL);
    *ret_dropped = true;
  }
  return SPRINT_OK;
}

/* Where there is none, the row is dropped or refused: nothing stands in for a label or a weight. */
static sprint_status lack(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, size_t column,
                          const char *what, bool *ret_dropped) {
  char rest[160];
  *ret_dropped = true;
  if (r->fill)
    snprintf(rest, sizeof rest, "the %s is missing; leave out the rows of which it is not known", what);
  else if (r->encoding->missing == SPRINT__MISSING_DROP)
    return SPRINT_OK;
  else
    snprintf(rest, sizeof rest, "the %s is missing; missing: drop leaves such rows out", what);
  return sprint__csv_refuse(&r->header, row, column, rest);
}

static sprint_status check_label(const struct sprint__csv_rows *r, const struct sprint__csv_row *row,
                                 bool *ret_dropped) {
  bool missing = false;
  double value = 0;
  if (r->target == SPRINT__TARGET_VALUE) {
    SPRINT__TRY(sprint__csv_number(&r->header, row, r->label, &value));
    missing = isnan(value);
  } else {
    SPRINT__TRY(sprint__csv_name(&r->header, row, r->label, "class", &missing));
  }
  return missing ? lack(r, row, r->label, "label", ret_dropped) : SPRINT_OK;
}

static sprint_status read_weight(const struct sprint__csv_rows *r, const struct sprint__csv_row *row,
                                 double *ret_weight, bool *ret_dropped) {
  *ret_weight = 1;
  if (!r->has_weight) return SPRINT_OK;
  SPRINT__TRY(sprint__csv_number(&r->header, row, r->weight, ret_weight));
  if (isnan(*ret_weight)) return lack(r, row, r->weight, "weight", ret_dropped);
  if (*ret_weight >= 0) return SPRINT_OK;
  char rest[160];
  snprintf(rest, sizeof rest, "'%s' is a weight below 0", sprint__show(sprint__csv_field(row, r->weight)).text);
  return sprint__csv_refuse(&r->header, row, r->weight, rest);
}

sprint_status sprint__csv_rows_read(const struct sprint__csv_rows *r, const struct sprint__csv_row *row,
                                    double *ret_codes, double *ret_weight, bool *ret_dropped) {
  SPRINT__TRY(sprint__csv_rows_codes(r, row, ret_codes, ret_dropped));
  SPRINT__TRY(check_label(r, row, ret_dropped));
  return read_weight(r, row, ret_weight, ret_dropped);
}

sprint_status sprint__csv_rows_label(const struct sprint__csv_rows *r, const struct sprint__csv_row *row, double *ret_y,
                                     double *ret_weight) {
  bool missing = false;
  size_t class_number = 0;
  SPRINT__TRY(check_label(r, row, &missing));
  SPRINT__TRY(read_weight(r, row, ret_weight, &missing));
  if (r->target == SPRINT__TARGET_VALUE) return sprint__csv_number(&r->header, row, r->label, ret_y);
  if (!sprint__labels_find(r->classes, sprint__csv_field(row, r->label), &class_number))
    return refuse_name(r, row, r->label, r->classes, "classes of the model", "");
  *ret_y = (double)class_number;
  return SPRINT_OK;
}
