// SPDX-License-Identifier: MIT
// Nanoseconds of an ID, the median of 31, beside Node's own and reads of files:  bench.js PACKAGE
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const kuid = require(process.argv[2]);

function measure(name, call, ids = 1) {
  const count = 2000 / ids;
  const took = [];
  for (let round = 0; round < 41; round++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < count; i++) {
      call();
    }
    took.push(Number(process.hrtime.bigint() - begin) / count / ids);
  }
  // The first rounds are the compiler's.
  console.log(name.padEnd(32), took.slice(10).sort((a, b) => a - b)[15].toFixed(0).padStart(8));
}

measure('crypto.randomUUID', () => crypto.randomUUID());
for (const path of ['/dev/zero', '/dev/urandom']) {
  const file = fs.openSync(path);
  const bytes = Buffer.alloc(16);
  measure(`readSync ${path}`, () => fs.readSync(file, bytes));
}
for (const source of ['device', 'private', 'local']) {
  const ids = new kuid.Generator({source});
  try {
    for (const name of ['v7', 'v6']) {
      measure(`kuid ${source} ${name}`, () => ids[name]());
    }
    measure(`kuid ${source} batch(1000)`, () => ids.batch(1000), 1000);
  } catch (error) {
    console.log(`kuid ${source}: ${error.message}`);
  }
}
