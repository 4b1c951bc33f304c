/* Transfers over libcurl that can be resumed.
 *
 * CURLOPT_RANGE rather than CURLOPT_RESUME_FROM: with the latter libcurl gives up on a server that ignores ranges, with
 * the former its whole answer arrives, and the file is begun again. */
#define _DEFAULT_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fetch.h"

#define CONNECT_SECONDS 20L
#define STALL_SECONDS   60L /* without a byte */
#define MAX_REDIRECTS   5L
#define MAX_CUTS        1000

struct transfer {
  sprint_context *context;
  const char *address, *part;
  FILE *stream;
  CURL *curl;
  uint64_t size;       /* at most */
  uint64_t have;       /* bytes in the part */
  uint64_t range_from; /* of the answer; by its Content-Range */
  bool answered;       /* its first bytes have come */
  bool too_long, unwritable, wrong_range;
  struct fetch_progress progress;
};

static bool start_again(struct transfer *t) {
  if (fflush(t->stream) != 0 || ftruncate(fileno(t->stream), 0) != 0 || fseek(t->stream, 0, SEEK_SET) != 0)
    return false;
  t->have = 0;
  return true;
}

/* 206 goes on where the part ends; 200 is the whole file. */
static bool take_answer(struct transfer *t) {
  long code = 0;
  curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
  t->answered = true;
  if (code != 206) return t->have == 0 || start_again(t);
  t->wrong_range = t->range_from != t->have;
  return !t->wrong_range;
}

static size_t take_bytes(char *bytes, size_t one, size_t n, void *user) {
  struct transfer *t = user;
  (void)one;
  if (!t->answered && !take_answer(t)) return 0;
  t->too_long = n > t->size - t->have;
  if (t->too_long) return 0;
  t->unwritable = fwrite(bytes, 1, n, t->stream) != n;
  if (t->unwritable) return 0;
  t->have += n;
  return n;
}

static size_t take_header(char *line, size_t one, size_t n, void *user) {
  static const char name[] = "content-range: bytes ";
  struct transfer *t = user;
  (void)one;
  if (n > sizeof name && strncasecmp(line, name, sizeof name - 1) == 0)
    t->range_from = strtoull(line + sizeof name - 1, NULL, 10);
  return n;
}

static int take_progress(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up) {
  struct transfer *t = user;
  (void)total, (void)now, (void)up_total, (void)up;
  fetch_progress_show(&t->progress, t->have);
  return 0;
}

static void set_options(struct transfer *t, const char *range) {
  CURL *c = t->curl;
  curl_easy_setopt(c, CURLOPT_URL, t->address);
  curl_easy_setopt(c, CURLOPT_RANGE, range);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(c, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
  curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(c, CURLOPT_USERAGENT, "sprint/" SPRINT_VERSION);
  curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, STALL_SECONDS);
  curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, take_progress);
  curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
}

static CURLcode ask_once(struct transfer *t) {
  char range[32];
  snprintf(range, sizeof range, "%llu-", (unsigned long long)t->have);
  t->answered = t->wrong_range = false;
  t->range_from = 0;
  set_options(t, t->have ? range : NULL);
  CURLcode code = curl_easy_perform(t->curl);
  t->unwritable |= fflush(t->stream) != 0;
  return code;
}

static sprint_status refuse(const struct transfer *t, CURLcode code) {
  long answer = 0;
  curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &answer);
  if (t->unwritable) return fetch_unwritable(t->context, t->part);
  if (t->too_long)
    return sprint_fail(t->context, SPRINT_ERROR_INPUT, "%s: gives more than the %llu bytes that were expected",
                       t->address, (unsigned long long)t->size);
  if (code == CURLE_HTTP_RETURNED_ERROR)
    return sprint_fail(t->context, SPRINT_ERROR_IO, "%s: the server answers %ld", t->address, answer);
  if (code == CURLE_OK)
    return sprint_fail(t->context, SPRINT_ERROR_INPUT, "%s: gives %llu bytes, %llu were expected", t->address,
                       (unsigned long long)t->have, (unsigned long long)t->size);
  return sprint_fail(t->context, SPRINT_ERROR_IO, "%s: cannot be fetched: %s", t->address, curl_easy_strerror(code));
}

/* Whether the server has nothing for the range that was asked for, or something else: the part is not of its file. */
static bool range_refused(const struct transfer *t, CURLcode code) {
  long answer = 0;
  curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &answer);
  return t->have && (t->wrong_range || (code == CURLE_HTTP_RETURNED_ERROR && answer == 416));
}

/* Whether the server's own file is shorter than it should be: all of its answer came, by the length that it said. */
static bool ends_early(const struct transfer *t, CURLcode code) {
  curl_off_t length = -1;
  curl_easy_getinfo(t->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return code == CURLE_OK && length >= 0;
}

/* Asks until all is there; a server that breaks off is asked for the rest as long as it gives more each time. */
static sprint_status ask(struct transfer *t) {
  bool again = false;
  for (int cuts = 0; t->have < t->size; cuts++) {
    uint64_t before = t->have;
    CURLcode code = ask_once(t);
    if (t->have == t->size && !t->too_long && !t->unwritable) break;
    if (!again && range_refused(t, code)) {
      again = true;
      if (!start_again(t)) return refuse(t, code);
      continue;
    }
    if (ends_early(t, code)) {
      sprint_status status = refuse(t, code);
      start_again(t);
      return status;
    }
    bool cut = !t->too_long && !t->unwritable && code != CURLE_HTTP_RETURNED_ERROR;
    if (!cut || t->have <= before || cuts == MAX_CUTS) return refuse(t, code);
  }
  return fsync(fileno(t->stream)) == 0 ? SPRINT_OK : fetch_unwritable(t->context, t->part);
}

static sprint_status open_part(struct transfer *t) {
  struct stat info;
  sprint_status status = fetch_part_open(t->context, t->part, &t->stream);
  if (status != SPRINT_OK) return status;
  if (fstat(fileno(t->stream), &info) != 0)
    return sprint_fail(t->context, SPRINT_ERROR_IO, "%s: cannot be read: %s", t->part, strerror(errno));
  t->have = (uint64_t)info.st_size;
  return t->have <= t->size || start_again(t) ? SPRINT_OK : fetch_unwritable(t->context, t->part);
}

sprint_status fetch_transfer(sprint_context *context, const char *address, const char *part, uint64_t size) {
  struct transfer t = {.context = context, .address = address, .part = part, .size = size};
  sprint_status status = open_part(&t);
  const char *slash = strrchr(address, '/');
  if (status == SPRINT_OK && (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(t.curl = curl_easy_init())))
    status = sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory for a transfer");
  if (status == SPRINT_OK) {
    fetch_progress_start(&t.progress, slash ? slash + 1 : address, t.have, size);
    status = ask(&t);
    fetch_progress_end(&t.progress);
  }
  if (t.stream && !t.have) unlink(part); /* what could not be opened is not ours to remove */
  if (t.curl) {
    curl_easy_cleanup(t.curl);
    curl_global_cleanup();
  }
  if (t.stream && fclose(t.stream) != 0 && status == SPRINT_OK) status = fetch_unwritable(context, part);
  return status;
}
