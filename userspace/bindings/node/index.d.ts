// SPDX-License-Identifier: MIT
export type Source = 'auto' | 'device' | 'private' | 'local';
export type Order = 'file' | 'host';
export type Uuid = 'v1' | 'v6' | 'v7';
export type Integer = 'k64' | 'snowflake';
export type Bytes = 'lex' | 'k96' | 'k128';
export type Format = Uuid | Integer | Bytes;
export type ID = string | bigint | Uint8Array;
type IDOf<F> = F extends Uuid ? string : F extends Integer ? bigint : Uint8Array;

interface Make {
  (options?: null | Record<string, never>, buf?: undefined, offset?: number): string;
  <Buf extends Uint8Array | number[]>(
    options: null | undefined | Record<string, never>,
    buf: Buf,
    offset?: number,
  ): Buf;
}

export interface Guarantees {
  source: Exclude<Source, 'auto'> | 'plain';
  order: Order;
  unique: boolean;
  ordered: boolean;
  rebootSafe: boolean;
  clones: 'seen' | 'told' | 'never';
}

export class Generator {
  constructor(choice?: { source?: Source; order?: Order });
  readonly source: Source | 'plain';
  readonly order: Order;
  v1: Make;
  v6: Make;
  v7: Make;
  k64(): bigint;
  snowflake(): bigint;
  lex(): Uint8Array;
  k96(): Uint8Array;
  k128(): Uint8Array;
  batch<F extends Format = 'v7'>(n: number, format?: F): IDOf<F>[];
  guarantees(format?: Format): Guarantees;
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
export const guarantees: Generator['guarantees'];

interface Reading {
  setting?: number | bigint;
  fromKuid?: boolean;
}
export function text(id: ID, format?: Format): string;
export function parse(text: string): ID;
export function parse<F extends Format>(text: string, format: F): IDOf<F>;
export function time(id: ID, options?: Reading & { format?: Format }): Date;
export function timeNs(id: ID, options?: Reading & { format?: Format }): bigint;
export function lowest<F extends Format>(format: F, time: Date | bigint, options?: Reading): IDOf<F>;
export function highest<F extends Format>(format: F, time: Date | bigint, options?: Reading): IDOf<F>;
export function whenReady<T>(call: () => T, options?: { signal?: AbortSignal }): Promise<T>;
