// SPDX-License-Identifier: Apache-2.0
// One variable at frame rate, and what is drawn of it: the least and the greatest of each column. Knows no page.

const BLOCK = 4096;              // frames of a block
const LEVELS = [16, 256, 4096];  // frames of one entry of a level

class Block {
  constructor() {
    this.values = new Float32Array(BLOCK).fill(NaN);
    this.low = LEVELS.map((wide) => new Float32Array(BLOCK / wide).fill(NaN));
    this.high = LEVELS.map((wide) => new Float32Array(BLOCK / wide).fill(NaN));
  }

  put(at, value) {
    this.values[at] = value;
    if (Number.isNaN(value)) return;
    for (let level = 0; level < LEVELS.length; level++) {
      const entry = Math.floor(at / LEVELS[level]);
      const low = this.low[level], high = this.high[level];
      if (!(value >= low[entry])) low[entry] = value;
      if (!(value <= high[entry])) high[entry] = value;
    }
  }
}

/**
 * Values of frames, the newest `most` of them. A frame that was never put is a gap: NaN. Frames may be put once
 * each and in any order; least and greatest of 16, 256 and 4096 frames are kept beside them.
 */
export class Track {
  constructor(most = 600_000) {
    this.most = most;
    this.clear();
  }

  clear() {
    this.blocks = new Map();
    this.end = 0;  // one behind the newest frame
  }

  put(frame, value) {
    const index = Math.floor(frame / BLOCK);
    let block = this.blocks.get(index);
    if (!block) {
      if (frame + this.most < this.end) return;  // older than what is kept
      this.blocks.set(index, block = new Block());
      const oldest = Math.floor((Math.max(this.end, frame) - this.most) / BLOCK);
      for (const old of this.blocks.keys())
        if (old < oldest) this.blocks.delete(old);
    }
    block.put(frame - index * BLOCK, value);
    if (frame >= this.end) this.end = frame + 1;
  }

  at(frame) {
    const index = Math.floor(frame / BLOCK);
    return this.blocks.get(index)?.values[frame - index * BLOCK] ?? NaN;
  }

  get begin() {
    let first = Infinity;
    for (const index of this.blocks.keys()) first = Math.min(first, index * BLOCK);
    return first;
  }

  /** Least and greatest of frames from .. to - 1 into `low` and `high`; NaN where there is none. */
  extremes(from, to) {
    let low = NaN, high = NaN;
    for (let frame = Math.max(from, 0); frame < to;) {
      const index = Math.floor(frame / BLOCK), begin = index * BLOCK, block = this.blocks.get(index);
      const end = Math.min(to - begin, BLOCK);
      for (let at = frame - begin; block && at < end;) {
        let level = LEVELS.length - 1;  // the widest entry that begins here and ends in time
        while (level >= 0 && (at % LEVELS[level] || at + LEVELS[level] > end)) level--;
        const wide = level < 0 ? 1 : LEVELS[level];
        const l = level < 0 ? block.values[at] : block.low[level][at / wide];
        const h = level < 0 ? l : block.high[level][at / wide];
        if (!(l >= low) && !Number.isNaN(l)) low = l;
        if (!(h <= high) && !Number.isNaN(h)) high = h;
        at += wide;
      }
      frame = begin + BLOCK;
    }
    this.low = low;
    this.high = high;
  }
}

/** Frames of a column. */
export const columnWidth = (frames, count) => Math.max(1, Math.ceil(frames / Math.max(1, count)));

/**
 * Columns for a chart: [frames, [a, b] per track]. Each column has two points with the same x: its least and its
 * greatest, in the order that makes the shorter line. Columns lie on a fixed grid of frames, so that a spike
 * keeps its column while the chart scrolls. A column without values is null: a gap stays a gap.
 */
export function columns(tracks, from, to, count) {
  const wide = columnWidth(to - from, count);
  const xs = [], lines = tracks.map(() => []);
  for (let start = Math.floor(from / wide) * wide; start < to; start += wide) {
    xs.push(start);
    if (wide > 1) xs.push(start);
    tracks.forEach((track, i) => {
      const line = lines[i], before = line.at(-1);
      track.extremes(start, start + wide);
      if (Number.isNaN(track.low)) {
        line.push(null);
        if (wide > 1) line.push(null);
      } else if (wide === 1) {
        line.push(track.low);
      } else if (before !== null && before !== undefined && before > (track.low + track.high) / 2) {
        line.push(track.high, track.low);
      } else {
        line.push(track.low, track.high);
      }
    });
  }
  return [xs, lines];
}

/** Bands for a chart: [frames, least, greatest], one point a column. */
export function bands(track, from, to, count) {
  const wide = columnWidth(to - from, count);
  const xs = [], least = [], greatest = [];
  for (let start = Math.floor(from / wide) * wide; start < to; start += wide) {
    track.extremes(start, start + wide);
    const empty = Number.isNaN(track.low);
    xs.push(start);
    least.push(empty ? null : track.low);
    greatest.push(empty ? null : track.high);
  }
  return [xs, least, greatest];
}
