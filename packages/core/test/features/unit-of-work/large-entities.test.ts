import { expect, test } from "vitest";
import { binary, createTables, defineEntity, openStorage, TableContext, text } from "../../../src/index.ts";

const names = Array.from({ length: 17 }, (_, i) => `b${i}`);
class Doc extends defineEntity({
  table: "Docs",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: Object.fromEntries(names.map((name) => [name, binary().optional()])),
}) {}

test("bytes that were read count in full: an entity that grows too large is refused before anything is sent", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Doc]);
  await using first = new TableContext(storage);
  const full = Object.fromEntries(names.slice(0, 15).map((name) => [name, new Uint8Array(65_536)]));
  first.create(Doc, { p: "a", r: "1", ...full } as never);
  await first.saveChanges();

  await using context = new TableContext(storage);
  const doc = (await context.find(Doc, { p: "a", r: "1" })) as Record<string, unknown>;
  doc["b15"] = new Uint8Array(65_536);
  doc["b16"] = new Uint8Array(65_536);
  const other = context.create(Doc, { p: "x", r: "2" } as never);

  await expect(context.saveChanges()).rejects.toMatchObject({
    code: "save.invalid",
    results: [
      { attempts: 0, error: { code: "entity.too-large" } },
      { entity: other, aborted: true },
    ],
  });
  expect(await new TableContext(storage).find(Doc, { p: "x", r: "2" })).toBeUndefined();
  context.clear({ discard: true });
});
