// SPDX-License-Identifier: GPL-2.0-only
//
// Prints a v7 of npm's uuid for each line of the standard input, or with "ns" the nanoseconds of one:
// "ROW<tab>NS".
const {v7} = require('uuid');

const ROUNDS = 401, CALLS = 200;

function measure() {
	const ns = [];

	for (let round = 0; round < ROUNDS; round++) {
		const start = process.hrtime.bigint();
		for (let i = 0; i < CALLS; i++)
			v7();
		ns.push(Number(process.hrtime.bigint() - start) / CALLS);
	}
	ns.sort((a, b) => a - b);
	console.log(`npm uuid 11.1, v7\t${ns[ROUNDS >> 1].toFixed(2)}`);
}

if (process.argv[2] === 'ns')
	measure();
else
	require('readline').createInterface({input: process.stdin}).on('line', () => console.log(v7()));
