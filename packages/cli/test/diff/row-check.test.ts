import * as main from "@partita/core";
import { defineEntity, int32, openStorage, text } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import * as models from "@partita/core/models";
import { padded } from "@partita/core/keys";
import * as protocol from "@partita/core/protocol";
import * as internal from "@partita/core/internal";
import { add, upgrades } from "@partita/core/upgrades";
import * as maintenance from "@partita/maintenance";
import { expect, test } from "vitest";
import { RowCheck } from "../../src/diff/row-check.ts";

const core = { ...protocol, ...main, ...models, ...internal, ...maintenance };

class Post extends defineEntity({
  table: "Blogs",
  kind: "Post",
  partitionKey: { blog: text() },
  rowKey: { n: padded(4) },
  properties: { rating: int32(), title: text().optional() },
}) {}

class Note extends defineEntity({
  table: "Blogs",
  kind: "Note",
  partitionKey: { blog: text() },
  rowKey: { n: padded(4) },
  properties: { Text: text(), State: text() },
  version: upgrades({ Text: text() }).to(2, add("State", text(), "open")),
}) {}

const row = (members: object): StoredEntity =>
  ({ PartitionKey: "b", RowKey: "0001", ...members }) as StoredEntity;

test.each<[string, object, readonly string[]]>([
  ["a row of its class", { Kind: "Post", rating: 1 }, []],
  [
    "a property that nobody declares",
    { Kind: "Post", rating: 1, likes: 2, draft: true },
    ["diff.undeclared", "diff.undeclared"],
  ],
  ["another type", { Kind: "Post", rating: "hunter2" }, ["edm.mismatch"]],
  ["no value of a required property", { Kind: "Post" }, ["property.absent"]],
  ["a key of another form", { Kind: "Post", rating: 1, RowKey: "1" }, ["key.unreadable"]],
  ["a kind that no class has", { Kind: "Nobody" }, ["diff.no-class"]],
  ["no kind", { rating: 1 }, ["diff.no-class"]],
  ["an older version, which is upgraded", { Kind: "Note", Text: "t", Old: 1 }, []],
  [
    "the present version",
    { Kind: "Note", Text: "t", State: "open", SchemaVersion: 2, Old: 1 },
    ["diff.undeclared"],
  ],
])("%s", async (_name, members, codes) => {
  await using storage = await openStorage("memory:");
  const found = await new RowCheck(core, [Post, Note], storage).differencesOf(row(members));

  expect(found.map(({ code }) => code)).toEqual(codes);
  expect(JSON.stringify(found)).not.toContain("hunter2");
});

test("rows that differ alike have one id, and others have others", async () => {
  await using storage = await openStorage("memory:");
  const check = new RowCheck(core, [Post, Note], storage);
  const idOf = async (members: object): Promise<string | undefined> =>
    (await check.differencesOf(row(members)))[0]?.id;

  expect(await idOf({ Kind: "Post", RowKey: "0002" })).toBe(await idOf({ Kind: "Post" }));
  expect(await idOf({ Kind: "Post", rating: "a" })).not.toBe(
    await idOf({ Kind: "Post", rating: 1, title: 5 }),
  );
  expect(await idOf({ Kind: "Post", rating: "a" })).not.toBe(await idOf({ Kind: "Post", rating: 1.5 }));
  expect(await idOf({ Kind: "Post", rating: "a" })).toBe(await idOf({ Kind: "Post", rating: "b" }));
});
