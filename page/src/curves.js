/* The section of curves: any column over any cost, mean with a band over seeds. */

function curvesSection(data, page) {
  const ys = [...new Set(data.runs.flatMap((run) => run.columns))].filter(
    (c) => !AXES.includes(c) && !isStratum(c) && hasColumn(data, c),
  );
  const order = Object.keys(COLUMNS);
  ys.sort((a, b) => (order.indexOf(a) + 1 || 99) - (order.indexOf(b) + 1 || 99));
  const xs = AXES.filter((c) => hasColumn(data, c));
  const start = ys.includes('gradient_sq') ? 'gradient_sq' : ys[0];
  const state = {
    x: xs[0],
    y: start,
    log: Boolean(COLUMNS[start] && COLUMNS[start].log),
    seeds: false,
    off: new Set(),
  };

  const shown = () => groupsAt(data, page.point).filter((g) => !state.off.has(g.style.name));
  const averaged = (g) => {
    const sound = g.all.filter((run) => !run.diverged);
    return sound.length ? sound : g.all;
  };
  let known = [];
  const means = () => known;
  const average = () => {
    known = shown()
      .map((g) => ({ g, rows: meanCurve(averaged(g), state.x, state.y) }))
      .filter((m) => m.rows.length);
  };
  const lines = () => [
    ...(state.seeds
      ? shown().flatMap((g) =>
          g.all
            .map((run) => ({ rows: line(run, state.x, state.y), run }))
            .filter(({ rows }) => rows.length)
            .map(({ rows, run }) => ({
              x: rows.map((r) => r.x),
              y: rows.map((r) => r.y),
              style: g.style,
              thin: true,
              wild: run.diverged,
            })),
        )
      : []),
    ...means().map(({ g, rows }) => ({
      style: g.style,
      wild: g.all.every((run) => run.diverged),
      x: rows.map((r) => r.x),
      y: rows.map((r) => r.mean),
      low: rows.map((r) => r.mean - r.error),
      high: rows.map((r) => r.mean + r.error),
    })),
  ];

  const seedCells = (g, x) =>
    g.all.map((run) => {
      const rows = line(run, state.x, state.y);
      return `${run.seed}: ${
        rows.length
          ? num(
              rows[
                nearest(
                  rows.map((r) => r.x),
                  x,
                )
              ].y,
              7,
            )
          : '–'
      }${run.diverged ? ' (diverged)' : ''}`;
    });
  const read = (x) => {
    const rows = means().map(({ g, rows: all }) => {
      const at =
        all[
          nearest(
            all.map((r) => r.x),
            x,
          )
        ];
      return [
        named(g.style),
        num(at.x, 7),
        [
          el('span', { class: 'value' }, num(at.mean, 7)),
          Number.isFinite(at.error) && el('span', { class: 'faint' }, ` ± ${num(at.error, 3)}`),
        ],
        at.n,
        ...(state.seeds ? [el('span', { class: 'seeds' }, seedCells(g, x).join('; '))] : []),
      ];
    });
    return table(
      `Values at the cursor: ${labelOf(state.y)}`,
      [
        { label: 'method' },
        { label: labelOf(state.x), number: true },
        { label: `${labelOf(state.y)} ± standard error`, number: true },
        { label: 'seeds', number: true },
        ...(state.seeds ? [{ label: 'seed: value' }] : []),
      ],
      rows,
      'values',
    );
  };
  const describe = () => {
    average();
    const all = means();
    return {
      curves: lines(),
      log: state.log,
      xLabel: labelOf(state.x),
      yLabel: labelOf(state.y),
      xs: [...new Set(all.flatMap((m) => m.rows.map((r) => r.x)))].sort((a, b) => a - b),
      read,
      summary:
        `${labelOf(state.y)} over ${labelOf(state.x)}${page.pointText()}: ` +
        all.map(({ g, rows }) => `${g.style.name} from ${num(rows[0].mean)} to ${num(rows.at(-1).mean)}`).join('; '),
    };
  };

  const chart = liveChart('curves-chart', describe);
  const note = el('p', { class: 'note' });
  const numbers = el('div');
  const details = el(
    'details',
    { ontoggle: () => details.open && tabulate() },
    el('summary', null, 'These curves as a table'),
    numbers,
  );
  const tabulate = () =>
    replace(
      numbers,
      table(
        `${labelOf(state.y)} over ${labelOf(state.x)}`,
        [
          { label: 'method' },
          { label: labelOf(state.x), number: true },
          { label: labelOf(state.y), number: true },
          { label: 'standard error', number: true },
          { label: 'seeds', number: true },
        ],
        means().flatMap(({ g, rows }) =>
          rows.map((r) => [g.style.name, num(r.x, 9), num(r.mean, 9), num(r.error, 3), r.n]),
        ),
      ),
    );

  const explain = () => {
    const words = [];
    for (const g of shown()) {
      const diverged = g.all.filter((run) => run.diverged).length,
        short = g.all.filter((run) => run.unfinished).length;
      if (diverged === g.all.length) words.push(`${g.style.name}: all diverged; drawn as far as they went.`);
      else if (diverged)
        words.push(`${g.style.name}: ${diverged} of ${plural(g.all.length, 'run')} diverged, not in the mean.`);
      if (short)
        words.push(
          `${g.style.name}: ${short} of ${plural(g.all.length, 'run')} did not end by itself, in the mean as far as there are rows.`,
        );
    }
    note.textContent = words.join(' ');
  };
  const draw = () => {
    explain();
    chart.draw();
    if (details.open) tabulate();
  };
  const logBox = checkbox(
    'logarithmic',
    state.log,
    (on) => {
      state.log = on;
      draw();
    },
    'log',
  );
  const methods = el(
    'fieldset',
    { class: 'methods' },
    el('legend', null, 'Methods'),
    data.methods.map((style) =>
      checkbox(
        named(style),
        true,
        (on) => {
          state.off[on ? 'delete' : 'add'](style.name);
          draw();
        },
        'method',
      ),
    ),
  );
  page.onPoint(draw);
  explain();
  return section(
    'curves',
    'Curves',
    'Mean over seeds; the band is one standard error of it on each side. Drag to zoom.',
    el(
      'div',
      { class: 'controls' },
      page.pointChooser(),
      chooser(
        'Horizontal',
        xs.map((c) => [c, labelOf(c)]),
        state.x,
        (v) => {
          state.x = v;
          draw();
        },
        'x',
      ),
      chooser(
        'Vertical',
        ys.map((c) => [c, labelOf(c)]),
        state.y,
        (v) => {
          state.y = v;
          state.log = Boolean(COLUMNS[v] && COLUMNS[v].log);
          logBox.querySelector('input').checked = state.log;
          draw();
        },
        'y',
      ),
      el(
        'div',
        { class: 'checks' },
        logBox,
        checkbox(
          'single seeds',
          false,
          (on) => {
            state.seeds = on;
            draw();
          },
          'seeds',
        ),
      ),
    ),
    methods,
    chart.node,
    note,
    details,
  );
}
