// SPDX-License-Identifier: MIT
export type Source = 'auto' | 'device' | 'private' | 'local';
export type Order = 'file' | 'host';
export type Uuid = 'v1' | 'v6' | 'v7';
export type Integer = 'k64' | 'snowflake';
export type Bytes = 'lex' | 'k96' | 'k128';
export type Format = Uuid | Integer | Bytes;
export type ID = string | bigint | Uint8Array;
type IDOf<F> = F extends Uuid ? string : F extends Integer ? bigint : Uint8Array;

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
  v1(): string;
  v6(): string;
  v7(): string;
  k64(): bigint;
  snowflake(): bigint;
  lex(): Uint8Array;
  k96(): Uint8Array;
  k128(): Uint8Array;
  batch<F extends Format = 'v7'>(n: number, format?: F): IDOf<F>[];
  guarantees(format?: Format): Guarantees;
}

export const { v1, v6, v7, k64, snowflake, lex, k96, k128, batch, guarantees }: Generator;

interface Reading {
  setting?: number | bigint;
  madeByKuid?: boolean;
}
export function text(id: ID, format?: Format): string;
export function parse(text: string): ID;
export function parse<F extends Format>(text: string, format: F): IDOf<F>;
export function time(id: ID, options?: Reading & { format?: Format }): Date;
export function timeNs(id: ID, options?: Reading & { format?: Format }): bigint;
export function lowest<F extends Format>(format: F, time: Date | bigint, options?: Reading): IDOf<F>;
export function highest<F extends Format>(format: F, time: Date | bigint, options?: Reading): IDOf<F>;
export function whenReady<T>(call: () => T, options?: { signal?: AbortSignal }): Promise<T>;
