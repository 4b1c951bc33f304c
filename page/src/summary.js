/* The summary: stability, and who won on which budget, as a table and in words. */

const VERDICTS = {
  stable: 'stable as asked for',
  near: 'near a stable point',
  moving: 'not at a stable point yet',
  unstable: 'not stable',
  diverged: 'diverged',
  unknown: 'unknown: there is too little to go by',
};

const verdictOf = (run) => run.assessment.verdict || 'unknown';

const badge = (word, text) => el('span', { class: `badge ${word}` }, text);

/* "near a stable point in 3 of 3 runs" by method, and what warns of them, each once. */
function verdictList(groups) {
  return el(
    'ul',
    { class: 'verdicts' },
    groups.map((g) => {
      const counts = new Map(),
        warnings = new Map();
      for (const run of g.all) {
        counts.set(verdictOf(run), (counts.get(verdictOf(run)) || 0) + 1);
        for (const [word, text] of Object.entries(run.record.warnings || {}))
          warnings.set(word, {
            text: warnings.has(word) ? warnings.get(word).text : text,
            n: (warnings.get(word) || { n: 0 }).n + 1,
            seed: warnings.has(word) ? warnings.get(word).seed : run.seed,
          });
      }
      return el(
        'li',
        null,
        named(g.style),
        ' ',
        [...counts].map(([word, n]) => [
          badge(word, VERDICTS[word] || word),
          ` in ${n} of ${plural(g.all.length, 'run')} `,
        ]),
        warnings.size > 0 &&
          el(
            'details',
            { class: 'warnings' },
            el(
              'summary',
              null,
              'warned of: ',
              [...warnings].map(([word, w]) => [badge('warning', word), ` ${w.n} of ${g.all.length} `]),
            ),
            el(
              'ul',
              null,
              [...warnings].map(([word, w]) =>
                el('li', null, `${word}: ${w.text}${g.all.length > 1 ? ` (seed ${w.seed})` : ''}`),
              ),
            ),
          ),
      );
    }),
  );
}

/* "; in brackets: 95 % intervals over 3 paired seeds" */
function seedsText(lines) {
  const counts = [...new Set(lines.flatMap((line) => line.entries.slice(1).map((e) => e.behind.n)))].filter(
    (n) => n > 1,
  );
  return counts.length
    ? `; in brackets: 95\u00a0% intervals over ${counts.sort((a, b) => a - b).join(' or ')} paired seeds`
    : '';
}

const budgetName = (b) => `equal ${listed(b.columns.map((c) => COLUMNS[c].word))}`;

/* Who is first, and all that cannot be told from it. */
function winners(entries) {
  if (!entries) return '–';
  if (isDraw(entries)) return el('span', { class: 'faint' }, 'no difference');
  const ties = entries.slice(1).filter((e) => !e.clear);
  if (entries[1].behind.n < 2) return [named(entries[0].style), ' ', el('span', { class: 'faint' }, 'one seed')];
  if (ties.length === entries.length - 1) return el('span', { class: 'faint' }, 'no clear winner');
  return [entries[0], ...ties].map((e, i) => [i > 0 && el('span', { class: 'faint' }, ' or '), named(e.style)]);
}

/* Budgets beside each other, criterion by criterion. */
function winnerTable(groups) {
  const budgets = budgetsAt(groups);
  const rows = CRITERIA.map((criterion) => [
    criterion,
    budgets.map((b) => rank(groups, b.column, b.budget, criterion)),
  ]).filter(([, ranks]) => ranks.some(Boolean));
  return table(
    'Who won on which budget',
    [{ label: 'by' }, ...budgets.map((b) => ({ label: `at ${budgetName(b)}` }))],
    rows.map(([criterion, ranks]) => [criterion.name, ...ranks.map(winners)]),
    'winners',
  );
}

/* Rankings within every budget, in words. */
function budgetCards(groups) {
  return budgetsAt(groups).map((b) => {
    const lines = CRITERIA.map((criterion) => ({
      criterion,
      entries: rank(groups, b.column, b.budget, criterion),
    })).filter((line) => line.entries);
    return el(
      'div',
      { class: 'card' },
      el('h4', null, `At ${budgetName(b)}`),
      el(
        'p',
        { class: 'note' },
        `each method with ${listed(b.columns.map((c) => budgetText(c, commonBudget(groups, c))))}` +
          (b.column === 'seconds' ? ', as it was on this machine' : '') +
          seedsText(lines),
      ),
      el(
        'dl',
        null,
        lines.map(({ criterion, entries }) => [
          el('dt', null, criterion.name),
          el('dd', null, sentence(entries, criterion)),
        ]),
      ),
    );
  });
}

/* One line for each point of a grid and budget: who is first, and whether that is clear. */
function overview(data) {
  const criteria = CRITERIA.filter((c) => hasColumn(data, c.column));
  const rows = data.titles.flatMap((name, p) => {
    const groups = groupsAt(data, p).filter((g) => g.counted.length),
      blank = criteria.map(() => '–');
    if (groups.length === 0) return [[name, 'no run ended sound', ...blank]];
    if (groups.length === 1) return [[name, `${groups[0].style.name} alone ended sound`, ...blank]];
    return budgetsAt(groups)
      .filter((b) => b.column === 'epoch' || b.column === 'ifo')
      .map((b) => [
        name,
        budgetName(b).replace('equal ', ''),
        ...criteria.map((criterion) => winners(rank(groups, b.column, b.budget, criterion))),
      ]);
  });
  return table(
    'Who won, by grid point and budget',
    [{ label: 'grid point' }, { label: 'at equal' }, ...criteria.map((c) => ({ label: c.name }))],
    rows,
    'overview',
  );
}

/* The two budgets that decide most, in words. */
function keySentences(groups) {
  return budgetsAt(groups)
    .filter((b) => ['epoch', 'ifo'].includes(b.column))
    .flatMap((b) =>
      CRITERIA.slice(0, 2).map((criterion) => {
        const entries = rank(groups, b.column, b.budget, criterion);
        return (
          entries &&
          el(
            'li',
            null,
            el('strong', null, `At ${budgetName(b)}, by ${criterion.name}: `),
            sentence(entries, criterion),
          )
        );
      }),
    );
}

/* Draws into a place anew whenever the grid point changes. */
function byPoint(data, page, draw) {
  const body = el('div'),
    again = () => {
      const all = groupsAt(data, page.point);
      replace(
        body,
        draw(
          all,
          all.filter((g) => g.counted.length),
        ),
      );
    };
  page.onPoint(again);
  again();
  return body;
}

/* Whoever serves one class alone is stable and right: that must not pass for a win. */
function collapsed(groups) {
  const names = groups
    .filter((g) => g.all.some((run) => (run.record.warnings || {}).collapsed))
    .map((g) => g.style.name);
  return (
    names.length > 0 &&
    el(
      'p',
      { class: 'attention' },
      `Careful: with ${listed(names)} the population collapsed onto few classes; ` +
        'being stable and right on what is left says little.',
    )
  );
}

function summarySection(data, page) {
  return section(
    'summary',
    'Summary',
    headline(data),
    data.points.length > 1 && [
      data.methods.length > 1 && [el('h3', null, 'All grid points'), overview(data)],
      el('div', { class: 'controls' }, page.pointChooser()),
    ],
    byPoint(data, page, (all, contest) => {
      const out = all.filter((g) => !g.counted.length).map((g) => g.style.name);
      return [
        el('h3', null, `Stability${page.pointText()}`),
        verdictList(all),
        all.length > 1 && el('h3', null, `Who won on which budget${page.pointText()}`),
        collapsed(all),
        out.length > 0 && el('p', null, `Not ranked, since no run of it ended sound: ${listed(out)}.`),
        contest.length > 1 &&
          (budgetsAt(contest).length
            ? [winnerTable(contest), el('ul', { class: 'words' }, keySentences(contest))]
            : el('p', null, 'The methods have no budget in common at which they could be compared.')),
      ];
    }),
  );
}

/* Every budget and criterion in words. */
function budgetsSection(data, page) {
  return section(
    'budgets',
    'Who won by how much',
    'Each method stops at the last row that the budget pays for. A difference is clear where its 95\u00a0% ' +
      'interval, paired over seeds, leaves 0 out; all else is within noise. Gradients are compared as ratios, on the log scale: 1 for 0.',
    el('div', { class: 'controls' }, page.pointChooser()),
    byPoint(data, page, (all, contest) =>
      contest.length > 1
        ? el('div', { class: 'cards' }, budgetCards(contest))
        : el('p', null, 'There is nothing to compare here: fewer than two methods have a run that ended sound.'),
    ),
  );
}

/* What the folder holds, in a sentence. */
function headline(data) {
  const seeds = new Set(data.runs.map((run) => run.seed)).size,
    population = (data.runs.find((r) => r.record.population) || { record: {} }).record.population;
  const parts = [plural(data.methods.length, 'method'), plural(seeds, 'seed')];
  if (data.points.length > 1) parts.unshift(plural(data.points.length, 'grid point'));
  const people = population
    ? ` on ${num(population.rows)} people with ${plural(population.features, 'feature')}` +
      `${population.endless ? ', a window of a population without end' : ''}`
    : '';
  return (
    `${plural(data.runs.length, 'run')}: ${parts.join(' × ')}${people}. Each is looked at on the data that it causes itself, D(θ).` +
    (data.methods.length > 1 && seeds > 1
      ? ' Brackets hold 95\u00a0% intervals of differences, paired over seeds; what they leave open is called noise.'
      : '')
  );
}
