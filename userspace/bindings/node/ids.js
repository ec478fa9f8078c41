#!/usr/bin/env node
// SPDX-License-Identifier: MIT
//
// Prints IDs, one a line, in canonical text:
//
//   ids.js [-from SOURCE] [-host] [-turns] [-threads N] [FORMAT [COUNT]]
//
// -turns prints one, or its error, for each line of the standard input. After one ID that is not
// printed, -threads begins threads which print COUNT each. The source is printed to the standard
// error in the end.
'use strict';

const readline = require('readline');
const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');
const kuid = require('./index.js');

const given = {from: 'auto', threads: 0};
const rest = [];
const args = isMainThread ? process.argv.slice(2) : workerData;
for (let i = 0; i < args.length; i++) {
  const [, name] = /^-(.*)/.exec(args[i]) ?? [];
  if (!name) {
    rest.push(args[i]);
  } else {
    given[name] = ['host', 'turns'].includes(name) ? true : args[++i];
  }
}
const [format = 'v7', count = '1'] = rest;

const ids = new kuid.Generator({source: given.from, order: given.host ? 'host' : 'file'});

async function line() {
  return kuid.text(await kuid.whenReady(() => ids[format]()), format);
}

async function lines() {
  let text = '';
  for (let i = 0; i < count; i++) {
    text += `${await line()}\n`;
  }
  return text;
}

// Gives its lines, and then its exit status.
function ended(worker) {
  return new Promise((resolve, reject) => {
    worker.on('message', (text) => process.stdout.write(text));
    worker.on('error', reject);
    worker.on('exit', resolve);
  });
}

async function main() {
  if (!isMainThread) {
    parentPort.postMessage(await lines());
    return;
  }
  if (given.turns) {
    for await (const _ of readline.createInterface({input: process.stdin})) {
      console.log(await line().catch((error) => `error: ${error.message}`));
    }
  } else if (given.threads) {
    await line();
    const same = {argv: [], workerData: ['-from', given.from, format, count]};
    await Promise.all(Array.from({length: given.threads}, () => ended(new Worker(__filename, same))));
  } else {
    process.stdout.write(await lines());
  }
  console.error(`source: ${ids.source}`);
}

main().catch((error) => {
  console.error(`kuid: ${error.message}`);
  process.exitCode = 1;
});
