/* Statistics over seeds. */

/* Mean, standard error of it, and how many values there are; what is not finite is passed over. */
function moments(values) {
  const known = values.filter(Number.isFinite),
    n = known.length;
  const mean = n ? known.reduce((sum, v) => sum + v, 0) / n : NaN;
  const squares = known.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return { n, mean, error: n > 1 ? Math.sqrt(squares / (n - 1) / n) : NaN };
}

/* P(|T| <= sqrt(freedom) tan(angle)): the finite sums of Abramowitz & Stegun, 26.7.3 and 26.7.4. */
function studentWithin(freedom, angle) {
  const odd = freedom % 2 === 1,
    square = Math.cos(angle) ** 2;
  let term = odd ? Math.cos(angle) : 1,
    sum = 0;
  for (let k = odd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= (square * (k - 1)) / k;
  }
  return odd ? (angle + Math.sin(angle) * sum) / (Math.PI / 2) : Math.sin(angle) * sum;
}

/* t with P(|T| <= t) = level. */
function student(freedom, level) {
  let low = 0,
    high = Math.PI / 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentWithin(freedom, middle) < level) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan((low + high) / 2);
}

const LEVEL = 0.95;

/* b less a, seed by seed: its mean and 95 % interval, NaN where there are fewer than two pairs. Both map seeds to
 * numbers. */
function paired(a, b) {
  const differences = [];
  for (const [seed, value] of a)
    if (Number.isFinite(value) && Number.isFinite(b.get(seed))) differences.push(b.get(seed) - value);
  const m = moments(differences),
    reach = m.n > 1 ? student(m.n - 1, LEVEL) * m.error : NaN;
  return { n: m.n, mean: m.mean, low: m.mean - reach, high: m.mean + reach };
}
