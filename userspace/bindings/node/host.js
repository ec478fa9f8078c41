// SPDX-License-Identifier: MIT
// The same functions in the order of the whole host, which only the device has.
'use strict';

const {Generator} = require('./index.js');

const ids = new Generator({order: 'host'});
const [v1, v6, v7, k64, snowflake, lex, k96, k128, batch, guarantees] =
  ['v1', 'v6', 'v7', 'k64', 'snowflake', 'lex', 'k96', 'k128', 'batch', 'guarantees']
      .map((name) => ids[name].bind(ids));
module.exports = {v1, v6, v7, k64, snowflake, lex, k96, k128, batch, guarantees};
