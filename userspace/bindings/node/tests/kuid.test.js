// SPDX-License-Identifier: MIT
// What needs no device; selftests/bindings has the rest.
'use strict';

const assert = require('assert');
const {spawnSync} = require('child_process');
const fs = require('fs');
const name = process.argv[2];
const kuid = require(name);
const host = require(`${name}/host`);

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
  'batches increase': () => {
    for (const n of [0, 1, 255, 256, 257, 1000]) {
      const made = ids.batch(n);
      assert.strictEqual(made.length, n);
      increase(made);
    }
    assert.throws(() => ids.batch(-1), RangeError);
  },
  'a million IDs leave nothing': () => {
    const grown = () => {
      for (let i = 0; i < 5; i++) {
        ids.batch(50000);
        Array.from({length: 50000}, () => ids.v7());
      }
      return process.resourceUsage().maxRSS;
    };
    grown();
    // In KiB: 100 bytes an ID would be 50,000.
    assert(grown() - grown() > -25000);
  },
  'what would choose parts is refused': () => {
    assert.match(ids.v7({}), FORM);
    assert.strictEqual(Array.from({length: 3}, ids.v7.bind(ids)).length, 3);
    for (const args of [[{node: [1, 2, 3, 4, 5, 6]}], [null, Buffer.alloc(16)]]) {
      assert.throws(() => ids.v1(...args), /keep IDs unique/);
    }
  },
  'unknown sources, orders and formats are refused': () => {
    for (const name of ['disk', 'constructor', '__proto__']) {
      assert.throws(() => new kuid.Generator({source: name}), /no source/);
      assert.throws(() => new kuid.Generator({order: name}), /no order/);
      assert.throws(() => ids.batch(1, name), /no format/);
    }
    assert.throws(() => new kuid.Generator({source: 'local', order: 'host'}), /only the device/);
  },
  'auto becomes local, tells, and warns once': async () => {
    const auto = new kuid.Generator();
    assert.strictEqual(auto.source, 'auto');
    auto.v7();
    kuid.v6();
    assert.strictEqual(auto.source, 'local');
    assert.strictEqual(kuid.guarantees().source, 'local');
    assert.throws(() => kuid.k64(), {code: 'ENODEV'});
    await new Promise(setImmediate);
    assert.deepStrictEqual(seen, ['KuidWarning']);
  },
  'a missing device is an error that helps': () => {
    const [device, private_] = ['device', 'private'].map((source) => new kuid.Generator({source}));
    for (const call of [() => device.v7(), () => private_.v7(), kuid.k64, host.v7, host.k64, host.guarantees]) {
      assert.throws(call, {code: 'ENODEV', message: /modprobe kuid/});
    }
    assert.throws(() => ids.k64(), {code: 'ENOTSUP'});
  },
  'published IDs are read': () => {
    const lines = fs.readFileSync(process.argv[3], 'utf8').trim().split('\n').filter((line) => line[0] !== '#');
    for (const [format, setting, text, id, ns, ...ends] of lines.map((line) => line.split('\t'))) {
      if (!ns) {
        assert.throws(() => kuid.parse(text, format), {message: new RegExp(`${id.replace('at', 'at character')}$`)});
        continue;
      }
      const options = setting === '-' ? {} : setting === 'made_by_kuid' ? {madeByKuid: true} : {setting: BigInt(setting)};
      const ofHex = (hex) => kuid.text(Buffer.from(hex, 'hex'), format);
      assert.strictEqual(kuid.text(kuid.parse(text, format), format), text);
      assert.strictEqual(ofHex(id), text);
      if (ns !== '-') {
        assert.strictEqual(kuid.timeNs(text, {format, ...options}), BigInt(ns), text);
        const made = [kuid.lowest, kuid.highest].map((end) => kuid.text(end(format, BigInt(ns), options), format));
        assert.deepStrictEqual(made, ends.map(ofHex));
      }
    }
  },
  'what is no ID is refused': () => {
    assert.throws(() => kuid.text(Buffer.alloc(15), 'v7'), /16 bytes, not 15/);
    assert.throws(() => kuid.text(1n), /must be given/);
    assert.throws(() => kuid.timeNs('00000000-0000-4000-8000-000000000000'), /no ID with a time/);
    const id = ids.v7();
    for (const wrong of [id.replaceAll('-', ''), ` ${id}`, id.replace(/-(.)/, '$1-'), '12']) {
      assert.throws(() => kuid.parse(wrong), RangeError);
      assert.throws(() => kuid.time(wrong), RangeError);
    }
  },
  'times have a range': () => {
    for (const far of [-(10n ** 20n), new Date(NaN)]) {
      assert.throws(() => kuid.lowest('v7', far), RangeError);
    }
    const of2300 = '00978d4f-e500-7000-8000-000000000000'.replace('0097', '0978');
    assert.strictEqual(kuid.timeNs(of2300), BigInt(0x09788d4fe500) * 1000000n);
    assert.strictEqual(kuid.time(of2300).getTime(), 0x09788d4fe500);
    assert.throws(() => kuid.time(Buffer.alloc(16, 0xff), {format: 'lex'}), /a Date does not reach/);
  },
  'nobody who asks is warned': () => {
    const code = `const kuid = require('${name}');
      console.log(JSON.stringify(kuid.guarantees()));
      kuid.v7();`;
    const {stdout, stderr} = spawnSync(process.execPath, ['-e', code], {encoding: 'utf8'});
    assert.deepStrictEqual(JSON.parse(stdout), {
      source: 'local', order: 'file', unique: true, ordered: true, rebootSafe: true, clones: 'never',
    });
    assert.strictEqual(stderr, '');
  },
  'a module of either kind finds all names': () => {
    for (const from of [name, `${name}/host`]) {
      const names = Object.keys(require(from));
      const code = `import {${names}} from '${from}';\nconsole.log([${names}].length)`;
      const {stdout} = spawnSync(process.execPath, ['--input-type=module', '-e', code], {encoding: 'utf8'});
      assert.strictEqual(stdout, `${names.length}\n`);
    }
  },
  'without the addon UUIDs are plain': () => {
    const code = `const path = require.resolve('${name}').replace('index.js', 'load.js');
      require.cache[path] = {exports: require(path.replace('load.js', 'plain.js')), loaded: true};
      const assert = require('assert');
      const kuid = require('${name}');
      const made = [...Array.from({length: 10000}, () => kuid.v7()), ...kuid.batch(10000)];
      assert.deepStrictEqual([...new Set(made)].sort(), made);
      assert(made.every((id) => ${FORM}.exec(id)[1] === '7'));
      assert.strictEqual(kuid.guarantees().source, 'plain');
      const id = made[0];
      assert.strictEqual(kuid.parse(id), id);
      assert(Math.abs(kuid.time(id) - Date.now()) < 10000);
      assert(kuid.lowest('v7', kuid.time(id)) <= id && id <= kuid.highest('v7', kuid.time(id)));
      assert.throws(() => kuid.parse(id + '0'), RangeError);
      for (const call of [kuid.v6, kuid.k64, require('${name}/host').v7, new kuid.Generator({source: 'device'}).v7]) {
        assert.throws(() => call.call(new kuid.Generator({source: 'device'})), {code: 'ENODEV', message: /no addon/});
      }
      for (const now of [-1, 2 ** 48]) {
        Date.now = () => now;
        assert.throws(() => kuid.v7(), {code: 'EOVERFLOW'});
      }`;
    const {status, stderr} = spawnSync(process.execPath, ['-e', code], {encoding: 'utf8'});
    assert.strictEqual(status, 0, stderr);
    assert.strictEqual(stderr.match(/KuidWarning/g).length, 1);
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
