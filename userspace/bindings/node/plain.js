// SPDX-License-Identifier: MIT
// A plain v7 in place of the addon: a time that increases in this thread, and random bits.
'use strict';

const {randomFillSync} = require('crypto');
const {constants} = require('os');

const NAMES = ['v1', 'v6', 'v7', 'lex', 'k64', 'k96', 'k128', 'snowflake'];
const V7 = 3;
const ENODEV = -constants.errno.ENODEV;
const EOVERFLOW = -constants.errno.EOVERFLOW;
const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
let ms = 0;
let step = 0;

// The time and a step of it: the higher one of the clock and of the last time plus one.
function next(now) {
  const bytes = randomFillSync(Buffer.alloc(16), 8, 8);
  step = now > ms ? 0 : step + 1 & 0xfff;
  ms = now > ms ? now : ms + !step;
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | step, 6);
  bytes[8] = 0x80 | bytes[8] & 0x3f;
  return bytes;
}

function text(format, bytes) {
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

module.exports = {
  plain: true,
  formats: Object.fromEntries(NAMES.map((name, i) => [name, i + 1])),
  text,
  make(source, format, order, count) {
    const now = Date.now();
    if (source !== 1 || format !== V7) {
      return ENODEV;
    }
    return now >= 0 && now < 2 ** 48 ? Array.from({length: count}, () => text(V7, next(now))) : EOVERFLOW;
  },
  parse(format, string) {
    const version = Number(string[14]);
    return !FORM.test(string) || (format && (format !== V7 || version !== 7)) ? 0 :
      [version === 7 ? V7 : 0x10000, Buffer.from(string.replaceAll('-', ''), 'hex'), string.toLowerCase()];
  },
  time(format, bytes) {
    return format === V7 ? BigInt(bytes.readUIntBE(0, 6)) * 1000000n : ENODEV;
  },
  edge(high, format, sec, nsec) {
    const bytes = Buffer.alloc(16, high ? 0xff : 0);
    const ms = Number(sec) * 1000 + Math.floor(nsec / 1000000);
    if (format !== V7 || !(ms >= 0 && ms < 2 ** 48)) {
      return ENODEV;
    }
    bytes.writeUIntBE(ms, 0, 6);
    bytes[6] = 0x70 | bytes[6] & 0xf;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    return text(V7, bytes);
  },
  status(source, format) {
    return source === 1 && format === V7 ? 7 : ENODEV;
  },
  advice(errno) {
    return errno === -ENODEV && 'Only the device makes that, and this package has no addon for this machine: npm rebuild';
  },
};
