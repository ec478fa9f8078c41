// SPDX-License-Identifier: MIT
// Nanoseconds of an ID, the median of 31, beside Node's own and reads of files:  bench.js PACKAGE
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const kuid = require(process.argv[2]);

function measure(name, call) {
  const took = [];
  for (let round = 0; round < 41; round++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < 2000; i++) {
      call();
    }
    took.push(Number(process.hrtime.bigint() - begin) / 2000);
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
// The device is the last one: where there is none, that is an error.
for (const source of ['local', 'device']) {
  const ids = new kuid.Generator({source});
  measure(`kuid ${source} v7`, () => ids.v7());
  measure(`kuid ${source} v6`, () => ids.v6());
}
