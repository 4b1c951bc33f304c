/* Normal numbers, many at a time: see random.h. The words are those of Philox4x32-10 (Salmon et al. 2011), the normals
 * those of Box and Muller; logarithm and cosine are polynomials of which what is left out is below half a unit in the
 * last place, worked out for four numbers at once. */
#include <math.h>
#include <string.h>

#include "base/group.h"
#include "base/random.h"

typedef double four __attribute__((vector_size(32)));
typedef uint64_t four_bits __attribute__((vector_size(32)));
typedef int64_t four_mask __attribute__((vector_size(32)));

#define LN_2    6.93147180559945309417e-01
#define ROOT_2  1.41421356237309504880
#define HALF_PI 1.57079632679489661923

enum { TOGETHER = 16, ROUNDS = 10, FOURS = TOGETHER / 4 };

SPRINT__INLINE four blend_fours(four_mask mask, four a, four b) {
  return (four)(((four_mask)a & mask) | ((four_mask)b & ~mask));
}

/* Whole numbers below 2^52 as doubles: they are put into the digits of 2^52, which is taken off. */
#define TWO_52 4503599627370496.0
SPRINT__INLINE four to_double(four_bits whole) { return (four)(whole | (four_bits)((four){0} + TWO_52)) - TWO_52; }

/* sprint__uniform, to the bit: the upper 53 bits of a word whose halves are low and high. */
SPRINT__INLINE four to_uniform(four_bits low, four_bits high) {
  four_bits word = low | (high << 32);
  return (to_double(word >> 43) * 4294967296.0 + to_double((word >> 11) & 0xffffffff)) * 0x1p-53;
}

/* log(u), 2^-53 <= u <= 1: u = 2^k m with m about 1, and log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172. */
SPRINT__INLINE four log_of(four u) {
  enum { TERMS = 10 }; /* s^22 / 23 < 1e-17 */
  four_bits bits = (four_bits)u, one = (four_bits)((four){0} + 1.0);
  four m = (four)((bits & 0xfffffffffffff) | one), k = to_double(bits >> 52) - 1023;
  four_mask large = m > ROOT_2;
  m = blend_fours(large, m / 2, m);
  k = blend_fours(large, k + 1, k);
  four s = (m - 1) / (m + 1), square = s * s, sum = {0};
  for (int i = TERMS; i >= 0; i--) sum = sum * square + 1.0 / (2 * i + 1);
  return k * LN_2 + 2 * s * sum;
}

/* cos(2 pi u), 0 <= u < 1: by the nearest quarter turn, |r| <= pi / 4 from it. */
SPRINT__INLINE four cos_of_turns(four u) {
  static const double cosines[] = {1,
                                   -1.0 / 2,
                                   1.0 / 24,
                                   -1.0 / 720,
                                   1.0 / 40320,
                                   -1.0 / 3628800,
                                   1.0 / 479001600,
                                   -1.0 / 87178291200.0,
                                   1.0 / 20922789888000.0}; /* r^18 / 18! < 1e-17 */
  static const double sines[] = {1,
                                 -1.0 / 6,
                                 1.0 / 120,
                                 -1.0 / 5040,
                                 1.0 / 362880,
                                 -1.0 / 39916800,
                                 1.0 / 6227020800.0,
                                 -1.0 / 1307674368000.0,
                                 1.0 / 355687428096000.0};
  const double nearest = 1.5 * TWO_52; /* added, it leaves the nearest whole number in the low bits */
  four shifted = 4 * u + nearest, r = (4 * u - (shifted - nearest)) * HALF_PI, square = r * r;
  four c = {0}, s = {0};
  for (int i = 8; i >= 0; i--) {
    c = c * square + cosines[i];
    s = s * square + sines[i];
  }
  four_bits quarter = (four_bits)shifted;
  four value = blend_fours((four_mask)(-(quarter & 1)), s * r, c);
  return (four)((four_bits)value ^ (((quarter + 1) & 2) << 62));
}

/* The four 32-bit words of counters index = first .. first + TOGETHER - 1, each in the lower half of 64 bits. */
SPRINT__INLINE void philox(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first, four_bits c[4][FOURS]) {
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (uint32_t f = 0; f < FOURS; f++) {
    c[0][f] = (four_bits){0, 1, 2, 3} + first + 4 * f;
    c[1][f] = (four_bits){0} + (uint32_t)step;
    c[2][f] = (four_bits){0} + (uint32_t)(step >> 32);
    c[3][f] = (four_bits){0} + purpose;
  }
  for (int round = 0; round < ROUNDS; round++, key[0] += 0x9E3779B9, key[1] += 0xBB67AE85)
    for (int f = 0; f < FOURS; f++) {
      four_bits p = c[0][f] * 0xD2511F53, q = c[2][f] * 0xCD9E8D57; /* all below 2^32 */
      c[0][f] = (q >> 32) ^ c[1][f] ^ key[0];
      c[2][f] = (p >> 32) ^ c[3][f] ^ key[1];
      c[1][f] = q & 0xffffffff;
      c[3][f] = p & 0xffffffff;
    }
}

SPRINT__FAST static void make_together(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first, double *ret) {
  four_bits c[4][FOURS];
  philox(seed, purpose, step, first, c);
  for (int f = 0; f < FOURS; f++) {
    four square = -2 * log_of(1 - to_uniform(c[0][f], c[1][f])), turned = cos_of_turns(to_uniform(c[2][f], c[3][f]));
    double lengths[4];
    memcpy(lengths, &square, sizeof lengths);
    for (int k = 0; k < 4; k++) lengths[k] = sqrt(lengths[k]);
    memcpy(&square, lengths, sizeof lengths);
    turned *= square;
    memcpy(ret + 4 * f, &turned, sizeof turned);
  }
}

void sprint__normals_near(uint64_t seed, enum sprint__purpose purpose, uint64_t step, size_t n, double *ret_normals) {
  double together[TOGETHER];
  for (size_t start = 0; start < n; start += TOGETHER) {
    make_together(seed, (uint32_t)purpose, step, (uint32_t)start, together);
    memcpy(ret_normals + start, together, (n - start < TOGETHER ? n - start : TOGETHER) * sizeof *together);
  }
}
