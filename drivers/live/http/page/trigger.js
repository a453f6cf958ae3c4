// SPDX-License-Identifier: Apache-2.0
// The trigger of the oscilloscope: finds crossings of a level in a track. Knows no page.

/** A crossing between `before` and `now`: 'rise', 'fall' or nothing. A gap is no crossing. */
export function crossing(before, now, level) {
  if (Number.isNaN(before) || Number.isNaN(now)) return null;
  const was = before >= level, is = now >= level;
  return was === is ? null : is ? 'rise' : 'fall';
}

const wanted = (edge, found) => found !== null && (edge === 'both' || edge === found);

/**
 * Reads a track forward, each frame once, so that each crossing is found once: also when frames come in blocks
 * of any size.
 */
export class Trigger {
  constructor({level = 0, edge = 'rise', holdOff = 0} = {}) {
    Object.assign(this, {level, edge, holdOff});
    this.next = null;  // the frame to look at next
    this.last = -Infinity;
  }

  /** Looks at what is new; crossings that are found, oldest first. */
  look(track, end = track.end) {
    const found = [];
    if (this.next === null || this.next > end) this.next = Math.max(end - 1, 1);
    this.next = Math.max(this.next, Number.isFinite(track.begin) ? track.begin + 1 : 1);
    for (; this.next < end; this.next++) {
      const edge = crossing(track.at(this.next - 1), track.at(this.next), this.level);
      if (!wanted(this.edge, edge) || this.next - this.last < this.holdOff) continue;
      this.last = this.next;
      found.push(this.next);
    }
    return found;
  }
}
