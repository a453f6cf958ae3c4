// SPDX-License-Identifier: Apache-2.0
// Small canvases: spark, ruler, histogram, XY, knob, slider. Nothing here knows the rig.
import {token} from './dom.js';
import {gathered} from './marks.js';
import {spanText} from './text.js';

export const LOG_LABELS = [
  '1 ns', '10 ns', '100 ns', '1 µs', '10 µs', '100 µs', '1 ms', '10 ms', '100 ms', '1 s', '10 s', '100 s', '1000 s'
];

/** The context in CSS pixels, with `wide` and `high`; null while the canvas is not seen. */
export function context(canvas) {
  const width = canvas?.clientWidth, height = canvas?.clientHeight, ratio = devicePixelRatio || 1;
  if (!width || !height) return null;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  c.font = `11px ${token('sans')}`;
  c.textAlign = 'left';
  return Object.assign(c, {wide: width, high: height});
}

export function hatch(c, x, y, width, height, colour, step = 7) {
  if (width <= 0 || height <= 0) return;
  c.save();
  c.beginPath();
  c.rect(x, y, width, height);
  c.clip();
  c.strokeStyle = colour;
  c.lineWidth = 1;
  c.beginPath();
  for (let at = x - height; at < x + width; at += step) {
    c.moveTo(at, y + height);
    c.lineTo(at + height, y);
  }
  c.stroke();
  c.restore();
}

const shareOfDecades = (ns, from, to) => (Math.log10(Math.max(ns, 1)) - from) / (to - from);

/** Columns from least to greatest over the newest seconds; null is a gap. */
export function spark(canvas, least, greatest, {colour, low, high, limit, log = false, marks = []}) {
  const c = context(canvas);
  if (!c) return;
  const scale = (v) => (log ? Math.log10(Math.max(v, 1)) : v);
  const [bottom, top] = [scale(low), scale(high)];
  const y = (v) => c.high - 1 - Math.min(1, Math.max(0, (scale(v) - bottom) / (top - bottom))) * (c.high - 2);
  if (limit !== undefined) {
    c.strokeStyle = token('alarm');
    c.setLineDash([4, 3]);
    c.beginPath();
    c.moveTo(0, y(limit));
    c.lineTo(c.wide, y(limit));
    c.stroke();
    c.setLineDash([]);
  }
  const step = c.wide / least.length, floor = log ? y(low) : null;
  c.fillStyle = colour;
  least.forEach((from, i) => {
    if (from === null) return;
    const a = y(greatest[i]), b = floor ?? y(from);
    c.fillRect(i * step, a, Math.max(step - 0.25, 1), Math.max(b - a, 1.5));
  });
  for (const {at, sign, colour: name} of gathered(marks.map((mark) => ({...mark, at: mark.at * c.wide})), 12)) {
    c.fillStyle = token(name);
    c.textAlign = 'center';
    c.fillText(sign, Math.min(c.wide - 5, Math.max(5, at)), 10);
  }
}

function logAxis(c, left, right, bottom, to) {
  for (let decade = 0; decade <= Math.floor(to); decade++) {
    const x = left + decade / to * (right - left);
    if (right - left < 64 * to && decade % 2) continue;
    c.fillStyle = token('edge');
    c.fillRect(x, 4, 1, bottom - 4);
    c.fillStyle = token('soft');
    c.textAlign = decade === 0 ? 'left' : x > right - 24 ? 'right' : 'center';
    c.fillText(LOG_LABELS[decade], x, bottom + 14);
  }
}

/** Where an axis ends: so far that the greatest is on it. */
const decadesTo = (most, least) => Math.min(LOG_LABELS.length - 0.5, Math.max(least, Math.log10(Math.max(most, 1)) + 0.2));

/** The greatest count of a bucket, at least `least`. */
const mostOf = (buckets, least) => buckets.reduce((most, [, , count]) => Math.max(most, count), least);

/** Rows of histograms on one axis; beyond the deadline the ground is hatched. */
export function ruler(canvas, rows, period) {
  const c = context(canvas);
  if (!c) return;
  const narrow = c.wide < 560, left = narrow ? 52 : 92, right = c.wide - 14, bottom = c.high - 20;
  const to = decadesTo(Math.max(...rows.map(({histogram}) => histogram.max_ns)), Math.max(7.5, Math.log10(period) + 1));
  const x = (ns) => left + Math.min(1, shareOfDecades(ns, 0, to)) * (right - left);
  logAxis(c, left, right, bottom, to);
  hatch(c, x(period), 4, right - x(period), bottom - 4, token('edge-strong'));
  const text = `deadline ${spanText(period)}`, wide = c.measureText(text).width;
  const deadline = {from: x(period) - 9 - wide, to: x(period) + 2};  // where its label is, beside those of the first row
  rows.forEach(({name, colour, histogram}, row) => {
    const base = 4 + (row + 1) / rows.length * (bottom - 4) - 4, height = (bottom - 4) / rows.length - 20;
    const top = Math.log10(mostOf(histogram.buckets, 1) + 1);
    c.fillStyle = colour;
    for (const [from, end, count] of histogram.buckets) {
      const tall = Math.max(2, Math.log10(count + 1) / top * height);
      c.fillRect(x(from), base - tall, Math.max(x(end) - x(from) - 0.5, 1), tall);
    }
    c.fillStyle = token('edge-strong');
    c.fillRect(left, base, right - left, 1);
    c.fillStyle = token('ink');
    c.textAlign = 'left';
    c.fillText(name, 0, base - height / 2 + 4);
    if (histogram.count) rulerMarks(c, histogram, {x, base, height, right, narrow, taken: row ? {from: right, to: right} : deadline});
  });
  c.textAlign = 'right';
  c.fillStyle = token('panel');
  c.fillRect(deadline.from, 3, wide + 5, 14);
  c.fillStyle = token('alarm');
  c.fillRect(x(period) - 1, 0, 2, bottom);
  c.fillText(text, x(period) - 6, 14);
}

// From the right: what is worst has its label first, and what would touch that, or what is taken, has none.
function rulerMarks(c, {p50_ns: p50, p99_9_ns: p999, max_ns: max}, {x, base, height, right, narrow, taken}) {
  let free = right;
  for (const [label, ns] of [['max', max], ['p99.9', p999], ['p50', p50]]) {
    if (narrow && label !== 'max') continue;
    const at = x(ns), text = `${label} ${spanText(ns)}`, wide = c.measureText(text).width + 8;
    c.fillStyle = token('ink');
    c.fillRect(at, base - height - 12, 1, height + 12);
    const beside = label === 'max' ? [Math.min(at + 4, right - wide), at - wide - 2, taken.from - wide] : [at + 4, at - wide - 2];
    const from = beside.find((left) => left + wide <= free && (left + wide <= taken.from || left >= taken.to));
    if (from === undefined) continue;
    free = Math.min(at, from);
    c.fillStyle = token('panel');
    c.fillRect(from - 2, base - height - 14, wide, 13);
    c.fillStyle = token('ink');
    c.fillText(text, from, base - height - 4);
  }
}

/** A power of ten that fits beside an axis: 1, 100, 10 k, 1 M. */
const short = (decade) => `${10 ** (decade % 3)}${['', ' k', ' M', ' G', ' T'][Math.floor(decade / 3)] ?? `e${decade}`}`;

/** Counts over time, both axes logarithmic. What is below 1 ns stands at the left edge. */
export function histogramPlot(canvas, histogram, colour, limit) {
  const c = context(canvas);
  if (!c) return;
  const left = 52, right = c.wide - 8, bottom = c.high - 20, to = decadesTo(histogram.max_ns, 8);
  const decades = Math.ceil(Math.log10(mostOf(histogram.buckets, 10)));
  const x = (ns) => left + Math.min(1, shareOfDecades(ns, 0, to)) * (right - left);
  const y = (count) => (count < 1 ? bottom : bottom - (Math.log10(count) + 0.3) / (decades + 0.3) * (bottom - 16));
  logAxis(c, left, right, bottom, to);
  c.textAlign = 'right';
  for (let decade = 0; decade <= decades; decade++) {
    const at = y(10 ** decade);
    c.fillStyle = token('edge');
    c.fillRect(left, at, right - left, 1);
    c.fillStyle = token('soft');
    if (decades < 4 || decade % 2 === 0) c.fillText(short(decade), left - 6, at + 4);
  }
  c.fillStyle = colour;
  for (const [from, end, count] of histogram.buckets)
    c.fillRect(x(from), y(count), Math.max(1, x(end) - x(from) - 0.5), bottom - y(count));
  if (!limit) return;
  c.fillStyle = token('alarm');
  c.fillRect(x(limit) - 1, 4, 2, bottom - 4);
}

/** One variable over another. Pairs with a gap break the line. */
export function xyPlot(canvas, xs, ys, names) {
  const c = context(canvas);
  if (!c) return;
  const reach = (values) => {
    let most = 0;
    for (const value of values)
      if (Math.abs(value) > most) most = Math.abs(value);
    return most * 1.08 || 1;
  };
  const rx = reach(xs), ry = reach(ys), left = 62, bottom = c.high - 24;
  const x = (v) => left + (v / rx + 1) / 2 * (c.wide - left - 10);
  const y = (v) => bottom - (v / ry + 1) / 2 * (bottom - 8);
  c.fillStyle = token('edge');
  c.fillRect(x(0), 8, 1, bottom - 8);
  c.fillRect(left, y(0), c.wide - left - 10, 1);
  c.fillStyle = token('soft');
  c.fillText(names[1], left + 4, 18);
  c.textAlign = 'right';
  c.fillText(names[0], c.wide - 12, y(0) - 6);
  for (const v of [-1, 0, 1]) {
    c.fillText((v * ry).toPrecision(3), left - 6, y(v * ry * 0.92) + 4);
    c.fillText((v * rx).toPrecision(3), x(v * rx * 0.92) + 12, bottom + 16);
  }
  c.strokeStyle = token('work');
  c.lineWidth = 1.25;
  c.beginPath();
  let pen = false;
  xs.forEach((v, i) => {
    const whole = !Number.isNaN(v) && !Number.isNaN(ys[i]);
    if (whole && pen)
      c.lineTo(x(v), y(ys[i]));
    else if (whole)
      c.moveTo(x(v), y(ys[i]));
    pen = whole;
  });
  c.stroke();
}

/** A knob: the ring is what the rig has, the pointer what was ordered. */
export function knob(canvas, {value, ordered, low, high, forced}) {
  const c = context(canvas);
  if (!c) return;
  const radius = Math.max(12, Math.min(c.wide, c.high) / 2 - 10), x = c.wide / 2, y = c.high / 2 + 6;
  const share = (v) => Math.min(1, Math.max(0, (v - low) / (high - low)));
  const angle = (v) => Math.PI * (0.75 + 1.5 * share(v));
  const arc = (from, to, colour) => {
    c.strokeStyle = colour;
    c.lineWidth = 8;
    c.beginPath();
    c.arc(x, y, radius, from, to);
    c.stroke();
  };
  c.lineCap = 'butt';
  arc(angle(low), angle(high), token('edge'));
  c.strokeStyle = token('edge-strong');
  c.lineWidth = 1;
  c.beginPath();
  for (let tick = 0; tick <= 10; tick++) {
    const a = angle(low + tick / 10 * (high - low)), inner = radius - (tick % 5 ? 12 : 17);
    c.moveTo(x + Math.cos(a) * (radius - 8), y + Math.sin(a) * (radius - 8));
    c.lineTo(x + Math.cos(a) * inner, y + Math.sin(a) * inner);
  }
  c.stroke();
  if (Number.isFinite(value)) {
    const zero = Math.min(Math.max(0, low), high);
    arc(angle(Math.min(zero, value)), angle(Math.max(zero, value)) + 0.01,
        forced ? token('forced') : token('work'));
  }
  c.strokeStyle = token('ink');
  c.lineWidth = 3;
  c.lineCap = 'round';
  c.beginPath();
  c.moveTo(x + Math.cos(angle(ordered)) * radius * 0.35, y + Math.sin(angle(ordered)) * radius * 0.35);
  c.lineTo(x + Math.cos(angle(ordered)) * (radius - 9), y + Math.sin(angle(ordered)) * (radius - 9));
  c.stroke();
}

/** A slider: the bar is what the rig has, the handle what was ordered. */
export function slider(canvas, {value, ordered, low, high, forced}) {
  const c = context(canvas);
  if (!c) return;
  const x = (v) => 8 + Math.min(1, Math.max(0, (v - low) / (high - low))) * (c.wide - 16), y = c.high / 2;
  c.fillStyle = token('edge');
  c.fillRect(8, y - 4, c.wide - 16, 8);
  c.fillStyle = forced ? token('forced') : token('work');
  if (Number.isFinite(value)) {
    const zero = x(Math.min(Math.max(0, low), high)), at = x(value);
    c.fillRect(Math.min(zero, at), y - 4, Math.abs(at - zero), 8);
  }
  c.fillStyle = token('ink');
  c.fillRect(x(ordered) - 2, y - 12, 4, 24);
}
