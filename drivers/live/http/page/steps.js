// SPDX-License-Identifier: Apache-2.0
// The sequence of a test as a row of steps: what is over, what runs now, what is to come.
import {h, list, one, put, redraw} from './dom.js';
import {plannedText} from './text.js';

const SIGNS = {now: '▶', pass: '✓', fail: '✕', inconclusive: '?', untested: '·', next: '·'};
const WORDS = {now: 'now', pass: 'done', fail: 'failed', inconclusive: 'inconclusive', untested: 'not begun', next: 'to come'};

/** Seconds as a person reads them beside others: 0.024 s, 1.18 s, 62.0 s. */
const secondsText = (s) => `${s < 10 ? s.toFixed(s < 1 ? 3 : 2) : s.toFixed(1)} s`;
const planned = (s) => plannedText(s * 1e9);

/** Where a step is: now, to come ('next'), never begun ('untested'), or what it came to. */
export function standingOf({step, active, verdict}, ended) {
  if (active && !ended) return 'now';
  if (step.first === null) return ended ? 'untested' : 'next';
  return verdict === 'error' ? 'fail' : verdict;
}

/** Share of its time that a step has used, or undefined: it has no end by time. */
export const shareOf = ({for_s: lasting, timeout_s: most}, seconds) =>
    (lasting ?? most) === null ? undefined : Math.min(1, seconds / (lasting ?? most));

export class Steps {
  constructor(rig) {
    Object.assign(this, {rig, now: null});
  }

  /** When something has changed. */
  draw(rows, ended) {
    const steps = rows.filter(({step}) => step);
    one('[data-part="steps"]').hidden = !steps.length;
    const at = steps.findIndex((row) => standingOf(row, ended) === 'now');
    put('steps-shown', !steps.length ? '' : at < 0 ? `${steps.length} steps` : `step ${at + 1} of ${steps.length}`);
    this.now = at < 0 ? null : steps[at].step;
    redraw(list('test-steps'), steps.map((row) => this.item(row, standingOf(row, ended))));
    this.tick();
  }

  item({step, expects, says}, standing) {
    const {rig} = this, limit = step.for_s !== null ? `takes ${planned(step.for_s)}` : step.timeout_s !== null ? `at most ${planned(step.timeout_s)}` : '';
    const over = step.first !== null && step.last !== null;
    const time = over ? `${step.timed_out ? 'time-out after' : 'took'} ${secondsText(rig.seconds(step.last - step.first + 1))}` : limit;
    return h(
        'li', {'data-s': standing, 'aria-current': standing === 'now' ? 'step' : undefined, title: says},
        h('b', {}, h('i', {'aria-hidden': 'true'}, SIGNS[standing]), h('span', {class: 'name'}, step.name),
          h('span', {class: standing === 'now' ? 'steps-now' : 'unseen'}, standing === 'now' ? 'now' : `: ${WORDS[standing]}`)),
        h('code', {}, expects), h('small', {class: 'num', 'data-steps-time': String(standing === 'now')}, time),
        standing === 'now' && h('span', {class: 'spent', 'aria-hidden': 'true'}, h('u')));
  }

  /** A few times in a second: the time of the present one. */
  tick() {
    const {rig, now} = this, time = one('[data-steps-time="true"]');
    if (!now || !time) return;
    const spent = Math.max(0, rig.seconds(rig.frame - now.first + 1)), share = shareOf(now, spent);
    const of = now.for_s !== null ? ` of ${planned(now.for_s)}` : now.timeout_s !== null ? ` of at most ${planned(now.timeout_s)}` : '';
    const text = `${secondsText(spent)}${of}`;
    if (time.textContent !== text) time.textContent = text;
    one('.spent', list('test-steps')).hidden = share === undefined;
    one('.spent u', list('test-steps')).style.width = `${(share ?? 0) * 100}%`;
  }
}
