// A page of four kinds compared with pages of one kind, per entity.
import {
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  openStorage,
  TableContext,
  text,
} from "@partita/core";
import { padded } from "@partita/core/keys";
import { compare } from "./compare.ts";

class Item extends defineEntity({
  table: "Items",
  partitionKey: { user: text() },
  rowKey: { id: padded(6) },
  properties: { title: text(), note: text() },
}) {}
class Photo extends defineKind(Item, { kind: "Photo", properties: { width: int32(), url: text() } }) {}
class Video extends defineKind(Item, { kind: "Video", properties: { seconds: int32(), url: text() } }) {}
class Status extends defineKind(Item, { kind: "Status", properties: { stars: int32(), mood: text() } }) {}
class Link extends defineKind(Item, { kind: "Link", properties: { clicks: int32(), url: text() } }) {}

const storage = await openStorage("memory:");
await createTables(storage, [Item, Photo, Video, Status, Link] as EntityClass[]);
const more = { Photo: "width", Video: "seconds", Status: "stars", Link: "clicks" } as const;
const kinds = Object.keys(more) as (keyof typeof more)[];
for (const [user, of] of [
  ["one", 1],
  ["four", 4],
] as const)
  for (let i = 0; i < 1000; i++) {
    const Kind = kinds[i % of] as keyof typeof more;
    const entity = {
      PartitionKey: user,
      RowKey: String(i).padStart(6, "0"),
      Kind,
      title: `Title ${i}`,
      note: `Note ${i}`,
      [more[Kind]]: i,
      [Kind === "Status" ? "mood" : "url"]: `value ${i}`,
    };
    await storage.write("Items", { type: "insert", entity });
  }

const read = (user: string) => async (): Promise<void> => {
  const found = await new TableContext(storage).query(Item).where({ user }).toArray();
  if (found.length !== 1000) throw new Error(`Read ${found.length} rows.`);
};
await compare({
  title: "A page of 1,000 entities of four kinds, for each entity",
  clock: "thread",
  rounds: 21,
  units: 1000,
  baseline: { name: "of one kind", run: read("one") },
  ours: { name: "of four kinds", target: { atMost: 1.15 }, run: read("four") },
});
