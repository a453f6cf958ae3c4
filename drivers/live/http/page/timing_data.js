// SPDX-License-Identifier: Apache-2.0
// Figures of all frames, as /v1/timing has them, and what is worked out of them. Knows no page.

/** What /v1/timing says, without the distributions of which there is no value yet: their zeros are no times. */
export const measured = (timing) =>
    Object.fromEntries(Object.entries(timing).filter(([, of]) => !(of?.buckets && of.count === 0)));

/** Buckets by size. A rig may send them in any order: those of its slack, from zero in both directions. */
const inOrder = (buckets) => [...buckets].sort(([a], [b]) => a - b);

/**
 * The upper edge of the bucket in which a share of all lies; never above the greatest. As the rig counts: the
 * smallest time that this share of all does not exceed.
 */
export function quantile({count, max_ns: max, buckets}, share) {
  let left = Math.max(1, Math.ceil(share * count - 1e-9));
  for (const [, to, frames] of inOrder(buckets)) {
    left -= frames;
    if (left <= 0) return Math.min(to, max);
  }
  return max;
}

/**
 * When frames were done, counted from their slots: the period minus the slack. Buckets of the slack are wide near
 * the period; `least` is the shortest execution time, before which no frame was done.
 */
export function done(slack, period, least = 0) {
  const edge = (ns) => Math.max(least, period - ns);
  const buckets = inOrder(slack.buckets).map(([from, to, count]) => [edge(to), edge(from), count]).reverse();
  const made = {count: slack.count, min_ns: edge(slack.max_ns), max_ns: period - slack.min_ns, buckets};
  return {
    ...made,
    p50_ns: period - slack.p50_ns,
    p99_ns: quantile(made, 0.99),
    p99_9_ns: quantile(made, 0.999),
  };
}

// What stands beside the name of a cause, so that no colour speaks alone.
export const CAUSE_SIGNS = {
  computed: 'Σ',
  blocked: '⧗',
  faulted: '▤',
  heap: '⬒',
  preempted: '⇄',
  interrupted: 'ϟ',
  migrated: '⇢',
  throttled: '⊘',
  machine_stopped: '■',
  slowed: '∿',
  timer_late: '◷',
  waited: '⏳\uFE0E',
  clock: '⌁',
  catching_up: '↻',
  housekeeping: '⚙\uFE0E',
  unknown: '?',
  suspended: '‖',
  injected: '✎',
};
