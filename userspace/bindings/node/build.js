// SPDX-License-Identifier: MIT
// Compiles the addon by the C compiler alone, with the headers of Node.js. node build.js FILE always;
// without FILE, at an installation, if none came with the package, and not to worry if that fails.
'use strict';

const {spawnSync} = require('child_process');
const fs = require('fs');
const path = require('path');

const to = process.argv[2];
if (to || (process.platform === 'linux' && require('./load.js').plain)) {
  const libkuid = fs.readdirSync(`${__dirname}/libkuid`).filter((name) => name.endsWith('.c'));
  const {status} = spawnSync(process.env.CC ?? 'cc', [
    '-O2', '-g', '-Wall', '-std=gnu11', '-D_GNU_SOURCE', '-shared', '-fPIC', '-fvisibility=hidden',
    ...(process.env.CFLAGS ?? '').split(' ').filter(Boolean),
    '-I', path.join(process.execPath, '../../include/node'), '-I', 'libkuid', '-o', to ?? 'kuid.node', 'addon.c',
    ...libkuid.map((name) => `libkuid/${name}`),
  ], {cwd: __dirname, stdio: 'inherit'});
  process.exitCode = to && status !== 0 ? 1 : 0;
}
