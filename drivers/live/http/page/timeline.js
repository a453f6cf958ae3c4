// SPDX-License-Identifier: Apache-2.0
// Slices on tracks over nanoseconds. Wheel, w and s zoom; drag, a and d move; arrows select; f fits.
import {context, hatch} from './canvas.js';
import {token} from './dom.js';
import {spanText} from './text.js';

const TOP = 26;      // above the tracks: numbers of frames
const BETWEEN = 16;  // two tracks

/**
 * Shows a model: tracks [{name, slices: [{from, to, name, colour, hatched, text}], bars, height}], slots
 * [{at, frame}], arrows [{from: {track, at}, to: {track, at}, name}]. `told` gets the slice under the pointer, or
 * the chosen one.
 */
export class Timeline {
  constructor(canvas, told) {
    Object.assign(this, {canvas, told, tracks: [], slots: [], arrows: [], view: [0, 1], all: [0, 1], chosen: null});
    canvas.addEventListener('keydown', (event) => this.key(event));
    canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.point(event));
    canvas.addEventListener('pointerup', (event) => this.release(event));
    canvas.addEventListener('pointercancel', () => this.held = undefined);
  }

  show(model, from, to) {
    Object.assign(this, {slots: [], arrows: [], ...model, chosen: null});
    this.all = [from, to];
    this.view = [from, to];
    this.canvas.style.height = `${this.height}px`;
    this.draw();
  }

  get height() {
    return Math.max(120, TOP + 20 + this.tracks.reduce((sum, track) => sum + (track.height ?? 22) + BETWEEN, 0));
  }
  get left() {
    return this.canvas.clientWidth < 560 ? 58 : 128;
  }
  get wide() {
    return this.canvas.clientWidth - this.left;
  }
  x(ns) {
    return this.left + (ns - this.view[0]) / (this.view[1] - this.view[0]) * this.wide;
  }
  ns(x) {
    return this.view[0] + (x - this.left) / this.wide * (this.view[1] - this.view[0]);
  }

  zoom(factor, x = this.left + this.wide / 2) {
    const at = this.ns(x), [from, to] = this.view, wide = (to - from) * factor;
    if (wide < 100 || wide > 4 * (this.all[1] - this.all[0])) return;
    this.view = [at - (at - from) * factor, at + (to - at) * factor];
    this.draw();
  }
  move(share) {
    const by = (this.view[1] - this.view[0]) * share;
    this.view = this.view.map((v) => v + by);
    this.draw();
  }
  fit() {
    this.view = this.all;
    this.draw();
  }

  key(event) {
    const keys = {
      w: () => this.zoom(0.7),
      s: () => this.zoom(1 / 0.7),
      a: () => this.move(-0.2),
      d: () => this.move(0.2),
      f: () => this.fit(),
      ArrowRight: () => this.next(1),
      ArrowLeft: () => this.next(-1),
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
  wheel(event) {
    event.preventDefault();
    this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, event.offsetX);
  }
  press(event) {
    this.held = event.offsetX;
    this.moved = false;
    this.canvas.setPointerCapture(event.pointerId);
  }
  release(event) {
    if (!this.moved) this.choose(this.under(event));
    this.held = undefined;
  }
  point(event) {
    if (this.held !== undefined && (this.moved || Math.abs(event.offsetX - this.held) > 2)) {
      this.moved = true;
      const by = this.ns(this.held) - this.ns(event.offsetX);
      this.view = this.view.map((v) => v + by);
      this.held = event.offsetX;
      this.draw();
      return;
    }
    this.told(this.under(event) ?? this.chosen);
  }

  next(by) {
    const line = this.tracks.flatMap((track) => track.slices).filter((slice) => slice.text);
    if (!line.length) return;
    line.sort((a, b) => a.from - b.from);
    const at = line.indexOf(this.chosen);
    const slice = line[at < 0 ? (by > 0 ? 0 : line.length - 1) : (at + by + line.length) % line.length];
    if (slice.from < this.view[0] || slice.to > this.view[1]) {
      const wide = this.view[1] - this.view[0];
      this.view = [slice.from - wide * 0.3, slice.from + wide * 0.7];
    }
    this.choose(slice);
  }
  choose(slice) {
    this.chosen = slice ?? null;
    this.told(this.chosen);
    this.draw();
  }
  under(event) {
    const track = this.tracks.find((t) => event.offsetY >= t.top && event.offsetY < t.top + t.height);
    const hits = (s) =>
        event.offsetX >= this.x(s.from) - 1 && event.offsetX <= Math.max(this.x(s.to), this.x(s.from) + 2);
    return track?.slices.findLast(hits);  // the innermost of those that enclose each other comes last
  }

  draw() {
    const c = context(this.canvas);
    if (!c) return;
    this.drawSlots(c);
    let top = TOP;
    for (const track of this.tracks) {
      track.top = top;
      track.height ??= 22;
      if (track.bars) this.drawBars(c, track);
      this.drawSlices(c, track);
      c.fillStyle = token('ink');
      c.textAlign = 'left';
      c.fillText(fitted(c, track.name, this.left - 6), 0, top + 15);
      c.fillStyle = token('edge');
      c.fillRect(0, top + track.height + 8, c.wide, 1);
      top += track.height + BETWEEN;
    }
    for (const arrow of this.arrows) this.drawArrow(c, arrow);
    this.drawScale(c);
  }

  drawSlots(c) {
    let free = -Infinity;  // numbers do not overlap
    for (const {at, frame} of this.slots) {
      const x = this.x(at);
      if (x < this.left || x > c.wide) continue;
      c.fillStyle = token('edge-strong');
      c.fillRect(x, 16, 1, c.high - 16);
      const text = String(frame);
      const wide = c.measureText(text).width + 4;
      if (x < free || x + wide > c.wide) continue;  // a number is whole, or not there
      free = x + wide + 6;
      c.fillStyle = token('soft');
      c.textAlign = 'left';
      c.fillText(text, x + 4, 12);
    }
  }

  // A counter: one bar a frame, up from zero, or down where it is below.
  drawBars(c, track) {
    const zero = track.top + track.height * 0.6;
    for (const {from, to, share} of track.bars) {
      const x = Math.max(this.x(from), this.left), wide = Math.min(this.x(to), c.wide) - x - 1;
      if (wide <= 0) continue;
      const tall = Math.abs(Math.min(1, Math.max(share, -1))) * track.height * (share < 0 ? 0.4 : 0.6);
      c.fillStyle = token(share < 0 ? 'alarm' : track.colour);
      c.fillRect(x, share < 0 ? zero : zero - tall, wide, Math.max(1, tall));
    }
    c.fillStyle = token('edge-strong');
    c.fillRect(this.left, zero, c.wide - this.left, 1);
  }

  drawSlices(c, {slices, top, height}) {
    c.save();
    c.beginPath();
    c.rect(this.left, 0, c.wide - this.left, c.high);
    c.clip();
    let last = null;  // hundreds of slices in one pixel are drawn once for each colour
    for (const slice of slices) {
      if (slice.to < this.view[0] || slice.from > this.view[1]) continue;
      const from = Math.max(this.x(slice.from), this.left - 2), to = Math.min(this.x(slice.to), c.wide + 2);
      const wide = Math.max(to - from, 1.5), here = `${Math.round(from)} ${slice.colour}`;
      if (wide < 2 && here === last && slice !== this.chosen) continue;
      last = here;
      this.drawSlice(c, slice, from, top, wide, height);
    }
    c.restore();
  }

  drawSlice(c, slice, x, top, wide, height) {
    const colour = token(slice.colour);
    if (slice.hatched) {
      hatch(c, x, top, wide, height, colour, 6);
      c.strokeStyle = colour;
      c.lineWidth = 1;
      c.strokeRect(x + 0.5, top + 0.5, wide - 1, height - 1);
    } else {
      c.fillStyle = colour;
      c.fillRect(x, top, wide, height);
    }
    if (slice === this.chosen) {
      c.strokeStyle = token('ink');
      c.lineWidth = 2;
      c.strokeRect(x + 1, top + 1, Math.max(wide - 2, 1), height - 2);
    }
    if (wide <= 44 || height < 14) return;
    if (slice.hatched) {
      c.fillStyle = token('panel');
      c.fillRect(x + 3, top + 4, Math.min(c.measureText(slice.name).width + 8, wide - 6), 15);
    }
    c.fillStyle = slice.hatched || slice.colour === 'edge' ? token('ink') : token('ground');
    c.textAlign = 'left';
    c.fillText(fitted(c, slice.name, wide - 10), x + 6, top + 15);
  }

  // From cause to effect.
  drawArrow(c, {from, to, name}) {
    const a = this.tracks[from.track], b = this.tracks[to.track], x = this.x(from.at);
    if (!a || !b || x < this.left || x > c.wide) return;
    const up = b.top < a.top, start = up ? a.top : a.top + a.height, end = up ? b.top + b.height : b.top;
    const tip = this.x(to.at), back = up ? 6 : -6;
    c.strokeStyle = token('alarm');
    c.fillStyle = token('alarm');
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x, start);
    c.lineTo(tip, end);
    c.moveTo(tip - 4, end + back);
    c.lineTo(tip, end);
    c.lineTo(tip + 4, end + back);
    c.stroke();
    c.beginPath();
    c.arc(x, start, 3, 0, 7);
    c.fill();
    c.textAlign = 'left';
    c.fillText(name, x + 9, start + (up ? -4 : 12));
  }

  drawScale(c) {
    const width = this.view[1] - this.view[0], step = 10 ** Math.floor(Math.log10(width / 3));
    const wide = step / width * this.wide;
    c.fillStyle = token('ink');
    c.fillRect(c.wide - wide - 8, c.high - 14, wide, 2);
    c.textAlign = 'right';
    c.fillText(spanText(step), c.wide - 8, c.high - 2);
  }
}

function fitted(c, text, room) {
  if (c.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && c.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}
