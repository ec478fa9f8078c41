// SPDX-License-Identifier: MIT
// Calls the addon and the package with hostile arguments:  fuzz.js ADDON PACKAGE [SEED]
// check.sh builds the addon with ASan for it.
'use strict';

const addon = require(process.argv[2]);
require.cache[require.resolve(`${process.argv[3]}/load.js`)] = {exports: addon, loaded: true};
const kuid = require(process.argv[3]);

let seed = Number(process.argv[4] ?? Math.floor(Math.random() * 2 ** 32));
console.log(`seed: ${seed}`);

// The next random number below most: mulberry32.
function below(most) {
  seed = seed + 0x6d2b79f5 | 0;
  let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return ((t ^ t >>> 14) >>> 0) % most;
}

const pick = (list) => list[below(list.length)];
const long = new Uint8Array(16);
Object.defineProperty(long, 'length', {value: 2 ** 31});
Object.defineProperty(long, 'byteOffset', {value: -(2 ** 20)});
const gone = new Uint8Array(16);
structuredClone(gone, {transfer: [gone.buffer]});
const traps = {get: (of, name) => Reflect.get(of, name)};
const values = [
  undefined, null, true, false, 0, 1, 2, 3, 8, 9, 16, 36, -1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 32 - 1, 2 ** 53,
  0x10000, 0n, 8n, -1n, 2n ** 63n, 2n ** 64n, 1288834974657n, '', 'v7', 'x'.repeat(99), '\ud800', '\0',
  '01a21857-17fb-7dd9-8b83-a0c930b4e49f', '4194304', Symbol('id'), {}, [], () => 1, new Date(), new Date(NaN),
  Buffer.alloc(0), Buffer.alloc(8), Buffer.alloc(12), Buffer.alloc(16), Buffer.alloc(64), new Uint16Array(16),
  new DataView(new ArrayBuffer(16)), new ArrayBuffer(16), new Uint8Array(new SharedArrayBuffer(16)), long, gone,
  new Proxy(new Uint8Array(16), traps), Object.create(Uint8Array.prototype), {length: 2 ** 31}, new Array(16),
  {valueOf: () => 2 ** 31}, {source: 'local'}, {order: 'host'}, {setting: -1}, {format: 'v7'}, {madeByKuid: 1},
  'k64', 'lex', 'k96', 'snowflake', 'uuid', 'constructor',
];
const ids = new kuid.Generator({source: 'local'});
const calls = [...Object.values(addon), ...Object.values(kuid), ...Object.getOwnPropertyNames(kuid.Generator.prototype)
    .filter((name) => !['source', 'order', 'constructor'].includes(name)).map((name) => ids[name].bind(ids))]
    .filter((call) => typeof call === 'function' && call !== kuid.whenReady);
let answered = 0;
for (let round = 0; round < 300000; round++) {
  const call = pick(calls);
  const args = Array.from({length: below(8)}, () => pick(values));
  // A batch of 2^31 is a matter of memory.
  if (call.name.includes('batch') && typeof args[0] === 'number' && args[0] > 64) {
    args[0] = 64;
  }
  try {
    call === kuid.Generator ? new call(...args) : call(...args);
    answered++;
  } catch (error) {
    if (!(error instanceof Error)) {
      throw error;
    }
  }
}
console.log(`${answered} calls gave an answer`);
if (answered < 10000 || ids.v7().length !== 36) {
  process.exitCode = 1;
}
