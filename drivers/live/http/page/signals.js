// SPDX-License-Identifier: Apache-2.0
// Signals: the tree, the strip chart, the oscilloscope.
import {all, h, list, one, put, say, segment, token} from './dom.js';
import {curvePlot, lineKey, show} from './lines.js';
import {Scope} from './scope.js';
import {shownUnit, spanText} from './text.js';
import {figures} from './top.js';
import {columns, columnWidth} from './track.js';
import {Tree} from './tree.js';

const MOST_CURVES = 20;
const KEY = 'tactus.chart';
const LONGEST = 1000;  // ms that a change may wait to be drawn

export class Signals {
  constructor(rig, top) {
    Object.assign(this, {rig, names: [], span: 5, held: null});
    this.tree = new Tree(rig, top, this);
    this.scope = new Scope(rig);
    segment('strip-span', '5', (value) => {
      this.span = Number(value);
      this.draw();
    });
    const typed = one('[data-act="expression"]'), [field] = typed;
    typed.addEventListener('submit', (event) => {
      event.preventDefault();
      this.add(field);
    });
    field.addEventListener('input', () => {
      put('expression-why', '');
      field.removeAttribute('aria-invalid');
    });
    rig.addEventListener('facts', () => this.restore());
  }

  /** What was charted last in this tab of this rig; else the first outputs that are numbers. */
  restore() {
    const kept = JSON.parse(sessionStorage.getItem(`${KEY}.${this.rig.info.rig}`) ?? 'null');
    const usable = (kept ?? []).filter((name) => this.rig.variable(name) && this.rig.chartable(name));
    this.again((kept ?? []).filter((name) => !this.rig.variable(name)));
    const numbers = [...this.rig.variables.values()].filter(
        (v) => v.role === 'output' && !v.count && /double|float/.test(v.type));
    this.names = usable.length ? usable : numbers.slice(0, 2).map((v) => v.name);
    this.scope.offer(this.names);
    this.request();
  }

  /** Expressions that were charted last; those that this rig does not take are left out. */
  async again(texts) {
    for (const text of texts)
      await this.rig.expression(text).then(({name}) => this.has(name) || this.toggle(name), () => {});
  }

  /** One that a person has typed. */
  async add(field) {
    const text = field.value.trim();
    if (!text) return;
    try {
      const {name} = await this.rig.expression(text);
      if (!this.rig.chartable(name)) throw new Error(`${name} is an array; name one of its elements, such as ${name}[0]`);
      if (!this.has(name)) this.toggle(name);
      field.value = '';
      put('expression-why', '');
    } catch (error) {
      put('expression-why', (error.problems?.length ? error.problems : [error.message]).map((why) => why.replace(/^names: /, '')).join('; '));
    }
    field.toggleAttribute('aria-invalid', Boolean(field.value));
  }

  request() {
    this.rig.chart('strip', this.names);
    sessionStorage.setItem(`${KEY}.${this.rig.info.rig}`, JSON.stringify(this.names));
  }

  has(name) {
    return this.names.includes(name);
  }
  toggle(name) {
    if (this.has(name))
      this.names = this.names.filter((other) => other !== name);
    else if (this.names.length >= MOST_CURVES)
      return say(`At most ${MOST_CURVES} curves; remove one first`);
    else
      this.names.push(name);
    this.request();
    this.makeStrip();
    this.scope.offer(this.names);
    this.tree.inspect();
  }

  show() {
    this.tree.show();
    this.makeStrip();
    this.scope.show();
  }
  hide() {
    this.tree.hide();
    this.plot?.end();
    this.plot = undefined;
    this.scope.hide();
    this.rig.want('chips', []);
  }

  makeStrip() {
    this.plot?.end();
    const host = one('[data-plot="strip"]');
    this.plot = undefined;
    if (!host.clientWidth) return;
    const unit = (name) => shownUnit(this.rig.unit(name)), units = [...new Set(this.names.map(unit))];
    if (this.names.length) this.plot = curvePlot(host, this.names, unit);
    list('chips').replaceChildren(...this.names.map((name, i) => {
      const key = h('i'), own = units.indexOf(unit(name)) > 1;
      key.style.background = lineKey(i);
      return h(
          'button', {title: 'remove it from the chart', onclick: () => this.toggle(name)}, key, name,
          h('span', {class: 'num', 'data-chip': name}),
          h('span', {class: 'soft'}, `${unit(name)}${own ? ', own scale' : ''}`));
    }));
    this.rig.want('chips', this.names);
    this.draw();
  }

  hold() {
    this.held = this.held === null ? this.rig.frame : null;
    this.scope.held = this.held !== null;
    one('[data-act="hold-signals"]').setAttribute('aria-pressed', String(this.held !== null));
  }

  draw() {
    const {rig} = this, end = (this.held ?? rig.frame) + 1, from = end - Math.round(this.span * 1e9 / rig.period);
    const note = rig.streamProblem ??
        (this.names.length ? `every frame of ${spanText(rig.period)}; least and greatest value of each column` :
                             'choose a variable and add it to the chart');
    put('strip-note', note);
    const count = this.plot && Math.max(100, this.plot.width - 140);
    if (this.plot && this.isWorthDrawing(end, end - from, count)) {
      const [frames, lines] = columns(this.names.map((name) => rig.track(name)), from, end, count);
      show(this.plot, frames.map((frame) => rig.seconds(frame)), lines, rig.seconds(from), rig.seconds(end));
    }
    if (this.held === null) this.scope.draw();
  }

  /** Half a column is new, or something has been new for a while: to draw takes most of what the page takes. */
  isWorthDrawing(end, frames, count) {
    const now = {plot: this.plot, frames, count, end, streamed: this.rig.streamed, at: performance.now(),
                 marks: this.rig.journal.last}, old = this.drawn;
    const moved = Math.max(Math.abs(end - old?.end), Math.abs(now.streamed - old?.streamed));
    const same = ['plot', 'frames', 'count', 'marks'].every((key) => now[key] === old?.[key]);
    if (same && (moved === 0 || (moved < columnWidth(frames, count) / 2 && now.at - old.at < LONGEST))) return false;
    this.drawn = now;
    return true;
  }

  /** The newest value; that of an expression comes with the stream alone. */
  valueOf(name) {
    const {rig} = this, expression = rig.expressions.get(name);
    if (!expression) return rig.values.get(name);
    const track = rig.track(name), value = track.end ? track.at(track.end - 1) : NaN;
    return Number.isNaN(value) ? undefined : expression.type === 'bool' ? value !== 0 : value;
  }

  /** Figures, a few times in a second. */
  numbers() {
    this.tree.draw();
    for (const cell of all('[data-chip]')) {
      const name = cell.dataset.chip, text = figures.text(this.valueOf(name), name);
      if (cell.textContent !== text) cell.textContent = text;
    }
    this.scope.drawCursors();
  }
}
