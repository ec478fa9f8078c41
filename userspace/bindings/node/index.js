// SPDX-License-Identifier: MIT
// Time-ordered unique IDs of the whole host, from the kernel module kuid.
'use strict';

const addon = require('./kuid.node');

const FLAGS = {device: 0, local: 1, private: 4};
const ORDERS = {file: 0, cpu: 1, host: 3};
// These say that there is no device to be had; all else is an error of a device.
const ABSENT = ['ENODEV', 'EACCES', 'EPERM'];
const CLOSED = ['EBADF', 'ENODEV'];
const STAMPS = ['v1', 'v6', 'v7'];

let warned = false;

class Generator {
  #source;
  #order;
  #fellBack = false;
  #open = {};
  #waiting = {};

  constructor({source = 'auto', order = 'file'} = {}) {
    if (source !== 'auto' && !(source in FLAGS)) {
      throw new RangeError(`"${source}" is no source of kuid`);
    }
    if (!(order in ORDERS)) {
      throw new RangeError(`"${order}" is no order of kuid`);
    }
    if (order !== 'file' && FLAGS[source]) {
      throw new RangeError(`only the device has the order "${order}"`);
    }
    this.#source = source;
    this.#order = order;
  }

  // Where IDs are made: 'device', 'private', 'local'; 'auto' before the first one.
  get source() {
    return this.#source;
  }

  get order() {
    return this.#order;
  }

  #handle(format, again = false) {
    return this.#open[format] ??= this.#openFormat(format, again);
  }

  #openFormat(format, again) {
    const number = addon.formats[format];
    if (!number) {
      throw new RangeError(`"${format}" is no format of kuid`);
    }
    const isStamp = STAMPS.includes(format);
    const auto = this.#source === 'auto';
    // Only the device makes the other formats.
    const from = auto || (this.#source === 'local' && this.#fellBack && !isStamp) ? 'device' : this.#source;
    try {
      const handle = addon.open(number, FLAGS[from], ORDERS[this.#order], again);
      this.#source = auto ? 'device' : this.#source;
      return handle;
    } catch (error) {
      if (!auto || !isStamp || this.#order !== 'file' || !ABSENT.includes(error.code)) {
        throw error;
      }
      const handle = addon.open(number, FLAGS.local, 0, false);
      this.#source = 'local';
      this.#fellBack = true;
      if (!warned) {
        warned = true;
        process.emitWarning(`no device (${error.code}): this process makes UUIDs by itself, ` +
            'and only random bits tell them from those of others', 'KuidWarning');
      }
      return handle;
    }
  }

  // A file that was closed behind our back is opened again, once.
  #make(format, call) {
    const had = this.#open[format];
    try {
      return call(had ?? this.#handle(format));
    } catch (error) {
      if (!had || !CLOSED.includes(error.code)) {
        throw error;
      }
      delete this.#open[format];
      return call(this.#handle(format, true));
    }
  }

  // As those of the package uuid; nobody chooses parts of the UUID.
  #uuid(format, options, buf, offset = 0) {
    if (options && Object.keys(options).length) {
      throw new TypeError('kuid chooses all parts, which keep UUIDs unique: give no options');
    }
    if (!buf) {
      return this.#make(format, (handle) => handle.text());
    }
    if (offset < 0 || offset + 16 > buf.length) {
      throw new RangeError(`UUID byte range ${offset}:${offset + 15} is out of buffer bounds`);
    }
    if (buf instanceof Uint8Array) {
      return this.#make(format, (handle) => handle.fill(buf, offset, 1));
    }
    const bytes = this.#bytes(format, 1);
    for (let i = 0; i < 16; i++) {
      buf[offset + i] = bytes[i];
    }
    return buf;
  }

  #bytes(format, count) {
    const size = sizes[format] ?? 16;
    return this.#make(format, (handle) => handle.fill(Buffer.alloc(size * count), 0, count));
  }

  v1(options, buf, offset) {
    return this.#uuid('v1', options, buf, offset);
  }

  v6(options, buf, offset) {
    return this.#uuid('v6', options, buf, offset);
  }

  v7(options, buf, offset) {
    return options || buf ? this.#uuid('v7', options, buf, offset) : this.#make('v7', oneText);
  }

  k64() {
    return this.#make('k64', (handle) => handle.number());
  }

  snowflake() {
    return this.#make('snowflake', (handle) => handle.number());
  }

  lex() {
    return this.#bytes('lex', 1);
  }

  k96() {
    return this.#bytes('k96', 1);
  }

  k128() {
    return this.#bytes('k128', 1);
  }

  // An array of IDs, which increase.
  batch(n, format = 'v7') {
    if (!(n >= 0 && Number.isInteger(n))) {
      throw new RangeError(`${n} is no number of IDs`);
    }
    const ids = [];
    while (ids.length < n) {
      const count = Math.min(n - ids.length, 256);
      const bytes = this.#bytes(format, count);
      const size = bytes.length / count;
      for (let at = 0; at < bytes.length; at += size) {
        ids.push(value(format, bytes.subarray(at, at + size)));
      }
    }
    return ids;
  }

  // After EAGAIN: a promise that a call is worth another try. One thread waits, however many ask.
  ready(format = 'v7') {
    return this.#waiting[format] ??= this.#handle(format).ready().finally(() => {
      delete this.#waiting[format];
    });
  }
}

const sizes = {k64: 8, snowflake: 8, k96: 12};
const oneText = (handle) => handle.text();

function value(format, bytes) {
  if (STAMPS.includes(format)) {
    return addon.text(addon.formats[format], bytes);
  }
  return sizes[format] === 8 ? bytes.readBigUInt64BE() : bytes;
}

// An ID as format and bytes.
function parts(id, format) {
  if (typeof id === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(id);
    id = bytes;
  } else if (typeof id === 'string') {
    format ??= `v${id[14]}`;
    id = Buffer.from(id.replaceAll('-', ''), 'hex');
  }
  if (!addon.formats[format]) {
    throw new RangeError(`"${format}" is no format of kuid`);
  }
  return [addon.formats[format], id];
}

// The canonical text of an ID.
function text(id, format) {
  return addon.text(...parts(id, format));
}

// The time of an ID, in nanoseconds since 1970, rounded down to what it knows. setting: of k96 and
// k128 their I, of snowflake the milliseconds that it counts from. fromKuid: kuid made it, so that
// a v7 has nanoseconds.
function time(id, {format, setting, fromKuid = false} = {}) {
  const [number, bytes] = parts(id, format);
  setting ??= number === addon.formats.snowflake ? 1288834974657 : 8;
  return addon.time(number, bytes, setting, fromKuid);
}

const ids = new Generator();
module.exports = {Generator, text, time};
for (const name of ['v1', 'v6', 'v7', 'k64', 'snowflake', 'lex', 'k96', 'k128', 'batch', 'ready']) {
  module.exports[name] = ids[name].bind(ids);
}
Object.defineProperty(module.exports, 'source', {enumerable: true, get: () => ids.source});
