// SPDX-License-Identifier: GPL-2.0-only
//
// Prints a v7 of npm's uuid for each line of the standard input.
const {v7} = require('uuid');

require('readline').createInterface({input: process.stdin}).on('line', () => console.log(v7()));
