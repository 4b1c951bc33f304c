/* Rows of CSVs as records of a session: who each is, which deployment made it, and whose reference record it is. */
#include <string.h>

#include "base/print.h"
#include "config/text.h"
#include "population/index.h"
#include "population/words.h"
#include "run/session.h"

enum { DEPLOYMENT, NO_REFERENCE };
static const char *const more_columns[] = {[DEPLOYMENT] = "deployment", [NO_REFERENCE] = "no_reference"};

/* A row of one of the files. */
struct row {
  size_t file, at;
  const char *id;
  uint64_t deployment;
  bool lacks; /* a reference record */
};

struct pile {
  sprint_session *session;
  const sprint_session_records *options;
  struct sprint__arena *arena;
  struct sprint__csv_scored *files; /* (n_paths) */
  size_t *number;                   /* (n_classes) of the model, by the order of their names */
  size_t n;
  struct row *rows;     /* (n) */
  size_t n_records;     /* those that are no reference records, */
  size_t *records;      /* (n_records) and which they are */
  size_t *reference_of; /* (n_records) the row of each one's reference record; n: it has none */
};

static sprint_status refuse_row(const struct pile *pile, const struct row *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static sprint_status refuse_row(const struct pile *pile, const struct row *row, const char *format, ...) {
  char rest[600];
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(rest, sizeof rest, format, args);
  va_end(args);
  return sprint_fail(pile->session->context, SPRINT_ERROR_INPUT, "%s: row %zu: %s", pile->options->paths[row->file],
                     row->at + 1, rest);
}

static sprint_status read_file(struct pile *pile, size_t f, const struct sprint__labels *labels) {
  sprint_predictor *start = pile->session->start;
  const char *id = start->encoding->id ? start->encoding->id : "id", *path = pile->options->paths[f];
  const struct sprint__csv_wanted wanted = {.id = id,
                                            .label = start->label,
                                            .classes = start->n_classes ? labels : NULL,
                                            .weight = start->encoding->weight,
                                            .more = {more_columns[DEPLOYMENT], more_columns[NO_REFERENCE]}};
  SPRINT__TRY(sprint__predictor_read_csv(start, path, &wanted, &pile->files[f]));
  if (!pile->files[f].ids.there)
    return sprint_fail(pile->session->context, SPRINT_ERROR_INPUT,
                       "%s: has no column '%s'; one that says who each row is was expected", path, id);
  if (!pile->files[f].more[DEPLOYMENT].there && pile->options->deployment == 0)
    return sprint_fail(pile->session->context, SPRINT_ERROR_INPUT,
                       "%s: has no column 'deployment'; one with the number of the deployment that made each row was "
                       "expected, or --deployment N for all of them",
                       path);
  pile->n += pile->files[f].n;
  return SPRINT_OK;
}

static sprint_status read_files(struct pile *pile, struct sprint__labels *labels) {
  const sprint_predictor *start = pile->session->start;
  pile->files = sprint__arena_take(pile->arena, pile->options->n_paths, sizeof *pile->files);
  pile->number = sprint__arena_take(pile->arena, start->n_classes, sizeof *pile->number);
  SPRINT__TRY(sprint__arena_status(pile->arena));
  SPRINT__TRY(sprint__predictor_index_classes(start, labels, pile->number));
  for (size_t f = 0; f < pile->options->n_paths; f++) SPRINT__TRY(read_file(pile, f, labels));
  return SPRINT_OK;
}

static sprint_status read_deployment(const struct pile *pile, struct row *row) {
  const struct sprint__csv_texts *texts = &pile->files[row->file].more[DEPLOYMENT];
  const char *text = texts->there ? sprint__csv_text(texts, row->at) : NULL;
  row->deployment = pile->options->deployment;
  if (!text) return SPRINT_OK;
  row->deployment = 0;
  size_t length = strspn(text, "0123456789");
  for (size_t i = 0; i < length && length < 19; i++) row->deployment = 10 * row->deployment + (uint64_t)(text[i] - '0');
  if (row->deployment > 0 && text[length] == '\0') return SPRINT_OK;
  return refuse_row(pile, row, "column 'deployment': '%s' is not the number of a deployment; 1, 2, ... was expected",
                    sprint__show(text).text);
}

static sprint_status read_row(const struct pile *pile, struct row *row) {
  const struct sprint__csv_scored *file = &pile->files[row->file];
  const struct sprint__csv_texts *texts = &file->more[NO_REFERENCE];
  const char *text = texts->there ? sprint__csv_text(texts, row->at) : "";
  double lacks = 0;
  row->id = sprint__csv_text(&file->ids, row->at);
  if (!*row->id) return refuse_row(pile, row, "the id is missing");
  if (*text && !sprint__boolean_parse(text, &lacks))
    return refuse_row(pile, row, "column 'no_reference': '%s' is not a boolean; true or false was expected",
                      sprint__show(text).text);
  row->lacks = lacks > 0;
  return read_deployment(pile, row);
}

static bool is_reference(const struct pile *pile, const struct row *row) {
  const sprint_want *want = &pile->session->solver->wanted;
  return want->reference > 0 && want->reference != want->deployment && row->deployment == want->reference;
}

static sprint_status sort_rows(struct pile *pile) {
  pile->rows = sprint__arena_take(pile->arena, pile->n, sizeof *pile->rows);
  pile->records = sprint__arena_take(pile->arena, pile->n, sizeof *pile->records);
  pile->reference_of = sprint__arena_take(pile->arena, pile->n, sizeof *pile->reference_of);
  SPRINT__TRY(sprint__arena_status(pile->arena));
  size_t n = 0;
  for (size_t f = 0; f < pile->options->n_paths; f++)
    for (size_t i = 0; i < pile->files[f].n; i++, n++) {
      pile->rows[n] = (struct row){.file = f, .at = i};
      SPRINT__TRY(read_row(pile, &pile->rows[n]));
      if (!is_reference(pile, &pile->rows[n])) pile->records[pile->n_records++] = n;
    }
  return SPRINT_OK;
}

static double label_of(const struct pile *pile, const struct row *row) {
  double y = pile->files[row->file].y[row->at];
  return pile->session->start->n_classes ? (double)pile->number[(size_t)y] : y;
}

/* Numbers all reference records by id: (ids->n) the row of each in `rows`. */
static sprint_status index_references(const struct pile *pile, struct sprint__index *ids, size_t *rows) {
  for (size_t i = 0; i < pile->n; i++) {
    const struct row *row = &pile->rows[i];
    size_t known = ids->n, number = 0;
    if (!is_reference(pile, row)) continue;
    SPRINT__TRY(sprint__index_add(ids, row->id, &number));
    if (number < known)
      return refuse_row(pile, row, "id '%s' has two records under deployment %llu", sprint__show(row->id).text,
                        (unsigned long long)row->deployment);
    rows[number] = i;
  }
  return SPRINT_OK;
}

/* What a record and its reference record must have in common. */
static sprint_status check_pair(const struct pile *pile, const struct row *row, const struct row *reference) {
  if (row->lacks)
    return refuse_row(pile, row, "'no_reference' is true of id '%s', who has a record under deployment %llu",
                      sprint__show(row->id).text, (unsigned long long)reference->deployment);
  if (label_of(pile, row) == label_of(pile, reference)) return SPRINT_OK;
  return refuse_row(pile, row,
                    "id '%s' has another label than under deployment %llu; deployments move features, and the label is "
                    "the same person's",
                    sprint__show(row->id).text, (unsigned long long)reference->deployment);
}

/* Everybody's reference record, where one is wanted, and nobody else's. */
static sprint_status pair_rows(struct pile *pile, struct sprint__index *ids) {
  const sprint_want *want = &pile->session->solver->wanted;
  bool wanted = want->reference > 0 && want->reference != want->deployment;
  size_t *rows = sprint__arena_take(pile->arena, pile->n, sizeof *rows), number = 0;
  bool *used = sprint__arena_take(pile->arena, pile->n, sizeof *used);
  SPRINT__TRY(sprint__arena_status(pile->arena));
  SPRINT__TRY(index_references(pile, ids, rows));
  for (size_t k = 0; k < pile->n_records; k++) {
    const struct row *row = &pile->rows[pile->records[k]];
    bool found = wanted && sprint__index_find(ids, row->id, &number);
    pile->reference_of[k] = found ? rows[number] : pile->n;
    if (found) SPRINT__TRY(check_pair(pile, row, &pile->rows[rows[number]]));
    if (found) used[number] = true;
    if (found || !wanted || row->lacks) continue;
    return refuse_row(
        pile, row,
        "id '%s' has no record under deployment %llu, which is wanted beside it; where there is none, the "
        "column 'no_reference' says so",
        sprint__show(row->id).text, (unsigned long long)want->reference);
  }
  for (size_t k = 0; k < ids->n; k++)
    if (!used[k])
      return refuse_row(pile, &pile->rows[rows[k]],
                        "id '%s' has a record under deployment %llu and none under deployment %llu",
                        sprint__show(pile->rows[rows[k]].id).text, (unsigned long long)want->reference,
                        (unsigned long long)want->deployment);
  return SPRINT_OK;
}

static void fill_features(const struct pile *pile, size_t row, sprint_real *ret_x) {
  const sprint_predictor *start = pile->session->start;
  const double *raw = pile->files[pile->rows[row].file].x + pile->rows[row].at * start->n_features;
  sprint__predictor_features(start, raw, 1, ret_x);
}

/* What the solver is told; arrays of the arena. */
struct arrays {
  sprint_real *x, *x_reference, *y;
  const char **id;
  uint64_t *deployments;
  double *weight;
  bool *lacks;
};

static sprint_status take_arrays(const struct pile *pile, struct arrays *a) {
  struct sprint__arena *arena = pile->arena;
  size_t n = pile->n_records, d = pile->session->start->n_features;
  a->x = sprint__arena_take(arena, n, d * sizeof *a->x);
  a->x_reference = sprint__arena_take(arena, n, d * sizeof *a->x);
  a->y = sprint__arena_take(arena, n, sizeof *a->y);
  a->id = sprint__arena_take(arena, n, sizeof *a->id);
  a->deployments = sprint__arena_take(arena, n, sizeof *a->deployments);
  a->weight = sprint__arena_take(arena, n, sizeof *a->weight);
  a->lacks = sprint__arena_take(arena, n, sizeof *a->lacks);
  return sprint__arena_status(arena);
}

static void fill_arrays(const struct pile *pile, struct arrays *a) {
  size_t d = pile->session->start->n_features;
  for (size_t k = 0; k < pile->n_records; k++) {
    const struct row *row = &pile->rows[pile->records[k]];
    const double *weight = pile->files[row->file].weight;
    fill_features(pile, pile->records[k], a->x + k * d);
    if (pile->reference_of[k] < pile->n) fill_features(pile, pile->reference_of[k], a->x_reference + k * d);
    a->y[k] = (sprint_real)label_of(pile, row);
    a->id[k] = row->id;
    a->deployments[k] = row->deployment;
    a->weight[k] = weight ? weight[row->at] : 1;
    a->lacks[k] = row->lacks;
  }
}

static sprint_status tell_pile(const struct pile *pile) {
  sprint_session *session = pile->session;
  const sprint_want *want = &session->solver->wanted;
  const sprint_session_records *options = pile->options;
  bool references = want->reference > 0 && want->reference != want->deployment;
  struct arrays a;
  SPRINT__TRY(take_arrays(pile, &a));
  fill_arrays(pile, &a);
  sprint_records records = {.size = sizeof records,
                            .n = pile->n_records,
                            .x = a.x,
                            .y = a.y,
                            .x_reference = references ? a.x_reference : NULL,
                            .weight = session->start->encoding->weight ? a.weight : NULL,
                            .request = options->request,
                            .id = a.id,
                            .repeats = options->repeats,
                            .deployments = a.deployments,
                            .stale_from = options->stale_from,
                            .lacks_reference = a.lacks};
  sprint_told told = {.size = sizeof told};
  SPRINT__TRY(sprint_solver_told(session->solver, &told));
  records.last = told.n + records.n == want->n;
  return sprint_solver_tell(session->solver, &records);
}

static sprint_status tell_files(struct pile *pile, struct sprint__labels *labels, struct sprint__index *ids) {
  SPRINT__TRY(read_files(pile, labels));
  SPRINT__TRY(sort_rows(pile));
  SPRINT__TRY(pair_rows(pile, ids));
  return tell_pile(pile);
}

sprint_status sprint__session_tell_csv(sprint_session *session, const sprint_session_records *options, size_t *ret_n) {
  SPRINT__SCRATCH(arena, session->context);
  struct sprint__labels labels = {.context = session->context, .file = session->start->path};
  struct sprint__index ids = {.context = session->context};
  struct pile pile = {.session = session, .options = options, .arena = &arena};
  for (size_t f = 0; f < options->n_paths; f++)
    if (!options->paths || !options->paths[f])
      return sprint_fail(session->context, SPRINT_ERROR_ARGUMENT, "NULL was given for file %zu of %zu", f,
                         options->n_paths);
  sprint_want want = {.size = sizeof want};
  SPRINT__TRY(sprint_session_wanted(session, &want));
  sprint_status status = tell_files(&pile, &labels, &ids);
  for (size_t f = 0; pile.files && f < options->n_paths; f++) sprint__csv_scored_clear(&pile.files[f]);
  sprint__labels_clear(&labels);
  sprint__index_clear(&ids);
  SPRINT__TRY(status);
  *ret_n = pile.n_records;
  return SPRINT_OK;
}
