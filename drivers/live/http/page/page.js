// SPDX-License-Identifier: Apache-2.0
// The page: which view is seen, keys, theme, and at which rate each part is drawn.
import {Bench} from './bench.js';
import {Desk} from './desk.js';
import {askToken, showKeys, withdraw} from './dialogs.js';
import {all, forgetTokens, one, put, say} from './dom.js';
import {markCharts} from './lines.js';
import {Marks} from './marks.js';
import {blamed} from './overruns.js';
import {Overview} from './overview.js';
import {Refused} from './port.js';
import {Signals} from './signals.js';
import {Rig} from './source.js';
import {Switches} from './switches.js';
import {Tests} from './tests.js';
import {Timing} from './timing.js';
import {measured} from './timing_data.js';
import {Top} from './top.js';

const TURN = 100;        // ms: charts (of Timing every other turn); numbers every third, verdict every sixth
const SLOW = 1000;       // ms: figures of all frames
const BENCH = 3000;      // ms: clock, link, threads, machine
const ANNOUNCED = 5000;  // ms between two overruns that are said aloud

const rig = new Rig(askToken);
const top = new Top(rig);
const timing = new Timing(rig);
const marks = new Marks(rig);
markCharts(() => marks.all);
const toTimeline = (entry) => {
  go('timing');
  timing.trace(entry).then(() => {
    one('.trace').focus();
    one('.trace').scrollIntoView({block: 'center'});
  });
};
const overview = new Overview(rig, toTimeline, (entry) => timing.download(entry.frame), marks);
const signals = new Signals(rig, top);
const desk = new Desk(rig, top);
const bench = new Bench(rig);
const tests = new Tests(rig, marks);
const switches = new Switches(rig);
const views = {
  overview,
  timing,
  signals,
  desk,
  bench,
  tests
};
window.tactus = {
  rig,
  views,
  marks,
  switches
};  // for a person who looks closer, and for tests

// ---- Views ----

let view = null;
function go(name) {
  location.hash = name;
  route();  // the event comes later, and what follows may need the view
}
function route() {
  const named = location.hash.slice(1), next = named in views ? named : 'overview';
  if (view) views[view].hide?.();
  view = next;
  for (const name of Object.keys(views)) one(`#view-${name}`).hidden = name !== view;
  for (const link of all('.rail a'))
    if (link.hash === `#${view}`)
      link.setAttribute('aria-current', 'page');
    else
      link.removeAttribute('aria-current');
  scrollTo(0, 0);
  views[view].show();
}
function again() {
  if (!view) return;
  views[view].hide?.();
  views[view].show();
}

// ---- Theme ----

const THEME = 'tactus.theme';
function theme(name) {
  document.documentElement.dataset.theme = name;
  forgetTokens();
  again();
}
const system = matchMedia('(prefers-color-scheme: light)');
const chosenTheme = () => localStorage.getItem(THEME) ?? (system.matches ? 'light' : 'dark');
system.addEventListener('change', () => theme(chosenTheme()));
matchMedia('(forced-colors: active)').addEventListener('change', () => theme(document.documentElement.dataset.theme));
function toggleTheme() {
  const next = document.documentElement.dataset.theme === 'light' ? 'dark' : 'light';
  localStorage.setItem(THEME, next);
  theme(next);
}

// ---- What buttons and keys do ----

const ACTS = {
  theme: toggleTheme,
  help: showKeys,
  'release-all': () => top.release('all'),
  hold: () => timing.hold(),
  'hold-signals': () => signals.hold(),
  'trace-last': () => timing.trace(null),
  'trace-worst': () => timing.worst(),
  download: () => timing.download(),
  newer: () => overview.list.newer(),
  undo: () => desk.undo(),
  unlock: () => desk.unlock(),
  arrange: () => desk.arrange(),
  keep: () => desk.keep(),
  drop: () => desk.drop(),
  board: () => tests.board(),
};
document.addEventListener('click', (event) => {
  const act = ACTS[event.target.closest('[data-act]')?.dataset.act];
  if (act) act();
});

const search = () => {
  go('signals');
  one('[data-act="search"]').focus();
};
const hold = () => (view === 'signals' ? signals.hold() : timing.hold());
// Keys look; no key commands the rig.
const KEYS = {
  t: toggleTheme,
  '?': showKeys,
  h: hold,
  l: () => view === 'desk' && desk.unlock(),
  e: () => view === 'desk' && desk.arrange(),
  b: () => view === 'tests' && tests.board(),
  '/': search
};
Object.keys(views).forEach((name, i) => KEYS[i + 1] = () => go(name));
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
  // The focus leaves a dialog that was closed when the page is drawn again; a quick key comes before.
  const closed = event.target.closest('dialog')?.open === false;
  if (!closed && event.target.closest('input:not([type=range]), select, textarea, dialog')) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// ---- What the rig tells ----

let announced = {at: -Infinity};  // the list has them all
rig.addEventListener('overrun', ({detail: entry}) => {
  if (!entry || entry.id === announced.id || performance.now() - announced.at < ANNOUNCED) return;
  announced = {id: entry.id, at: performance.now()};
  say(`▲ Overrun in frame ${entry.frame}: ${blamed(entry)}`);
});
rig.addEventListener('facts', () => {
  announced = {at: -Infinity};
  withdraw('Another run has begun; nothing was done');
  again();
  bench.doctor();
});

/** Figures of all frames: asked for once in a second, while a view shows them. */
async function readTiming() {
  if (document.hidden || rig.over || !rig.info || !['overview', 'timing'].includes(view)) return;
  try {
    const read = measured(await rig.port.json('/v1/timing'));
    timing.timing = overview.timing = read;
    rig.slotNs = read.period_ns ?? null;
    if (view === 'timing') timing.again();
    timing.timingWhy = overview.timingWhy = undefined;
  } catch (error) {
    if (error instanceof Refused) timing.timingWhy = overview.timingWhy = error.message;
  }
  if (overview.threads) return;
  const quietly = (path) => rig.port.json(path).catch(() => ({}));
  const [threads, clock] = await Promise.all([quietly('/v1/threads'), quietly('/v1/clock')]);
  overview.threads = threads.threads ?? [];
  overview.clock = clock;
}
rig.addEventListener('facts', () => overview.threads = undefined);

function every(ms, act) {
  let busy = false;
  setInterval(async () => {
    if (busy) return;
    busy = true;
    await Promise.resolve(act()).catch(() => {});
    busy = false;
  }, ms);
}

// ---- The rates ----

let turns = 0;
function turn() {
  turns++;
  rig.watchdog();
  top.headline();
  if (document.hidden) return;
  if (!rig.info) {
    if (view === 'overview' && turns % 6 === 0) overview.verdict();
    return;
  }
  const numbers = turns % 3 === 0, slow = turns % 6 === 0;
  if (numbers && !rig.stale) rig.readValues().catch(() => {});
  if (view === 'overview' && (numbers || slow)) overview.draw(slow);
  if (view === 'timing' && timing.held === null && turns % 2 === 0) timing.draw(slow);
  if (view === 'signals') {
    signals.draw();
    if (numbers) signals.numbers();
  }
  if (view === 'desk') {
    desk.draw();
    if (numbers) desk.numbers();
  }
  if (view === 'bench' && slow) bench.draw();
  if (view === 'tests' && numbers) tests.drawChart();
}

document.documentElement.dataset.theme = chosenTheme();
addEventListener('hashchange', () => location.hash.slice(1) !== view && route());
let resizing;
addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(again, 200);
});
put('line', '…');
route();
top.state();
every(TURN, turn);
every(SLOW, readTiming);
every(SLOW, () => view === 'tests' && !rig.stale && !rig.over && rig.info && !document.hidden && tests.read());
every(
    BENCH,
    () =>
        (view === 'bench' && !rig.stale && !rig.over && rig.info && !document.hidden ? bench.read() :
             timing.jobs && view === 'timing' && !rig.stale                          ? timing.readJobs() :
                                                                                       null));
rig.live();
