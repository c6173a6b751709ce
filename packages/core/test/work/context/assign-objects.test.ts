import { expect, test } from "vitest";
import { createTables, defineEntity, json, openStorage, TableContext, text } from "../../../src/index.ts";
import { embedded } from "../../../src/models.ts";

class Note {
  content: unknown;
}
class Card extends defineEntity({
  table: "Cards",
  partitionKey: { box: text() },
  rowKey: { id: text() },
  properties: { note: embedded(Note, { content: json<unknown>() }) },
}) {}

test("assign sets null, which is a value of JSON, in an object that needs one", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Card]);
  const context = new TableContext(storage);
  const card = context.create(Card, { box: "b", id: "1", note: { content: 1 } });

  context.assign(card, { note: { content: null } });
  await context.saveChanges();

  expect(await new TableContext(storage).find(Card, { box: "b", id: "1" })).toMatchObject({
    note: { content: null },
  });
});
