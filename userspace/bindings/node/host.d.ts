// SPDX-License-Identifier: MIT
export { v1, v6, v7, k64, snowflake, lex, k96, k128, batch, guarantees } from './index.js';
