// SPDX-License-Identifier: MIT
export type Source = 'auto' | 'device' | 'private' | 'local';
export type Order = 'file' | 'cpu' | 'host';
export type Format = 'v1' | 'v6' | 'v7' | 'lex' | 'k64' | 'k96' | 'k128' | 'snowflake';
export type ID = string | bigint | Uint8Array;

interface Make {
  (options?: null | Record<string, never>, buf?: undefined, offset?: number): string;
  <Buf extends Uint8Array | number[]>(
    options: null | undefined | Record<string, never>,
    buf: Buf,
    offset?: number,
  ): Buf;
}

export class Generator {
  constructor(choice?: {source?: Source; order?: Order});
  readonly source: Source;
  readonly order: Order;
  v1: Make;
  v6: Make;
  v7: Make;
  k64(): bigint;
  snowflake(): bigint;
  lex(): Uint8Array;
  k96(): Uint8Array;
  k128(): Uint8Array;
  batch(n: number, format?: 'v1' | 'v6' | 'v7'): string[];
  batch(n: number, format: 'k64' | 'snowflake'): bigint[];
  batch(n: number, format: 'lex' | 'k96' | 'k128'): Uint8Array[];
  ready(format?: Format): Promise<void>;
}

export const v1: Make;
export const v6: Make;
export const v7: Make;
export const k64: Generator['k64'];
export const snowflake: Generator['snowflake'];
export const lex: Generator['lex'];
export const k96: Generator['k96'];
export const k128: Generator['k128'];
export const batch: Generator['batch'];
export const ready: Generator['ready'];
export const source: Source;

export function text(id: ID, format?: Format): string;
export function time(
  id: ID,
  options?: {format?: Format; setting?: number; fromKuid?: boolean},
): bigint;
