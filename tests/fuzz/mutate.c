/* The mutation engine, and what becomes of a mutant: see mutate.h. */
#define _XOPEN_SOURCE 700
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* SplitMix64 (Steele, Lea and Flood 2014): any seed will do. */
static uint64_t next(struct mutator *mutator) {
  uint64_t z = mutator->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

size_t mutate_below(struct mutator *mutator, size_t n) { return (size_t)(next(mutator) % n); }

/* Puts n bytes in at `at`, as far as there is room. */
static void insert(struct mutator *mutator, size_t at, const void *bytes, size_t n) {
  if (n > MUTATE_ROOM - mutator->size) return;
  memmove(mutator->bytes + at + n, mutator->bytes + at, mutator->size - at);
  memcpy(mutator->bytes + at, bytes, n);
  mutator->size += n;
}

static void flip(struct mutator *mutator, size_t at) {
  if (at < mutator->size) mutator->bytes[at] ^= (unsigned char)(1u << mutate_below(mutator, 8));
}

static void overwrite(struct mutator *mutator, size_t at) {
  static const unsigned char telling[] = {0, 1, 0x7f, 0x80, 0xff, '\n', '\r', '\t', ' ', '"', '\'', '0', '9', '-'};
  if (at < mutator->size) mutator->bytes[at] = telling[mutate_below(mutator, sizeof telling)];
}

/* A stretch from `at` on, mostly short. */
static size_t stretch(struct mutator *mutator, size_t at) {
  size_t left = mutator->size - at, most = mutate_below(mutator, 4) ? 8 : 64;
  return left ? 1 + mutate_below(mutator, left < most ? left : most) : 0;
}

static void delete (struct mutator *mutator, size_t at) {
  size_t n = stretch(mutator, at);
  memmove(mutator->bytes + at, mutator->bytes + at + n, mutator->size - at - n);
  mutator->size -= n;
}

static void repeat(struct mutator *mutator, size_t at) {
  unsigned char copy[64];
  size_t n = stretch(mutator, at), times = 1 + mutate_below(mutator, 4);
  memcpy(copy, mutator->bytes + at, n);
  size_t to = mutate_below(mutator, 2) ? at : mutate_below(mutator, mutator->size + 1);
  while (times--) insert(mutator, to, copy, n);
}

static void put_token(struct mutator *mutator, size_t at) {
  if (!mutator->n_tokens) return;
  const char *token = mutator->tokens[mutate_below(mutator, mutator->n_tokens)];
  insert(mutator, at, token, strlen(token));
}

/* A word or number of the text gives way to a token, or to another word of the text. */
static void replace_word(struct mutator *mutator, size_t at) {
  unsigned char word[64];
  size_t start = at, end = at, from = mutate_below(mutator, mutator->size + 1), n = 0;
  while (start > 0 && isalnum(mutator->bytes[start - 1])) start--;
  while (end < mutator->size && isalnum(mutator->bytes[end])) end++;
  while (from > 0 && isalnum(mutator->bytes[from - 1])) from--;
  while (from + n < mutator->size && n < sizeof word && isalnum(mutator->bytes[from + n])) n++;
  memcpy(word, mutator->bytes + from, n);
  memmove(mutator->bytes + start, mutator->bytes + end, mutator->size - end);
  mutator->size -= end - start;
  if (mutate_below(mutator, 2))
    insert(mutator, start, word, n);
  else
    put_token(mutator, start);
}

static void put_byte(struct mutator *mutator, size_t at) {
  unsigned char byte = (unsigned char)mutate_below(mutator, 256);
  insert(mutator, at, &byte, 1);
}

static void cut(struct mutator *mutator, size_t at) {
  if (mutate_below(mutator, 4) == 0) mutator->size = at;
}

void mutate(struct mutator *mutator, const void *input, size_t size) {
  static void (*const changes[])(struct mutator *, size_t) = {flip,     overwrite,    delete,       repeat, put_token,
                                                              put_byte, replace_word, replace_word, cut};
  mutator->size = size < MUTATE_ROOM ? size : MUTATE_ROOM;
  memcpy(mutator->bytes, input, mutator->size);
  for (size_t n = 1 + mutate_below(mutator, 1 + mutate_below(mutator, 6)); n > 0; n--)
    changes[mutate_below(mutator, sizeof changes / sizeof changes[0])](mutator,
                                                                       mutate_below(mutator, mutator->size + 1));
}

bool fuzz_has_large_number(const unsigned char *text, size_t size) {
  size_t n_digits = 0;
  for (size_t i = 0; i < size; i++) {
    bool exponent = (text[i] == 'e' || text[i] == 'E') && i > 0 && (isdigit(text[i - 1]) || text[i - 1] == '.');
    n_digits = isxdigit(text[i]) && (n_digits || isdigit(text[i])) ? n_digits + 1 : 0;
    if (n_digits > 3 || exponent) return true;
  }
  return false;
}

struct fuzz_input fuzz_read(const char *path) {
  FILE *stream = fopen(path, "rb");
  char *bytes = malloc(MUTATE_ROOM);
  size_t size = stream && bytes ? fread(bytes, 1, MUTATE_ROOM, stream) : 0;
  if (stream) fclose(stream);
  if (size == 0) {
    fprintf(stderr, "%s: cannot be read\n", path);
    exit(2);
  }
  return (struct fuzz_input){bytes, size};
}

/* Always a new file: some file systems sync one that is cut short and written again, thousands of times here. */
static void write_mutant(const struct mutator *mutator, const char *path) {
  unlink(path);
  FILE *stream = fopen(path, "wb");
  if (!stream || fwrite(mutator->bytes, 1, mutator->size, stream) != mutator->size || fclose(stream) != 0) {
    fprintf(stderr, "%s: cannot be written\n", path);
    exit(2);
  }
}

/* OK, or one line that says something. */
static bool answers_well(sprint_status status, const char *sentence) {
  if (status == SPRINT_OK) return true;
  for (const char *at = sentence; *at; at++)
    if ((unsigned char)*at < 0x20) return false;
  return *sentence != '\0' && strcmp(sprint_status_text(status), "unknown status") != 0;
}

bool fuzz_try(const struct fuzz *fuzz, struct mutator *mutator, const char *path, bool *ret_ok) {
  sprint_context *context = NULL;
  write_mutant(mutator, path);
  if (sprint_context_new(&context) != SPRINT_OK) exit(2);
  sprint_context_set_threads(context, 1);
  sprint_status status = fuzz->feed(context, path, mutator);
  bool well = answers_well(status, sprint_context_error(context));
  if (!well)
    fprintf(stderr, "status %d, sentence '%s', of the input:\n%.*s\n", (int)status, sprint_context_error(context),
            (int)mutator->size, (const char *)mutator->bytes);
  *ret_ok = status == SPRINT_OK;
  sprint_context_free(context);
  return well;
}
