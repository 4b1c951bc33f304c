/* Small figures as SVG: before-and-after distributions, calibration, ROC. */

/* About n round numbers from low to high. */
function ticks(low, high, n) {
  const rough = (high - low) / n,
    power = 10 ** Math.floor(Math.log10(rough)),
    digit = rough / power;
  const step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10),
    found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found;
}

/* A frame with axes; draw(x, y) returns what is in it, x and y turning values into places. */
function frame(options, draw) {
  const { width = 340, height = 220, xRange, yRange, xLabel, yLabel, label, noY } = options;
  const left = noY ? 12 : 46,
    right = 12,
    top = 10,
    bottom = xLabel ? 40 : 24;
  const x = (v) => left + ((v - xRange[0]) / (xRange[1] - xRange[0])) * (width - left - right);
  const y = (v) => height - bottom - ((v - yRange[0]) / (yRange[1] - yRange[0])) * (height - top - bottom);
  const marks = [];
  for (const v of ticks(...xRange, 4))
    marks.push(
      svg('line', { class: 'grid', x1: x(v), x2: x(v), y1: top, y2: height - bottom }),
      svg('text', { x: x(v), y: height - bottom + 15, 'text-anchor': 'middle' }, tick(Number(v.toPrecision(6)))),
    );
  for (const v of noY ? [] : ticks(...yRange, 4))
    marks.push(
      svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(v), y2: y(v) }),
      svg('text', { x: left - 6, y: y(v) + 4, 'text-anchor': 'end' }, tick(Number(v.toPrecision(6)))),
    );
  if (xLabel)
    marks.push(svg('text', { x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle' }, xLabel));
  if (yLabel)
    marks.push(
      svg(
        'text',
        { transform: `translate(12 ${(top + height - bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle' },
        yLabel,
      ),
    );
  return svg(
    'svg',
    { class: 'figure', role: 'img', 'aria-label': label, viewBox: `0 0 ${width} ${height}` },
    marks,
    draw(x, y),
    svg('line', { class: 'axis', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
  );
}

const path = (points) => points.map(([px, py], i) => `${i ? 'L' : 'M'}${px.toFixed(2)} ${py.toFixed(2)}`).join('');

function styled(node, style, thin) {
  node.setAttribute('stroke', paint(style.color));
  node.setAttribute('fill', 'none');
  node.setAttribute('stroke-width', thin ? 1 : 2);
  if (style.dash.length && !thin) node.setAttribute('stroke-dasharray', style.dash.join(' '));
  return node;
}

/* The outline of a histogram: equal bins between low and high. */
function steps(bins, low, high, x, y) {
  const width = (high - low) / bins.length,
    points = [[x(low), y(0)]];
  bins.forEach((share, b) =>
    points.push([x(low + b * width), y(share || 0)], [x(low + (b + 1) * width), y(share || 0)]),
  );
  points.push([x(high), y(0)]);
  return path(points);
}

/* The distribution of a column before and after people moved. */
function moveFigure(move) {
  const low = move.bins_low,
    high = move.bins_high > low ? move.bins_high : low + 1;
  const most = Math.max(...move.before, ...move.after, 1e-9);
  return frame(
    {
      width: 320,
      height: 130,
      xRange: [low, high],
      yRange: [0, most * 1.05],
      noY: true,
      label: `${move.column}: median ${num(move.median_before)} before, ${num(move.median_after)} after`,
    },
    (x, y) => [
      svg('path', { class: 'before', d: `${steps(move.before, low, high, x, y)}Z` }),
      svg('path', { class: 'after', d: steps(move.after, low, high, x, y) }),
    ],
  );
}

/* curves: {points: [[x, y]], style, marks}, within the unit square. */
function squareFigure(options, curves) {
  return frame({ width: 360, height: 320, xRange: [0, 1], yRange: [0, 1], ...options }, (x, y) => [
    svg('line', { class: 'diagonal', x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    curves.map((c) => [
      styled(svg('path', { d: path(c.points.map(([a, b]) => [x(a), y(b)])) }), c.style, c.thin),
      (c.sizes || []).map((size, i) =>
        svg('circle', {
          cx: x(c.points[i][0]),
          cy: y(c.points[i][1]),
          r: 2 + 6 * Math.sqrt(size),
          fill: paint(c.style.color),
          'fill-opacity': 0.6,
        }),
      ),
    ]),
  ]);
}
