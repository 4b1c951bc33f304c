/* Writes the page of a folder of runs: see sprint_report_write in sprint.h. The data goes in as base64 of deflated
 * JSON, so that nothing that a name or a config holds can be taken for HTML, and a page of many long runs stays small.
 */
#define _POSIX_C_SOURCE 200809L
#include "report/page.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/file.h"

/* Significant digits of the reals of traces: as many as leave the data smaller than MOST_PACKED bytes of the page, or
 * the fewest. All other reals have SIDE_DIGITS. */
static const int digits_tried[] = {9, 7, 6, 5, 4};
enum { SIDE_DIGITS = 6, MOST_PACKED = 2850000 };

struct sprint_report {
  struct sprint__arena arena;
  size_t n_runs, n_notes;
  const char **notes; /* (n_notes) */
};

/* Bytes from malloc. */
struct packed {
  unsigned char *bytes;
  size_t size;
};

static void packed_clear(struct packed *packed) { free(packed->bytes); }

static sprint_status no_memory(sprint_context *context) {
  return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory for the data of a page");
}

/* [what is known of the runs, their traces] as text. */
static sprint_status print_data(sprint_context *context, json_t *json, const struct sprint__results *results,
                                int digits, struct packed *ret_text) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return no_memory(context);
  json_object_set_new(json, "digits", json_integer(digits));
  fputc('[', stream);
  bool failed = json_dumpf(json, stream, JSON_COMPACT | JSON_REAL_PRECISION(SIDE_DIGITS)) != 0;
  fputc(',', stream);
  sprint__page_traces(results, digits, stream);
  fputc(']', stream);
  failed = ferror(stream) || failed;
  failed = fclose(stream) != 0 || failed;
  *ret_text = (struct packed){(unsigned char *)text, size};
  return failed ? no_memory(context) : SPRINT_OK;
}

static sprint_status deflate_all(sprint_context *context, const struct packed *text, struct packed *ret_packed) {
  uLongf size = compressBound((uLong)text->size);
  *ret_packed = (struct packed){malloc(size), 0};
  if (!ret_packed->bytes ||
      compress2(ret_packed->bytes, &size, text->bytes, (uLong)text->size, Z_DEFAULT_COMPRESSION) != Z_OK)
    return no_memory(context);
  ret_packed->size = size;
  return SPRINT_OK;
}

static sprint_status pack(sprint_context *context, json_t *json, const struct sprint__results *results, int digits,
                          struct packed *ret_packed) {
  SPRINT__CLEARED(packed_clear) struct packed text = {0};
  SPRINT__TRY(print_data(context, json, results, digits, &text));
  return deflate_all(context, &text, ret_packed);
}

static void print_base64(const struct packed *packed, FILE *stream) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < packed->size; i += 3) {
    size_t n = packed->size - i < 3 ? packed->size - i : 3;
    unsigned long bits = (unsigned long)packed->bytes[i] << 16;
    if (n > 1) bits |= (unsigned long)packed->bytes[i + 1] << 8;
    if (n > 2) bits |= packed->bytes[i + 2];
    for (size_t k = 0; k < 4; k++) fputc(k <= n ? letters[bits >> (18 - 6 * k) & 63] : '=', stream);
  }
}

static sprint_status write_page(sprint_context *context, const struct packed *packed, const char *path) {
  struct sprint__file file;
  SPRINT__TRY(sprint__file_create(context, path, &file));
  fwrite(sprint__page_before, 1, sprint__page_before_size, file.stream);
  fputs("{\"packed\":\"", file.stream);
  print_base64(packed, file.stream);
  fputs("\"}", file.stream);
  fwrite(sprint__page_after, 1, sprint__page_after_size, file.stream);
  return sprint__file_commit(context, &file);
}

/* Whether any run has something that could be shown. */
static sprint_status check_shown(sprint_context *context, const struct sprint__results *results, const char *folder) {
  for (size_t i = 0; i < results->n_runs; i++)
    if (results->runs[i].n_rows || results->runs[i].json) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: none of its runs can be shown: %s", folder,
                     results->runs[0].complaint ? results->runs[0].complaint : "they have no rows yet");
}

static sprint_status report_on(sprint_context *context, const struct sprint__results *results, const char *folder,
                               const char *path, struct sprint_report *report) {
  SPRINT__SCRATCH(arena, context);
  SPRINT__TRY(sprint__page_notes(&report->arena, results, &report->notes, &report->n_notes));
  report->n_runs = results->n_runs;
  SPRINT__SCOPED(json_decref)
  json_t *json = sprint__page_json(&arena, results, folder, report->notes, report->n_notes);
  SPRINT__TRY(sprint__arena_status(&arena));
  if (!json) return no_memory(context);
  SPRINT__CLEARED(packed_clear) struct packed packed = {0};
  for (size_t i = 0; i < SPRINT__COUNT(digits_tried) && (i == 0 || packed.size / 3 * 4 > MOST_PACKED); i++) {
    packed_clear(&packed);
    packed = (struct packed){0};
    SPRINT__TRY(pack(context, json, results, digits_tried[i], &packed));
  }
  return write_page(context, &packed, path);
}

void sprint_report_free(sprint_report *report) {
  if (!report) return;
  sprint__arena_free(&report->arena);
  sprint__free(report);
}

SPRINT__FREE_AT(sprint_report_free, sprint_report)

const char *sprint_report_missing(void) { return sprint__page_missing; }

sprint_status sprint_report_write(sprint_context *context, const char *folder, const char *path,
                                  sprint_report **ret_report) {
  SPRINT__REQUIRE(context, folder, path);
  SPRINT__SCOPED(sprint__results_free) struct sprint__results *results = NULL;
  SPRINT__SCOPED(sprint_report_free) sprint_report *report = sprint__alloc(context, 1, sizeof *report);
  if (!report) return SPRINT_ERROR_MEMORY;
  report->arena.context = context;
  if (sprint__page_missing)
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "%s: cannot be written: this program was built without the page's chart library, uPlot: %s; "
                       "build it again where npm can fetch it",
                       path, sprint__page_missing);
  SPRINT__TRY(sprint__results_read(context, &folder, 1, &results));
  SPRINT__TRY(check_shown(context, results, folder));
  SPRINT__TRY(report_on(context, results, folder, path, report));
  if (ret_report) *ret_report = sprint__give(&report);
  return SPRINT_OK;
}

size_t sprint_report_n_runs(const sprint_report *report) { return report ? report->n_runs : 0; }
size_t sprint_report_n_notes(const sprint_report *report) { return report ? report->n_notes : 0; }

const char *sprint_report_note(const sprint_report *report, size_t i) {
  return report && i < report->n_notes ? report->notes[i] : NULL;
}
