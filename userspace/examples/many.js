#!/usr/bin/env node
// SPDX-License-Identifier: MIT
//
// Reads a batch of IDs from kuid and prints them: many.js [DEVICE]
//
// A stream, fs.createReadStream(), reads thousands of IDs ahead, and
// fs.readFile() never comes to an end. fs.read() must be given no position: the
// device has none.
'use strict';

const fs = require('fs');

const COUNT = 5;
const SIZE = 16;

function read(path) {
  const batch = Buffer.alloc(COUNT * SIZE);
  const device = fs.openSync(path, 'r');
  try {
    const got = fs.readSync(device, batch);
    // A signal may end a read early, though never within an ID.
    if (got < batch.length) {
      throw new Error(`gave ${got} of ${batch.length} bytes`);
    }
  } finally {
    fs.closeSync(device);
  }
  return batch;
}

function text(id) {
  return id
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const path = process.argv[2] ?? '/dev/kuids/v7';
try {
  const batch = read(path);
  for (let start = 0; start < batch.length; start += SIZE) {
    console.log(text(batch.subarray(start, start + SIZE)));
  }
} catch (error) {
  console.error(`many.js: ${path}: ${error.message}`);
  process.exitCode = 1;
}
