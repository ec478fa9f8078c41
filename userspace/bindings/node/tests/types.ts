// SPDX-License-Identifier: MIT
// Compiled only, and not run: the types of the package.
import * as kuid from '@kuid/kuid';
import { v7 } from '@kuid/kuid/host';

const text: string = v7();
const numbers: bigint[] = new kuid.Generator({ order: 'host' }).batch(3, 'k64');
const texts: string[] = kuid.batch(3);
const time: Date = kuid.time(text, { madeByKuid: true });
const ns: bigint = kuid.timeNs(text);
const number: bigint = kuid.parse('1', 'snowflake');
const end: Uint8Array = kuid.lowest('lex', time);
const later: Promise<string> = kuid.whenReady(() => kuid.v7(), { signal: new AbortController().signal });
const unique: boolean = kuid.guarantees('k64').unique;
// @ts-expect-error kuid chooses all parts.
kuid.v1({ node: [1] });
// @ts-expect-error There is no such source.
new kuid.Generator({ source: 'disk' });
// @ts-expect-error There is no such format.
kuid.batch(1, 'v4');
// @ts-expect-error There is no such function.
kuid.v4();
export { numbers, texts, time, ns, number, end, later, unique };
