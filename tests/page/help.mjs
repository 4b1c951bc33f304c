/* Runs to show, a browser without a network, and traces read by other code than the page's. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const folder = process.env.FOLDER;

export const sprint = (...words) =>
  execFileSync(process.env.SPRINT, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const DIVERGED = 3; /* exit code of `sprint run` */

/* Runs a config, some of whose runs may diverge, and returns the path of the page that `sprint run` says it left. */
export function train(name, config, ...words) {
  writeFileSync(join(folder, `${name}.yaml`), config);
  let said;
  try {
    said = sprint('run', `${name}.yaml`, '--out', name, ...words);
  } catch (error) {
    if (error.status !== DIVERGED) throw error;
    said = error.stdout;
  }
  const path = said.match(/^a page about them, for a browser, is (.*)$/m)[1];
  return join(folder, path);
}

/* A trace as {column: [numbers]}. */
export function trace(...place) {
  const [head, ...lines] = readFileSync(join(folder, ...place, 'trace.csv'), 'utf8')
    .trim()
    .split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  return Object.fromEntries(head.split(',').map((name, c) => [name, rows.map((row) => row[c])]));
}

export const launch = () => {
  mkdirSync(join(folder, 'browser'), { recursive: true });
  return chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: process.env.CHROMIUM,
    acceptDownloads: true,
    offline: true,
    viewport: { width: 1280, height: 900 },
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
};

/* Opens a page from disk; what it complains of, and what it asks the network for, is in page.complaints. */
export async function open(browser, path, options = {}) {
  const page = await browser.newPage();
  page.complaints = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()),
  );
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on(
    'request',
    (request) => /^(file|data|blob):/.test(request.url()) || page.complaints.push(`asked for ${request.url()}`),
  );
  await page.setViewportSize({ width: options.width || 1280, height: 900 });
  await page.emulateMedia({ colorScheme: options.scheme || 'light', reducedMotion: 'reduce' });
  if (options.count) {
    page.session = await browser.newCDPSession(page);
    await page.session.send('Performance.enable', { timeDomain: 'threadTicks' });
  }
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector('html[data-ready]');
  await page.waitForSelector('#curves-chart canvas');
  return page;
}
