// SPDX-License-Identifier: Apache-2.0
// Events, faults, stimuli and steps of a sequence, as the journal has them: marks in charts over time.

const SIGNS = {
  'event': ['◆', 's5'],
  'fault on': ['▼', 'warn'],
  'fault off': ['△', 'warn'],
  'stimulus on': ['●', 's4'],
  'stimulus off': ['○', 's4'],
  'step': ['▸', 's6'],
};
const ROOM = 18;  // px of a sign: those that are closer are one mark

/** Marks of what has happened since the rig began, or began again: {x in s, frame, sign, colour, name}. */
export class Marks {
  constructor(rig) {
    Object.assign(this, {rig, found: [], last: -1, run: null});
  }

  get all() {
    const {rig} = this, {journal} = rig;
    if (this.last === journal.last && this.run === rig.info) return this.found;
    let found = [];
    for (const {what, name, frame} of journal.all) {
      if (what === 'reset' || what === 'load') found = [];  // the charts begin anew, too
      const [sign, colour] = SIGNS[what] ?? [];
      if (sign && name && Number.isFinite(frame)) found.push({x: rig.seconds(frame), frame, sign, colour, name});
    }
    found.sort((a, b) => a.frame - b.frame);
    return Object.assign(this, {found, last: journal.last, run: rig.info}).found;
  }

  between(from, to) {
    return this.all.filter(({frame}) => frame >= from && frame < to);
  }
}

/** Faults that were on in a frame, or until less than a second before: {name, frame of the beginning, over}. `marks`: by frame. */
export function faultsAt(marks, frame, second) {
  const found = new Map();
  for (const {sign, name, frame: at} of marks) {
    if (at > frame) break;
    if (sign === SIGNS['fault on'][0]) found.set(name, {name, frame: at, over: false});
    if (sign === SIGNS['fault off'][0] && found.has(name)) {
      found.get(name).over = true;
      if (frame - at > second) found.delete(name);
    }
  }
  return [...found.values()].sort((a, b) => b.frame - a.frame);
}

/** Marks in the order of their places `at` (px); those that are close are one, with their number. */
export function gathered(marks, room = ROOM) {
  const groups = [];
  for (const mark of marks) {
    const group = groups.at(-1);
    if (group && mark.at - group.at < room)
      group.marks.push(mark);
    else
      groups.push({at: mark.at, marks: [mark]});
  }
  return groups.map(({at, marks: [first, ...more]}) => {
    if (!more.length) return {at, sign: first.sign, colour: first.colour, text: first.name, count: 1};
    const names = [...new Set([first, ...more].map(({name}) => name))];
    const alike = more.every(({sign}) => sign === first.sign);
    const colour = more.every((each) => each.colour === first.colour) ? first.colour : 'soft';
    return {at, sign: alike ? first.sign : '◈', colour, count: more.length + 1,
            text: `${more.length + 1} × ${names.length > 1 ? `${names[0]}, …` : names[0]}`};
  });
}
