/* Line charts by uPlot: curves with bands, a cursor that reads values, zoom by dragging. */

const tick = (v) =>
  v === null
    ? ''
    : num(v, 6)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '');

/* 1, 2 and 5 times powers of ten. */
const STEPS = Array.from({ length: 600 }, (_, k) => k - 300).flatMap((k) => [1, 2, 5].map((d) => Number(`${d}e${k}`)));

/* Digits of tics on a logarithmic axis, from few to many: see src/report/axes.c. */
const DIGITS = [
  [1],
  [1, 3],
  [1, 2, 5],
  [1, 1.5, 2, 3, 5, 7],
  [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8],
  [1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9],
];

/* Powers of ten, every so many-th of very many; over less than three of them four places or more with few digits, and over very
 * little multiples of a step. */
function logTics(low, high) {
  const first = Math.floor(Math.log10(low)),
    last = Math.floor(Math.log10(high) + 1e-9);
  const powers = Array.from({ length: last - first + 1 }, (_, k) => first + k);
  if (high / low >= 1000) {
    const every = Math.ceil(powers.length / 12);
    return powers.filter((k) => k % every === 0 && 10 ** k >= low * (1 - 1e-9)).map((k) => Number(`1e${k}`));
  }
  for (const digits of DIGITS) {
    const tics = powers.flatMap((k) => digits.map((d) => Number(`${d}e${k}`)));
    const within = tics.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
    if (within.length >= 4) return within;
  }
  return ticks(low, high, 4);
}

function axis(label, size, log) {
  const rule = { stroke: css('--grid'), width: 1 };
  return {
    label,
    size,
    labelSize: 22,
    labelGap: 2,
    gap: 4,
    stroke: css('--text'),
    font: `12px ${css('--sans')}`,
    labelFont: `13px ${css('--sans')}`,
    grid: rule,
    ticks: { ...rule, size: 5 },
    values: (u, splits) => splits.map(tick),
    incrs: STEPS,
    ...(log ? { splits: (u, i, low, high) => logTics(low, high), filter: (u, splits) => splits } : {}),
  };
}

/* Room on both sides, or around a line that is flat. */
function padded(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = high > low ? (high - low) * 0.05 : Math.abs(low) * 0.05 || 0.5;
  return [low - room, high + room];
}

function logPadded(low, high) {
  if (!(low > 0) || !Number.isFinite(high)) return [0.1, 1];
  const room = high > low ? (high / low) ** 0.04 : 1.5;
  return [low / room, high * room];
}

const withAlpha = (color, alpha) =>
  `${color}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`;

/* curves: {x, y, low, high, style, thin, fill, wild}; low and high may be missing. Wild ones do not widen the scale, unless all
 * are. Returns data and series for uPlot. */
function assemble(curves, log) {
  const plain = (v) => (Number.isFinite(v) && (!log || v > 0) ? v : null);
  const floor = log ? Math.min(...curves.flatMap((c) => c.y.filter((v) => v > 0))) / 3 : -Infinity;
  const tables = [],
    series = [{}],
    bands = [],
    tame = curves.some((c) => !c.wild);
  for (const c of curves) {
    const color = ink(c.style.color),
      banded = c.low && c.low.some(Number.isFinite),
      n = series.length;
    const rows = [c.x, c.y.map(plain)];
    if (banded) {
      rows.splice(
        1,
        0,
        c.high.map(plain),
        c.low.map((v, i) => plain(log ? Math.max(v, Math.min(floor, c.y[i])) : v)),
      );
      series.push(
        { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: true },
        { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: true },
      );
      bands.push({ series: [n, n + 1], fill: withAlpha(color, 0.2) });
    }
    series.push({
      stroke: c.thin ? withAlpha(color, 0.55) : color,
      width: c.thin ? 1 : 2.25,
      dash: c.thin ? [] : c.style.dash,
      spanGaps: true,
      auto: !(tame && c.wild),
      fill: c.fill,
      points: { show: c.x.length === 1, size: 7, fill: color },
    });
    tables.push(rows);
  }
  return { data: tables.length ? uPlot.join(tables) : [[0, 1]], series, bands };
}

/* Draws into `place`; `onCursor(x)` is told where the cursor is, in units of x. */
function drawLines(place, options) {
  const { curves, log, xLabel, yLabel, onCursor, yRange } = options;
  const { data, series, bands } = assemble(curves, log);
  const width = Math.max(place.clientWidth, 240),
    narrow = width < 560;
  const chart = new uPlot(
    {
      width,
      height: narrow ? 300 : 400,
      padding: [12, narrow ? 8 : 16, 0, 0],
      series,
      bands,
      legend: { show: false },
      cursor: { drag: { x: true, y: true, uni: 24 }, points: { show: false }, y: false },
      scales: {
        x: { time: false, range: (u, low, high) => (high > low ? [low, high] : padded(low, high)) },
        y: log
          ? { distr: 3, log: 10, range: (u, low, high) => logPadded(low, high) }
          : { range: (u, low, high) => yRange || padded(low, high) },
      },
      axes: [axis(xLabel, 34), axis(yLabel, narrow ? 54 : 64, log)],
      hooks: { setCursor: [(u) => u.cursor.left >= 0 && onCursor && onCursor(u.posToVal(u.cursor.left, 'x'))] },
    },
    data,
    place,
  );
  return {
    chart,
    reset: () => chart.setData(data, true),
    point: (x) => chart.setCursor({ left: chart.valToPos(x, 'x'), top: 10 }, false),
    destroy: () => chart.destroy(),
  };
}

/* A chart that is drawn anew when its place changes width or the page its colours, with a slider that reads it from the
 * keyboard and by touch. `describe()` gives the options of drawLines, `xs` (all places to stop at), `read(x)` (nodes that
 * tell the values there) and `summary` (the chart in words). */
function liveChart(name, describe) {
  const place = el('div', { class: 'plot', 'aria-hidden': 'true' });
  const readout = el('div', { class: 'readout', 'aria-live': 'polite', id: `${name}-readout` });
  const caption = el('figcaption', { class: 'unseen' });
  const slider = el('input', { type: 'range', min: 0, max: 0, value: 0, id: `${name}-slider` });
  const label = el('label', { for: `${name}-slider` });
  const reset = el('button', { type: 'button', onclick: () => drawn && drawn.reset() }, 'Reset zoom');
  let drawn = null,
    state = null,
    width = 0;

  const show = (x) => replace(readout, state.read(x));
  const stopAt = () => {
    const x = state.xs[Number(slider.value)];
    if (x === undefined) return;
    slider.setAttribute('aria-valuetext', `${num(x, 7)} ${state.xLabel}`);
    drawn.point(x);
    show(x);
  };
  const draw = () => {
    if (!place.clientWidth) return; /* not on the page yet: what observes its size will draw */
    if (drawn) drawn.destroy();
    state = describe();
    width = place.clientWidth;
    slider.max = Math.max(state.xs.length - 1, 0);
    slider.value = slider.max;
    label.textContent = `Read the values at (${state.xLabel})`;
    caption.textContent = state.summary;
    drawn = drawLines(place, { ...state, onCursor: show });
    if (state.xs.length) show(state.xs.at(-1));
  };
  slider.addEventListener('input', stopAt);
  new ResizeObserver(() => place.clientWidth && place.clientWidth !== width && draw()).observe(place);
  document.addEventListener('themechange', () => drawn && draw());
  return {
    node: el(
      'figure',
      { class: 'chart', id: name },
      caption,
      place,
      el('div', { class: 'reader' }, label, slider, reset),
      readout,
    ),
    draw,
  };
}

/* The nearest of ascending numbers. */
function nearest(values, x) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (Math.abs(values[i] - x) < Math.abs(values[best] - x)) best = i;
  return best;
}
