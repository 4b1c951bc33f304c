/* The page of `sprint report` as a reader meets it: in Chromium, from disk, without a network. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { folder, launch, open, sprint, trace, train } from './help.mjs';

const axe = readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const METHODS = `compare:
  - {name: sgd-gd, method: {kind: sgd}}
  - {name: sprint-paper, method: {kind: sprint, correction: paper}}
  - {name: sprint-unbiased, method: {kind: sprint, correction: unbiased}}
`;
const SMALL = `name: small
data: {kind: lending, n: 4000, select: balanced, size: 400, holdout: 0.2}
model: {layers: "dense 8, relu, dense 1", loss: logistic}
shift: {kind: strategic, good: 0, alpha: 0.2}
method: {batch: 20}
step: {size: 0.1}
stop: {epochs: 8}
seeds: [1, 2, 3]
${METHODS}`;
const RETENTION = SMALL.replace('name: small', 'name: stay')
  .replace(/shift: .*/, 'shift: {kind: retention, alpha: 2}')
  .concat('grid: {shift.alpha: [0.5, 2]}\n');
const NASTY = `</script><script>document.title="taken"</script><!-- <img src=x onerror="document.title='taken'"> "q" 'a' \\ θ 😀`;
const LARGE = SMALL.replace('size: 400, ', 'size: 100, ')
  .replace('epochs: 8', 'epochs: 400')
  .replace('[1, 2, 3]', `[${Array.from({ length: 20 }, (_, i) => i + 1)}]`);

let browser, small;
before(async () => {
  small = train('small', SMALL);
  browser = await launch();
});
after(() => browser && browser.close());

/* A number as the page writes it. */
const read = (text) => Number(text.replace(/,/g, '').replace(/−/g, '-'));

/* The table of values at the cursor: method -> {x, value}. */
async function values(page) {
  const rows = await page
    .locator('#values tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((c) => c.innerText.trim())));
  return Object.fromEntries(
    rows.map(([method, x, value, n, seeds]) => [
      method,
      { x: read(x), value: read(value.split(' ')[0]), n: read(n), seeds },
    ]),
  );
}

/* Puts the mouse at a share of the chart's width. */
async function hover(page, share) {
  const plot = page.locator('#curves-chart .u-over');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
}

const near = (got, expected, what) =>
  assert.ok(Math.abs(got - expected) <= 6e-7 * Math.abs(expected), `${what}: ${got}, expected ${expected}`);
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

async function serious(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations
    .filter((v) => ['serious', 'critical'].includes(v.impact))
    .map(
      (v) =>
        `${v.id}: ${v.help}: ${v.nodes
          .map((n) => n.html)
          .slice(0, 3)
          .join(' | ')}`,
    );
}

test('values on hover are those of trace.csv, for a mean and for single seeds', async () => {
  const page = await open(browser, small);
  const traces = [1, 2, 3].map((seed) => trace('small', 'sprint-paper', `seed-${seed}`));
  for (const [y, share] of [
    ['gradient_sq', 0.52],
    ['loss', 0.26],
    ['accuracy', 0.99],
    ['displacement', 0.01],
  ]) {
    await page.selectOption('select[name=y]', y);
    await hover(page, share);
    const got = (await values(page))['sprint-paper'],
      row = traces[0].epoch.indexOf(got.x);
    assert.equal(got.x, Math.round(share * 8), 'the row under the mouse');
    near(got.value, mean(traces.map((t) => t[y][row])), y);
  }
  await page.check('input[name=seeds]');
  await page.selectOption('select[name=y]', 'loss');
  await page.selectOption('select[name=x]', 'ifo');
  await hover(page, 0.5);
  const { seeds, x } = (await values(page))['sprint-paper'];
  for (const [i, text] of seeds.split('; ').entries()) {
    const row = traces[i].ifo.indexOf(x);
    assert.ok(row > 0);
    near(read(text.split(': ')[1]), traces[i].loss[row], text);
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('axes, scales, methods and zoom change the curves', async () => {
  const page = await open(browser, small),
    plot = page.locator('#curves-chart canvas');
  const drawn = () => plot.evaluate((canvas) => canvas.toDataURL());
  let last = await drawn();
  const changes = async (what, act) => {
    await act();
    const now = await drawn();
    assert.notEqual(now, last, what);
    last = now;
  };
  await changes('x', () => page.selectOption('select[name=x]', 'ifo'));
  await changes('y', () => page.selectOption('select[name=y]', 'loss'));
  await changes('log', () => page.check('input[name=log]'));
  await changes('seeds', () => page.check('input[name=seeds]'));
  await changes('method', () => page.locator('input[name=method]').first().uncheck());
  assert.deepEqual(Object.keys(await values(page)), ['sprint-paper', 'sprint-unbiased']);
  const whole = last,
    box = await page.locator('#curves-chart .u-over').boundingBox();
  await changes('zoom', async () => {
    await page.mouse.move(box.x + 100, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 200, { steps: 4 });
    await page.mouse.up();
  });
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  assert.equal(await drawn(), whole);
  await changes('theme', () => page.click('#theme'));
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('the keyboard reads the curves and reaches the controls', async () => {
  const page = await open(browser, small);
  await page.focus('#curves-chart-slider');
  const last = (await values(page))['sgd-gd'];
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
  const got = (await values(page))['sgd-gd'],
    t = [1, 2, 3].map((seed) => trace('small', 'sgd-gd', `seed-${seed}`));
  assert.deepEqual([last.x, got.x], [8, 5]);
  near(got.value, mean(t.map((one) => one.gradient_sq[5])), 'gradient_sq');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Reset zoom');
  await page.close();
});

test('the winner, and by how much, is what the traces say', async () => {
  /* at equal epochs all have their last row: log10 of the gradient, paired; t for two degrees of freedom, 95 % two-sided */
  const T = 4.302652729749,
    ends = Object.fromEntries(
      ['sgd-gd', 'sprint-paper', 'sprint-unbiased'].map((m) => [
        m,
        [1, 2, 3].map((seed) => Math.log10(trace('small', m, `seed-${seed}`).gradient_sq.at(-1))),
      ]),
    );
  const [best, ...others] = Object.keys(ends).sort((a, b) => mean(ends[a]) - mean(ends[b]));
  const page = await open(browser, small),
    card = await page.locator('#budgets .card', { hasText: 'At equal epochs' }).innerText();
  for (const other of others) {
    const d = ends[other].map((v, i) => v - ends[best][i]),
      m = mean(d);
    const reach = T * Math.sqrt(d.reduce((s, v) => s + (v - m) ** 2, 0) / 2 / 3);
    const text = card.match(
      new RegExp(`([\\d.e−]+) times smaller than that of ${other} \\(([\\d.e−,]+) to ([\\d.e−,]+)\\)`),
    );
    assert.ok(text, `${other} in: ${card}`);
    const got = text.slice(1).map(read);
    [m, m - reach, m + reach].forEach((v, i) =>
      assert.ok(Math.abs(got[i] / 10 ** v - 1) < 0.006, `${other}: ${got[i]}, expected ${10 ** v}`),
    );
  }
  assert.ok(card.includes(`${best} is nearest`) || card.includes(`${best} comes first`), card);
  await page.close();
});

test('the download has every number of the traces', async () => {
  const page = await open(browser, small);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#csv')]);
  const [head, ...lines] = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  assert.equal(lines.length, 9 * 9);
  for (const line of lines) {
    const row = Object.fromEntries(head.map((name, i) => [name, line[i]])),
      t = trace('small', row.method, `seed-${row.seed}`);
    const r = t.epoch.indexOf(Number(row.epoch));
    for (const name of Object.keys(t)) {
      const got = Number(row[name]),
        expected = t[name][r];
      assert.ok(
        Object.is(got, expected) || Math.abs(got - expected) <= 5.1e-9 * Math.abs(expected),
        `${name}: ${got}, expected ${expected}`,
      );
    }
  }
  await page.close();
});

test('shares of the classes over time are those of trace.csv; grid points switch', async () => {
  const path = train('stay', RETENTION),
    page = await open(browser, path);
  for (const [point, name] of [
    ['0', 'alpha-0.5'],
    ['1', 'alpha-2'],
  ]) {
    await page.locator('select[name=point]').first().selectOption(point);
    await page.selectOption('select[name=strata-seed]', '2');
    const t = trace('stay', name, 'sgd-gd', 'seed-2');
    const got = await page.locator('#shares tbody td').allInnerTexts();
    got.forEach((text, c) => near(read(text), t[`p_${c}`].at(-1), `${name} p_${c}`));
    assert.equal(got.length, 2);
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('grid points are called as in figures, and those where runs diverged are told of', async () => {
  const path = train(
    'wild',
    SMALL.replace('epochs: 8', 'epochs: 2')
      .replace('[1, 2, 3]', '[1, 2]')
      .concat('grid: {step.size: [0.1, 1000], shift.alpha: [0.25]}\n'),
  );
  for (const [width, most] of [
    [1280, 1180],
    [360, Infinity],
  ]) {
    const page = await open(browser, path, { width });
    const titles = ['0.1', '1000'].map((size) => `size = ${size}, α = 0.25`.replaceAll(' = ', '\u00a0=\u00a0'));
    assert.deepEqual(await page.locator('select[name=point]').first().locator('option').allInnerTexts(), titles);
    const rows = await page.locator('#overview tbody tr').allInnerTexts();
    assert.ok(rows[0].startsWith(titles[0]), rows[0]);
    assert.ok(rows.at(-1).startsWith(titles[1]) && rows.at(-1).includes('no run ended sound'), rows.at(-1));
    const lines = await page
      .locator('#overview .method span, #values .method span')
      .evaluateAll((all) => all.map((node) => node.getClientRects().length));
    assert.ok(lines.length > 0 && lines.every((n) => n === 1), `names in tables on one line each: ${lines}`);
    assert.ok((await page.locator('#overview').evaluate((node) => node.scrollWidth)) <= most, 'as wide as the page');
    await page.locator('select[name=point]').first().selectOption('1');
    assert.match(await page.locator('#budgets').innerText(), /nothing to compare here/);
    assert.deepEqual(page.complaints, []);
    await page.close();
  }
});

test('a method does not win against its double', async () => {
  const path = train(
    'twins',
    SMALL.replace(/compare:[^]*/, 'compare: [{name: a, method: sgd}, {name: b, method: sgd}]\n').replace(
      '[1, 2, 3]',
      '[1]',
    ),
  );
  const page = await open(browser, path);
  assert.deepEqual(
    await page.locator('#winners tbody td:nth-child(2)').allInnerTexts(),
    Array(4).fill('no difference'),
  );
  assert.doesNotMatch(await page.locator('#summary .lead').innerText(), /intervals/);
  await page.close();
});

test('a mean has as many places as its error', async () => {
  const page = await open(browser, small);
  const cells = await page.locator('#means tbody td', { hasText: '±' }).allInnerTexts(),
    plain = cells.filter((text) => !text.includes('e'));
  assert.ok(plain.length > 20, `${cells}`);
  for (const text of plain) {
    const [mean, error] = text.split(' ± ').map((part) => (part.split('.')[1] || '').length);
    assert.equal(mean, error, text);
  }
  await page.close();
});

test('numbers below zero have a minus sign', async () => {
  const page = await open(browser, small);
  assert.doesNotMatch(await page.locator('#means').innerText(), /-\d/);
  assert.match(await page.locator('#means').innerText(), /−\d/);
  assert.doesNotMatch(await page.locator('#people').innerText(), /-\d/);
  await page.close();
});

test('names are shown as they are, and never run', async () => {
  const name = NASTY.replaceAll('/', ''),
    method = '<b>"θ\'😀';
  train(
    'nasty',
    SMALL.replace('name: small', `name: ${JSON.stringify(name)}`)
      .replace('name: sgd-gd', `name: ${JSON.stringify(method)}`)
      .replace('epochs: 8', 'epochs: 1')
      .replace('[1, 2, 3]', '[1]'),
  );
  const record = join(folder, 'nasty', method, 'seed-1', 'run.json'),
    json = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(
    record,
    JSON.stringify({
      ...json,
      verdict: NASTY,
      engine: NASTY,
      warnings: { [NASTY]: NASTY },
      config: { ...json.config, note: NASTY },
    }),
  );
  sprint('report', 'nasty', '--out', 'nasty.html');
  const page = await open(browser, join(folder, 'nasty.html'));
  assert.equal(await page.locator('h1').innerText(), name.replace(/\s+/g, ' '));
  assert.ok(
    (await page.title()).startsWith('<script>document.title="taken"') || (await page.title()).includes('onerror'),
    await page.title(),
  );
  assert.ok((await page.locator('#values').innerText()).includes(method));
  await page.locator('#runs summary').first().click();
  await page.getByText('Config', { exact: true }).first().click();
  assert.ok((await page.locator('#runs pre').first().innerText()).includes('</script><script>document.title='));
  assert.ok((await page.locator('#runs .facts').first().innerText()).includes(NASTY));
  assert.equal(await page.locator('b, img').count(), 0);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

for (const [scheme, width] of [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
])
  test(`no serious fault of accessibility, nothing too wide: ${scheme}, ${width} px`, async () => {
    for (const name of scheme === 'dark' && width === 360 ? ['stay'] : ['small']) {
      const page = await open(browser, join(folder, name, 'report.html'), { scheme, width });
      for (const details of await page.locator('details').all())
        await details.evaluate((node) => {
          node.open = true;
        });
      assert.deepEqual(await serious(page), []);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        'the page scrolls sideways',
      );
      await page.close();
    }
  });

test('it prints in light colours without controls', async () => {
  const page = await open(browser, small, { scheme: 'dark' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.locator('nav').isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(28, 33, 39)');
  assert.equal(await page.locator('input[type=checkbox]:visible, input[type=range]:visible').count(), 0);
  for (const name of ['people-method', 'people-seed', 'y']) {
    const chosen = page.locator(`select[name=${name}]`);
    assert.ok(await chosen.isVisible(), `which ${name} is shown`);
    assert.equal(await chosen.evaluate((node) => getComputedStyle(node).borderTopWidth), '0px');
  }
  await page.close();
});

test('what is broken is said, and the rest is shown', async () => {
  train('broken', SMALL.replace('epochs: 8', 'epochs: 2'));
  const at = (...place) => join(folder, 'broken', ...place),
    json = JSON.parse(readFileSync(at('sgd-gd', 'seed-1', 'run.json'), 'utf8'));
  const edited = {
    ...json,
    sprint: '0.0.1',
    warnings: 5,
    assessment: { verdict: 'near', sets: { deployed: { roc: 7 } }, moves: { a: 1 } },
  };
  writeFileSync(at('sgd-gd', 'seed-1', 'run.json'), JSON.stringify(edited));
  writeFileSync(at('sgd-gd', 'seed-2', 'run.json'), '{');
  writeFileSync(
    at('sprint-paper', 'seed-1', 'trace.csv'),
    readFileSync(at('sprint-paper', 'seed-1', 'trace.csv'), 'utf8').slice(0, -30),
  );
  sprint('report', 'broken');
  const page = await open(browser, at('report.html')),
    notes = await page.locator('.notes').innerText();
  for (const words of [
    'different versions: 0.0.1',
    'broken/sgd-gd/seed-2/run.json',
    'broken/sprint-paper/seed-1/trace.csv',
  ])
    assert.ok(notes.includes(words), `${words} in: ${notes}`);
  assert.equal((await values(page))['sprint-unbiased'].n, 3);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('60 runs of 400 epochs: less than 3 MB, open within a second of work', async (t) => {
  const path = train('large', LARGE),
    size = statSync(path).size;
  assert.ok(size < 3e6, `${size} bytes`);
  const page = await open(browser, path, { count: true });
  /* processor time of the page's thread: how long the clock takes depends on what else the machine does */
  const metrics = Object.fromEntries(
    (await page.session.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]),
  );
  const ready = await page.evaluate(() => performance.getEntriesByName('ready')[0].startTime);
  t.diagnostic(`${size} bytes, ${metrics.TaskDuration} s of work, ready after ${Math.round(ready)} ms by the clock`);
  assert.ok(metrics.TaskDuration < 1, `${metrics.TaskDuration} s`);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
