// SPDX-License-Identifier: Apache-2.0
// The binary stream of /v1/stream: blocks of columns, little endian. Knows no page.

export const KIND = {
  1: 'head',
  2: 'rows',
  3: 'gap',
  4: 'beat',
  5: 'end'
};
export const GAP = {
  1: 'the reader was too slow',
  2: 'not kept any more',
  3: 'the rig went to another frame'
};
const HEADER = 32;
const WIDTH = {
  f64: 8,
  f32: 4,
  i64: 8,
  u64: 8,
  i32: 4,
  u32: 4,
  i16: 2,
  u16: 2,
  i8: 1,
  u8: 1
};
const ARRAY = {
  f64: Float64Array,
  f32: Float32Array
};

/** Takes bytes in pieces of any size and hands out whole blocks. */
export class BlockReader {
  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.size = 0;
    this.formats = [];
  }

  * feed(piece) {
    this.append(piece);
    let at = 0;
    while (this.size - at >= HEADER) {
      const view = new DataView(this.bytes.buffer, at);
      if (view.getUint32(0, true) !== 0x31425354) throw new Error('the stream is not one of blocks (TSB1)');
      const length = view.getUint32(4, true);
      if (length < HEADER || length % 8) throw new Error(`a block of the stream says it has ${length} bytes`);
      if (this.size - at < length) break;
      yield this.block(this.bytes.buffer.slice(at, at + length));
      at += length;
    }
    this.bytes.copyWithin(0, at, this.size);
    this.size -= at;
  }

  append(piece) {
    if (this.size + piece.length > this.bytes.length) {
      const more = new Uint8Array(2 * (this.size + piece.length));
      more.set(this.bytes.subarray(0, this.size));
      this.bytes = more;
    }
    this.bytes.set(piece, this.size);
    this.size += piece.length;
  }

  block(buffer) {
    const view = new DataView(buffer), count = view.getUint32(12, true);
    const made = {
      kind: KIND[view.getUint32(8, true)] ?? 'unknown',
      count,
      frame: Number(view.getBigInt64(16, true)),
      missing: Number(view.getBigInt64(24, true)),
    };
    if (made.kind === 'head' || made.kind === 'end') {
      made.json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, HEADER, count)));
      if (made.kind === 'head') this.formats = made.json.columns.map((column) => column.format);
    }
    if (made.kind === 'rows') made.columns = this.columns(buffer, count);
    return made;
  }

  columns(buffer, rows) {
    let at = HEADER;
    return this.formats.map((format) => {
      if (!ARRAY[format]) throw new Error(`a column of the stream has the format ${format}`);
      const column = new ARRAY[format](buffer, at, rows);
      at += Math.ceil(rows * WIDTH[format] / 8) * 8;
      return column;
    });
  }
}
