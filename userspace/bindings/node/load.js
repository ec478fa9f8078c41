// SPDX-License-Identifier: MIT
// The addon that was compiled at the installation, or came with the package; else plain.js.
'use strict';

function load(path) {
  try {
    return require(path);
  } catch {
    return undefined;
  }
}

module.exports = load('./kuid.node') ?? load(`./prebuilt/${process.platform}-${process.arch}.node`) ??
    require('./plain.js');
