// SPDX-License-Identifier: Apache-2.0
// Lines over time by uPlot. Axes have a fixed size, so nothing moves when numbers grow. Knows no rig.
import {token} from './dom.js';
import {gathered} from './marks.js';

const UPlot = window.uPlot;

let marksOf = () => [];
/** What happened, for every chart over time: a function that returns {x, sign, colour, name}, ascending. */
export const markCharts = (source) => marksOf = source;

export function linePlot(host, {name, series, y, y2, more = {}, bands, hooks = {}, sync, x = {}, origin = () => 0}) {
  const axis = (special) => ({
    stroke: token('soft'),
    font: `11px ${token('sans')}`,
    grid: {stroke: token('edge'), width: 1},
    ticks: {show: false},
    ...special,
  });
  const axes = [
    axis({size: 26, values: (_, ticks) => ticks.map((t) => `${+ t.toFixed(3)} s`), ...x}),
    axis({size: 72, scale: 'y', values: y.labels, splits: y.splits, filter: y.filter}),
  ];
  if (y2) axes.push(axis({size: 62, scale: 'y2', side: 1, grid: {show: false}, values: y2.labels}));
  const plot = new UPlot(
      {
        width: host.clientWidth,
        height: host.clientHeight,
        padding: [8, y2 ? 0 : 10, 0, 0],
        scales: {x: {time: false}, y: y.scale, ...(y2 && {y2: y2.scale}), ...more},
        axes,
        // One pixel: without a GPU, a line that is any wider takes three times as long.
        series: [{}, ...series.map((s) => ({points: {show: false}, width: 1, ...s}))],
        bands,
        legend: {show: false},
        hooks: {...hooks, draw: [...(hooks.draw ?? []), (plot) => drawMarks(plot, origin())]},
        cursor: {points: {show: false}, drag: {x: false, y: false}, ...(sync && {sync: {key: sync}})},
      },
      [[], ...series.map(() => [])], host);
  plot.ctx.canvas.setAttribute('role', 'img');
  plot.ctx.canvas.setAttribute('aria-label', name);
  const watch = new ResizeObserver(() => {
    if (host.clientWidth) plot.setSize({width: host.clientWidth, height: host.clientHeight});
  });
  watch.observe(host);
  plot.end = () => {
    watch.disconnect();
    plot.destroy();
  };
  return plot;
}

/** New points, and the span that is shown. */
export function show(plot, xs, ys, min, max) {
  plot.batch(() => {
    plot.setData([xs, ...ys]);
    plot.setScale('x', {min, max});
  });
}

/** A dashed line at a value, with its name at the oldest end: its letters cover as little as can be. */
export function levelLine(plot, value, text, colour, scale = 'y') {
  const {ctx: c, bbox} = plot, at = plot.valToPos(value, scale, true), ratio = devicePixelRatio || 1;
  if (!(at >= bbox.top && at <= bbox.top + bbox.height)) return;
  c.save();
  c.strokeStyle = colour;
  c.lineWidth = ratio;
  c.setLineDash([5 * ratio, 4 * ratio]);
  c.beginPath();
  c.moveTo(bbox.left, at);
  c.lineTo(bbox.left + bbox.width, at);
  c.stroke();
  c.font = `${11 * ratio}px ${token('sans')}`;
  c.textAlign = 'left';
  c.setLineDash([]);
  c.lineWidth = 3 * ratio;
  c.lineJoin = 'round';
  c.strokeStyle = token('panel');
  c.fillStyle = colour;
  const left = bbox.left + 4 * ratio, above = at - bbox.top > 16 * ratio, base = above ? at - 5 * ratio : at + 13 * ratio;
  c.strokeText(text, left, base);
  c.fillText(text, left, base);
  c.restore();
}

/** A line at an x, with a letter in a box above. */
export function mark(plot, x, text, colour) {
  const {ctx: c, bbox} = plot, ratio = devicePixelRatio || 1, at = plot.valToPos(x, 'x', true);
  if (!(at >= bbox.left && at <= bbox.left + bbox.width)) return;
  c.save();
  c.font = `${11 * ratio}px ${token('mono')}`;
  c.textAlign = 'center';
  c.fillStyle = colour;
  c.fillRect(at, bbox.top, ratio, bbox.height);
  c.fillRect(at - 8 * ratio, bbox.top, 16 * ratio, 14 * ratio);
  c.fillStyle = token('panel');
  c.fillText(text, at, bbox.top + 11 * ratio);
  c.restore();
}

/** Signs of what happened, at the lower edge, with their names where there is room. `origin`: the x of 0; null: none. */
function drawMarks(plot, origin) {
  plot.marked = [];
  if (origin === null) return;
  const {ctx: c, bbox} = plot, ratio = devicePixelRatio || 1, end = bbox.left + bbox.width, low = bbox.top + bbox.height;
  const seen = marksOf().map((each) => ({...each, at: plot.valToPos(each.x - origin, 'x', true)}))
                   .filter(({at}) => at >= bbox.left && at <= end);
  const groups = plot.marked = gathered(seen, 18 * ratio);
  let taken = bbox.left;
  c.save();
  c.textBaseline = 'alphabetic';
  groups.forEach(({at, sign, colour, text}, i) => {
    c.fillStyle = c.strokeStyle = token(colour);
    c.lineWidth = ratio;
    c.setLineDash([2 * ratio, 4 * ratio]);
    c.beginPath();
    c.moveTo(at, bbox.top);
    c.lineTo(at, low - 14 * ratio);
    c.stroke();
    c.font = `${12 * ratio}px ${token('sans')}`;
    c.textAlign = 'center';
    c.fillText(sign, at, low - 3 * ratio);
    c.font = `${11 * ratio}px ${token('mono')}`;
    const wide = c.measureText(text).width, room = (groups[i + 1]?.at ?? end) - at - 18 * ratio;
    const before = at - 9 * ratio - wide;  // beside the last sign, where the chart ends
    if (wide > room && before < taken) return void (taken = Math.max(taken, at + 9 * ratio));
    const left = wide > room ? before : at + 9 * ratio;
    taken = Math.max(left + wide, at) + 9 * ratio;
    c.fillStyle = token('panel');  // a name is read on any curve
    c.fillRect(left - 2 * ratio, low - 14 * ratio, wide + 4 * ratio, 14 * ratio);
    c.fillStyle = token('ink');
    c.textAlign = 'left';
    c.fillText(text, left, low - 3 * ratio);
  });
  c.restore();
}

/** Curves of variables: two units have axes, a third has a scale of its own. */
export function curvePlot(host, names, unitOf, options = {}) {
  const units = [...new Set(names.map(unitOf))];
  const scaleOf = (unit) => ['y', 'y2'][units.indexOf(unit)] ?? `y${units.indexOf(unit) + 1}`;
  const own = {
    range: (_, low, high) => {
      if (low === null || high === null) return [-1, 1];
      const pad = high > low ? (high - low) * 0.08 : Math.abs(high) * 0.1 || 1;
      return [low - pad, high + pad];
    },
  };
  const labels = (unit) => (_, ticks) => ticks.map((t) => (t === null ? '' : `${+ t.toPrecision(4)} ${unit}`));
  return linePlot(host, {
    name: `${names.join(', ')} over time`,
    series: names.map((name, i) => ({
                        stroke: colourOf(i),
                        scale: scaleOf(unitOf(name)),
                        dash: dashOf(i),
                      })),
    y: {scale: own, labels: labels(units[0] ?? '')},
    y2: units[1] !== undefined && {scale: own, labels: labels(units[1])},
    more: Object.fromEntries(units.slice(2).map((unit) => [scaleOf(unit), own])),
    ...options,
  });
}

// Twenty curves, each another kind of line: by its colour and by its dashes.
const COLOURS = ['work', 'late', 'slack', 's4', 's5', 's6'];
const DASHES = [undefined, [6, 3], [2, 3], [10, 3, 2, 3], [14, 5]];
export const colourOf = (index) => token(COLOURS[index % COLOURS.length]);
export const dashOf = (index) =>
    DASHES[Math.floor(index / COLOURS.length) + (index % COLOURS.length < 3 ? 0 : 1)];

/** The same line as a background, 3 px high, of the key beside a name. */
export function lineKey(index) {
  const colour = colourOf(index), dashes = dashOf(index);
  if (!dashes) return colour;
  let at = 0;
  const parts = dashes.flatMap((wide, i) => {
    const from = at, part = i % 2 ? 'transparent' : colour;
    at += wide;
    return [`${part} ${from}px`, `${part} ${at}px`];
  });
  return `repeating-linear-gradient(90deg, ${parts.join(', ')})`;
}
