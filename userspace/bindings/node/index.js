// SPDX-License-Identifier: MIT
// Time-ordered unique IDs of the whole host, from the kernel module kuid.
'use strict';

const {constants} = require('os');
const {setTimeout: sleep} = require('timers/promises');
const {getSystemErrorName, types} = require('util');
const addon = require('./load.js');

const SOURCES = {device: 0, local: 1, private: 2};
const ORDERS = {file: 0, host: 3};
// These say that there is no device to be had; all else is an error of a device.
const ABSENT = ['ENODEV', 'EACCES', 'EPERM'];
const STAMPS = ['v1', 'v6', 'v7'];
const ENODEV = -constants.errno.ENODEV;
const EOPNOTSUPP = -constants.errno.EOPNOTSUPP;
const SIZES = {k64: 8, snowflake: 8, k96: 12};
const CLONES = ['never', 'seen', 'told', 'seen'];

let told = false;

function numberOf(format) {
  if (!Object.hasOwn(addon.formats, format)) {
    throw new RangeError(`"${format}" is no format of kuid`);
  }
  return addon.formats[format];
}

// A result of the addon, or its error.
function check(result, format) {
  if (typeof result !== 'number' || result >= 0) {
    return result;
  }
  const code = getSystemErrorName(result);
  const advice = addon.advice(-result);
  throw Object.assign(new Error(`kuid ${format}: ${code}${advice ? `. ${advice}` : ''}`), {code, errno: result});
}

class Generator {
  #source;
  #order;
  #auto;

  constructor({source = 'auto', order = 'file'} = {}) {
    if (source !== 'auto' && !Object.hasOwn(SOURCES, source)) {
      throw new RangeError(`"${source}" is no source of kuid`);
    }
    if (!Object.hasOwn(ORDERS, order)) {
      throw new RangeError(`"${order}" is no order of kuid`);
    }
    if (order !== 'file' && SOURCES[source]) {
      throw new RangeError(`only the device has the order "${order}"`);
    }
    this.#source = source;
    this.#order = order;
    this.#auto = source === 'auto';
  }

  // Where IDs are made: 'device', 'private', 'local', 'plain'; 'auto' before the first one.
  get source() {
    return this.#source === 'local' && addon.plain ? 'plain' : this.#source;
  }

  get order() {
    return this.#order;
  }

  // Opening the device decides what auto becomes; an error of an ID never does.
  #decide(format) {
    const opened = addon.make(SOURCES.device, addon.formats.v1, 0, 0);
    const code = typeof opened === 'number' && getSystemErrorName(opened);
    if (this.#order !== 'file' || !STAMPS.includes(format) || !ABSENT.includes(code)) {
      check(opened, format);
      this.#source = 'device';
      return;
    }
    this.#source = 'local';
    if (!told) {
      told = true;
      process.emitWarning(`no device (${code}): this process makes UUIDs by itself, ` +
          'and only random bits tell them from those of others', 'KuidWarning');
    }
  }

  // call(source, format, order, count) of the addon.
  #call(call, format, count) {
    const number = numberOf(format);
    if (this.#source === 'auto') {
      this.#decide(format);
    }
    const result = call(SOURCES[this.#source], number, ORDERS[this.#order], count);
    // Only the device makes the other formats, so its absence is the error.
    return check(result === EOPNOTSUPP && this.#auto ? ENODEV : result, format);
  }

  static {
    for (const format of Object.keys(addon.formats)) {
      this.prototype[format] = function(...args) {
        if (args.some((arg) => Object.keys(arg ?? {}).length)) {
          throw new TypeError('kuid chooses all parts, which keep IDs unique: give no arguments');
        }
        return this.#call(addon.make, format, 1)[0];
      };
    }
  }

  // An array of n IDs, which increase; fewer if one after the first would have to be waited for.
  batch(n, format = 'v7') {
    if (!(n >= 0 && Number.isInteger(n))) {
      throw new RangeError(`${n} is no number of IDs`);
    }
    const ids = [];
    numberOf(format);
    while (ids.length < n) {
      try {
        ids.push(...this.#call(addon.make, format, Math.min(n - ids.length, 256)));
      } catch (error) {
        if (error.code !== 'EAGAIN' || !ids.length) {
          throw error;
        }
        break;
      }
    }
    return ids;
  }

  // What holds now for a format. No warning of a missing device follows.
  guarantees(format = 'v7') {
    told = true;
    const bits = this.#call((source, number) => addon.status(source, number), format);
    return {
      source: this.source, order: this.order, unique: !!(bits & 1), ordered: !!(bits & 2), rebootSafe: !!(bits & 4),
      clones: CLONES[bits >> 3],
    };
  }
}

function parsed(text, format) {
  const result = addon.parse(format === undefined ? 0 : numberOf(format), text);
  if (typeof result === 'number') {
    throw new RangeError(`no ${format ?? 'ID'}: it is wrong at character ${result}`);
  }
  return result;
}

// An ID as the number of its format and bytes.
function parts(id, format) {
  if (typeof id === 'string') {
    return parsed(id, format);
  }
  if (format === undefined) {
    throw new RangeError('the format of an ID that is no text must be given');
  }
  const number = numberOf(format);
  const size = SIZES[format] ?? 16;
  if (typeof id === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(id);
    id = bytes;
  }
  if (!types.isUint8Array(id) || id.length !== size) {
    throw new RangeError(`an ID of ${format} has ${size} bytes, not ${id?.length}`);
  }
  return [number, id];
}

function settingOf(number, setting) {
  return BigInt(setting ?? (number === addon.formats.snowflake ? 1288834974657 : 8));
}

// The canonical text of an ID.
function text(id, format) {
  const [number, bytes] = parts(id, format);
  return check(addon.text(number, bytes), format);
}

// The ID of a canonical text; without a format, of any but a snowflake.
function parse(text, format) {
  return parsed(text, format)[2];
}

// The time of an ID, in nanoseconds since 1970, rounded down to what it knows. setting: of k96 and
// k128 their I, of snowflake the milliseconds that it counts from. madeByKuid: kuid made it, so that
// a v7 has nanoseconds.
function timeNs(id, {format, setting, madeByKuid = false} = {}) {
  const [number, bytes] = parts(id, format);
  const ns = addon.time(number, bytes, settingOf(number, setting), madeByKuid);
  if (typeof ns === 'number') {
    throw new RangeError(`no ${format ?? 'ID'} with a time`);
  }
  return ns;
}

// The same as a Date, to the millisecond.
function time(id, options) {
  const ns = timeNs(id, options);
  const date = new Date(Number((ns - (ns % 1000000n + 1000000n) % 1000000n) / 1000000n));
  if (Number.isNaN(date.getTime())) {
    throw new RangeError('a Date does not reach that time');
  }
  return date;
}

function edge(high, format, time, {setting, madeByKuid = false} = {}) {
  const number = numberOf(format);
  const ns = typeof time === 'bigint' ? time : BigInt(time.getTime()) * 1000000n;
  const nsec = (ns % 1000000000n + 1000000000n) % 1000000000n;
  const sec = (ns - nsec) / 1000000000n;
  const id = addon.edge(high, number, sec, Number(nsec), settingOf(number, setting), madeByKuid);
  if (typeof id === 'number') {
    throw new RangeError(`${format} does not reach that time`);
  }
  return id;
}

// The lowest and the highest ID of a format at a time: a Date, or nanoseconds since 1970.
function lowest(format, time, options) {
  return edge(false, format, time, options);
}

function highest(format, time, options) {
  return edge(true, format, time, options);
}

// The result of call(), as soon as that need not wait.
async function whenReady(call, {signal} = {}) {
  for (let delay = 1; ; delay = Math.min(2 * delay, 64)) {
    try {
      return call();
    } catch (error) {
      if (error.code !== 'EAGAIN') {
        throw error;
      }
    }
    await sleep(delay, undefined, {signal});
  }
}

const ids = new Generator();
const [v1, v6, v7, k64, snowflake, lex, k96, k128, batch, guarantees] =
  ['v1', 'v6', 'v7', 'k64', 'snowflake', 'lex', 'k96', 'k128', 'batch', 'guarantees']
      .map((name) => ids[name].bind(ids));
// Literally, so that "import {v7}" finds them.
module.exports = {
  Generator, v1, v6, v7, k64, snowflake, lex, k96, k128, batch, guarantees, text, parse, time, timeNs, lowest,
  highest, whenReady,
};
