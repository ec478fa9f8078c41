#!/usr/bin/env node
// SPDX-License-Identifier: MIT
//
// Reads a batch of IDs from kuid, and one more as text, and prints them:
//
//   many.js [--fallback] [DEVICE]
//
// If there is no device, it fails, or with --fallback makes the IDs itself.
//
// A stream, fs.createReadStream(), reads thousands of IDs ahead, and
// fs.readFile() never comes to an end. fs.read() must be given no position: the
// device has none.
//
// With the DEVICE /dev/kuids/host/v7 IDs are in order over all programs that
// read it.
'use strict';

const crypto = require('crypto');
const fs = require('fs');

const COUNT = 5;
const SIZE = 16;
const LINE = 37;

function read(path, size) {
  const data = Buffer.alloc(size);
  const device = fs.openSync(path, 'r');
  try {
    const got = fs.readSync(device, data);
    // A signal may end a read early.
    if (got < size) {
      throw new Error(`${path} gave ${got} of ${size} bytes`);
    }
  } finally {
    fs.closeSync(device);
  }
  return data;
}

function text(hex) {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function fromKuid(path) {
  const batch = read(path, COUNT * SIZE);
  const ids = [];
  for (let start = 0; start < batch.length; start += SIZE) {
    ids.push(text(batch.toString('hex', start, start + SIZE)));
  }
  return [...ids, read(`${path}.txt`, LINE).toString().trimEnd()];
}

// A UUID version 7: a random one that begins with the time in milliseconds.
function withoutKuid() {
  const milliseconds = Date.now().toString(16).padStart(12, '0');
  const random = crypto.randomUUID().replaceAll('-', '');
  return text(`${milliseconds}7${random.slice(13)}`);
}

const args = process.argv.slice(2);
const fallback = args[0] === '--fallback' && args.shift();
const path = args[0] ?? '/dev/kuids/v7';
try {
  const ids =
    fallback && !fs.existsSync(path)
      ? Array.from({ length: COUNT }, withoutKuid)
      : fromKuid(path);
  console.log(ids.join('\n'));
} catch (error) {
  const reason =
    error.code === 'ENOENT'
      ? `no ${path}: load the module kuid, or use --fallback`
      : error.message;
  console.error(`many.js: ${reason}`);
  process.exitCode = 1;
}
