// SPDX-License-Identifier: Apache-2.0
// The oscilloscope: a trigger at frame rate, a window around it, two cursors, one variable over another.
import {xyPlot} from './canvas.js';
import {h, list, one, put, segment, table, token} from './dom.js';
import {curvePlot, levelLine, mark, show} from './lines.js';
import {shownUnit} from './text.js';
import {figures} from './top.js';
import {columns} from './track.js';
import {Trigger} from './trigger.js';

const EDGES = {
  rise: '↗',
  fall: '↘',
  both: '↕'
};
const XY_SECONDS = 1;

export class Scope {
  constructor(rig) {
    Object.assign(this, {
      rig,
      variable: null,
      second: null,
      edge: 'rise',
      level: 0,
      pre: 0.2,
      width: 0.4,
      mode: 'auto',
      at: null,
      cursors: [0.1, 0.3],
      held: false,
      drawn: 0
    });
    const input = (name, act) =>
        one(`[data-act="${name}"]`).addEventListener('input', (event) => act(event.target.value));
    input('trig-var', (name) => this.choose(name));
    input('second-var', (name) => {
      this.second = name || null;
      this.make();
    });
    input('level', (text) => {
      if (text.trim() === '' || Number.isNaN(Number(text))) return;
      this.level = Number(text);
      this.arm();
    });
    input('pre', (text) => {
      this.pre = text / 100;
      put('pre', `${text} %`);
      this.drawWindow();
    });
    input('width', (text) => {
      this.width = Number(text);
      this.cursors = [this.width * 0.1, this.width * 0.4];
      this.arm();
    });
    one('[data-act="arm"]').addEventListener('click', () => this.arm());
    segment('mode', this.mode, (value) => {
      this.mode = value;
      this.arm();
      this.make();
    });
    segment('edge', this.edge, (value) => {
      this.edge = value;
      this.arm();
    });
    rig.addEventListener('backwards', () => this.arm());
    rig.addEventListener('facts', () => {
      this.variable = null;
      this.second = null;
    });
  }

  get names() {
    return [...new Set([this.variable, this.second].filter(Boolean))];
  }
  unit(name) {
    return shownUnit(this.rig.unit(name));
  }
  frames(seconds) {
    return Math.max(1, Math.round(seconds * 1e9 / this.rig.period));
  }

  /** Variables that can be triggered on: what is on the chart, and the rig's own times. */
  offer(charted) {
    const names = [...new Set([...charted, 'rt.late', 'rt.work', 'rt.slack'])];
    if (this.variable && !names.includes(this.variable)) names.push(this.variable);
    const options = (first) => [...first, ...names].map((name) => h('option', {value: name}, name || 'none'));
    one('[data-act="trig-var"]').replaceChildren(...options([]));
    one('[data-act="second-var"]').replaceChildren(...options(['']));
    if (!names.includes(this.second)) this.second = charted[1] ?? null;
    if (!this.variable) this.choose(charted[0] ?? 'rt.work');
    one('[data-act="trig-var"]').value = this.variable;
    one('[data-act="second-var"]').value = this.second ?? '';
    this.make();
  }

  choose(name) {
    this.variable = name;
    put('level-unit', this.unit(name));
    this.arm();
    this.make();
  }

  /** Waits for the next crossing; what came before does not count. */
  arm() {
    this.at = null;
    this.pending = [];
    this.fired = false;
    this.trigger = new Trigger({level: this.level, edge: this.edge});
    if (this.variable) this.trigger.next = Math.max(1, this.rig.track(this.variable).end);
    if (this.plot)
      show(this.plot, [], this.names.map(() => []), -this.pre * this.width, (1 - this.pre) * this.width);
    this.lamp();
  }

  show() {
    this.make();
    this.arm();
  }
  hide() {
    this.plot?.end();
    this.plot = undefined;
  }

  make() {
    this.hide();
    this.rig.chart('scope', this.names);
    const host = one('[data-plot="scope"]'), xy = this.mode === 'xy';
    host.hidden = xy;
    one('[data-draw="xy"]').hidden = !xy;
    list('cursors').hidden = xy;
    if (xy || !host.clientWidth || !this.variable) return;
    this.plot = curvePlot(host, this.names, (name) => this.unit(name), {
      hooks: {draw: [(plot) => this.marks(plot)], ready: [(plot) => this.listen(plot)]},
      x: {values: (_, ticks) => ticks.map((t) => `${+ (t * 1000).toPrecision(6)} ms`)},
      origin: () => (this.at === null ? null : this.rig.seconds(this.at)),
    });
    this.drawWindow();
  }

  listen(plot) {
    plot.over.addEventListener('click', (event) => {
      this.cursors[event.shiftKey ? 1 : 0] = plot.posToVal(event.offsetX, 'x');
      plot.redraw(false);
      this.drawCursors();
    });
  }

  marks(plot) {
    const unit = this.unit(this.variable);
    levelLine(plot, this.level, `${EDGES[this.edge]} ${this.level} ${unit}`, token('warn'));
    if (this.at !== null && this.fired) mark(plot, 0, 'T', token('warn'));
    mark(plot, this.cursors[0], 'A', token('ink'));
    mark(plot, this.cursors[1], 'B', token('ink'));
  }

  // ---- Ten times in a second ----

  draw() {
    if (!this.variable || this.held) return;
    if (this.mode === 'xy') return this.drawXy();
    const track = this.rig.track(this.variable);
    if (this.mode === 'single' && this.at !== null) return;
    this.pending.push(...this.trigger.look(track));
    const after = this.frames(this.width * (1 - this.pre));
    const whole = this.pending.filter((frame) => frame + after <= track.end);
    if (whole.length) {
      this.at = this.mode === 'single' ? whole[0] : whole.at(-1);
      this.fired = true;
      this.drawn = performance.now();
      this.pending = this.pending.filter((frame) => frame > this.at);
      this.drawWindow();
    } else if (this.mode === 'auto' && performance.now() - this.drawn > Math.max(500, 2000 * this.width)) {
      this.at = track.end - after;
      this.fired = false;
      this.drawWindow();
    }
    this.lamp();
  }

  lamp() {
    const age = performance.now() - this.drawn, fresh = this.fired && this.at !== null && age < 1000;
    const text = this.mode === 'xy'                              ? 'XY' :
        this.mode === 'single' && this.at !== null && this.fired ? 'held' :
        fresh                                                    ? 'triggered' :
        this.mode === 'auto'                                     ? 'auto' :
                                                                   'waiting';
    put('lamp', text);
    one('.lamp').toggleAttribute('data-on', text === 'triggered' || text === 'held');
  }

  drawWindow() {
    if (!this.plot || this.at === null) return this.plot?.redraw(false);
    const {rig} = this, wide = this.frames(this.width), from = this.at - Math.round(this.pre * wide);
    const [frames, lines] = columns(this.names.map((name) => rig.track(name)), from, from + wide, 1000);
    const xs = frames.map((frame) => rig.seconds(frame - this.at));
    show(this.plot, xs, lines, -this.pre * this.width, (1 - this.pre) * this.width);
    this.drawCursors();
  }

  drawXy() {
    const [x, y] = [this.variable, this.second ?? this.variable], {rig} = this, wide = this.frames(XY_SECONDS);
    const end = rig.frame + 1, count = Math.min(wide, 4000), step = wide / count;
    const pick = (name) =>
        Array.from({length: count}, (_, i) => rig.track(name).at(Math.floor(end - wide + i * step)));
    xyPlot(one('[data-draw="xy"]'), pick(x), pick(y), [x, y].map((name) => `${name} ${this.unit(name)}`));
    this.lamp();
  }

  drawCursors() {
    if (this.mode === 'xy' || !this.variable) return;
    const {rig, names, cursors: [a, b]} = this;
    const at = (name, seconds) =>
        (this.at === null ? NaN : rig.track(name).at(this.at + Math.round(seconds * 1e9 / rig.period)));
    const text = (name, value) => (Number.isNaN(value) ? '–' : figures.text(value, name));
    const ms = (seconds) => `${figures.text(+(seconds * 1000).toFixed(3))} ms`;
    const rate = b === a ? '' : `  (${(1 / Math.abs(b - a)).toFixed(2)} Hz)`;
    list('cursors').replaceChildren(
        ...table(['Cursor', 'Time', ...names.map((name) => `${name} (${this.unit(name)})`.replace(' ()', ''))], [
          ['A', ms(a), ...names.map((name) => text(name, at(name, a)))],
          ['B', ms(b), ...names.map((name) => text(name, at(name, b)))],
          ['B − A', `${ms(b - a)}${rate}`, ...names.map((name) => text(name, at(name, b) - at(name, a)))],
        ]));
  }
}
