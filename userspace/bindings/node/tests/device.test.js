// SPDX-License-Identifier: MIT
// What the fake device of the library's tests can show; check.sh preloads it.
'use strict';

const assert = require('assert');
const fs = require('fs');
const {Worker} = require('worker_threads');
const kuid = require(process.argv[2]);

// Set a field of the fake kernel.
function change(field, value) {
  const path = `${process.env.FAKE}/device`;
  fs.writeFileSync(`${path}.new`, `${field} ${value}\n`);
  fs.renameSync(`${path}.new`, path);
}

(async () => {
  const ids = new kuid.Generator({source: 'device'});
  ids.v7();

  // Four that wait keep neither the pool of threads nor a worker.
  change('waiting', 1);
  assert.throws(() => ids.v7(), {code: 'EAGAIN'});
  const stop = new AbortController();
  const waiting = Array.from({length: 4}, () => kuid.whenReady(() => ids.v7(), {signal: stop.signal}));
  assert.match(await fs.promises.readFile(__filename, 'utf8'), /SPDX/);
  const code = `require('${process.argv[2]}').whenReady(require('${process.argv[2]}').v7);
    require('worker_threads').parentPort.postMessage('waits')`;
  const worker = new Worker(code, {eval: true});
  await new Promise((resolve) => worker.once('message', resolve));
  await worker.terminate();
  stop.abort();
  for (const result of await Promise.allSettled(waiting)) {
    assert.strictEqual(result.reason?.name, 'AbortError');
  }
  const late = kuid.whenReady(() => ids.batch(10, 'k64'));
  change('waiting', 0);
  assert.strictEqual((await late).length, 10);

  // One descriptor serves all formats and orders.
  process.env.FAKE_OPEN = '2';
  for (const name of ['v1', 'v6', 'v7', 'lex', 'k64', 'k96', 'k128', 'snowflake']) {
    ids[name]();
    new kuid.Generator({source: 'device', order: 'host'})[name]();
  }
  assert.throws(() => new kuid.Generator({source: 'private'}).v7(), {code: 'ENODEV'});

  fs.writeFileSync(`${process.env.FAKE}/device`, 'unique 32\nclones 3\n');
  assert.deepStrictEqual(ids.guarantees('k64'), {
    source: 'device', order: 'file', unique: true, ordered: false, rebootSafe: false, clones: 'seen',
  });

  // A wait that nobody ends does not hold the process.
  change('waiting', 1);
  kuid.whenReady(() => ids.v7());
  console.log('passed');
  process.exit();
})();
