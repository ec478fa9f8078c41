// SPDX-License-Identifier: MIT
// What needs no device; selftests/bindings has the rest.
'use strict';

const assert = require('assert');
const kuid = require('kuid');

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-([167])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ids = new kuid.Generator({source: 'local'});
const seen = [];
process.on('warning', (warning) => seen.push(warning.name));

function increase(made) {
  assert.deepStrictEqual([...new Set(made)].sort(), made);
}

const tests = {
  'UUIDs are texts, and increase': () => {
    for (const name of ['v1', 'v6', 'v7']) {
      const made = Array.from({length: 1000}, () => ids[name]());
      made.forEach((id) => assert.strictEqual(FORM.exec(id)[1], name[1]));
      increase(made.map((id) => name === 'v1' ?
        id.replace(/^(.{8})-(.{4})-(.{4})/, '$3$2$1') : id));
    }
  },
  '100,000 are read from their digits as by libkuid': () => {
    for (const id of ids.batch(100000)) {
      assert.strictEqual(kuid.time(id) / 1000000n, BigInt(`0x${id.replace('-', '').slice(0, 12)}`));
    }
  },
  'batches increase': () => {
    for (const n of [0, 1, 255, 256, 257, 1000]) {
      const made = ids.batch(n);
      assert.strictEqual(made.length, n);
      increase(made);
    }
    assert.throws(() => ids.batch(-1), RangeError);
    assert.throws(() => ids.batch(1, 'v4'), /"v4" is no format/);
  },
  'a buffer or an array is filled, as by the package uuid': () => {
    for (const buf of [Buffer.alloc(40), new Array(40).fill(0)]) {
      assert.strictEqual(ids.v7(null, buf, 20), buf);
      assert.deepStrictEqual([buf[19], buf[26] >> 4, buf[36]], [0, 7, 0]);
      assert.throws(() => ids.v6(undefined, buf, 25), /out of buffer bounds/);
      assert.throws(() => ids.v6(undefined, buf, -1), RangeError);
    }
  },
  'options are refused': () => {
    assert.match(ids.v7({}), FORM);
    assert.throws(() => ids.v1({node: [1, 2, 3, 4, 5, 6]}), /keep UUIDs unique/);
  },
  'unknown sources and orders are refused': () => {
    assert.throws(() => new kuid.Generator({source: 'disk'}), /"disk" is no source/);
    assert.throws(() => new kuid.Generator({order: 'all'}), /"all" is no order/);
    assert.throws(() => new kuid.Generator({source: 'local', order: 'host'}), /only the device/);
  },
  'a missing device is an error that helps': () => {
    for (const source of ['device', 'private']) {
      assert.throws(() => new kuid.Generator({source}).v7(), {code: 'ENODEV', message: /modprobe kuid/});
    }
    assert.throws(() => new kuid.Generator({order: 'host'}).v7(), {code: 'ENODEV'});
    assert.throws(() => kuid.k64(), {code: 'ENODEV'});
    assert.throws(() => ids.k64(), {code: 'EOPNOTSUPP'});
  },
  'auto becomes local, tells, and warns once': async () => {
    assert.strictEqual(kuid.source, 'auto');
    kuid.v7();
    new kuid.Generator().v6();
    assert.strictEqual(kuid.source, 'local');
    assert.throws(() => kuid.k64(), {code: 'ENODEV'});
    await new Promise(setImmediate);
    assert.deepStrictEqual(seen, ['KuidWarning']);
  },
  'numbers have texts and times': () => {
    assert.strictEqual(kuid.text(1n << 44n, 'k64'), '...F.......');
    assert.strictEqual(kuid.time(1n << 22n, {format: 'snowflake', setting: 0}), 1000000n);
    assert.strictEqual(kuid.time(3n << 44n | 5n << 24n, {format: 'k64'}), 3000005000000000n);
    assert.throws(() => kuid.text(Buffer.alloc(15), 'v7'), /16 bytes, not 15/);
    assert.throws(() => kuid.text(1n), /no format/);
    assert.throws(() => kuid.time('00000000-0000-4000-8000-000000000000'), /no format/);
  },
};

(async () => {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok ${name}`);
    } catch (error) {
      console.log(`not ok ${name}\n${error.stack.replace(/^/gm, '# ')}`);
      process.exitCode = 1;
    }
  }
})();
