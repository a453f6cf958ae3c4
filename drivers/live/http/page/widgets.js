// SPDX-License-Identifier: Apache-2.0
// Widgets of a desk: what each kind is made of, and how it is drawn. What turning one does, the desk says.
import {knob, slider, xyPlot} from './canvas.js';
import {all, h, one} from './dom.js';
import {curvePlot, show} from './lines.js';
import {around} from './panels.js';
import {MINUS, shownUnit} from './text.js';
import {figures} from './top.js';
import {columns} from './track.js';

const PLOT_SECONDS = 10;
const XY_SECONDS = 2;

export const KINDS = {
  knob: {label: 'Knob', control: true, range: true, size: [3, 3]},
  slider: {label: 'Slider', control: true, range: true, size: [3, 1]},
  switch: {label: 'Switch', control: true, size: [2, 1]},
  button: {label: 'Button', control: true, size: [2, 1]},
  number: {label: 'Number', size: [3, 1]},
  lamps: {label: 'Lamps', many: true, size: [3, 2]},
  plot: {label: 'Plot', many: true, size: [6, 3]},
  xy: {label: 'XY', many: true, size: [4, 3]},
  text: {label: 'Text', size: [3, 1]},
};

export const namesOf = (widget) => widget.variables ?? (widget.variable ? [widget.variable] : []);
export const titleOf = (widget) =>
    widget.label || namesOf(widget).join(', ') || (widget.kind === 'text' ? '' : widget.kind);

const found = new WeakMap();  // ranges of controls that have none: they stay while the value moves

/**
 * From .. to of a control: its own; else that of its variable, unless its value is lost in it; else around its value
 * when that was seen first.
 */
export function rangeOf(rig, widget) {
  const kept = found.get(widget);
  if (kept?.rig === rig.info && kept.from === widget.from && kept.to === widget.to) return kept.range;
  const read = rig.values.get(widget.variable), value = Number(read);
  const known = read !== undefined && Number.isFinite(value), variable = rig.variable(widget.variable);
  const [low, high] = around(known ? value : 0, variable), range = [widget.from ?? low, widget.to ?? high];
  if (!(range[0] < range[1])) range[widget.from === undefined ? 0 : 1] = widget.from === undefined ? range[1] - 1 : range[0] + 1;
  if (known) found.set(widget, {rig: rig.info, from: widget.from, to: widget.to, range});
  return range;
}

/**
 * What is inside of a widget. `control`: {ordered(widget), turn(widget, value), step(widget, steps), press(widget)}.
 */
export function inside(rig, widget, control) {
  const name = widget.variable;
  if (namesOf(widget).some((each) => !rig.variable(each)))
    return h(
        'p', {class: 'soft missing'},
        `This rig has no variable ${namesOf(widget).filter((each) => !rig.variable(each)).join(', ')}.`);
  switch (widget.kind) {
    case 'knob':
    case 'slider':
      return [turnable(rig, widget, control), ends(rig, widget)];
    case 'switch':
      return h('button', {
        class: 'switch',
        role: 'switch',
        'aria-label': titleOf(widget),
        'data-switch': name,
        onclick: () => control.turn(widget, !rig.values.get(name))
      });
    case 'button':
      return h(
          'button', {class: 'push', onclick: () => control.press(widget)},
          `${figures.text(widget.value ?? 1)} ${shownUnit(rig.unit(name))}`.trim());
    case 'number':
      return h('div', {class: 'big num', 'data-deskvalue': name});
    case 'lamps':
      return h('div', {class: 'lamps'}, widget.variables.map((each) => h('span', {'data-lamp': each}, each)));
    case 'plot':
      return h('div', {class: 'plot'});
    case 'xy':
      return h('canvas', {class: 'plot', role: 'img', 'aria-label': titleOf(widget)});
    default:
      return h('p', {class: 'note'}, widget.text ?? '');
  }
}

function turnable(rig, widget, control) {
  const canvas = h('canvas', {
    role: 'slider',
    tabindex: 0,
    'aria-label': titleOf(widget),
    'data-control': widget.kind,
    onkeydown: (event) => {
      const steps = {ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10}[event.key];
      const [low, high] = rangeOf(rig, widget), end = {Home: low, End: high}[event.key];
      if (control.arranging() || (steps === undefined && end === undefined)) return;
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (steps !== undefined)
        control.step(widget, steps);
      else
        control.turn(widget, end);
    },
    onpointerdown: (event) => {
      if (event.button || control.arranging()) return;  // the right button asks for a menu
      canvas.setPointerCapture(event.pointerId);
      if (widget.kind === 'slider') control.turn(widget, under(event, rig, widget));
    },
    onpointermove: (event) => {
      if (!(event.buttons & 1) || control.arranging() || !canvas.hasPointerCapture(event.pointerId)) return;
      if (widget.kind === 'slider')
        control.turn(widget, under(event, rig, widget));
      else if (event.movementX || event.movementY)
        control.drag(widget, (event.movementX - event.movementY) / 200);
    },
  });
  return canvas;
}

function under(event, rig, widget) {
  const [low, high] = rangeOf(rig, widget), share = (event.offsetX - 8) / (event.target.clientWidth - 16);
  return low + Math.min(1, Math.max(0, share)) * (high - low);
}

const ends = (rig, widget) => {
  const [low, high] = rangeOf(rig, widget).map((end) => String(Number(end.toPrecision(6))).replaceAll('-', MINUS));
  return h(
      'div', {class: 'ends num'}, h('span', {}, low), h('b', {'data-deskvalue': widget.variable}), h('span', {}, high));
};

/** A plot over time inside a widget; ends with plot.end(). */
export const widgetPlot = (rig, widget, node) =>
    curvePlot(one('.plot', node), widget.variables, (name) => shownUnit(rig.unit(name)));

export function drawPlot(rig, widget, plot) {
  const end = rig.frame + 1, from = end - Math.round(PLOT_SECONDS * 1e9 / rig.period);
  const [frames, lines] =
      columns(widget.variables.map((name) => rig.track(name)), from, end, Math.max(60, plot.width - 140));
  show(plot, frames.map((frame) => rig.seconds(frame)), lines, rig.seconds(from), rig.seconds(end));
}

export function drawXy(rig, widget, node) {
  const wide = Math.round(XY_SECONDS * 1e9 / rig.period), count = Math.min(wide, 4000), step = wide / count,
        end = rig.frame + 1;
  const pick = (name) =>
      Array.from({length: count}, (_, i) => rig.track(name).at(Math.floor(end - wide + i * step)));
  const [x, y] = widget.variables;
  xyPlot(one('canvas', node), pick(x), pick(y), [x, y].map((name) => `${name} ${shownUnit(rig.unit(name))}`));
}

/** Figures, lamps and controls as the rig has them. */
export function drawValues(rig, widget, node, {ordered, locked}) {
  for (const cell of all('[data-deskvalue]', node)) {
    const name = cell.dataset.deskvalue, text = figures.text(rig.values.get(name), name);
    if (cell.firstChild?.textContent === text) continue;
    cell.replaceChildren(
        h('span', {class: 'n'}, text),
        h('span', {class: 'un soft'}, ` ${labelOf(rig, name) ?? shownUnit(rig.unit(name))}`));
  }
  for (const lamp of all('[data-lamp]', node)) {
    const value = rig.values.get(lamp.dataset.lamp), on = Boolean(value) && value !== 'nan';
    lamp.toggleAttribute('data-on', on);
    lamp.title = `${lamp.dataset.lamp} = ${figures.text(value)}`;
    lamp.setAttribute('aria-label', `${lamp.dataset.lamp}: ${on ? 'on' : 'off'}`);
  }
  for (const toggle of all('[data-switch]', node)) {
    const on = Boolean(rig.values.get(toggle.dataset.switch));
    toggle.setAttribute('aria-checked', String(on));
    toggle.setAttribute('aria-disabled', String(locked));
    toggle.textContent = on ? '● on' : '○ off';
  }
  const canvas = one('[data-control]', node);
  if (!canvas) return;
  const [low, high] = rangeOf(rig, widget), value = Number(rig.values.get(widget.variable));
  canvas.setAttribute('aria-valuemin', low);
  canvas.setAttribute('aria-valuemax', high);
  canvas.setAttribute('aria-valuenow', ordered);
  canvas.setAttribute('aria-valuetext', `${figures.text(ordered)} ${shownUnit(rig.unit(widget.variable))}`);
  canvas.setAttribute('aria-disabled', String(locked));
  const draw = canvas.dataset.control === 'knob' ? knob : slider;
  draw(canvas, {value, ordered, low, high, forced: Boolean(rig.force(widget.variable))});
}

function labelOf(rig, name) {
  const value = rig.values.get(name);
  for (const [label, of] of Object.entries(rig.variable(name)?.labels ?? {}))
    if (of === value) return label;
  return undefined;
}
