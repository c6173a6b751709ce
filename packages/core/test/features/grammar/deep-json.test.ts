import { importTable } from "@partita/transfer";
import { expect, test } from "vitest";
import {
  defineEntity,
  fromPlain,
  json,
  openStorage,
  TableContext,
  text,
  toPlain,
} from "../../../src/index.ts";
import { sourceOf } from "@partita/test-support/rows";

// JSON that is nested deep comes through, or is refused by an error with a code: never by a RangeError of the stack.

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { data: json<unknown>() },
}) {}

/** Within 32,768 characters, which a property holds. */
const depths = [1, 100, 1000, 5000, 10_000, 100_000];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

/** The code of what work fails with; "none" where it succeeds. */
async function codeOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return "none";
  } catch (error) {
    return (error as { readonly code?: unknown }).code ?? error;
  }
}

const codes = expect.stringMatching(/^(none|save\.|edm\.|plain\.|property\.|transfer\.)/) as string;

test.each(depths)(
  "data nested %i deep is saved or refused, and read from plain data or refused",
  async (depth) => {
    await using storage = await openStorage("memory:");
    await storage.createTable("Notes");
    const save = async (): Promise<void> => {
      const context = new TableContext(storage);
      context.create(Note, { tenant: "t", id: "n", data: nested(depth) });
      await context.saveChanges();
    };

    const plain = (): unknown =>
      toPlain(fromPlain(Note, { tenant: "t", id: "n", data: nested(depth) as never }));
    const line = `{"PartitionKey":"a","RowKey":"1","A":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const imported = (): unknown => importTable(storage, "Imported", sourceOf(line));
    const listed = (): unknown => importTable(storage, "Imported", sourceOf(`[${line}]`));

    expect(await codeOf(save)).toEqual(codes);
    expect(await codeOf(plain)).toEqual(codes);
    expect(await codeOf(imported)).toBe("transfer.line");
    expect(await codeOf(listed)).toBe("transfer.line");
  },
);

test.each([1, 100, 1000])("data nested %i deep is saved and read back the same", async (depth) => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Notes");
  const context = new TableContext(storage);
  context.create(Note, { tenant: "t", id: "n", data: nested(depth) });
  await context.saveChanges();

  const found = await new TableContext(storage).find(Note, { tenant: "t", id: "n" });
  expect(JSON.stringify(found?.data)).toBe(JSON.stringify(nested(depth)));
});
