// SPDX-License-Identifier: Apache-2.0
// The rig as the page sees it: its state, lists, variables and tracks, kept up to date over the control port.
import {BlockReader} from './blocks.js';
import {events, Port, Refused} from './port.js';
import {Track} from './track.js';

export const STALE = 2000;              // ms without a byte
const AGAIN = [500, 1000, 2000, 5000];  // ms until the next try
const WATCH = '/v1/watch?names=rt.frame&every=500ms';
const TIMING = ['rt.late', 'rt.work', 'rt.slack'];
const MOST_COLUMNS = 64;  // of one stream
const KEPT_SECONDS = 600;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** A list that grows at the rig and is read behind the last entry that is known. */
class Entries {
  constructor(path, key = 'n', most = 5000) {
    Object.assign(this, {path, key, most});
    this.clear();
  }
  clear() {
    this.last = 0;
    this.byKey = new Map();
    this.problem = null;  // why the rig does not say
    this.known = false;   // the rig has said what there is
    this.leftOut = 0;
  }
  /** Oldest first. */
  get all() {
    return [...this.byKey.values()];
  }
  take(entry) {
    this.last = Math.max(this.last, entry.n);
    this.byKey.set(entry[this.key], entry);  // an entry that comes again keeps its place
    if (this.byKey.size > this.most) this.byKey.delete(this.byKey.keys().next().value);
  }
  async catchUp(port) {
    try {
      for (let last = Infinity; this.last < last;) {
        const before = this.last;
        const answer = await port.exact(`${this.path}?after=${this.last}`);
        this.problem = null;
        this.known = true;
        last = answer.last;
        this.leftOut = answer.left_out ?? 0;
        answer.entries.forEach((entry) => this.take(entry));
        if (this.last === before) break;
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem = error.message;
    }
  }
}

// By this name the rig holds the page's stream while its connection is lost.
const STREAM = `page-${Math.random().toString(36).slice(2)}${Date.now().toString(36)}`;

/**
 * Events: `facts` (another run), `state`, `variables`, `overrun`, `journal`, `log`, `verdict`, `switch`, `line` (live, stale, over).
 * Tracks and values change without an event: who draws reads them at its own rate.
 */
export class Rig extends EventTarget {
  constructor(needToken) {
    super();
    this.heard = performance.now();
    this.answered = false;  // anything was heard from it
    this.port = new Port(needToken, () => {
      this.heard = performance.now();
      this.answered = true;
    });
    this.overruns = new Entries('/v1/overruns', 'id');
    this.journal = new Entries('/v1/journal');
    this.log = new Entries('/v1/log');
    this.forget();
  }

  forget() {
    this.info = null;
    this.now =
        {state: '', frames: 0, sim_time_ns: 0, paused: false, forced: [], allowed: {}, outputs: []};
    this.stated = false;  // its state has come
    this.over = null;     // why the run is over
    this.slotNs = null;   // as its clock has it: another than `period` where the rig runs at another speed
    this.variables = new Map();
    this.values = new Map();
    this.forced = new Map();
    this.tracks = new Map();
    this.expressions = new Map();  // text -> {type, unit, past}, as the rig has them
    this.streaming = undefined;    // names of the columns of the stream
    this.charted = new Map();  // who wants them -> names at frame rate
    this.read = new Map();     // who wants them -> names to be read
    this.frame = -1;           // the newest that is known
    this.turns = 0;            // how often it went back
    this.streamed = -1;        // the newest frame that the stream has brought
    this.flows = false;        // the stream brings frames
    this.streamProblem = null;
    for (const list of [this.overruns, this.journal, this.log]) list.clear();
  }

  /** `detail`: the entry that is new, of a list. */
  tell(what, detail) {
    this.dispatchEvent(new CustomEvent(what, {detail}));
  }
  get age() {
    return performance.now() - this.heard;
  }
  get stale() {
    return this.age > STALE && !this.over;
  }
  get period() {
    return this.info ? this.info.period.num_ns / this.info.period.den : 1e6;
  }
  /** Real time from slot to slot, which lateness and slack are measured against. */
  get slot() {
    return this.slotNs ?? this.period;
  }
  seconds(frame) {
    return frame * this.period / 1e9;
  }
  get kept() {
    return Math.round(Math.min(KEPT_SECONDS * 1e3, Math.max(1e4, KEPT_SECONDS * 1e9 / this.period)));
  }

  /** The state as a person says it: the steps of a frame are Run. */
  get state() {
    const name = this.now.state;
    if (this.over && !['Abort', 'Disconnect'].includes(name)) return 'Stop';
    return name.startsWith('Step') ? 'Run' : name || '…';
  }

  // ---- The line: read all, then follow; when it breaks, again ----------------------------------------------------

  async live() {
    document.addEventListener('visibilitychange', () => this.visibility());
    for (let tries = 0;; tries++) {
      try {
        await this.begin();
        const watching = new AbortController();
        this.watching = watching;
        await this.watch(watching.signal, () => tries = 0);
      } catch (error) {
        if (!(error instanceof TypeError || error.name === 'AbortError' || error.name === 'TimeoutError'))
          this.problem = error.message;
      }
      this.stopStream();
      if (document.hidden)
        await new Promise((seen) => this.seen = seen);
      else
        await wait(AGAIN[Math.min(tries, AGAIN.length - 1)]);
    }
  }

  visibility() {
    if (document.hidden) {
      this.watching?.abort();
      this.stopStream();
    } else {
      this.heard = performance.now();
      this.seen?.();
    }
  }

  /** A line that brings nothing any more is given up: it may hang for minutes before it breaks. */
  watchdog() {
    if (this.age > STALE && !document.hidden) this.watching?.abort();
  }

  async begin() {
    const info = await this.port.json('/v1', {timeout: 4000});
    if (!this.info || this.info.run !== info.run || this.info.folder !== info.folder) {
      const {charted, read} = this;
      this.forget();
      Object.assign(this, {charted, read, info});
      await this.readVariables();
      this.tell('facts');
    }
    this.over = null;
    this.takeState(await this.port.exact('/v1/state'));
    this.startStream();
  }

  // Once the watch has begun: what comes in between is in the lists, in the events, or in both.
  async catchUp() {
    await Promise.all([this.overruns, this.journal, this.log].map((list) => list.catchUp(this.port)));
    for (const what of ['overrun', 'journal', 'log', 'verdict', 'switch']) this.tell(what);
  }

  async watch(signal, going) {
    const response = await this.port.send(WATCH, {signal, timeout: 0});
    const heard = () => {
      this.heard = performance.now();
      going();
    };
    await this.catchUp();
    for await (const {event, data} of events(response, heard)) {
      if (event === 'state') this.takeState(data);
      if (event === 'values' || event === 'beat') this.sawFrame(data.frame, data.state);
      if (event === 'overrun') this.takeEntry(this.overruns, data, 'overrun');
      if (event === 'verdict' || event === 'switch') this.tell(event, data);
      if (event === 'log') this.takeEntry(this.log, data, 'log');
      if (event === 'journal') {
        this.takeEntry(this.journal, data, 'journal');
        this.written(data);
        if (data.what === 'load') this.loads = true;
        if (['reset', 'load'].includes(data.what) && this.streamProblem) this.backwards(-1);
      }
      if (event === 'end') {
        this.over = data.reason || 'the run is over';
        this.now.state = data.state;
        this.tell('state');
      }
    }
  }

  takeEntry(list, entry, event) {
    const hole = event !== 'overrun' && entry.n > list.last + 1;
    list.take(entry);
    if (hole) this.fillHole(list, event);
    this.tell(event, entry);
  }

  // What a flood has left out of the events stands in the list.
  async fillHole(list, event) {
    const {known} = list;
    list.clear();
    list.known = known;
    await list.catchUp(this.port).catch(() => {});
    this.tell(event);
  }

  takeState(state) {
    const frame = state.frame ?? -1;  // before the first there is none
    // A state may be older than the newest block of the stream, which tells of a reset itself.
    if (!this.flows) {
      if (this.seconds(this.frame - frame) > 2) this.backwards(frame);
      this.frame = Math.max(this.frame, frame);
    }
    this.now = state;
    this.stated = true;
    this.forced = new Map(state.forced.map((force) => [force.variable, force]));
    this.tell('state');
  }

  sawFrame(frame, state) {
    // A checkpoint is loaded in Pause: no block of the stream says so before frames run again.
    if (this.loads && frame < this.frame) {
      this.loads = false;
      this.backwards(frame);
    }
    if ((!this.flows || this.loads) && frame > this.frame) this.frame = frame;
    if (state && state !== this.now.state && !this.now.state.startsWith('Step')) this.now.state = state;
  }

  /** A reset or a loaded checkpoint: charts begin anew. */
  backwards(frame) {
    for (const track of this.tracks.values()) track.clear();
    this.frame = frame;
    this.streamed = -1;
    this.turns++;
    this.tell('backwards');
  }

  // ---- Variables and values --------------------------------------------------------------------------------------

  async readVariables() {
    const found = new Map();
    for (let first = 0; first !== null;) {
      const part = await this.port.json(`/v1/variables?first=${first}`);
      for (const variable of part.variables) found.set(variable.name, variable);
      first = part.next;
    }
    this.variables = found;
    this.tell('variables');
  }

  // Who wrote a variable is known anew after each change of it.
  written(entry) {
    this.stirred ??= new Set();
    if (entry.variable)
      this.stirred.add(entry.variable);
    else if (['release_all', 'reset', 'load'].includes(entry.what))
      this.stirred.add('*');
    else
      return;
    this.rereading ??= setTimeout(() => this.reread(), 300);
  }

  async reread() {
    const names = this.stirred;
    this.stirred = undefined;
    this.rereading = undefined;
    try {
      if (names.has('*') || names.size > 20) return await this.readVariables();
      for (const name of names) {
        const whole = name.replace(/(\[\d+\])+$/, '');
        this.variables.set(whole, await this.port.json(`/v1/variables/${encodeURIComponent(whole)}`));
      }
      this.tell('variables');
    } catch {
      // the line is gone; all is read anew when it is back
    }
  }

  unit(name) {
    return this.expressions.get(name)?.unit ?? this.variable(name)?.unit ?? '';
  }
  variable(name) {
    return this.variables.get(name) ?? this.variables.get(name?.replace(/(\[\d+\])+$/, ''));
  }
  drives(name) {
    return this.variable(name)?.drives ?? [];
  }
  /** Whether it is forced: as a whole, or one of its elements. */
  force(name) {
    const whole = this.forced.get(name);
    if (whole) return whole;
    for (const [key, force] of this.forced)
      if (key.startsWith(`${name}[`)) return force;
    return undefined;
  }

  /** What `whose` wants to see read, a few times in a second. */
  want(whose, names) {
    this.read.set(whose, names.filter((name) => this.variable(name)));
  }

  async readValues() {
    const names = [...new Set([...this.read.values()].flat())];
    if (!names.length || this.reading || this.over) return;
    this.reading = true;
    try {
      const query = names.map(encodeURIComponent).join(',');
      const {turns} = this, {values, frame} = await this.port.exact(`/v1/values?names=${query}`);
      for (const [name, value] of Object.entries(values)) this.values.set(name, value);
      if (turns === this.turns) this.sawFrame(frame);
    } catch (error) {
      if (error instanceof Refused && error.status === 400) this.readVariables().catch(() => {});
    } finally {
      this.reading = false;
    }
  }

  // ---- Tracks at frame rate --------------------------------------------------------------------------------------

  track(name) {
    let track = this.tracks.get(name);
    if (!track) this.tracks.set(name, track = new Track(this.kept));
    return track;
  }

  /** What `whose` wants at frame rate. What was wanted once goes on while there is room. */
  chart(whose, names) {
    this.charted.set(whose, names.filter((name) => this.chartable(name)));
    const missing = [...this.charted.values()].flat().some((name) => !this.streaming?.includes(name));
    if (missing && this.info) this.startStream();
  }

  /** Takes an expression for the charts, or the name of a variable; throws Refused with its mistakes. */
  async expression(text) {
    const {expressions: rows} = await this.port.json(`/v1/expressions?names=${encodeURIComponent(text)}`);
    if (rows.length !== 1) throw new Error('only one expression at a time; put a comma within brackets');
    const [row] = rows;
    if (!this.variable(row.name)) this.expressions.set(row.name, row);
    return row;
  }

  chartable(name) {
    if (this.expressions.has(name)) return true;
    return name.startsWith('rt.') || this.elements(name) === 1;
  }
  elements(name) {
    const variable = this.variable(name);
    if (!variable) return 0;
    return name === variable.name ? variable.count || 1 : 1;
  }

  columns() {
    const wanted = [...TIMING, ...[...this.charted.values()].flat()];
    // In the order of before: the rig holds a stream of the same columns.
    const all = [...new Set([...(this.streaming ?? []), ...wanted])];
    return all.length <= MOST_COLUMNS ? all : [...new Set([...wanted, ...all])].slice(0, MOST_COLUMNS);
  }

  stopStream() {
    this.stream?.abort();
    this.stream = undefined;
    this.flows = false;
  }

  startStream() {
    clearTimeout(this.starting);
    this.starting = setTimeout(() => this.follow(), 0);  // several wishes make one stream
  }

  /** One stream. A new one has begun before the old one ends, so that no frame is missed in between. */
  async follow() {
    if (document.hidden || this.over || !this.info) return;
    const names = this.columns(), before = this.stream;
    if (before && names.join() === this.streaming?.join()) return;
    const mine = this.stream = new AbortController();
    this.streaming = names;
    // On from what has come: what was streamed is held while the connection is lost.
    const known = this.streamed >= 0 && this.streamedRun === this.info.run;
    const from = known ? this.streamed + 1 : this.frame - Math.round(2e9 / this.period);
    let why = 'the stream of frames has ended';
    try {
      const query = names.map(encodeURIComponent).join(',');
      const path = `/v1/stream?names=${query}&as=f32&from=${Math.max(0, from)}&resume=${STREAM}`;
      const response = await this.port.send(path, {signal: mine.signal, timeout: 0});
      this.streamProblem = null;
      this.streamedRun = this.info.run;
      const reader = response.body.getReader(), blocks = new BlockReader();
      for (;;) {
        const {value, done} = await reader.read();
        if (done || mine.signal.aborted) break;
        before?.abort();
        this.heard = performance.now();
        this.flows = true;
        for (const block of blocks.feed(value)) this.takeBlock(block, names);
      }
    } catch (error) {
      why = error.message;
      if (error instanceof Refused && error.status === 400) this.streamed = -1;
    }
    before?.abort();
    if (mine !== this.stream) return;
    this.stream = undefined;
    this.flows = false;
    if (this.over || mine.signal.aborted) return;
    this.streamProblem = why;
    clearTimeout(this.starting);
    this.starting = setTimeout(() => this.follow(), 1000);
  }

  takeBlock(block, names) {
    if (block.kind === 'rows') {
      block.columns.forEach((column, i) => {
        const track = this.track(names[i]);
        for (let row = 0; row < block.count; row++) track.put(block.frame + row, column[row]);
      });
      this.streamed = Math.max(this.streamed, block.frame + block.count - 1);
      this.frame = Math.max(this.frame, this.streamed);
    }
    if (block.kind === 'gap' && block.count === 3) {
      this.backwards(block.frame - 1);
      this.streamed = block.frame - 1;
    }
  }

  // ---- What a person does ----------------------------------------------------------------------------------------

  /** Throws Refused with the rig's own words. */
  command(name, details = {}) {
    const timeout = ['reset', 'load'].includes(name) ? 0 : undefined;  // answered when they are done
    return this.port.json('/v1/commands', {method: 'POST', body: {command: name, ...details}, timeout});
  }
  /** {set: {...}}, {force: {...}}, {release: [...] | 'all'}. */
  write(changes) {
    return this.port.json('/v1/values', {method: 'POST', body: changes});
  }
}
