/* Random numbers by counter: see random.h. */
#include "base/random.h"

#include <Random123/philox.h>
#include <math.h>

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
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586476925 * sprint__uniform(words->b));
}

void sprint__shuffle(uint64_t seed, enum sprint__purpose purpose, uint32_t *items, uint32_t n) {
  for (uint32_t i = n; i > 1; i--) {
    uint64_t j = sprint__below(sprint__random_words(seed, purpose, 0, i).a, i);
    uint32_t swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
  }
}
