// SPDX-License-Identifier: Apache-2.0
// Making and finding parts of the page.

export const one = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const list = (name) => one(`[data-list="${name}"]`);

/** An element: h('p', {class: 'soft', onclick: f}, 'text', child, ...). */
export function h(tag, more = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(more)) {
    if (key.startsWith('on'))
      node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false && value !== null)
      node.setAttribute(key, value === true ? '' : value);
  }
  node.append(
      ...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

/** The text of all places with this name; what is the same is left alone. */
export function put(name, text) {
  for (const node of all(`[data-v="${name}"]`))
    if (node.textContent !== text) node.textContent = text;
}

export const facts = (pairs) => pairs.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]);

/** Rows of a table; a head or a cell that begins with '>' stands right. */
export function table(heads, rows) {
  const right = (text) => typeof text === 'string' && text.startsWith('>');
  const plain = (text) => (right(text) ? text.slice(1) : text);
  const head = heads.map((text) => h('th', {scope: 'col', class: right(text) ? 'r' : undefined}, plain(text)));
  const body = rows.map((row) => h('tr', {}, row.map((cell, i) => {
                          return h('td', {class: right(heads[i]) ? 'r' : undefined}, cell);
                        })));
  return [h('thead', {}, h('tr', {}, head)), h('tbody', {}, body)];
}

/** One line in place of what the rig does not say. */
export const missing = (text) => h('p', {class: 'soft missing'}, text);

/** Replaces the children, and keeps the focus on the one that stands where the focus was. */
export function redraw(node, ...children) {
  const focusable = () => all('button, input, select, a, [tabindex]', node);
  const at = focusable().indexOf(document.activeElement);
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
  if (at >= 0) focusable()[at]?.focus();
}

/** A group of buttons of which one is chosen: arrows move, a click chooses. Returns a function that chooses. */
export function segment(name, value, act) {
  const group = one(`[data-seg="${name}"]`);
  const mark = (chosen) => {
    for (const button of all('button', group)) {
      const is = button.dataset.value === chosen;
      button.setAttribute('role', 'radio');
      button.setAttribute('aria-checked', String(is));
      button.tabIndex = is ? 0 : -1;
    }
  };
  const pick = (button) => {
    mark(button.dataset.value);
    button.focus();
    act(button.dataset.value);
  };
  group.addEventListener('click', (event) => {
    const button = event.target.closest('[data-value]');
    if (button) pick(button);
  });
  group.addEventListener('keydown', (event) => {
    const by = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!by) return;
    const buttons = all('button', group);
    event.preventDefault();
    pick(buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length]);
  });
  mark(value);
  return mark;
}

// What takes the place of the sheet's colours where the system forces its own: a canvas does not take part by itself.
const FORCED = matchMedia('(forced-colors: active)');
const SYSTEM = {
  ground: 'Canvas',
  panel: 'Canvas',
  raised: 'Canvas',
  edge: 'GrayText',
  late: 'LinkText',
  slack: 'VisitedText',
  s5: 'LinkText',
  s6: 'VisitedText',
  alarm: 'VisitedText',
  warn: 'LinkText',
  forced: 'VisitedText',
};
function systemColor(name) {
  const probe = h('span', {});
  probe.style.cssText = `forced-color-adjust: none; color: ${SYSTEM[name] ?? 'CanvasText'}`;
  document.body.append(probe);
  const parts = getComputedStyle(probe).color.match(/[0-9]+/g).slice(0, 3);
  probe.remove();
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

/** A colour or font of the sheet, kept until the theme changes. */
const tokens = new Map();
export function token(name) {
  let value = tokens.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    if (FORCED.matches && !['sans', 'mono'].includes(name)) value = systemColor(name);
    tokens.set(name, value);
  }
  return value;
}
export const forgetTokens = () => tokens.clear();

let saying;
/** Says a line to everybody, also to a screen reader; it goes after a while. */
export function say(text) {
  put('said', text);
  clearTimeout(saying);
  saying = setTimeout(() => put('said', ''), 5000);
}
