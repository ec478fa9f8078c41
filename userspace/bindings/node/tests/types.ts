// SPDX-License-Identifier: MIT
// Compiled only, and not run: the types of the package.
import * as kuid from 'kuid';

const text: string = kuid.v7();
const bytes: Uint8Array = kuid.v6(null, new Uint8Array(16), 0);
const numbers: bigint[] = new kuid.Generator({order: 'host'}).batch(3, 'k64');
const time: bigint = kuid.time(text, {fromKuid: true});
// @ts-expect-error kuid chooses all parts.
kuid.v1({node: [1]});
// @ts-expect-error There is no such source.
new kuid.Generator({source: 'disk'});
export {bytes, numbers, time};
