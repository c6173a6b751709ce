// Compiled with isolatedDeclarations: an exported class of defineEntity says its instance's type.
import { defineEntity, type EntityClass, int32, type TableContext, text } from "../../src/index.ts";

export interface Blog {
  channel: string;
  id: string;
  rating: number;
}

export const Blog: EntityClass<Blog> = defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { rating: int32() },
});

export const best = (context: TableContext, channel: string): Promise<Blog[]> =>
  context
    .query(Blog)
    .where((b) => b.channel.eq(channel).and(b.rating.ge(4)))
    .toArray();
