// SPDX-License-Identifier: Apache-2.0
// The control port by fetch(): a token where the rig has one, errors in the rig's own words.

const KEY = 'tactus.token';

// Behind a proxy the page, and so the port, may lie below a folder.
const FOLDER = new URL('.', document.baseURI).pathname.replace(/\/$/, '');

/** JSON in which a whole number with more digits than a number has here is text. */
const exactly = (json) =>
    JSON.parse(json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (word) => {
      return /^-?\d{16,}$/.test(word) && !Number.isSafeInteger(Number(word)) ? `"${word}"` : word;
    }));

/** What the port answered instead: its sentence, and all its problems. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.error ?? `the rig answered ${status}`);
    this.status = status;
    this.problems = body.problems ?? [];
  }
}

export class Port {
  /** `needToken(wrong)` shows a place to type it and returns a promise of it. */
  constructor(needToken, heard = () => {}) {
    this.needToken = needToken;
    this.heard = heard;  // any byte has come
  }

  get token() {
    return sessionStorage.getItem(KEY);
  }

  /** A response of status 2xx to `path`, as of /v1; asks for the token as long as it takes. `timeout`: in ms; none for a stream. */
  async send(path, {method = 'GET', body, headers = {}, signal, timeout = 12_000} = {}) {
    const given = {method, cache: 'no-store', headers: {...headers}, signal};
    if (timeout) given.signal = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])]);
    if (body !== undefined) {
      given.body = JSON.stringify(body);
      given.headers['Content-Type'] = 'application/json';
    }
    const token = this.token;
    if (token) given.headers.Authorization = `Bearer ${token}`;
    const response = await fetch(FOLDER + path, given);
    this.heard();
    if (response.status === 401) {
      await this.askToken(token);
      return this.send(path, {method, body, headers, signal, timeout});
    }
    if (response.ok) return response;
    throw new Refused(response.status, await response.json().catch(() => ({})));
  }

  async json(path, options) {
    const response = await this.send(path, options);
    return response.json();
  }

  /** As json(), for what has values of variables. */
  async exact(path) {
    const response = await this.send(path);
    return exactly(await response.text());
  }

  /** One question at a time, whoever needs the answer. A token that another request has got already serves. */
  async askToken(tried) {
    if (this.token !== tried) return;
    this.asking ??= this.needToken(Boolean(tried)).then((text) => {
      sessionStorage.setItem(KEY, text);
      this.asking = undefined;
    });
    await this.asking;
  }
}

/** The events of a stream of server-sent events: {event, data}. */
export async function* events(response, heard = () => {}) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return;
      heard();
      text += value;
      let end;
      while ((end = text.indexOf('\n\n')) >= 0) {
        const event = {event: 'message', data: ''};
        for (const line of text.slice(0, end).split('\n')) {
          if (line.startsWith('event: ')) event.event = line.slice(7);
          if (line.startsWith('data: ')) event.data += line.slice(6);
        }
        text = text.slice(end + 2);
        if (event.data) yield {event: event.event, data: exactly(event.data)};
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
