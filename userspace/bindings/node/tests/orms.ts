// SPDX-License-Identifier: MIT
// Keys of rows, by other packages.
import 'reflect-metadata';
import { pgTable, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { BeforeInsert, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { v7 } from '@kuid/kuid';

@Entity()
class Order {
  @PrimaryColumn('uuid') id!: string;
  @BeforeInsert() make() { this.id = v7(); }
}

(async () => {
  const source = await new DataSource({ type: 'sqljs', synchronize: true, entities: [Order] }).initialize();
  const orders = source.getRepository(Order);
  const made: string[] = [];
  for (let i = 0; i < 3; i++) {
    made.push((await orders.save(new Order())).id);
  }
  const read = (await orders.find({ order: { id: 'ASC' } })).map(({ id }) => id);
  const table = pgTable('orders', { id: uuid().primaryKey().$defaultFn(v7) });
  const { params } = drizzle(async () => ({ rows: [] })).insert(table).values({}).toSQL();
  if (`${made}` !== `${read}` || params.length !== 1 || [...made, ...params].some((id) => `${id}`[14] !== '7')) {
    throw new Error(`${made} was read as ${read}, and Drizzle has ${params}`);
  }
})();
