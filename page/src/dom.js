/* Making elements. Text goes in as text nodes alone: whatever a name or a config holds is shown, never interpreted. */

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

function replace(node, ...children) {
  node.replaceChildren();
  return fill(node, null, children);
}

let nextId = 0;
const freshId = (word) => `${word}-${++nextId}`;

/* A labelled <select>: options are [value, text]. */
function chooser(label, options, value, onChange, name) {
  const id = freshId('choose');
  const select = el('select', { id, name, onchange: () => onChange(select.value) });
  for (const [key, text] of options) select.append(el('option', { value: key, selected: key === value }, text));
  return el('div', { class: 'field' }, el('label', { for: id }, label), select);
}

function checkbox(label, checked, onChange, name) {
  const input = el('input', { type: 'checkbox', checked, name, onchange: () => onChange(input.checked) });
  return el('label', { class: 'check' }, input, el('span', null, label));
}

/* A part of the page, with a heading that links lead to. */
function section(id, title, lead, ...children) {
  return el(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title` }, title),
    lead && el('p', { class: 'lead' }, lead),
    children,
  );
}

/* A table whose first cell of each row is its heading. Columns: {label, hint, number}; cells: text or nodes. Wide tables
 * scroll by themselves, from the keyboard too. */
function table(caption, columns, rows, name) {
  const head = el(
    'tr',
    null,
    columns.map((c) => el('th', { scope: 'col', class: c.number && 'number', title: c.hint }, c.label)),
  );
  const body = rows.map((row) =>
    el(
      'tr',
      null,
      row.map((cell, i) =>
        i === 0 ? el('th', { scope: 'row' }, cell) : el('td', { class: columns[i].number && 'number' }, cell),
      ),
    ),
  );
  return el(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el(
      'table',
      { id: name },
      el('caption', { class: 'unseen' }, caption),
      el('thead', null, head),
      el('tbody', null, body),
    ),
  );
}

/* A colour in an SVG and on a canvas. Black is that of the text: on a dark page it would not be seen. */
const paint = (color) => (color === '#000000' ? 'currentColor' : color);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const ink = (color) => (color === '#000000' ? css('--text') : color);

/* How a method looks everywhere: a piece of its line. */
function swatch(style) {
  const line = svg('line', { x1: 1, y1: 5, x2: 27, y2: 5, stroke: paint(style.color), 'stroke-width': 3 });
  if (style.dash.length) line.setAttribute('stroke-dasharray', style.dash.join(' '));
  return svg('svg', { class: 'swatch', width: 28, height: 10, viewBox: '0 0 28 10', 'aria-hidden': 'true' }, line);
}

const named = (style) => el('span', { class: 'method' }, swatch(style), ' ', el('span', null, style.name));

function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
