import { withFaults } from "@partita/testing";
import { expect, test } from "vitest";
import { createTables, defineEntity, openStorage, TableContext, text } from "../../../src/index.ts";
import { noRetry } from "../../../src/rest.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { box: text() },
  rowKey: { id: text() },
  properties: { tenant: text(), text: text() },
  scopedBy: "tenant",
  proof: "marker",
}) {}

const key = { box: "b", id: "1" } as const;

test("a row that another scope has taken over is not read into the entity that was stored before", async () => {
  await using inner = await openStorage("memory:");
  await createTables(inner, [Note]);
  const admin = new TableContext(inner, { scope: "all" });
  let isLost = false;
  const storage = withFaults(inner, async ({ operations }) => {
    if (operations.length > 0 && !isLost) {
      isLost = true;
      return "timeout-after";
    }
    // The row is read back after its marker has proved that it was stored.
    await admin.modify(Note, key, (note) => void Object.assign(note, { tenant: "beta", text: "secret" }));
    return undefined;
  });
  const context = new TableContext(storage, { scope: { tenant: "acme" }, retry: noRetry });
  const note = context.create(Note, { ...key, text: "mine" });

  const results = await context.saveChanges();
  expect(results).toMatchObject([{ outcome: "committed" }]);
  expect(note).toMatchObject({ tenant: "acme", text: "mine" });

  note.text = "changed";
  // Its version is read first: of a row of another scope, not even that it is stored is said.
  await expect(context.saveChanges()).rejects.toMatchObject({
    code: "save.failed",
    results: [{ outcome: "rejected", error: { code: "conflict.missing" } }],
  });
  expect(await inner.get("Notes", { partitionKey: "b", rowKey: "1" })).toMatchObject({
    tenant: "beta",
    text: "secret",
  });
});
