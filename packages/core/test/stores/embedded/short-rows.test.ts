import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import {
  binary,
  createTables,
  defineEntity,
  openStorage,
  StorageError,
  TableContext,
  text,
} from "../../../src/index.ts";
import { verifyDatabase } from "@partita/maintenance";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { words: text(), image: binary().optional() },
}) {}

const words = ["plain", 'quotes " and \\', "ümläut €", "\u{1f600} \ufffd", "", "ends in }", "\u0000\u001f"];
const notes = words.map((each, i) => ({
  p: "p",
  r: `r${i}`,
  words: each,
  // Some are packed behind the JSON, and short all the same.
  ...(i % 2 === 0 && { image: new Uint8Array(5000).fill(125) }),
}));

async function write(path: string): Promise<void> {
  await using storage = await openStorage(`file:${path}`, { durability: "normal" });
  await createTables(storage, [Note]);
  const context = new TableContext(storage);
  for (const note of notes) context.create(Note, note);
  await context.saveChanges();
}

const rowsOf = (storage: Awaited<ReturnType<typeof openStorage>>): Promise<Note[]> =>
  new TableContext(storage).query(Note).where({ p: "p" }).toArray();

test("short rows are read as they were written, whether they come as text or as bytes", async () => {
  await using folder = await temporaryFolder();
  const path = folder.file("notes.db");
  await write(path);
  await using storage = await openStorage(`file:${path}`);

  // From the second time on, they are read by one call.
  for (let time = 0; time < 3; time++) expect(await rowsOf(storage)).toMatchObject(notes);
  const { entities } = await storage.query("Notes", {
    filter: { op: "eq", name: "words", literal: { edm: "Edm.String", value: "ümläut €" } },
  });
  expect(entities.map(({ RowKey }) => RowKey)).toEqual(["r2"]);
  expect(await verifyDatabase(`file:${path}`)).toMatchObject({ isClean: true });
});

test.each([
  ["a byte that is no UTF-8", "x'ff'"],
  ["a zero", "x'00'"],
  ["another letter", "x'78'"],
])("a short row with %s in its text is damaged, and never read as another one", async (_name, byte) => {
  await using folder = await temporaryFolder();
  const path = folder.file("notes.db");
  await write(path);
  const raw = new DatabaseSync(path);
  raw.exec(
    `UPDATE rows1 SET body = CAST(substr(body, 1, 15) || ${byte} || substr(body, 17) AS BLOB) WHERE rk = 'r1'`,
  );
  raw.close();
  await using storage = await openStorage(`file:${path}`);

  for (let time = 0; time < 2; time++) {
    const before = new TableContext(storage).query(Note).where((note) => [note.p.eq("p"), note.r.lt("r1")]);
    expect(await before.toArray()).toHaveLength(1);
    const error: unknown = await rowsOf(storage).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ code: "storage.damaged" });
  }
});
