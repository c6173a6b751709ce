// Compiled with isolatedDeclarations: an exported class of defineEntity says its instance's type.
import {
  type Children,
  defineEntity,
  type EntityClass,
  int32,
  type TableContext,
  text,
} from "../../src/index.ts";

export interface Blog {
  channel: string;
  id: string;
  rating: number;
  etag?: string | undefined;
  comments?: Children<Comment> | undefined;
}

export interface Comment {
  channel: string;
  id: string;
  comment: string;
}

export const Comment: EntityClass<Comment> = defineEntity({
  table: "Blogs",
  kind: "Comment",
  partitionKey: { channel: text() },
  rowKey: { id: text(), comment: text() },
  properties: {},
});

export const Blog: EntityClass<Blog> = defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  kind: "Blog",
  properties: { rating: int32() },
  etagProperty: "etag",
  children: { comments: () => Comment },
});

export const best = (context: TableContext, channel: string): Promise<Blog[]> =>
  context
    .query(Blog)
    .where((b) => b.channel.eq(channel).and(b.rating.ge(4)))
    .include((b) => b.comments)
    .toArray();
