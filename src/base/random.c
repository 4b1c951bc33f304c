/* Random numbers by counter: see random.h. */
#include "base/random.h"

#include <Random123/philox.h>
#include <math.h>

#define TAU 6.283185307179586476925

struct sprint__random sprint__random_words(uint64_t seed, enum sprint__purpose purpose, uint64_t step, uint32_t index) {
  philox4x32_ctr_t counter = {{index, (uint32_t)step, (uint32_t)(step >> 32), (uint32_t)purpose}};
  philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  philox4x32_ctr_t r = philox4x32(counter, key);
  return (struct sprint__random){
      (uint64_t)r.v[0] | (uint64_t)r.v[1] << 32,
      (uint64_t)r.v[2] | (uint64_t)r.v[3] << 32,
  };
}

double sprint__uniform(uint64_t word) { return (double)(word >> 11) * 0x1p-53; }

uint64_t sprint__below(uint64_t word, uint64_t n) {
  __extension__ typedef unsigned __int128 wide;
  return (uint64_t)(((wide)word * n) >> 64);
}

double sprint__normal(const struct sprint__random *words) {
  double u = 1.0 - sprint__uniform(words->a); /* in (0, 1] */
  return sqrt(-2.0 * log(u)) * cos(TAU * sprint__uniform(words->b));
}

/* Each function for several numbers, one after the other: calls that do not wait for each other overlap. */
void sprint__normals(uint64_t seed, enum sprint__purpose purpose, uint64_t step, size_t n, double *ret_normals) {
  enum { TOGETHER = 16 };
  double turns[TOGETHER];
  for (size_t start = 0, m; start < n; start += m, ret_normals += m) {
    m = n - start < TOGETHER ? n - start : TOGETHER;
    for (size_t k = 0; k < m; k++) {
      struct sprint__random words = sprint__random_words(seed, purpose, step, (uint32_t)(start + k));
      ret_normals[k] = 1.0 - sprint__uniform(words.a);
      turns[k] = sprint__uniform(words.b);
    }
    for (size_t k = 0; k < m; k++) ret_normals[k] = sqrt(-2.0 * log(ret_normals[k]));
    for (size_t k = 0; k < m; k++) ret_normals[k] *= cos(TAU * turns[k]);
  }
}

void sprint__shuffle(uint64_t seed, enum sprint__purpose purpose, uint32_t *items, uint32_t n) {
  for (uint32_t i = n; i > 1; i--) {
    uint64_t j = sprint__below(sprint__random_words(seed, purpose, 0, i).a, i);
    uint32_t swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
  }
}
