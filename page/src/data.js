/* What is in the page: one block of base64 that holds deflated JSON, as src/report/page_data.c writes it. */

async function unpack(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const [data, traces] = JSON.parse(await new Response(stream).text());
  data.runs.forEach((run, i) => Object.assign(run, traces[i]));
  return data;
}

/* What a column of the trace is called, which way is better, and whether it spans decades. */
const COLUMNS = {
  epoch: { label: 'epochs', word: 'epochs' },
  ifo: { label: 'per-sample gradients (IFO)', word: 'IFO' },
  samples: { label: 'samples drawn', word: 'samples' },
  deployments: { label: 'deployments', word: 'deployments' },
  seconds: { label: 'seconds of training', word: 'training time' },
  step: { label: 'steps', word: 'steps' },
  shift_evals: { label: 'model evaluations that simulate the shift' },
  gradient_sq: { label: '‖∇J(θ;θ)‖²', log: true },
  gradient_sq_mean: { label: 'mean of ‖∇J(θ;θ)‖² over epochs so far', log: true },
  loss: { label: 'loss on D(θ)' },
  accuracy: { label: 'accuracy on D(θ)' },
  loss_heldout: { label: 'loss, held-out part under D(θ)' },
  accuracy_heldout: { label: 'accuracy, held-out part under D(θ)' },
  loss_base: { label: 'loss on the base data, nobody reacting' },
  accuracy_base: { label: 'accuracy on the base data, nobody reacting' },
  displacement: { label: 'how far people moved, mean |x(θ) − x|' },
  effective_classes: { label: 'classes left in effect' },
  entropy: { label: 'entropy of the strata' },
  moved: { label: 'how far θ moved since the row before', log: true },
  bias: { label: 'bias of a step, |E[v] − ∇J(θ;θ)|', log: true },
  bias_deployed: { label: 'bias against the deployment, |E[v] − ∇J(θ;θ′)|', log: true },
  drift: { label: 'drift, as the method knows it', log: true },
  drift_noise: { label: 'noise of the drift', log: true },
  kappa: { label: 'κ, sensitivity to deployments' },
  distance: { label: 'distance to the reference θ', log: true },
};
const AXES = ['epoch', 'ifo', 'samples', 'deployments', 'seconds', 'step'];

const labelOf = (column) => (COLUMNS[column] ? COLUMNS[column].label : column);

const real = (v) => (typeof v === 'number' ? v : v === 'inf' ? Infinity : v === '-inf' ? -Infinity : NaN);

/* The columns of a run's trace by name. Whole numbers come as differences; a column that never had a value is left out,
 * and is NaN throughout. */
function columnsOf(run) {
  const columns = new Map();
  for (const name of run.columns) {
    if (run.whole[name]) {
      let sum = 0;
      columns.set(name, run.whole[name].map((step) => (sum += step)));
    } else {
      columns.set(name, (run.real[name] || new Array(run.rows).fill(null)).map(real));
    }
  }
  return columns;
}

const list = (value) => (Array.isArray(value) ? value : []);
const isPair = (pair) => Array.isArray(pair) && pair.every((v) => typeof v === 'number');

/* What of an assessment has the form that it should: somebody may have edited run.json. */
function sound(assessment) {
  const sets = {};
  for (const [name, set] of Object.entries(assessment.sets))
    sets[name] = { ...set, roc: list(set.roc).filter(isPair), calibration: list(set.calibration)
      .filter((bin) => isPair(bin) && bin[0] > 0) };
  return { ...assessment, sets, classes: list(assessment.classes).map(String),
    moves: list(assessment.moves).filter((m) => m && isPair(m.before) && isPair(m.after) && isPair([m.bins_low, m.bins_high])) };
}

/* Adds to the data what the page goes by. */
function prepare(data) {
  for (const run of data.runs) {
    run.trace = columnsOf(run);
    run.assessment = sound(run.assessment || { sets: {} });
    run.style = data.methods[run.method];
    run.point_name = data.points[run.point];
    run.diverged = run.state === 'diverged';
    run.unfinished = !run.diverged && run.state !== 'finished';
  }
  data.strata = data.runs.some((run) => run.columns.some(isStratum));
  return data;
}

const isStratum = (column) => /^p_\d+$/.test(column);

/* The runs of a method at a point; in its means are those that ended by themselves and did not diverge, or where there
 * are none of these, those that did not diverge. */
function group(data, point, method) {
  const all = data.runs.filter((run) => run.point === point && run.method === method && run.rows > 0);
  const sound = all.filter((run) => !run.diverged), finished = sound.filter((run) => !run.unfinished);
  const counted = finished.length ? finished : sound;
  return { all, counted, style: data.methods[method] };
}

const groupsAt = (data, point) => data.methods.map((_, m) => group(data, point, m)).filter((g) => g.all.length);

/* Whether any run has a finite value there. */
const hasColumn = (data, column) => data.runs.some((run) => (run.trace.get(column) || []).some(Number.isFinite));

/* Rows of a run that have numbers in both columns, as {epoch, x, y}; x goes forward. */
function line(run, x, y) {
  const epochs = run.trace.get('epoch'), xs = run.trace.get(x), ys = run.trace.get(y), rows = [];
  if (!epochs || !xs || !ys) return rows;
  epochs.forEach((epoch, r) => {
    if (Number.isFinite(epoch) && Number.isFinite(xs[r]) && Number.isFinite(ys[r]) &&
        (!rows.length || (epoch > rows.at(-1).epoch && xs[r] >= rows.at(-1).x)))
      rows.push({ epoch, x: xs[r], y: ys[r] });
  });
  return rows;
}

/* Rows of the same epoch go together; null where they differ in x. */
function align(lines) {
  const rows = new Map();
  for (const row of lines.flat()) {
    if (!rows.has(row.epoch)) rows.set(row.epoch, { epoch: row.epoch, x: row.x, y: [] });
    if (rows.get(row.epoch).x !== row.x) return null;
    rows.get(row.epoch).y.push(row.y);
  }
  return [...rows.values()].sort((a, b) => a.epoch - b.epoch).map((row) => ({ x: row.x, ...moments(row.y) }));
}

/* The line's value at x, between its rows; NaN beyond its ends. */
function valueAt(rows, x) {
  if (x < rows[0].x || x > rows.at(-1).x) return NaN;
  const next = rows.findIndex((row) => row.x >= x), b = rows[next], a = rows[Math.max(next - 1, 0)];
  return b.x > a.x ? a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y) : b.y;
}

/* Mean curve over runs, as `sprint plot` has it: rows of {x, mean, error, n}. Where runs differ in x at an epoch (seconds,
 * a budget that cuts epochs short), each is interpolated at as many places as the longest has rows, evenly over what at
 * least half of them reach. */
function meanCurve(runs, x, y) {
  const lines = runs.map((run) => line(run, x, y)).filter((rows) => rows.length);
  const aligned = align(lines);
  if (aligned) return aligned;
  const ends = lines.map((rows) => rows.at(-1).x).sort((a, b) => a - b), high = ends[Math.floor(lines.length / 2)];
  const low = Math.min(...lines.map((rows) => rows[0].x)), n = Math.max(...lines.map((rows) => rows.length)), curve = [];
  for (let p = 0; p < n; p++) {
    const at = p + 1 === n ? high : low + (p / (n - 1)) * (high - low);
    const m = moments(lines.map((rows) => valueAt(rows, at)));
    if (2 * m.n >= lines.length) curve.push({ x: at, ...m });
  }
  return curve;
}

/* Numbers for people: so many significant digits, without an exponent where that is short. */
function num(value, digits = 4) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? 'inf' : '-inf';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return size >= 10000 ? grouped(value) : String(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  const text = value.toPrecision(digits);
  return text.includes('e') ? String(Number(text)) : text;
}

const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+$)/g, ',');
const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const percent = (share, digits = 3) => `${num(100 * share, digits)} %`;

/* mean ± standard error, the mean to the last digit that the error leaves. */
function withError(m, digits = 4) {
  if (!m.n) return '–';
  return Number.isFinite(m.error) ? `${num(m.mean, digits)} ± ${num(m.error, 2)}` : num(m.mean, digits);
}

const listed = (words) => (words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`);

function csvField(text) {
  const plain = String(text);
  return /[",\n\r]/.test(plain) ? `"${plain.replace(/"/g, '""')}"` : plain;
}

const csvNumber = (v) => (Number.isNaN(v) ? 'nan' : v === Infinity ? 'inf' : v === -Infinity ? '-inf' : String(v));

/* All traces below each other, every column that any of them has. */
function tracesCsv(data) {
  const columns = [...new Set(data.runs.flatMap((run) => run.columns))];
  const lines = [['point', 'method', 'seed', ...columns].map(csvField).join(',')];
  for (const run of data.runs)
    for (let r = 0; r < run.rows; r++)
      lines.push([csvField(run.point_name), csvField(run.style.name), csvField(run.seed),
        ...columns.map((c) => (run.trace.has(c) ? csvNumber(run.trace.get(c)[r]) : 'nan'))].join(','));
  return `${lines.join('\n')}\n`;
}
