// SPDX-License-Identifier: Apache-2.0
// Variables: search, a tree of which only the seen rows exist, one variable with what may be done with it.
import {all, facts, h, list, one, put, redraw} from './dom.js';
import {searcher, shownUnit, typed} from './text.js';
import {figures} from './top.js';

const groupOf = (name) => name.split('.')[0];
const leafOf = (name) => name.slice(name.indexOf('.') + 1);

const WRITERS = {
  force: 'forced',
  set: 'set',
  connection: '←',
  link: '',
  executive: '',
  parameter: '',
  checkpoint: '',
  model: ''
};
function writer({written_by: by, role}) {
  if (!by) return role;
  return `${WRITERS[by.what] ?? by.what} ${by.who}`.trim();
}

export class Tree {
  /** `chart`: what is on the charts, with has(name) and toggle(name). */
  constructor(rig, top, chart) {
    Object.assign(this, {rig, top, chart, search: '', chosen: null, closed: new Set(), lines: []});
    const rows = list('tree');
    rows.addEventListener('scroll', () => this.rows());
    rows.addEventListener('keydown', (event) => this.key(event));
    one('[data-act="search"]').addEventListener('input', (event) => {
      this.search = event.target.value;
      rows.scrollTop = 0;
      this.fill();
    });
    rig.addEventListener('variables', () => this.stirred = true);
    rig.addEventListener('state', () => this.stirred = true);
  }

  show() {
    if (!this.rig.variable(this.chosen ?? '')) this.chosen = this.first();
    this.stirred = false;
    this.fill();
    this.inspect();
  }
  hide() {
    this.rig.want('tree', []);
  }

  first() {
    for (const variable of this.rig.variables.values())
      if (variable.role === 'output') return variable.name;
    return this.rig.variables.keys().next().value ?? null;
  }

  /** Values, a few times in a second; rows when something has changed. */
  draw() {
    if (this.stirred) {
      this.stirred = false;
      this.fill();
      this.late = true;
    }
    // Nothing is drawn anew under the fingers of a person who types.
    const typing = this.typed !== undefined && document.activeElement?.closest('.inspect input');
    if (this.late && !typing) {
      this.late = false;
      this.inspect();
    }
    const field = one('form input.num', list('inspect'));
    if (field?.hasAttribute('data-unknown') && this.typable(this.chosen)) {  // its value was not read yet
      field.removeAttribute('data-unknown');
      field.value = this.typable(this.chosen);
      if (document.activeElement === field) {
        this.typed = field.value;
        field.select();
      }
    }
    for (const cell of all('[data-var]')) {
      const text = figures.text(this.rig.values.get(cell.dataset.var), cell.dataset.var);
      if (cell.textContent !== text) cell.textContent = text;
    }
  }

  // ---- Rows ----

  fill() {
    const {rig} = this, matches = searcher(this.search), groups = new Map();
    let count = 0;
    for (const variable of rig.variables.values()) {
      const {name} = variable;
      if (!matches({
            ...variable,
            forced: rig.forced.size > 0 && Boolean(rig.force(name)),
            drives: variable.drives?.length > 0
          }))
        continue;
      count++;
      const group = groupOf(name), rest = groups.get(group);
      if (rest)
        rest.push(variable);
      else
        groups.set(group, [variable]);
    }
    this.lines = [];
    for (const [group, rest] of groups) {
      this.lines.push({group, count: rest.length});
      if (!this.closed.has(group)) this.lines.push(...rest);
    }
    put('tree-count', `${count} of ${rig.variables.size}`);
    list('tree').setAttribute('aria-rowcount', String(this.lines.length));
    this.rows();
  }

  get high() {
    return innerWidth <= 900 ? 32 : 24;
  }

  rows() {
    const host = list('tree'), {high} = this;
    if (!host.clientHeight) return;
    const first = Math.floor(host.scrollTop / high),
          last = Math.min(this.lines.length, first + Math.ceil(host.clientHeight / high) + 1);
    const height = h('div', {class: 'height', role: 'presentation'}), seen = this.lines.slice(first, last);
    height.style.height = `${this.lines.length * high}px`;
    host.replaceChildren(height, ...seen.map((line, i) => {
      const row = line.group ? this.groupRow(line) : this.variableRow(line);
      row.style.top = `${(first + i) * high}px`;
      row.setAttribute('aria-rowindex', String(first + i + 1));
      return row;
    }));
    const chosen = host.querySelector('[aria-selected="true"]');
    if (chosen)
      host.setAttribute('aria-activedescendant', chosen.id);
    else
      host.removeAttribute('aria-activedescendant');
    this.rig.want('tree', [
      ...seen.filter((line) => line.name && line.count <= 64).map((line) => line.name),
      ...(this.chosen ? [this.chosen] : [])
    ]);
  }

  groupRow({group, count}) {
    const closed = this.closed.has(group);
    const fold = () => {
      if (!this.closed.delete(group)) this.closed.add(group);
      this.fill();
    };
    return h(
        'div', {class: 'row group', role: 'row', 'aria-expanded': String(!closed), onclick: fold},
        cell({class: 'whole', title: group}, `${closed ? '▸' : '▾'} ${group}`), cell({class: 'num soft'}, String(count)));
  }

  variableRow(variable) {
    const {name, role, unit, drives} = variable, forced = this.rig.force(name);
    const real = drives?.length ? h('span', {title: `drives ${drives.join(', ')}`}, '⚡\uFE0E') : null;
    return h(
        'div', {
          class: 'row',
          role: 'row',
          id: `row-${name}`,
          'data-name': name,
          'data-forced': Boolean(forced),
          'aria-selected': String(name === this.chosen),
          onclick: () => this.choose(name, true)
        },
        cell({class: 'leaf', title: name}, `${leafOf(name)} `, real, forced ? tag() : null),
        cell({class: 'num', 'data-var': name}, figures.text(this.rig.values.get(name), name)),
        cell({class: 'soft'}, shownUnit(unit)), cell({class: 'soft'}, role),
        cell({class: 'soft', title: writer(variable)}, writer(variable)));
  }

  key(event) {
    const by = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15}[event.key];
    const names = this.lines.filter((line) => line.name);
    if (!by || !names.length || event.altKey || event.ctrlKey) return;
    event.preventDefault();
    const at = names.findIndex((line) => line.name === this.chosen);
    const next = names[Math.min(names.length - 1, Math.max(0, at + by))], rows = list('tree'), {high} = this;
    const top = this.lines.indexOf(next) * high;
    if (top < rows.scrollTop)
      rows.scrollTop = top;
    else if (top > rows.scrollTop + rows.clientHeight - 2 * high)
      rows.scrollTop = top - rows.clientHeight + 2 * high;
    this.choose(next.name);
  }

  /** `toType`: what is typed next goes into the field of its value, and nowhere else. */
  choose(name, toType = false) {
    this.chosen = name;
    this.typed = undefined;
    this.rows();
    this.inspect();
    if (toType) {
      const field = one('form input.num', list('inspect'));
      field?.focus();
      field?.select();
    }
    this.rig.readValues().catch(() => {});
  }

  // ---- One of them ----

  inspect() {
    const {rig, chosen: name} = this, variable = name && rig.variable(name), host = list('inspect');
    if (!variable) return redraw(host);
    const forced = rig.force(name), none = variable.rights === 'read_only', only = variable.rights === 'force_only';
    host.dataset.name = name;
    let before, edited = false;
    const input = h('input', {
      class: 'num',
      value: this.typed ?? this.typable(name),
      'data-unknown': this.typed === undefined && this.typable(name) === '',
      onfocus: () => {
        this.typed ??= input.value;
        before = input.value;
      },
      onblur: () => {
        if (input.value === before) this.typed = undefined;
      },
      oninput: (event) => {
        input.removeAttribute('data-unknown');
        edited = true;
        this.typed = event.target.value;
      },
      onkeydown: (event) => event.key === 'Escape' && list('tree').focus(),
      'aria-label': `new value of ${name}`,
      spellcheck: 'false',
      autocomplete: 'off',
      readonly: none  // and not disabled: what is typed behind a click has to go into it
    });
    const write = async (kind) => {
      // What was not typed is not rounded either.
      const kept = !edited && this.typable(name) === input.value ? rig.values.get(name) : undefined;
      const value = typeof kept === 'number' ? kept : typed(input.value, variable.type);
      if (value === undefined || !(await this.top.write(kind, name, value)) || this.chosen !== name) return;
      this.typed = undefined;
      this.late = true;
    };
    const submit = (event) => {
      event.preventDefault();
      if (!only && !none && !forced) write('set');
    };
    const setWhy = none ? variable.reason : only ? variable.reason : forced ? 'is forced: release it first' : '';
    const button = (label, why, does, more) =>
        h('button', {'aria-disabled': why ? 'true' : undefined, title: why || does, ...more}, label);
    redraw(
        host,
        h('h2', {}, h('span', {class: 'name'}, name), forced ? tag() : null,
          h('span', {class: 'right'}, this.chartButton(name))),
        h('p', {class: 'small-text soft'}, variable.about || ' '),
        h('dl', {class: 'facts'}, facts(this.about(variable, forced, none || only))),
        h('form', {onsubmit: submit}, input, h('span', {class: 'soft'}, shownUnit(variable.unit)),
          button('Set', setWhy, 'writes once'),
          button(
              'Force', none ? variable.reason : '', 'writes in every frame, until it is released',
              {type: 'button', class: 'force', onclick: () => none || write('force')}),
          button(
              'Release', forced ? '' : 'is not forced', 'ends the force; the value stays until it is written',
              {type: 'button', onclick: () => forced && this.top.release([forced.variable])})));
  }

  /** Its value as a person would type it. */
  typable(name) {
    const text = figures.text(this.rig.values.get(name), name);
    return text === '–' ? '' : text.replaceAll('−', '-');
  }

  about(variable, forced, limited) {
    const {low, high} = variable.range ?? {}, unit = shownUnit(variable.unit);
    const size = variable.count ?
        `[${variable.columns ? `${variable.count / variable.columns}][${variable.columns}` : variable.count}]` :
        '';
    const rows = [
      ['Written by', forced ? `forced by ${forced.who} since frame ${forced.frame}` : writer(variable)],
      ['Type', `${variable.type}${size}, ${variable.role}`]
    ];
    if (variable.drives?.length) rows.push(['Drives', `⚡\uFE0E ${variable.drives.join(', ')}`]);
    if (low !== undefined || high !== undefined) rows.push(['Range', `${low ?? '−∞'} … ${high ?? '∞'} ${unit}`]);
    const labels = Object.entries(variable.labels ?? {});
    if (labels.length) rows.push(['Labels', labels.map(([label, value]) => `${label} = ${value}`).join(', ')]);
    rows.push(['Rights', limited ? variable.reason : 'set and force']);
    return rows;
  }

  chartButton(name) {
    const {count, columns} = this.rig.variable(name);
    if (!count) {
      const press = () => this.chart.toggle(name);
      return h(
          'button', {class: 'small', onclick: press}, this.chart.has(name) ? 'Remove from chart' : 'Add to chart');
    }
    const field = h('input', {type: 'number', min: 0, max: count - 1, value: 0, 'aria-label': 'element'});
    const press = () => {
      const at = Math.min(count - 1, Math.max(0, Math.round(Number(field.value)) || 0));
      this.chart.toggle(columns ? `${name}[${Math.floor(at / columns)}][${at % columns}]` : `${name}[${at}]`);
    };
    return [
      h('label', {class: 'element'}, 'Element', field),
      h('button', {class: 'small', onclick: press}, 'Add or remove')
    ];
  }
}

const cell = (more, ...children) => h('span', {role: 'gridcell', ...more}, ...children);
const tag = () => h('span', {class: 'tag-forced'}, 'FORCED');
