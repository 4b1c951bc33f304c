/* Puts the page together. */

/* light, dark or as the system has it. */
function themeButton() {
  const root = document.documentElement,
    dark = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
  const button = el('button', {
    type: 'button',
    id: 'theme',
    onclick: () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      changed();
    },
  });
  const changed = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Switch to light colours' : 'Switch to dark colours');
    document.dispatchEvent(new Event('themechange'));
  };
  dark.addEventListener('change', changed);
  let before;
  addEventListener('beforeprint', () => {
    before = root.dataset.theme || '';
    root.dataset.theme = 'light';
    changed();
  });
  addEventListener('afterprint', () => {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    changed();
  });
  changed();
  return button;
}

/* What sections share: the grid point that is looked at. */
function pageState(data) {
  const listeners = [];
  const page = {
    point: 0,
    pointText: () => (data.points.length > 1 ? `, ${data.titles[page.point]}` : ''),
    onPoint: (listener) => listeners.push(listener),
    pointChooser: () => {
      if (data.points.length < 2) return null;
      const field = chooser(
        'Grid point',
        data.titles.map((title, p) => [String(p), title]),
        String(page.point),
        (v) => {
          page.point = Number(v);
          for (const other of document.querySelectorAll('select[name=point]')) other.value = v;
          listeners.forEach((listener) => listener());
        },
        'point',
      );
      return field;
    },
  };
  return page;
}

function build(data) {
  const page = pageState(data);
  document.title = `${data.title}: sprint report`;
  const sections = [summarySection(data, page)];
  if (data.runs.some((run) => run.rows > 0)) sections.push(curvesSection(data, page));
  if (data.methods.length > 1) sections.push(budgetsSection(data, page));
  sections.push(tableSection(data, page));
  if (data.strata) sections.push(strataSection(data, page));
  if (data.runs.some((run) => movesOf(run).length)) sections.push(peopleSection(data, page));
  if (data.runs.some((run) => Object.keys(SETS).some((set) => hasScores(run, set))))
    sections.push(classesSection(data, page));
  sections.push(runsSection(data));

  const links = sections.map((s) => el('a', { href: `#${s.id}` }, s.querySelector('h2').textContent));
  replace(
    document.body,
    el('a', { class: 'skip', href: '#main' }, 'Skip to the report'),
    el(
      'header',
      null,
      el(
        'div',
        null,
        el('p', { class: 'brand' }, 'sprint report'),
        el('h1', null, data.title),
        el('p', { class: 'note' }, data.folder),
      ),
      el(
        'div',
        { class: 'buttons' },
        el(
          'button',
          {
            type: 'button',
            id: 'csv',
            onclick: () => download(`${data.title.replace(/[^\w.-]+/g, '_')}-traces.csv`, tracesCsv(data), 'text/csv'),
          },
          'Download CSV',
        ),
        themeButton(),
      ),
    ),
    el('nav', { 'aria-label': 'Sections' }, links),
    el(
      'main',
      { id: 'main', tabindex: -1 },
      data.notes.length > 0 &&
        el(
          'div',
          { class: 'notes', role: 'note', 'aria-label': 'Notes' },
          el(
            'ul',
            null,
            data.notes.map((text) => el('li', null, text)),
          ),
        ),
      sections,
    ),
    el(
      'footer',
      null,
      el(
        'p',
        null,
        `Written by sprint ${data.version}. Traces are held with ${data.digits} significant digits; ` +
          'the files beside this page have all of them. Charts by uPlot.',
      ),
    ),
  );
}

async function start() {
  const block = document.getElementById('data');
  try {
    if (typeof DecompressionStream === 'undefined')
      throw new Error('this browser cannot unpack it (DecompressionStream is missing); one from 2023 or later can');
    const data = prepare(await unpack(JSON.parse(block.textContent).packed));
    block.remove();
    build(data);
    requestAnimationFrame(() =>
      setTimeout(() => {
        /* it is drawn by then */
        performance.mark('ready');
        document.documentElement.dataset.ready = 'true';
      }),
    );
  } catch (error) {
    replace(
      document.body,
      el(
        'main',
        null,
        el('h1', null, 'sprint report'),
        el('p', { role: 'alert' }, `This page cannot be shown: ${error.message}.`),
      ),
    );
    throw error;
  }
}

start();
