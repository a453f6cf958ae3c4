// SPDX-License-Identifier: Apache-2.0
// What the flight recorder held of some frames, as tracks for the timeline. Knows no page.
import {spanText} from './text.js';

const CLASS_COLOURS = {
  environment: 's5',
  sensor: 's4',
  scheduled: 'work',
  controller: 'late',
  data_record: 's6'
};
export const classColour = (name) => CLASS_COLOURS[name] ?? 'work';

const figures = (cause) => cause.figures.map(
    ({figure, value, unit}) => `${figure} ${unit === 'ns' ? spanText(value) : `${value} ${unit}`}`.trim());

/** What became of a frame, in a line. */
function frameText(frame) {
  const causes =
      frame.causes.map((cause) => [cause.cause, cause.job, ...figures(cause)].filter(Boolean).join(', '));
  const parts = frame.paced ? [`lateness ${spanText(frame.late_ns)}`] : [];
  parts.push(`execution time ${spanText(frame.work_ns)}`);
  if (frame.paced) parts.push(`slack ${spanText(frame.slack_ns)}`);
  if (frame.overrun) parts.push(`overrun by ${frame.overrun}`);
  return `frame ${frame.frame}: ${[...parts, ...causes].join('; ')}`;
}

function frameSlices(frames) {
  return frames.flatMap((frame) => {
    const text = frameText(frame), late = frame.late_wake || frame.overrun === 'late wake',
          over = frame.overrun !== '';
    const made = [];
    if (frame.paced && frame.wake_ns > frame.slot_ns)
      made.push({
        from: frame.slot_ns,
        to: frame.wake_ns,
        name: late ? 'not woken' : 'late',
        colour: late || over ? 'alarm' : 's6',
        hatched: true,
        text
      });
    made.push({
      from: frame.wake_ns,
      to: frame.done_ns,
      name: over ? frame.overrun : 'runs',
      colour: over ? 'alarm' : 'slack',
      text
    });
    if (frame.housekeeping_ns > 0)
      made.push({
        from: frame.done_ns,
        to: frame.done_ns + frame.housekeeping_ns,
        name: 'housekeeping',
        colour: 'edge',
        text: `frame ${frame.frame}: housekeeping`
      });
    return made;
  });
}

function jobSlices(thread, jobs, culprits) {
  return thread.jobs.map(({name, begin_ns: from, end_ns: to, waits}) => {
    const about = jobs.get(name), guilty = culprits.has(name);
    const usual = about?.time_ns ? `, usual ${spanText(about.time_ns.p50)}` : '';
    return {
      from,
      to,
      name,
      colour: guilty ? 'alarm' : classColour(about?.class),
      hatched: waits,
      text: `${name}${about ? `, ${about.class}` : ''}${waits ? ', waits' : ''}${usual}`
    };
  });
}

/** `jobs`: name -> entry of /v1/jobs. Returns {model, from, to} for a Timeline. */
export function traceModel(trace, jobs = new Map()) {
  const over = new Set(trace.frames.filter((frame) => frame.overrun).map((frame) => frame.frame));
  const culprits = new Set(trace.frames.flatMap((frame) => frame.causes.map((cause) => cause.job)).filter(Boolean));
  const own = new Set(trace.threads.map((thread) => thread.tid));
  const tracks = trace.threads.map((thread) => ({
                                     name: `${thread.name}: jobs`,
                                     slices: jobSlices(thread, jobs, over.size ? culprits : new Set()),
                                     height: 30
                                   }));
  const frameTrack = tracks.length;
  tracks.push({name: 'frames', slices: frameSlices(trace.frames)});
  const arrows = [];
  for (const {cpu, slices} of trace.cpus) {
    tracks.push({
      name: `CPU ${cpu}`,
      slices: slices.map((slice) => {
        const ours = own.has(slice.tid),
              priority =
                  slice.priority === undefined || slice.priority === null ? '' : `, priority ${slice.priority}`;
        return {
          from: slice.begin_ns,
          to: slice.end_ns,
          name: slice.name,
          colour: ours        ? 'slack' :
              slice.tid === 0 ? 'edge' :
                                'alarm',
          text: `CPU ${cpu}: ${slice.name}${slice.tid ? ` (${slice.tid})` : ''}${priority}`
        };
      })
    });
    for (const frame of trace.frames.filter((f) => f.causes.some((cause) => cause.cause === 'preempted'))) {
      const between = (slice) =>
          !own.has(slice.tid) && slice.tid !== 0 && slice.begin_ns < frame.done_ns && slice.end_ns > frame.slot_ns;
      const guilty = slices.filter(between).sort((a, b) => (b.end_ns - b.begin_ns) - (a.end_ns - a.begin_ns))[0];
      if (!guilty) continue;
      const at = Math.max(guilty.begin_ns, frame.slot_ns);
      arrows.push({name: 'preempted', from: {track: tracks.length - 1, at}, to: {track: frameTrack, at}});
    }
  }
  if (trace.faults.length)
    tracks.push({
      name: 'page faults',
      height: 14,
      slices: trace.faults.map(
          ({at_ns: at, thread, count, major}) => ({
            from: at,
            to: at,
            name: '',
            colour: major ? 'alarm' : 'late',
            text: `${count} ${major ? 'major' : 'minor'} page fault${count > 1 ? 's' : ''} in ${thread}`
          }))
    });
  if (trace.events.length)
    tracks.push({
      name: 'events',
      height: 14,
      slices: trace.events.map(
          ({at_ns: at, what, about}) =>
              ({from: at, to: at, name: what, colour: 's5', text: `${what}${about ? `: ${about}` : ''}`}))
    });
  const paced = trace.frames.filter((frame) => frame.paced);
  if (paced.length)
    tracks.push({
      name: 'slack',
      slices: [],
      height: 36,
      colour: 'slack',
      bars: paced.map(
          (frame) =>
              ({from: frame.slot_ns, to: frame.slot_ns + trace.period_ns, share: frame.slack_ns / trace.period_ns}))
    });
  const slots =
      trace.frames.map((frame) => ({at: frame.paced ? frame.slot_ns : frame.wake_ns, frame: frame.frame}));
  const ends = trace.frames.flatMap((frame) => [frame.slot_ns, frame.wake_ns, frame.done_ns]);
  const from = Math.min(...ends), to = Math.max(...ends), pad = Math.max(1000, (to - from) * 0.02);
  return {model: {tracks, slots, arrows}, from: from - pad, to: to + pad};
}
