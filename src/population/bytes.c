/* Files of bytes, plain or gzip, over zlib: see bytes.h.
 *
 * Not gzread, which silently ignores whatever follows a gzip stream. */
#define _POSIX_C_SOURCE 200809L
#include "population/bytes.h"

#include <stdio.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/file.h"

#define BLOCK_SIZE        65536
#define GZIP_WINDOW       (15 + 16)
#define MAX_DEFLATE_RATIO 1032 /* zlib's documentation: "the limit is 1032:1" */
#define MOST_RATIO        64.0 /* that is taken for granted: MNIST's is 5, a table of very few different rows has 100 */
#define MOST_UNASKED      67108864.0

struct sprint__bytes {
  sprint_context *context;
  const char *path;
  FILE *stream;
  uint64_t file_size;
  uint64_t n_in, n_out; /* bytes read of the file, and unpacked from them */
  bool gzip, ended;     /* ended: no gzip member is open */
  z_stream inflater;
  unsigned char block[BLOCK_SIZE];
};

static void *inflater_alloc(void *context, unsigned n, unsigned size) { return sprint__alloc(context, n, size); }

static void inflater_free(void *context, void *memory) {
  (void)context;
  sprint__free(memory);
}

static sprint_status refuse(const struct sprint__bytes *r, const char *what) {
  return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s: %s", r->path, what);
}

/* The next block of the file, for the inflater. */
static sprint_status refill(struct sprint__bytes *r) {
  r->inflater.next_in = r->block;
  r->inflater.avail_in = (unsigned)fread(r->block, 1, BLOCK_SIZE, r->stream);
  r->n_in += r->inflater.avail_in;
  if (ferror(r->stream)) return sprint_fail(r->context, SPRINT_ERROR_IO, "%s: cannot be read to its end", r->path);
  return SPRINT_OK;
}

static sprint_status start(struct sprint__bytes *r) {
  struct stat info;
  r->file_size = fstat(fileno(r->stream), &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
  SPRINT__TRY(refill(r));
  r->gzip = r->inflater.avail_in >= 2 && r->block[0] == 0x1f && r->block[1] == 0x8b;
  if (r->gzip && inflateInit2(&r->inflater, GZIP_WINDOW) != Z_OK) return SPRINT_ERROR_MEMORY;
  return SPRINT_OK;
}

sprint_status sprint__bytes_open(sprint_context *context, const char *path, struct sprint__bytes **ret_reader) {
  SPRINT__SCOPED(sprint__bytes_close) struct sprint__bytes *r = sprint__alloc(context, 1, sizeof *r);
  if (!r) return SPRINT_ERROR_MEMORY;
  r->context = context;
  r->path = path;
  r->inflater.zalloc = inflater_alloc;
  r->inflater.zfree = inflater_free;
  r->inflater.opaque = context;
  SPRINT__TRY(sprint__file_open(context, path, &r->stream));
  SPRINT__TRY(start(r));
  *ret_reader = sprint__give(&r);
  return SPRINT_OK;
}

void sprint__bytes_close(struct sprint__bytes *r) {
  if (!r) return;
  if (r->gzip) inflateEnd(&r->inflater);
  if (r->stream) fclose(r->stream);
  sprint__free(r);
}

/* After a gzip member: another one may follow, and nothing else. */
static sprint_status next_member(struct sprint__bytes *r) {
  if (!r->inflater.avail_in) SPRINT__TRY(refill(r));
  if (!r->inflater.avail_in) return SPRINT_OK;
  if (r->inflater.next_in[0] != 0x1f) return refuse(r, "has bytes after the end of its gzip stream");
  r->ended = false;
  return inflateReset(&r->inflater) == Z_OK ? SPRINT_OK : refuse(r, "cannot be unpacked");
}

/* Inflates some bytes into the inflater's output; the end of the file within a member is a cut. */
static sprint_status inflate_some(struct sprint__bytes *r) {
  if (!r->inflater.avail_in) SPRINT__TRY(refill(r));
  if (!r->inflater.avail_in) return refuse(r, "is cut short: its gzip stream does not end");
  int code = inflate(&r->inflater, Z_NO_FLUSH);
  if (code == Z_STREAM_END) r->ended = true;
  if (code == Z_MEM_ERROR) return SPRINT_ERROR_MEMORY;
  if (code != Z_OK && code != Z_STREAM_END)
    return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s: its gzip stream is damaged%s%s", r->path,
                       r->inflater.msg ? ": " : "", r->inflater.msg ? r->inflater.msg : "");
  return SPRINT_OK;
}

/* Whether so many packed bytes may unpack to so many: what was made to fill memory does not get far. */
static sprint_status check_ratio(const struct sprint__bytes *r, double n_out, double n_in) {
  if (n_out <= MOST_RATIO * n_in + MOST_UNASKED) return SPRINT_OK;
  return refuse(r,
                "unpacks to more than 64 times its size and 64 MB; where that is right, unpack it with gunzip first");
}

static sprint_status read_gzip(struct sprint__bytes *r, size_t n, size_t *ret_n) {
  size_t left = n;
  while (left) {
    if (r->ended) SPRINT__TRY(next_member(r));
    if (r->ended) break;
    unsigned room = left < BLOCK_SIZE ? (unsigned)left : BLOCK_SIZE;
    r->inflater.avail_out = room;
    SPRINT__TRY(inflate_some(r));
    left -= room - r->inflater.avail_out;
    r->n_out += room - r->inflater.avail_out;
    SPRINT__TRY(check_ratio(r, (double)r->n_out, (double)r->n_in));
  }
  *ret_n = n - left;
  return SPRINT_OK;
}

/* What `start` read of a plain file comes first. */
static sprint_status read_plain(struct sprint__bytes *r, unsigned char *to, size_t n, size_t *ret_n) {
  size_t done = 0;
  for (; done < n && r->inflater.avail_in; done++, r->inflater.avail_in--) to[done] = *r->inflater.next_in++;
  done += fread(to + done, 1, n - done, r->stream);
  if (ferror(r->stream)) return sprint_fail(r->context, SPRINT_ERROR_IO, "%s: cannot be read to its end", r->path);
  *ret_n = done;
  return SPRINT_OK;
}

sprint_status sprint__bytes_read(struct sprint__bytes *r, void *ret_bytes, size_t n, size_t *ret_n) {
  if (!r->gzip) return read_plain(r, ret_bytes, n, ret_n);
  r->inflater.next_out = ret_bytes;
  return read_gzip(r, n, ret_n);
}

sprint_status sprint__bytes_expect(const struct sprint__bytes *r, uint64_t n) {
  return r->gzip ? check_ratio(r, (double)n, (double)r->file_size) : SPRINT_OK;
}

uint64_t sprint__bytes_at_most(const struct sprint__bytes *r) {
  return r->gzip ? r->file_size * MAX_DEFLATE_RATIO : r->file_size;
}

bool sprint__bytes_is_gzip(const struct sprint__bytes *r) { return r->gzip; }
