import type { AreaPages } from "../error-page.ts";

const entries = `
@Table("Entries")
abstract class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Post")
class Post extends Entry {}
@Kind("Comment")
class Comment extends Entry {}
`;

export const kinds: AreaPages = {
  "kind.class-unseen": {
    cause:
      "A query through a base class read a row of a kind whose class Partita has not seen yet. A class is known once you pass it to a query, to a context or to `createTables`.",
    remedy: "Pass all kinds once when your program starts: `createTables(storage, [Base, Post, Comment])`.",
    example: `
const Entry = defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {},
});
class Post extends defineKind(Entry, { kind: "Post", properties: {} }) {}

await createTables(storage, [Entry]); // createTables(storage, [Entry, Post]) makes Post known
await storage.transact("Entries", [
  { type: "insert", entity: { PartitionKey: "c", RowKey: "1", Kind: "Post" } }, // as an earlier run wrote it
]);
await context.query(Entry).where({ channel: "c" }).toArray();`,
  },
  "kind.mismatch": {
    cause:
      "You asked for an entity of one kind, but the row with this key has another kind, or the context tracks an entity of another kind under it.",
    remedy: "Ask for the class of the stored kind, or for the base class of both.",
    example: `${entries}
await createTables(storage, [Post, Comment]);
context.create(Comment, { channel: "c", id: "1" });
await context.saveChanges();
await context.find(Post, { channel: "c", id: "1" });`,
  },
  "kind.unknown": {
    cause:
      "A row has a kind that none of your classes declares, or no kind at all. A newer release or another program wrote it.",
    remedy:
      'Declare the kind. To ignore such rows, set `unknownKind: "skip"` for the table, or read with `unreadableRows: "skip"`.',
    example: `${entries}
await storage.createTable("Entries");
await storage.transact("Entries", [
  { type: "insert", entity: { PartitionKey: "c", RowKey: "1" } },
]);
await context.query(Entry).where({ channel: "c" }).toArray();`,
  },
};
