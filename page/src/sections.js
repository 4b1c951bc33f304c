/* Tables and figures: table, strata, people, classes, runs. */

const last = (column) => (run) => (run.trace.get(column) || [NaN]).at(-1);
const metric = (set, name) => (run) => {
  const { sets } = run.assessment;
  return sets[set] ? real(sets[set][name]) : NaN;
};

const MEASURES = [
  ['loss on D(θ)', last('loss')],
  ['held-out loss', last('loss_heldout')],
  ['accuracy, %', (run) => 100 * last('accuracy')(run)],
  ['majority, %', (run) => 100 * metric('deployed', 'majority')(run)],
  ['AUC', metric('deployed', 'auc')],
  ['recall, %', (run) => 100 * metric('deployed', 'recall')(run)],
  ['precision, %', (run) => 100 * metric('deployed', 'precision')(run)],
  ['Brier', metric('deployed', 'brier')],
  ['RMSE', metric('deployed', 'rmse')],
  ['‖∇J‖²', last('gradient_sq')],
  ['its mean after the start', (run) => real(run.assessment.gradient_sq_mean_after_start)],
  ['people moved', last('displacement')],
  ['shift costs', (run) => last('loss')(run) - last('loss_base')(run)],
  ['classes left', last('effective_classes')],
  ['bias', last('bias')],
  ['epochs', last('epoch')],
  ['IFO', last('ifo')],
  ['samples', last('samples')],
  ['deployments', last('deployments')],
  ['seconds', last('seconds')],
];

function tableSection(data, page) {
  const measures = MEASURES.filter(([, of]) => data.runs.some((run) => Number.isFinite(of(run))));
  return section(
    'table',
    'Table',
    'Last row of each run: mean over seeds ± its standard error. Runs that diverged or did not end ' +
      'by themselves are left out where others are there.',
    el('div', { class: 'controls' }, page.pointChooser()),
    byPoint(data, page, (all) => {
      const counted = (g) => (g.counted.length ? g.counted : g.all);
      const count = (g) => `${counted(g).length}${counted(g).length < g.all.length ? ` of ${g.all.length}` : ''}`;
      return table(
        `Means over seeds by method${page.pointText()}`,
        [{ label: 'mean ± standard error' }, ...all.map((g) => ({ label: named(g.style), number: true }))],
        [
          ['runs', ...all.map(count)],
          ...measures.map(([label, of]) => [label, ...all.map((g) => withError(moments(counted(g).map(of))))]),
        ],
        'means',
      );
    }),
  );
}

const HUES = [
  '#0072B2',
  '#E69F00',
  '#009E73',
  '#CC79A7',
  '#56B4E9',
  '#D55E00',
  '#F0E442',
  '#7F7F7F',
  '#004B75',
  '#A67300',
  '#4DD0AC',
  '#8C5170',
];

/* How often classes show up over time in a run, as shares of a whole. Seeds are not averaged: each may collapse onto
 * another class. */
function strataSection(data, page) {
  let run = null;
  const rows = (column) => line(run, 'epoch', column);
  const describe = () => {
    const names = run.assessment.classes;
    const all = run.columns.filter(isStratum).map((column, i) => ({
      rows: rows(column),
      style: {
        name: `class ${names[Number(column.slice(2))] ?? column.slice(2)}`,
        color: HUES[i % HUES.length],
        dash: [],
      },
    }));
    const xs = all.length ? all[0].rows.map((r) => r.x) : [],
      sum = xs.map(() => 0);
    const stacked = all
      .map((s) => ({ style: s.style, x: xs, y: s.rows.map((r, i) => (sum[i] += r.y)), fill: s.style.color }))
      .reverse();
    return {
      curves: stacked,
      log: false,
      xLabel: 'epochs',
      yLabel: 'share of those who show up',
      yRange: [0, 1],
      xs,
      read: (x) => {
        const i = nearest(xs, x);
        return table(
          'Shares at the cursor',
          [{ label: `at epoch ${num(xs[i], 7)}` }, { label: 'share', number: true }],
          all.map((s) => [
            el('span', { class: 'method' }, block(s.style.color), ' ', s.style.name),
            num(s.rows[i].y, 7),
          ]),
          'shares',
        );
      },
      summary: all.map((s) => `${s.style.name} from ${num(s.rows[0].y)} to ${num(s.rows.at(-1).y)}`).join('; '),
    };
  };
  const chart = liveChart('strata-chart', describe);
  const choose = runChooser(
    data,
    page,
    (r) => r.columns.some(isStratum) && r.rows > 0,
    (chosen) => {
      run = chosen;
      if (run) chart.draw();
      chart.node.hidden = !run;
    },
    'strata',
  );
  return section(
    'strata',
    'Who shows up',
    'How often each class shows up under D(θ), over time, in one run. A share that takes all means ' +
      'that the population has collapsed onto one class.',
    choose,
    chart.node,
  );
}

const block = (color) =>
  svg(
    'svg',
    { class: 'swatch', width: 12, height: 12, viewBox: '0 0 12 12', 'aria-hidden': 'true' },
    svg('rect', { width: 12, height: 12, fill: color }),
  );

const movesOf = (run) => run.assessment.moves;

/* Which run a section looks at: of the page's point, by method and seed. */
function runChooser(data, page, has, onRun, name) {
  const place = el('div', { class: 'controls' });
  let method = null,
    seed = null;
  const draw = () => {
    const there = data.runs.filter((run) => run.point === page.point && has(run));
    const methods = [...new Set(there.map((run) => run.method))];
    if (!methods.includes(method)) method = methods[0];
    const seeds = there.filter((run) => run.method === method).map((run) => run.seed);
    if (!seeds.includes(seed)) [seed] = seeds;
    replace(
      place,
      page.pointChooser(),
      chooser(
        'Method',
        methods.map((m) => [String(m), data.methods[m].name]),
        String(method),
        (v) => {
          method = Number(v);
          draw();
        },
        `${name}-method`,
      ),
      chooser(
        'Seed',
        seeds.map((s) => [s, s]),
        seed,
        (v) => {
          seed = v;
          draw();
        },
        `${name}-seed`,
      ),
    );
    onRun(there.find((run) => run.method === method && run.seed === seed));
  };
  page.onPoint(draw);
  draw();
  return place;
}

function peopleSection(data, page) {
  const body = el('div', { class: 'figures' });
  const draw = (run) =>
    replace(
      body,
      run
        ? movesOf(run).map((m) =>
            el(
              'figure',
              { class: 'card' },
              el('figcaption', null, el('strong', null, m.column)),
              moveFigure(m),
              el(
                'p',
                null,
                `median ${num(m.median_before)} → ${num(m.median_after)}; ${percent(m.moved)} of people move, by `,
                `${num(m.median)} in the median, 95\u00a0% of all by no more than ${num(m.q95)}`,
                m.left > 0 &&
                  el(
                    'span',
                    { class: 'attention' },
                    `; ${percent(m.left)} leave the range of the data, ` +
                      `${num(m.observed_least)} to ${num(m.observed_greatest)}`,
                  ),
              ),
            ),
          )
        : el('p', null, 'No run here.'),
    );
  return section(
    'people',
    'How far people moved',
    'Every column that people changed, in its own units, at the end of a run: before and ' +
      'after they reacted. The outer bins hold whoever is beyond.',
    runChooser(data, page, (run) => movesOf(run).length > 0, draw, 'people'),
    el(
      'p',
      { class: 'key' },
      svg(
        'svg',
        { class: 'swatch', width: 14, height: 12, viewBox: '0 0 14 12', 'aria-hidden': 'true' },
        svg('rect', { class: 'before', width: 14, height: 12 }),
      ),
      ' before  ',
      svg(
        'svg',
        { class: 'swatch', width: 20, height: 12, viewBox: '0 0 20 12', 'aria-hidden': 'true' },
        svg('path', { class: 'after', d: 'M0 6H20' }),
      ),
      ' after',
    ),
    body,
  );
}

const SETS = {
  deployed: 'D(θ): the data that the model causes',
  heldout: 'held-out part under D(θ)',
  base: 'base data, nobody reacting',
  heldout_base: 'held-out part, nobody reacting',
};

const setOf = (run, set) => run.assessment.sets[set];
const hasScores = (run, set) =>
  Boolean(setOf(run, set)) && setOf(run, set).roc.length + setOf(run, set).calibration.length > 0;

function classesSection(data, page) {
  const sets = Object.keys(SETS).filter((set) => data.runs.some((run) => hasScores(run, set)));
  const state = { set: sets[0] },
    body = el('div');
  const draw = () => {
    const groups = groupsAt(data, page.point)
      .map((g) => ({
        style: g.style,
        runs: (g.counted.length ? g.counted : g.all).filter((run) => hasScores(run, state.set)),
      }))
      .filter((g) => g.runs.length);
    const first = (g) => setOf(g.runs[0], state.set),
      measured = (g, name) => moments(g.runs.map(metric(state.set, name)));
    const rocs = groups.filter((g) => first(g).roc.length).map((g) => ({ style: g.style, points: first(g).roc }));
    const calibrations = groups
      .filter((g) => first(g).calibration.length)
      .map((g) => ({
        style: g.style,
        points: first(g).calibration.map((b) => [b[1], b[2]]),
        sizes: first(g).calibration.map((b) => b[0]),
      }));
    const seed = groups.length ? ` (seed ${groups[0].runs[0].seed})` : '';
    const auc = groups.map((g) => `${g.style.name} AUC ${num(measured(g, 'auc').mean)}`).join(', ');
    const error = groups.map((g) => `${g.style.name} ${num(measured(g, 'calibration_error').mean)}`).join(', ');
    replace(
      body,
      el(
        'p',
        { class: 'key' },
        groups.map((g) => [named(g.style), '  ']),
      ),
      el(
        'div',
        { class: 'figures wide' },
        calibrations.length > 0 &&
          el(
            'figure',
            { class: 'card' },
            el('figcaption', null, el('strong', null, `Calibration${seed}`)),
            squareFigure(
              {
                xLabel: 'probability that the model says',
                yLabel: 'share that came true',
                label: `Calibration: mean distance from the diagonal ${error}`,
              },
              calibrations,
            ),
            el('p', null, 'Dots on the diagonal: what is said comes true. Their area is the share of people.'),
          ),
        rocs.length > 0 &&
          el(
            'figure',
            { class: 'card' },
            el('figcaption', null, el('strong', null, `ROC${seed}`)),
            squareFigure({ xLabel: 'false positives', yLabel: 'true positives', label: `ROC: ${auc}` }, rocs),
          ),
      ),
      table(
        'Scores by method',
        [
          { label: 'method' },
          { label: 'AUC', number: true },
          { label: 'Brier', number: true },
          { label: 'calibration error', number: true },
          { label: 'recall, %', number: true },
          { label: 'precision, %', number: true },
        ],
        groups.map((g) => [
          named(g.style),
          ...['auc', 'brier', 'calibration_error'].map((name) => withError(measured(g, name))),
          ...['recall', 'precision'].map((name) =>
            withError(moments(g.runs.map((r) => 100 * metric(state.set, name)(r)))),
          ),
        ]),
      ),
    );
  };
  page.onPoint(draw);
  draw();
  return section(
    'classes',
    'Calibration and ROC',
    'Of the model at the end of a run; the table has means over seeds.',
    el(
      'div',
      { class: 'controls' },
      page.pointChooser(),
      chooser(
        'On',
        sets.map((s) => [s, SETS[s]]),
        state.set,
        (v) => {
          state.set = v;
          draw();
        },
        'set',
      ),
    ),
    body,
  );
}

function runCard(data, run) {
  const r = run.record,
    facts = [
      ['folder', run.folder],
      ['method', run.style.name],
      ['grid point', run.point_title],
      ['seed', run.seed],
      ['ended', r.stop_reason || r.stop || 'not known: run.json is missing'],
      ['verdict', r.verdict],
      ['engine', r.engine && `${r.engine}: ${r.engine_does || ''}`],
      ['version', r.sprint && `sprint ${r.sprint} (${r.precision})`],
      ['machine', r.host && `${r.host}, ${plural(r.threads, 'thread')}`],
      ['seconds', Number.isFinite(r.seconds) ? num(r.seconds) : null],
      ['parameters', r.parameters && num(r.parameters)],
      ['rows of the trace', run.rows],
    ];
  const body = el('div', { class: 'run' });
  const open = () => {
    if (body.childNodes.length) return;
    replace(
      body,
      el(
        'dl',
        { class: 'facts' },
        facts
          .filter(([, v]) => v !== undefined && v !== null && v !== '')
          .map(([k, v]) => [el('dt', null, k), el('dd', null, v)]),
      ),
      [...(run.complaint ? [['file', run.complaint]] : []), ...Object.entries(r.warnings || {})].map(([word, text]) =>
        el('p', { class: 'warned' }, badge('warning', word), ' ', text),
      ),
      run.config !== undefined &&
        el('details', null, el('summary', null, 'Config'), el('pre', { tabindex: 0 }, data.configs[run.config])),
      run.settings !== undefined &&
        el(
          'details',
          null,
          el('summary', null, 'All settings, defaults included'),
          el('pre', { tabindex: 0 }, data.configs[run.settings]),
        ),
    );
  };
  const words = Object.keys(r.warnings || {});
  const details = el(
    'details',
    { class: 'card', ontoggle: () => details.open && open() },
    el(
      'summary',
      null,
      named(run.style),
      ' ',
      run.point_name && data.points.length > 1 && `${run.point_title}, `,
      `seed ${run.seed} `,
      badge(verdictOf(run), VERDICTS[verdictOf(run)] || verdictOf(run)),
      ' ',
      run.unfinished && [badge('warning', run.state), ' '],
      words.map((word) => [badge('warning', word), ' ']),
    ),
    body,
  );
  return details;
}

function runsSection(data) {
  return section(
    'runs',
    'Runs',
    'Each with its config, seed, version, engine, why it ended, and what warns of it.',
    el(
      'div',
      { class: 'list' },
      data.runs.map((run) => runCard(data, run)),
    ),
  );
}
