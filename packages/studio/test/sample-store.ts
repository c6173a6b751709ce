import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { bool, dateTime, double, int64, json, newestFirst } from "@partita/core/models";
import { add, rename, upgrades } from "@partita/core/upgrades";

class Entry extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: {},
}) {}

/** A kind with children. */
export class Blog extends defineKind(Entry, {
  kind: "Blog",
  properties: {
    title: text(),
    text: text().optional(),
    rating: int32().default(0),
    views: int64().optional(),
    isPinned: bool().default(false),
    score: double().optional(),
    editedOn: dateTime().optional(),
    tags: json<readonly string[]>().optional(),
  },
  children: { comments: () => Comment },
}) {}

/** The children. */
export class Comment extends defineKind(Entry, {
  kind: "Comment",
  rowKey: { id: text() },
  properties: { author: text(), text: text() },
}) {}

const versions = upgrades({ Qty: int32() })
  .to(2, rename("Qty", "Quantity"))
  .to(3, add("State", text(), "open"));

/** A class with older versions. */
export class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { Quantity: int32(), State: text() },
  version: versions,
}) {}

/** Texts that a page must not take for anything but text. */
export const hostileTexts: readonly string[] = [
  `<script>window.wasAttacked = 1</script>`,
  `<img src=x onerror="window.wasAttacked = 1">`,
  `<svg onload="window.wasAttacked = 1">`,
  `"><iframe srcdoc="<script>parent.wasAttacked = 1</script>">`,
  `javascript:window.wasAttacked=1`,
  `{{constructor.constructor("window.wasAttacked = 1")()}}`,
  `' onmouseover='window.wasAttacked = 1`,
  `</textarea><script>window.wasAttacked = 1</script>`,
  "\u202Egnp.exe",
  "a\u0000b\nc\r\nd",
];

/** A store in memory with blogs, comments, orders of older versions, and a table without classes that holds hostile texts. */
export async function sampleStore(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Blog, Comment, Order]);
  await addBlogs(storage);
  await addOrders(storage);
  await storage.createTable("Hostile");
  for (const [i, value] of hostileTexts.entries())
    await storage.write("Hostile", {
      type: "insert",
      entity: { PartitionKey: "<b onclick=alert(1)>p", RowKey: `r${i}`, Text: value, Count: i },
    });
  return storage;
}

async function addBlogs(storage: TableStorage): Promise<void> {
  const context = new TableContext(storage);
  for (const [c, channel] of ["Azure", "Channel9", "Embedded", "Tables"].entries())
    for (let i = 0; i < 60 - c * 12; i++) {
      const postedOn = new Date(Date.UTC(2024, c, 1 + i, 9));
      const title = `${channel} note ${i + 1}`;
      const views = BigInt(i) * 1_000_003n;
      const rating = i % 6;
      const isPinned = i % 10 === 0;
      context.create(Blog, {
        channel,
        postedOn,
        title,
        text: `What we learnt in week ${i + 1}`,
        rating,
        views,
        isPinned,
        score: i / 7,
        tags: ["tables", channel.toLowerCase()],
      });
      for (let k = 0; k < i % 3; k++)
        context.create(Comment, {
          channel,
          postedOn,
          id: `c${k}`,
          author: ["Ada", "Grace"][k] ?? "Edsger",
          text: "Well said.",
        });
    }
  await context.saveChanges();
}

/** Orders as older programs wrote them. */
async function addOrders(storage: TableStorage): Promise<void> {
  for (let i = 0; i < 400; i++)
    await storage.write("Orders", {
      type: "insert",
      entity:
        i % 4 === 0
          ? { PartitionKey: `shop${i % 3}`, RowKey: `o${i}`, SchemaVersion: 2, Quantity: i }
          : { PartitionKey: `shop${i % 3}`, RowKey: `o${i}`, Qty: i },
    });
}
