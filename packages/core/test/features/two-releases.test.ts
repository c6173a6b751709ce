import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import { constant, padded, verbatim } from "../../src/keys.ts";
import { sendWith } from "../../src/internal.ts";
import { upgrades } from "../../src/upgrades.ts";
import { census, upgradeTable } from "@partita/maintenance";

/*
 * Two releases share a table. The newer one declares indexes, a unique value, markers and an outbox; the older one knows
 * nothing of them, and its RowKey is open text. Each of its methods must see entities only, and leave all other rows alone.
 */

const keys = { partitionKey: { shop: text() }, rowKey: { id: text() } } as const;
const properties = { name: text(), rank: int32().default(0) } as const;
const additions = {
  proof: "marker",
  outbox: true,
  indexes: {
    byRank: { rowKey: { rank: constant("RANK:", padded(3)) } },
    byName: { rowKey: { name: constant("NAME:", verbatim) }, unique: true },
  },
} as const;

class NewPlain extends defineEntity({ table: "Items", ...keys, properties, ...additions }) {}
class OldPlain extends defineEntity({ table: "Items", ...keys, properties }) {}

class NewBase extends defineEntity({ table: "Items", ...keys, properties, ...additions }) {}
class NewKind extends defineKind(NewBase, { kind: "Item" }) {}
class OldBase extends defineEntity({ table: "Items", ...keys, properties }) {}
class OldKind extends defineKind(OldBase, { kind: "Item" }) {}

class NewSkipping extends defineEntity({
  table: "Items",
  ...keys,
  properties,
  ...additions,
  unknownKind: "base",
}) {}
class NewOther extends defineKind(NewSkipping, { kind: "Item" }) {}
class OldLenient extends defineEntity({ table: "Items", ...keys, properties, unknownKind: "base" }) {}
class OldOther extends defineKind(OldLenient, { kind: "Other" }) {}

/** Has a newer version, so that it has something to upgrade; for the rest it knows as little. */
class OldVersioned extends defineEntity({
  table: "Items",
  ...keys,
  properties: { title: text(), rank: int32().default(0) },
  version: upgrades(properties).to(2, { title: text(), rank: int32().default(0) }, ({ name, rank }) => ({
    title: name,
    rank,
  })),
}) {}

interface Design {
  /** The class that the newer release creates entities of. */
  readonly created: EntityClass<{ shop: string; id: string; name: string; rank: number }>;
  /** The class that the older release asks for. */
  readonly old: EntityClass<{ shop: string; id: string; rank: number }>;
}

const designs: Readonly<Record<string, Design>> = {
  "one class": { created: NewPlain, old: OldPlain },
  "a base of kinds": { created: NewKind, old: OldBase },
  "a kind": { created: NewKind, old: OldKind },
  "a base that reads unknown kinds as itself": { created: NewOther, old: OldLenient },
  "a class with upgrades": { created: NewPlain, old: OldVersioned },
};

const ids = ["a", "b", "c", "d", "e"];
let storage: TableStorage;

beforeEach(async () => {
  storage = await openStorage("memory:");
  // A program passes its kinds once, so that rows of them are known.
  await createTables(storage, [OldKind]);
  await createTables(storage, [OldOther]);
  await storage.deleteTable("Items");
});
afterEach(() => storage.close());

/** Five entities of the newer release: one is saved with a message, and the others leave a marker. */
async function fill({ created }: Design): Promise<void> {
  await createTables(storage, [created]);
  await using context = new TableContext(storage);
  for (const [rank, id] of ids.entries()) {
    const item = context.create(created, { shop: "s", id, name: `name of ${id}`, rank } as never);
    if (id === "a")
      sendWith(context, item, {
        properties: { Letter: "hello" },
        bytes: 50,
        announce: () => Promise.resolve({ properties: {}, end: () => Promise.resolve() }),
      });
    await context.saveChanges();
  }
}

async function storedRows(): Promise<readonly StoredEntity[]> {
  const { entities } = await storage.query("Items", {});
  return entities;
}

/** The rows that are no entities, as text. */
const otherRows = async (): Promise<string[]> =>
  (await storedRows()).filter((row) => row["_row"] !== undefined).map((row) => JSON.stringify(row));

const idsOf = (entities: readonly { readonly id: string }[]): string[] => entities.map(({ id }) => id);

type Method = (context: TableContext, old: Design["old"]) => Promise<unknown>;

/** What each method of the older release does, and what it finds. */
const methods: Readonly<Record<string, { readonly run: Method; readonly finds: unknown }>> = {
  "a scan": { run: async (context, old) => idsOf(await context.query(old).scan().toArray()), finds: ids },
  "a stream, untracked": {
    run: async (context, old) => {
      const found: string[] = [];
      for await (const { id } of context.query(old).scan().mergeOption("noTracking")) found.push(id);
      return found;
    },
    finds: ids,
  },
  "a query of a partition": {
    run: async (context, old) =>
      idsOf(
        await context
          .query(old)
          .where({ shop: "s" } as never)
          .toArray(),
      ),
    finds: ids,
  },
  "a query of a range of keys": {
    run: async (context, old) => {
      const range = context.query(old).where((each) => each.shop.eq("s").and(each.id.ge("N")));
      return idsOf(await range.toArray());
    },
    finds: ids,
  },
  "a condition on a property": {
    run: async (context, old) =>
      idsOf(
        await context
          .query(old)
          .where((each) => each.shop.eq("s").and(each.rank.ge(3)))
          .toArray(),
      ),
    finds: ["d", "e"],
  },
  "the first of a partition": {
    run: async (context, old) =>
      (
        await context
          .query(old)
          .where({ shop: "s" } as never)
          .first()
      )?.id,
    finds: "a",
  },
  take: {
    run: async (context, old) =>
      idsOf(
        await context
          .query(old)
          .where({ shop: "s" } as never)
          .take(2)
          .toArray(),
      ),
    finds: ["a", "b"],
  },
  pages: {
    run: async (context, old) => {
      const found: string[][] = [];
      for await (const { entities } of context
        .query(old)
        .where({ shop: "s" } as never)
        .pages({ size: 2 }))
        found.push(idsOf(entities));
      return found;
    },
    finds: [["a", "b"], ["c", "d"], ["e"]],
  },
  "a selection": {
    run: async (context, old) =>
      (
        await context
          .query(old)
          .where({ shop: "s" } as never)
          .select("rank")
          .toArray()
      ).map(({ rank }) => rank),
    finds: [0, 1, 2, 3, 4],
  },
  count: { run: (context, old) => context.query(old).scan().count(), finds: 5 },
  "find of the key of each row": {
    run: async (context, old) => {
      const rows = await storedRows();
      const found = await Promise.all(
        rows.map(({ RowKey: id }) => context.find(old, { shop: "s", id } as never)),
      );
      return found.flatMap((entity) => (entity === undefined ? [] : [entity.id]));
    },
    finds: ids,
  },
  "find of many keys": {
    run: async (context, old) => {
      const rows = await storedRows();
      const found = await context.findMany(old, rows.map(({ RowKey: id }) => ({ shop: "s", id })) as never);
      return (found as unknown as readonly ({ id: string } | undefined)[]).filter(
        (each) => each !== undefined,
      ).length;
    },
    finds: 5,
  },
  updateAll: {
    run: async (context, old) => {
      const query = context.query(old).where({ shop: "s" } as never);
      const { written } = await query.updateAll((each) => {
        each.rank += 10;
      });
      return written;
    },
    finds: 5,
  },
  removeAll: {
    run: async (context, old) =>
      (
        await context
          .query(old)
          .where({ shop: "s" } as never)
          .removeAll()
      ).written,
    finds: 5,
  },
  census: {
    run: async (_context, old) => (await census(storage, [old])).reduce((sum, { count }) => sum + count, 0),
    finds: 5,
  },
};

describe.each(Object.entries(designs))("an older release reads and changes %s", (_name, design) => {
  test.each(Object.entries(methods))(
    "%s sees entities only, and damages nothing",
    async (_method, { run, finds }) => {
      await fill(design);
      const before = await otherRows();
      // Five rows of each index, four markers and a message.
      expect(before).toHaveLength(15);

      await using context = new TableContext(storage);
      expect(await run(context, design.old)).toEqual(finds);

      expect(await otherRows()).toEqual(before);
    },
  );
});

test("upgradeTable of an older release upgrades entities only", async () => {
  await fill(designs["one class"] as Design);
  const before = await otherRows();

  const report = await upgradeTable(storage, [OldVersioned]);

  expect(report).toMatchObject({ upgraded: 5, isClean: true, left: [] });
  expect(await otherRows()).toEqual(before);
});

test("include and removeFamily leave rows that are not entities alone", async () => {
  class Entry extends defineEntity({ table: "Items", ...keys, properties: { name: text().optional() } }) {}
  class Post extends defineKind(Entry, { kind: "Post", children: { items: () => Comment } }) {}
  class Comment extends defineKind(Entry, { kind: "Item", rowKey: { number: text() } }) {}
  await createTables(storage, [Post, Comment]);
  await using writer = new TableContext(storage);
  writer.create(Post, { shop: "s", id: "a" });
  writer.create(Comment, { shop: "s", id: "a", number: "1" });
  await writer.saveChanges();
  const row = { PartitionKey: "s", RowKey: "a_2", Kind: "Item", _row: "index:byDay" };
  await storage.write("Items", { type: "insert", entity: row });

  await using context = new TableContext(storage);
  const [post] = await context
    .query(Post)
    .where({ shop: "s" })
    .include((each) => each.items)
    .toArray();
  expect(post?.items).toHaveLength(1);
  await context.removeFamily(post as Post);
  await context.saveChanges();

  expect((await storedRows()).map(({ RowKey }) => RowKey)).toEqual(["a_2"]);
});
