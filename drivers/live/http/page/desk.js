// SPDX-License-Identifier: Apache-2.0
// Desk: controls and indicators as a person has arranged them. Locked, so that no sleeve moves a motor.
import {ask} from './dialogs.js';
import {h, list, missing, one, put, redraw, say} from './dom.js';
import {Panels, suggestedControls, suggestion} from './panels.js';
import {figures, OUTPUT_HEADS} from './top.js';
import {drawPlot, drawValues, drawXy, inside, KINDS, namesOf, rangeOf, titleOf, widgetPlot} from './widgets.js';

const FOLLOWS_AGAIN = 1000;  // ms after a person has let go of a control
const MOST_UNDONE = 50;
const SENDS = 100;           // ms between two changes of one control

export class Desk {
  constructor(rig, top) {
    Object.assign(this, {
      rig,
      top,
      name: null,
      unlocked: false,
      arranging: false,
      agreed: new Set(),
      plots: [],
      sets: new Map(),
      undone: [],
      nodes: []
    });
    this.panels = new Panels(rig);
    this.panels.addEventListener('read', () => this.make());
    this.control = {
      arranging: () => this.arranging,
      turn: (widget, value) => this.turn(widget, value),
      step: (widget, steps) => this.step(widget, steps),
      drag: (widget, share) => this.drag(widget, share),
      press: (widget) => this.turn(widget, widget.value ?? 1),
    };
    rig.addEventListener('facts', () => this.anotherRun());
    rig.addEventListener('state', () => this.forcesChanged());
    one('[data-form="widget"]').addEventListener('submit', (event) => this.add(event));
    one('[data-act="widget-kind"]')
        .append(...Object.entries(KINDS).map(([kind, {label}]) => h('option', {value: kind}, label)));
    one('[data-act="widget-kind"]').addEventListener('input', () => this.formFields());
  }

  /** What was unlocked, agreed to and ordered was so for the run before. Desks that were not kept yet stay. */
  anotherRun() {
    const {rig} = this, same = this.rigName === rig.info.rig;
    this.rigName = rig.info.rig;
    this.unlocked = false;
    this.agreed.clear();
    for (const {timer} of this.sets.values()) clearTimeout(timer);
    this.sets.clear();
    this.undone = [];
    this.undoButton();
    if (same && this.panels.changed) return this.make();
    this.name = null;
    this.panels.read().catch(() => {});
  }

  get widgets() {
    return this.panels.desks[this.name] ?? [];
  }
  get seen() {
    return !one('#view-desk').hidden;
  }

  show() {
    this.make();
    if (!this.panels.etag && !this.panels.problem) this.panels.read().catch(() => {});
  }
  hide() {
    this.endPlots();
    this.rig.want('desk', []);
  }
  endPlots() {
    for (const {plot} of this.plots) plot.end();
    this.plots = [];
  }

  // ---- Drawing ----

  make() {
    if (!this.seen) return;
    this.endPlots();
    const names = Object.keys(this.panels.desks);
    if (!names.includes(this.name)) this.name = names[0] ?? null;
    one('[data-act="arrange"]').setAttribute('aria-pressed', String(this.arranging));
    one('[data-act="unlock"]').setAttribute('aria-pressed', String(this.unlocked));
    one('[data-form="widget"]').hidden = !this.arranging;
    one('[data-act="keep"]').hidden = !this.panels.changed;
    one('[data-act="drop"]').hidden = !this.panels.changed;
    this.tabs(names);
    const host = list('desk');
    host.toggleAttribute('data-arrange', this.arranging);
    this.nodes = this.widgets.map((widget) => this.node(widget));
    redraw(host, this.nodes);
    this.widgets.forEach((widget, i) => {
      if (widget.kind === 'plot' && one('.plot', this.nodes[i]))
        this.plots.push({widget, plot: widgetPlot(this.rig, widget, this.nodes[i])});
    });
    this.empty();
    this.hints();
    const all = this.widgets.filter((w) => namesOf(w).every((name) => this.rig.variable(name)));
    this.rig.want('desk', all.flatMap(namesOf));
    this.rig.chart('desk', all.filter((w) => ['plot', 'xy'].includes(w.kind)).flatMap(namesOf));
    this.rig.readValues().catch(() => {});
    this.draw();
    this.numbers();
  }

  tabs(names) {
    const host = list('desks');
    host.hidden = names.length < 2;
    redraw(
        host,
        names.map(
            (name) =>
                h('button', {
                  'aria-pressed': String(name === this.name),
                  class: 'toggle',
                  onclick: () => {
                    this.name = name;
                    this.make();
                  }
                },
                  name)));
  }

  empty() {
    const host = list('desk-empty'), {problem, problems} = this.panels;
    if (problem) return redraw(host, missing(`The desks of this rig cannot be read: ${problem}`));
    if (!this.panels.etag) return redraw(host, missing('The desks of this rig have not been read yet.'));
    const told = problems.map((text) => missing(`▲ ${text}`));
    if (this.widgets.length) return redraw(host, told);
    redraw(
        host, told, missing('This rig has no desk yet. Arrange (e) adds knobs, sliders, lamps, numbers and plots.'),
        h('button', {onclick: () => this.suggest()}, 'Suggest a desk from its variables'));
  }

  async suggest() {
    const {rig} = this;
    this.name ??= rig.info.rig;
    rig.want('suggestion', suggestedControls(rig.variables.values()));
    try {
      while (rig.reading) await new Promise((done) => setTimeout(done, 10));
      await rig.readValues();
    } catch {
      return say('The rig has not sent its values, so there is no suggestion; try again');
    } finally {
      rig.want('suggestion', []);
    }
    this.panels.desks[this.name] = suggestion(rig.variables.values(), rig.values);
    this.panels.change();
    this.make();
  }

  hints() {
    const locked = 'Controls are locked, so that no accidental touch moves a motor.';
    const text = this.arranging ? 'Arrows or dragging move a widget, Shift and arrows size it, Delete removes it.' :
        this.unlocked           ? 'Pointer: the value that you set. Ring or bar: the value in the rig.' :
                                  locked;
    put('desk-hint', text);
    const {file, changed} = this.panels;
    put('desk-file', `${changed ? 'not kept yet; ' : ''}panels: in ${file || 'a file'}${file?.includes('/') ? '' : ', beside the rig file'}`);
    put('panels', JSON.stringify({panels: this.panels.desks}, null, 1));
  }

  node(widget) {
    const forced = widget.variable && this.rig.force(widget.variable), {control} = KINDS[widget.kind] ?? {},
          [x, y, w, high] = widget.at;
    const real = namesOf(widget).flatMap((name) => this.rig.drives(name));
    const state = forced          ? h('span', {class: 'tag-forced'}, 'FORCED') :
        control && !this.unlocked ? h('small', {class: 'locked'}, 'locked') :
                                    null;
    const title = titleOf(widget);
    const bolt = control && real.length ? h('span', {title: `drives ${real.join(', ')}`}, '⚡\uFE0E') : null;
    const node =
        h('div', {
          class: 'widget',
          'data-forced': Boolean(forced),
          'data-wide': ['plot', 'xy'].includes(widget.kind),
          'data-kind': widget.kind,
          role: 'group',
          'aria-label': title || widget.kind,
          tabindex: this.arranging ? 0 : undefined,
          onkeydown: (event) => this.place(event, widget),
          onpointerdown: (event) => this.grab(event, widget)
        },
          title ? h('h2', {}, h('span', {}, title), bolt, state) : null, inside(this.rig, widget, this.control));
    Object.assign(node.style, {gridColumn: `${x + 1} / span ${w}`, gridRow: `${y + 1} / span ${high}`});
    return node;
  }

  forcesChanged() {
    const key = [...this.rig.forced.keys()].join();
    if (key === this.forces) return;
    this.forces = key;
    this.make();
  }

  draw() {
    for (const {widget, plot} of this.plots) drawPlot(this.rig, widget, plot);
    this.widgets.forEach((widget, i) => {
      if (widget.kind === 'xy' && one('canvas', this.nodes[i])) drawXy(this.rig, widget, this.nodes[i]);
    });
  }

  numbers() {
    this.widgets.forEach((widget, i) => {
      if (this.nodes[i])
        drawValues(this.rig, widget, this.nodes[i], {ordered: this.ordered(widget), locked: !this.unlocked});
    });
  }

  // ---- Turning ----

  /** What the person has ordered; some time after that, what the rig has. */
  ordered(widget) {
    const set = this.sets.get(widget.variable);
    if (set && performance.now() - set.when < FOLLOWS_AGAIN) return set.value;
    const value = Number(this.rig.values.get(widget.variable));
    return Number.isFinite(value) ? value : rangeOf(this.rig, widget)[0];
  }

  step(widget, steps) {
    const [low, high] = rangeOf(this.rig, widget);
    return this.by(widget, steps * this.stepOf(widget, low, high));
  }
  drag(widget, share) {
    const [low, high] = rangeOf(this.rig, widget);
    return this.by(widget, share * (high - low));
  }
  by(widget, change) {
    const [low, high] = rangeOf(this.rig, widget), value = this.ordered(widget) + change;
    return this.turn(widget, +Math.min(high, Math.max(low, value)).toPrecision(9));
  }

  /** A thousandth of the range; a whole number of what is counted. */
  stepOf(widget, low, high) {
    const step = (high - low) / 1000;
    return /int/.test(this.rig.variable(widget.variable)?.type ?? '') ? Math.max(1, Math.round(step)) : step;
  }

  async turn(widget, value) {
    const name = widget.variable, {rig} = this;
    if (this.arranging) return;
    if (rig.force(name)) return say(`${name} is forced: release it first`);
    if (!this.unlocked) return say('Controls are locked; unlock them with l');
    if (rig.stale || rig.over) return say('The rig does not answer; nothing was changed');
    if (rig.variable(name)?.rights !== 'full')
      return say(`${name} ${rig.variable(name)?.reason ?? 'cannot be set'}`);
    if (!(await this.agree(name, value))) return;
    if (!this.unlocked || !rig.stated) return say('Another run has begun; nothing was changed');
    const whole = /int/.test(rig.variable(name).type) && typeof value === 'number';
    this.remember(name, rig.values.get(name));
    const set = this.sets.get(name) ?? {};
    Object.assign(set, {value: whole ? Math.round(value) : value, when: performance.now()});
    this.sets.set(name, set);
    this.numbers();
    set.timer ??=
        setTimeout(() => this.send(name, set), Math.max(0, SENDS - (performance.now() - (set.sent ?? 0))));
  }

  // One turn of a control is what a person does without letting go of it for a second.
  remember(name, before) {
    const last = this.undone.at(-1), now = performance.now(), set = this.sets.get(name);
    if (before === undefined || (last?.name === name && set && now - set.when < FOLLOWS_AGAIN)) return;
    this.undone.push({name, before});
    if (this.undone.length > MOST_UNDONE) this.undone.shift();
    this.undoButton();
  }

  undoButton() {
    const last = this.undone.at(-1);
    one('[data-act="undo"]').hidden = !last;
    put('undo', last ? `Undo: ${last.name} back to ${figures.text(last.before, last.name)}` : '');
  }

  /** What the newest turn has changed goes back, exactly. */
  async undo() {
    const last = this.undone.at(-1), {rig} = this;
    if (!last) return;
    if (rig.force(last.name)) return say(`${last.name} is forced: release it first`);
    if (rig.stale || rig.over) return say('The rig does not answer; nothing was changed');
    if (!(await this.agree(last.name, last.before))) return;
    clearTimeout(this.sets.get(last.name)?.timer);
    this.sets.delete(last.name);
    if (!(await this.top.write('set', last.name, last.before, {asked: true}))) return;
    if (this.undone.at(-1) === last) this.undone.pop();
    this.undoButton();
    rig.readValues().catch(() => {});
  }

  async send(name, set) {
    set.timer = undefined;
    set.sent = performance.now();
    if (!(await this.top.write('set', name, set.value, {asked: true}))) this.sets.delete(name);
    this.rig.readValues().catch(() => {});
  }

  /** Asks back once for each control of a real output while the desk is unlocked. */
  async agree(name, value) {
    const drives = this.rig.drives(name);
    if (!drives.length || this.agreed.has(name)) return true;
    const rows = drives.map((output) => [output, name, String(this.rig.values.get(name) ?? '–'), String(value)]);
    const yes = await ask({
      title: `${name} moves a real output`,
      does: 'You are asked once, until the controls are locked again.',
      heads: OUTPUT_HEADS,
      rows,
      yes: 'Set it'
    });
    if (yes) this.agreed.add(name);
    return yes;
  }

  unlock() {
    this.unlocked = !this.unlocked;
    this.agreed.clear();
    this.make();
  }

  // ---- Arranging ----

  arrange() {
    this.arranging = !this.arranging;
    this.name ??= this.rig.info?.rig ?? 'desk';
    if (this.arranging) this.formFields();
    this.make();
  }

  moved(widget, i) {
    const [x, y, w, high] = widget.at;
    widget.at = [
      Math.min(Math.max(0, x), 11), Math.min(999, Math.max(0, y)), Math.min(12, Math.max(1, w)),
      Math.min(24, Math.max(1, high))
    ];
    if (widget.at[0] + widget.at[2] > 12) widget.at[0] = 12 - widget.at[2];
    this.panels.change();
    this.make();
    this.nodes[i]?.focus();
  }

  place(event, widget) {
    const by = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]}[event.key];
    if (!this.arranging || (!by && event.key !== 'Delete')) return;
    event.preventDefault();
    const i = this.widgets.indexOf(widget);
    if (event.key === 'Delete') {
      this.widgets.splice(i, 1);
      this.panels.change();
      this.make();
      (this.nodes[i] ?? this.nodes.at(-1))?.focus();
      return;
    }
    const offset = event.shiftKey ? 2 : 0;
    widget.at[offset] += by[0];
    widget.at[offset + 1] += by[1];
    this.moved(widget, i);
  }

  grab(event, widget) {
    if (!this.arranging || event.button) return;
    const host = list('desk'), column = (host.clientWidth + 12) / 12, row = 96,
          start = [event.clientX, event.clientY], from = [...widget.at];
    const node = event.currentTarget;
    node.setPointerCapture(event.pointerId);
    const end = (up) => {
      node.onpointerup = null;
      const by = [Math.round((up.clientX - start[0]) / column), Math.round((up.clientY - start[1]) / row)];
      if (!by[0] && !by[1]) return;
      widget.at = [from[0] + by[0], from[1] + by[1], from[2], from[3]];
      this.moved(widget, this.widgets.indexOf(widget));
    };
    node.onpointerup = end;
  }

  formFields() {
    const {many, control, range} = KINDS[one('[data-act="widget-kind"]').value],
                          kind = one('[data-act="widget-kind"]').value;
    one('[data-field="variables"]').hidden = kind === 'text';
    one('[data-field="range"]').hidden = !range;
    one('[data-field="value"]').hidden = kind !== 'button';
    one('[data-field="text"]').hidden = kind !== 'text';
    put('widget-variables', many ? 'Variables, separated by blanks' : 'Variable');
    const usable = [...this.rig.variables.values()].filter((v) => !control || v.rights === 'full');
    list('names').replaceChildren(...usable.slice(0, 2000).map((v) => h('option', {value: v.name})));
  }

  add(event) {
    event.preventDefault();
    const form = event.target, kind = form.kind.value, {many, size} = KINDS[kind],
          names = form.variables.value.split(/[\s,]+/).filter(Boolean);
    const unknown = names.filter((name) => !this.rig.variable(name));
    if (kind !== 'text' && !names.length) return say('Name a variable');
    if (kind !== 'text' && unknown.length) return say(`This rig has no variable ${unknown.join(', ')}`);
    if (kind === 'xy' && names.length !== 2) return say('XY needs two variables');
    const bottom = this.widgets.reduce((most, {at}) => Math.max(most, at[1] + at[3]), 0);
    const widget = {kind, at: [0, bottom, ...size]};
    if (kind === 'text')
      widget.text = form.text.value;
    else if (many)
      widget.variables = names.slice(0, 16);
    else
      widget.variable = names[0];
    if (form.label.value) widget.label = form.label.value;
    for (const key of ['from', 'to'])
      if (KINDS[kind].range && form[key].value !== '') widget[key] = Number(form[key].value);
    if (widget.from !== undefined && widget.to !== undefined && !(widget.from < widget.to))
      return say('From must be less than to');
    if (kind === 'button') widget.value = Number(form.value.value || 1);
    (this.panels.desks[this.name] ??= []).push(widget);
    this.panels.change();
    this.make();
    this.nodes.at(-1)?.scrollIntoView({block: 'nearest'});
  }

  async keep() {
    try {
      const outcome = await this.panels.keep();
      if (outcome === 'first')
        await this.conflict();
      else
        say(`Kept in ${this.panels.file}`);
    } catch (error) {
      say(`Not kept: ${(error.problems?.length ? error.problems : [error.message]).join('; ')}`);
    }
    this.make();
  }

  async conflict() {
    const mine = await ask({
      title: 'Another client has changed the desks',
      yes: 'Keep mine',
      no: 'Load theirs',
      does: 'The desks have changed in the rig since this page read them. Yours would replace them.',
    });
    if (!mine) return this.drop();
    const outcome = await this.panels.keepAnyway();
    say(outcome === 'kept' ? `Kept in ${this.panels.file}` : 'Another client was first again; nothing was kept');
  }

  async drop() {
    await this.panels.read();
    say('The desks of the rig are loaded again');
  }
}
