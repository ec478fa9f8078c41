#!/usr/bin/env node
// SPDX-License-Identifier: MIT
//
// Prints IDs, one a line, in canonical text:
//
//   ids.js [-from SOURCE] [-host] [-turns] [-check] [-close] [-workers N] [-threads N] [FORMAT [COUNT]]
//
// -turns prints one, or its error, for each line of the standard input. -check reads each with
// Node's own means. -close puts another file in place of the device before each. After one ID that is not printed, -workers begins processes which print COUNT
// each, and -threads begins threads. The source is printed to the standard error in the end.
'use strict';

const childProcess = require('child_process');
const fs = require('fs');
const readline = require('readline');
const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');
const kuid = require('./index.js');

const given = {from: 'auto', workers: 0, threads: 0};
const rest = [];
const args = isMainThread ? process.argv.slice(2) : workerData;
for (let i = 0; i < args.length; i++) {
  const [, name] = /^-(.*)/.exec(args[i]) ?? [];
  if (!name) {
    rest.push(args[i]);
  } else {
    given[name] = ['host', 'turns', 'check', 'close'].includes(name) ? true : args[++i];
  }
}
const [format = 'v7', count = '1'] = rest;

const ids = new kuid.Generator({source: given.from, order: given.host ? 'host' : 'file'});

// Its fields are read from its text, as there is no library of Node's own for that.
function check(id) {
  const hex = id.replaceAll('-', '');
  let ms = parseInt(hex.slice(0, 12), 16);
  if (format !== 'v7') {
    const high = format === 'v1' ? hex.slice(13, 16) + hex.slice(8, 12) + hex.slice(0, 8) :
      hex.slice(0, 12) + hex.slice(13, 16);
    ms = Number((BigInt(`0x${high}`) - 0x01b21dd213814000n) / 10000n);
  }
  if (id[14] !== format[1] || !'89ab'.includes(id[19]) || Math.abs(Date.now() - ms) > 10000 ||
      kuid.time(id).getTime() !== ms) {
    throw new Error(`${id} is wrong`);
  }
}

// As a program does that closes all files and opens others.
function loseDevice() {
  for (const name of fs.readdirSync('/proc/self/fd')) {
    const path = `/proc/self/fd/${name}`;
    if (fs.existsSync(path) && fs.readlinkSync(path).startsWith('/dev/kuid')) {
      fs.closeSync(Number(name));
      while (fs.openSync('/dev/zero') < Number(name));
    }
  }
}

async function line() {
  if (given.close) {
    loseDevice();
  }
  const id = await kuid.whenReady(() => ids[format]());
  if (given.check) {
    check(id);
  }
  return kuid.text(id, format);
}

async function lines() {
  let text = '';
  for (let i = 0; i < count; i++) {
    text += `${await line()}\n`;
  }
  return text;
}

async function turns() {
  for await (const _ of readline.createInterface({input: process.stdin})) {
    console.log(await line().catch((error) => `error: ${error.message}`));
  }
}

// Each gives its lines, and then its exit status.
function ended(what) {
  return new Promise((resolve, reject) => {
    what.on('message', (text) => process.stdout.write(text));
    what.on('error', reject);
    what.on('exit', (status) => status ? reject(new Error(`status ${status}`)) : resolve());
  });
}

async function main() {
  const [workers, threads] = [Number(given.workers), Number(given.threads)];
  const same = ['-from', given.from, format, count];
  if (given.turns) {
    await turns();
  } else if (workers || threads) {
    await line();
    await Promise.all(Array.from({length: workers + threads}, () => ended(workers ?
      childProcess.fork(__filename, ['-child', 'yes', ...same]) :
      new Worker(__filename, {argv: [], workerData: same}))));
  } else if (given.child) {
    process.send(await lines());
  } else if (isMainThread) {
    process.stdout.write(await lines());
  } else {
    parentPort.postMessage(await lines());
  }
  if (isMainThread && !given.child) {
    console.error(`source: ${ids.source}`);
  }
}

main().catch((error) => {
  console.error(`kuid: ${error.message}`);
  process.exitCode = 1;
});
