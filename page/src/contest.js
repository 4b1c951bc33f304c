/* Who won on which budget, and by how much: methods at equal cost, paired over seeds. */

const BUDGETS = ['epoch', 'ifo', 'samples', 'deployments', 'seconds'];

const CRITERIA = [
  {
    column: 'gradient_sq',
    better: 'less',
    log: true,
    name: 'stability',
    of: 'the gradient ‖∇J(θ;θ)‖²',
    best: 'is nearest to a stable point',
    symbol: '‖∇J(θ;θ)‖² = ',
  },
  { column: 'loss', better: 'less', name: 'loss', of: 'the loss on D(θ)', best: 'has the least loss on D(θ)' },
  {
    column: 'accuracy',
    better: 'more',
    name: 'accuracy',
    share: true,
    of: 'the accuracy on D(θ)',
    best: 'has the best accuracy on D(θ)',
  },
  {
    column: 'loss_heldout',
    better: 'less',
    name: 'held-out loss',
    of: 'the held-out loss under D(θ)',
    best: 'has the least held-out loss',
  },
];

/* The last row that a budget pays for; -1: not even the first. Counters are whole, and times are compared as they are. */
function rowWithin(run, column, budget) {
  const xs = run.trace.get(column) || [];
  let row = -1;
  for (let r = 0; r < xs.length; r++) if (xs[r] <= budget) row = r;
  return row;
}

/* The budget that all runs of all methods have used up: the least of what they ended at. */
function commonBudget(groups, column) {
  const ends = groups.flatMap((g) => g.counted.map((run) => (run.trace.get(column) || []).at(-1)));
  return ends.length && ends.every(Number.isFinite) ? Math.min(...ends) : NaN;
}

/* Budgets at which methods can be compared; those that look at the same rows are one. */
function budgetsAt(groups) {
  const found = [];
  for (const column of BUDGETS) {
    const budget = commonBudget(groups, column);
    if (!(budget > 0)) continue;
    const rows = groups.flatMap((g) => g.counted.map((run) => rowWithin(run, column, budget)));
    if (rows.some((row) => row < 1)) continue; /* too little for a method to have trained at all */
    const same = column !== 'seconds' && found.find((other) => String(other.rows) === String(rows));
    if (same) same.columns.push(column);
    else found.push({ columns: [column], budget, rows, column });
  }
  return found;
}

const scaled = (criterion, value) => (criterion.log ? Math.log10(value) : value);

/* Methods by a criterion within a budget, the best first; every other one with its paired distance to the best. NULL:
 * fewer than two have it. */
function rank(groups, column, budget, criterion) {
  const entries = [];
  for (const g of groups) {
    const values = new Map(),
      plain = [];
    for (const run of g.counted) {
      const value = (run.trace.get(criterion.column) || [])[rowWithin(run, column, budget)];
      if (!Number.isFinite(value) || (criterion.log && value <= 0)) continue;
      values.set(run.seed, scaled(criterion, value));
      plain.push(value);
    }
    if (plain.length)
      entries.push({ style: g.style, values, plain: moments(plain), mean: moments([...values.values()]).mean });
  }
  if (entries.length < 2) return null;
  entries.sort((a, b) => (criterion.better === 'less' ? a.mean - b.mean : b.mean - a.mean));
  for (const entry of entries.slice(1)) {
    entry.behind = paired(entries[0].values, entry.values);
    entry.clear = entry.behind.low > 0 || entry.behind.high < 0;
  }
  return entries;
}

/* "2.1 times", "0.004", "0.4 points": by how much, with its interval. */
function margin(criterion, entry) {
  const sign = criterion.better === 'less' ? 1 : -1,
    d = entry.behind;
  const show = criterion.log
    ? (v) => num(10 ** v, 3)
    : criterion.share
      ? (v) => num(100 * sign * v, 3)
      : (v) => num(sign * v, 3);
  const ends = sign > 0 ? [d.low, d.high] : [d.high, d.low];
  return {
    amount: show(d.mean),
    low: show(ends[0]),
    high: show(ends[1]),
    unit: criterion.log ? ' times' : criterion.share ? ' points' : '',
  };
}

const valueOf = (criterion, v) => (criterion.share ? percent(v, 4) : num(v, 4));

/* "2.1 times smaller than that of b (1.5 to 2.9)" */
function gap(criterion, entry) {
  const m = margin(criterion, entry),
    word = criterion.log ? 'smaller than that of' : `${criterion.better} than`;
  const sure = entry.behind.n > 1 ? `${m.low} to ${m.high}` : entry.behind.n ? 'one seed' : 'no seed in common';
  return `${m.amount}${m.unit} ${word} ${entry.style.name} (${sure})`;
}

/* Whether all came out the same, to the last digit. */
const isDraw = ([, ...others]) => others.every((e) => e.behind.n > 0 && e.behind.mean === 0 && !(e.behind.high > 0));

/* One sentence about a ranking. */
function sentence(entries, criterion) {
  const [best, ...others] = entries,
    value = valueOf(criterion, best.plain.mean),
    gaps = (some) => listed(some.map((e) => gap(criterion, e)));
  const beaten = others.filter((e) => e.clear),
    ties = others.filter((e) => !e.clear && e.behind.n > 1);
  const unknown = others.filter((e) => !e.clear && e.behind.n < 2);
  if (isDraw(entries))
    return `No difference: ${criterion.of} is ${value} with ${others.length === 1 ? 'both' : 'all'}.`;
  if (ties.length === others.length)
    return `No clear winner by ${criterion.of}: ${best.style.name} comes first with ${value}, ${gaps(ties)}, within noise.`;
  let text = `${best.style.name} ${criterion.best}: ${criterion.symbol || ''}${value}`;
  if (beaten.length) text += `, ${gaps(beaten)}`;
  if (unknown.length) text += `, ${gaps(unknown)}; whether that is noise, one seed does not tell`;
  return `${text}.${ties.length ? ` Within noise: ${gaps(ties)}.` : ''}`;
}

/* "40 epochs", "161,280 IFO", "1.2 seconds of training". */
function budgetText(column, budget) {
  if (column === 'seconds') return `${num(budget, 3)} s of training`;
  return `${num(budget, 6)} ${COLUMNS[column].word}`;
}
