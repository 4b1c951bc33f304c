/* Functions of groups, to within a few units in the last place, where losses and layers need them: exp of what is not
 * above 0, log1p of what lies within 0 .. 1, log of what is at least 1; tanh, the logistic function, and the normal
 * distribution's tail of anything. A result below the least normal number may be 0. */
#ifndef SPRINT_BASE_GROUP_MATH_H
#define SPRINT_BASE_GROUP_MATH_H

#include "base/group.h"

#ifdef SPRINT_DOUBLE
typedef uint64_t group_bits __attribute__((vector_size(SPRINT__GROUP_SIZE)));
enum { EXP_TERMS = 14, LOG_TERMS = 17, MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };
#define EXP_LEAST (-708.0)           /* below it the result is not a normal number: taken for 0 */
#define EXP_ROUND 6755399441055744.0 /* 1.5 * 2^52: adding it leaves the nearest whole number in the low bits */
#define LN2_HIGH  6.93147180369123816490e-01
#define LN2_LOW   1.90821492927058770002e-10
#define LOG2_E    1.44269504088896340736
#else
typedef uint32_t group_bits __attribute__((vector_size(SPRINT__GROUP_SIZE)));
enum { EXP_TERMS = 8, LOG_TERMS = 8, MANTISSA_BITS = 23, EXPONENT_BIAS = 127 };
#define EXP_LEAST (-87.0f)
#define EXP_ROUND 12582912.0f
#define LN2_HIGH  0.693359375f
#define LN2_LOW   (-2.12194440e-4f)
#define LOG2_E    1.44269504f
#endif

/* |x| */
SPRINT__INLINE group group_abs(group x) { return (group)((group_bits)x << 1 >> 1); }

/* exp(x), or where `less_one` exp(x) - 1, with x = k ln 2 + r, |r| <= ln 2 / 2, and k in the low bits of `shifted`: 2^k
 * times the Taylor polynomial of r. A NaN stays one. */
SPRINT__INLINE group exp_of(group x, group shifted, group r, bool less_one) {
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
  group sum = SPRINT__ALL(inverse_factorial[EXP_TERMS - 1]);
  for (int i = EXP_TERMS - 2; i >= (less_one ? 1 : 0); i--) sum = sum * r + inverse_factorial[i];
  group_bits k = (group_bits)shifted << MANTISSA_BITS;
  group scale = (group)((group_bits)((group){0} + 1) + k);
  group result = (group)((group_bits)sum + k), least = {0};
  if (less_one) {
    result = sum * r * scale + (scale - 1);
    least -= 1;
  }
  return blend(x != x, x, blend(x < EXP_LEAST, least, result));
}

/* exp(x + low), x <= 0, `low` a rounding of x. */
SPRINT__INLINE group group_exp_sum(group x, group low) {
  group shifted = x * LOG2_E + EXP_ROUND, k = shifted - EXP_ROUND;
  return exp_of(x, shifted, x - k * LN2_HIGH - k * LN2_LOW + low, false);
}

/* exp(x), x <= 0. */
SPRINT__INLINE group group_exp(group x) {
  group shifted = x * LOG2_E + EXP_ROUND, k = shifted - EXP_ROUND;
  return exp_of(x, shifted, x - k * LN2_HIGH - k * LN2_LOW, false);
}

/* exp(x) - 1, x <= 0. */
SPRINT__INLINE group group_expm1(group x) {
  group shifted = x * LOG2_E + EXP_ROUND, k = shifted - EXP_ROUND;
  return exp_of(x, shifted, x - k * LN2_HIGH - k * LN2_LOW, true);
}

SPRINT__INLINE group group_tanh(group x) {
  group size = group_abs(x), less = group_expm1(-2 * size);
  return (group)((group_bits)(-less / (2 + less)) | ((group_bits)x ^ (group_bits)size));
}

/* 1 / (1 + exp(-x)) */
SPRINT__INLINE group group_logistic(group x) {
  group e = group_exp(-group_abs(x));
  return blend(x < 0, e, (group){0} + 1) / (1 + e);
}

/* exp(-size^2 / 2), size >= 0. The upper half of its bits has an exact square, so that only what is left of the
 * exponent is rounded. */
SPRINT__INLINE group group_bell(group size) {
  group high = (group)((group_bits)size >> (MANTISSA_BITS / 2 + 1) << (MANTISSA_BITS / 2 + 1));
  return group_exp_sum(high * high * (sprint_real)-0.5, (high - size) * (high + size) * (sprint_real)0.5);
}

/* The standard normal distribution's density at `size` >= 0. */
SPRINT__INLINE group group_density(group size) { return group_bell(size) * (sprint_real)0.39894228040143267794; }

/* And its probability of more than `size`, at most GROUP_TAIL_END: exp(-size^2 / 2) p(t) / (4 + size), t = (size - 4) /
 * (size + 4), with a polynomial p that interpolates at Chebyshev's points to 1.3e-8 in float and 4e-17 in double. */
#ifdef SPRINT_DOUBLE
#define GROUP_TAIL_END 38.6
#define GROUP_TAIL                                                                                      \
  7.55285130415751480e-1, -6.07896641971891759e-1, 3.87137400742218879e-1, -1.86521857959694163e-1,     \
      6.03965748906994641e-2, -7.54018896559305902e-3, -3.47969236224253334e-3, 1.63081844189035960e-3, \
      1.33344254019049116e-4, -2.31094818319376211e-4, -1.90786653166135743e-6, 3.51441811577609727e-5, \
      7.15005595921609866e-7, -5.91889273176323645e-6, -6.25132104047868019e-7, 1.01980485181351727e-6, \
      2.63682485764076251e-7, -1.54263205367710739e-7, -7.63808205349045035e-8, 1.45785933470364597e-8, \
      1.39240239935017101e-8, 7.26954547902668946e-11, -9.65342542022850467e-10
#else
#define GROUP_TAIL_END 14.0f
#define GROUP_TAIL                                                                                         \
  7.552851383e-1f, -6.078966183e-1f, 3.871366841e-1f, -1.865226849e-1f, 6.040668873e-2f, -7.529250703e-3f, \
      -3.526183700e-3f, 1.572317879e-3f, 2.012617303e-4f, -1.201844011e-4f
#endif
SPRINT__INLINE group group_tail(group size) {
  static const sprint_real p[] = {GROUP_TAIL};
  enum { LAST = sizeof p / sizeof p[0] - 1 };
  group scale = 1 / (4 + size), t = (size - 4) * scale, sum = SPRINT__ALL(p[LAST]);
  for (int i = LAST - 1; i >= 0; i--) sum = sum * t + p[i];
  return group_bell(size) * (sum * scale);
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
