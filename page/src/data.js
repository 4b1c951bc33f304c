/* What is in the page: one block of base64 that holds deflated JSON, as src/report/page_data.c writes it. */

async function unpack(text) {
  const letters = atob(text),
    bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const [data, traces] = JSON.parse(await new Response(stream).text());
  data.runs.forEach((run, i) => Object.assign(run, traces[i]));
  return data;
}

/* Columns of the trace in the order of interest; word: a budget's name, log: it spans decades. */
const COLUMNS = {
  epoch: { word: 'epochs' },
  ifo: { word: 'IFO' },
  samples: { word: 'samples' },
  deployments: { word: 'deployments' },
  seconds: { word: 'training time' },
  step: { word: 'steps' },
  gradient_sq: { log: true },
  gradient_sq_mean: { log: true },
  loss: {},
  accuracy: {},
  loss_heldout: {},
  accuracy_heldout: {},
  loss_base: {},
  accuracy_base: {},
  displacement: {},
  effective_classes: {},
  entropy: {},
  moved: { log: true },
  bias: { log: true },
  bias_deployed: { log: true },
  drift: { log: true },
  drift_noise: { log: true },
  kappa: {},
  distance: { log: true },
};
const AXES = ['epoch', 'ifo', 'samples', 'deployments', 'seconds', 'step'];

/* What columns are called in every figure: the data says it. */
let labels = {};
const labelOf = (column) => labels[column] || column;

const real = (v) => (typeof v === 'number' ? v : v === 'inf' ? Infinity : v === '-inf' ? -Infinity : NaN);

/* The columns of a run's trace by name. Whole numbers come as differences; a column that never had a value is left out,
 * and is NaN throughout. */
function columnsOf(run) {
  const columns = new Map();
  for (const name of run.columns) {
    if (run.whole[name]) {
      let sum = 0;
      columns.set(
        name,
        run.whole[name].map((step) => (sum += step)),
      );
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
    sets[name] = {
      ...set,
      roc: list(set.roc).filter(isPair),
      calibration: list(set.calibration).filter((bin) => isPair(bin) && bin[0] > 0),
    };
  return {
    ...assessment,
    sets,
    classes: list(assessment.classes).map(String),
    moves: list(assessment.moves).filter(
      (m) => m && isPair(m.before) && isPair(m.after) && isPair([m.bins_low, m.bins_high]),
    ),
  };
}

/* Adds to the data what the page goes by. */
function prepare(data) {
  labels = data.labels;
  data.titles = data.titles.map((title) => title.replaceAll(' = ', '\u00a0=\u00a0'));
  for (const style of data.methods) style.dash = style.dash ? style.dash.split(',').map(Number) : [];
  for (const run of data.runs) {
    run.trace = columnsOf(run);
    run.assessment = sound(run.assessment || { sets: {} });
    run.style = data.methods[run.method];
    run.point_name = data.points[run.point];
    run.point_title = data.titles[run.point];
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
  const sound = all.filter((run) => !run.diverged),
    finished = sound.filter((run) => !run.unfinished);
  const counted = finished.length ? finished : sound;
  return { all, counted, style: data.methods[method] };
}

const groupsAt = (data, point) => data.methods.map((_, m) => group(data, point, m)).filter((g) => g.all.length);

/* Whether any run has a finite value there. */
const hasColumn = (data, column) => data.runs.some((run) => (run.trace.get(column) || []).some(Number.isFinite));

/* Rows of a run that have numbers in both columns, as {epoch, x, y}; x goes forward. */
function line(run, x, y) {
  const epochs = run.trace.get('epoch'),
    xs = run.trace.get(x),
    ys = run.trace.get(y),
    rows = [];
  if (!epochs || !xs || !ys) return rows;
  epochs.forEach((epoch, r) => {
    if (
      Number.isFinite(epoch) &&
      Number.isFinite(xs[r]) &&
      Number.isFinite(ys[r]) &&
      (!rows.length || (epoch > rows.at(-1).epoch && xs[r] >= rows.at(-1).x))
    )
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
  const next = rows.findIndex((row) => row.x >= x),
    b = rows[next],
    a = rows[Math.max(next - 1, 0)];
  return b.x > a.x ? a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y) : b.y;
}

/* How far curves go whose runs differ in x: to where the first that is finished ends, as a mean that lost seeds on its way
 * would jump; where none is, to what half of them reach. */
function reach(lines) {
  const ends = lines.map(({ rows }) => rows.at(-1).x),
    finished = ends.filter((_, i) => lines[i].run.state === 'finished');
  if (finished.length) return Math.min(...finished);
  return ends.sort((a, b) => a - b)[Math.floor(ends.length / 2)];
}

/* Mean curve over runs, as `sprint plot` has it (src/report/curves.c): rows of {x, mean, error, n}. Where runs differ in x at an
 * epoch (seconds, a budget that cuts epochs short), each is interpolated at as many places as the longest has rows. */
function meanCurve(runs, x, y) {
  const lines = runs.map((run) => ({ run, rows: line(run, x, y) })).filter(({ rows }) => rows.length);
  const aligned = align(lines.map(({ rows }) => rows));
  if (aligned) return aligned;
  const begins = lines.map(({ rows }) => rows[0].x),
    high = reach(lines),
    curve = [];
  const low = Math.max(...begins) < high ? Math.max(...begins) : Math.min(...begins);
  const n = Math.max(...lines.map(({ rows }) => rows.length));
  for (let p = 0; p < n; p++) {
    const at = p + 1 === n ? high : low + (p / (n - 1)) * (high - low),
      m = moments(lines.map(({ rows }) => valueAt(rows, at)));
    if (m.n) curve.push({ x: at, ...m });
  }
  return curve;
}

/* Numbers for people: so many significant digits, without an exponent where that is short, and with a minus sign. Zeros at
 * the end say how well a number is known, up to six digits. */
const num = (value, digits = 4) => digitsOf(value, digits).replace(/-/g, '−');

function digitsOf(value, digits) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? 'inf' : '-inf';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return size >= 10000 ? grouped(value) : String(value);
  if (size >= 1e7 || size < 1e-4)
    return value
      .toExponential(digits - 1)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  const text = value.toPrecision(digits);
  return text.includes('e') || digits > 6 ? String(Number(text)) : text;
}

const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+$)/g, ',');
const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const percent = (share, digits = 3) => `${num(100 * share, digits)}\u00a0%`;

/* mean ± standard error: two digits of the error, and of the mean as many places. */
function withError(m, digits = 4) {
  if (!m.n) return '–';
  if (!(m.error > 0)) return num(m.mean, digits);
  const places = 1 - Math.floor(Math.log10(m.error));
  if (places < 1 || places > 7 || Math.abs(m.mean) < 1e-4 || Math.abs(m.mean) >= 1e7)
    return `${num(m.mean, digits)} ± ${num(m.error, 2)}`;
  return `${m.mean.toFixed(places)} ± ${m.error.toFixed(places)}`.replace('-', '−');
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
      lines.push(
        [
          csvField(run.point_name),
          csvField(run.style.name),
          csvField(run.seed),
          ...columns.map((c) => (run.trace.has(c) ? csvNumber(run.trace.get(c)[r]) : 'nan')),
        ].join(','),
      );
  return `${lines.join('\n')}\n`;
}
