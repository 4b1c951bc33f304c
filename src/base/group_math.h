/* exp, log1p and log of groups, to within a few units in the last place, where losses need them: exp of what is not
 * above 0, log1p of what lies within 0 .. 1, log of what is at least 1. */
#ifndef SPRINT_BASE_GROUP_MATH_H
#define SPRINT_BASE_GROUP_MATH_H

#include "base/group.h"

#ifdef SPRINT_DOUBLE
typedef uint64_t group_bits __attribute__((vector_size(32)));
enum { EXP_TERMS = 14, LOG_TERMS = 17, MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };
#define EXP_LEAST (-708.0)           /* below it the result is not a normal number: taken for 0 */
#define EXP_ROUND 6755399441055744.0 /* 1.5 * 2^52: adding it leaves the nearest whole number in the low bits */
#define LN2_HIGH  6.93147180369123816490e-01
#define LN2_LOW   1.90821492927058770002e-10
#define LOG2_E    1.44269504088896340736
#else
typedef uint32_t group_bits __attribute__((vector_size(32)));
enum { EXP_TERMS = 8, LOG_TERMS = 8, MANTISSA_BITS = 23, EXPONENT_BIAS = 127 };
#define EXP_LEAST (-87.0f)
#define EXP_ROUND 12582912.0f
#define LN2_HIGH  0.693359375f
#define LN2_LOW   (-2.12194440e-4f)
#define LOG2_E    1.44269504f
#endif

/* a where the mask is set, b elsewhere. */
SPRINT__INLINE group blend(group_mask mask, group a, group b) {
  return (group)(((group_mask)a & mask) | ((group_mask)b & ~mask));
}

/* exp(x), x <= 0: 2^k times the Taylor polynomial of what is left, |r| <= ln 2 / 2. A NaN stays one. */
SPRINT__INLINE group group_exp(group x) {
  static const sprint_real inverse_factorial[] = {
      1,
      1,
      (sprint_real)(1.0 / 2),
      (sprint_real)(1.0 / 6),
      (sprint_real)(1.0 / 24),
      (sprint_real)(1.0 / 120),
      (sprint_real)(1.0 / 720),
      (sprint_real)(1.0 / 5040),
      (sprint_real)(1.0 / 40320),
      (sprint_real)(1.0 / 362880),
      (sprint_real)(1.0 / 3628800),
      (sprint_real)(1.0 / 39916800),
      (sprint_real)(1.0 / 479001600),
      (sprint_real)(1.0 / 6227020800.0),
  };
  group shifted = x * LOG2_E + EXP_ROUND, k = shifted - EXP_ROUND, r = x - k * LN2_HIGH - k * LN2_LOW;
  group sum = SPRINT__ALL(inverse_factorial[EXP_TERMS - 1]);
  for (int i = EXP_TERMS - 2; i >= 0; i--) sum = sum * r + inverse_factorial[i];
  group result = (group)((group_bits)sum + ((group_bits)shifted << MANTISSA_BITS));
  result = blend(x < EXP_LEAST, (group){0}, result);
  return blend(x != x, x, result);
}

/* log(1 + e), 0 <= e <= 1: 2 artanh s, s = e / (2 + e) <= 1/3. */
SPRINT__INLINE group group_log1p(group e) {
  group s = e / (2 + e), square = s * s, sum = {0};
  for (int i = LOG_TERMS; i >= 0; i--) sum = sum * square + (sprint_real)(1.0 / (2 * i + 1));
  return 2 * s * sum;
}

/* log(x), 1 <= x < inf: x = 2^k m, 1 <= m < 2. A NaN stays one. */
SPRINT__INLINE group group_log(group x) {
  group_bits bits = (group_bits)x, fraction = bits & ((((group_bits){0} + 1) << MANTISSA_BITS) - 1);
  group m = (group)(fraction | (group_bits)((group){0} + 1));
  group k = __builtin_convertvector((group_mask)((bits >> MANTISSA_BITS) - EXPONENT_BIAS), group);
  group result = k * LN2_HIGH + (k * LN2_LOW + group_log1p(m - 1));
  return blend(x != x, x, result);
}

#endif
