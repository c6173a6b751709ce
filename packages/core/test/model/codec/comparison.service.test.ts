import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("reading, finding changes and saving work where text may not be compiled", () => {
  const program = `
    import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
    class Note extends defineEntity({ table: "Notes", partitionKey: { book: text() }, rowKey: { id: text() }, properties: { pages: int32() } }) {}
    try { new Function("return 1")(); console.log("compiles text"); } catch { console.log("compiles no text"); }
    const storage = await openStorage("memory:");
    await createTables(storage, [Note]);
    const context = new TableContext(storage);
    for (const id of ["1", "2"]) context.create(Note, { book: "b", id, pages: 1 });
    await context.saveChanges();
    const other = new TableContext(storage);
    const notes = await other.query(Note).where({ book: "b" }).toArray();
    notes[1].pages = 7;
    console.log((await other.saveChanges()).map((r) => r.operation + " " + r.entity.id).join());
  `;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module"];
  const { stdout } = spawnSync(process.execPath, [...flags, "--eval", program], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });

  expect(stdout).toBe("compiles no text\nmerge 2\n");
});
