/* What is in the page: one block of base64 that holds deflated JSON, as src/report/page_data.c writes it. */

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
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

/* Adds to the data what the page goes by. */
function prepare(data) {
  for (const run of data.runs) {
    run.trace = columnsOf(run);
    run.style = data.methods[run.method];
    run.point_name = data.points[run.point];
    run.diverged = run.record.stop === 'diverged';
    run.unfinished = !run.complete || run.record.stop === 'requested' || run.record.stop === 'running';
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

/* Mean curve over runs: rows are matched by epoch; x is the mean, y the mean with its standard error. */
function meanCurve(runs, x, y) {
  const rows = new Map();
  for (const run of runs) {
    const epochs = run.trace.get('epoch'), xs = run.trace.get(x), ys = run.trace.get(y);
    if (!epochs || !xs || !ys) continue;
    epochs.forEach((epoch, r) => {
      if (!Number.isFinite(xs[r]) || !Number.isFinite(ys[r])) return;
      if (!rows.has(epoch)) rows.set(epoch, { epoch, x: [], y: [] });
      rows.get(epoch).x.push(xs[r]);
      rows.get(epoch).y.push(ys[r]);
    });
  }
  return [...rows.values()].sort((a, b) => a.epoch - b.epoch)
    .map((row) => ({ x: moments(row.x).mean, ...moments(row.y) }));
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
