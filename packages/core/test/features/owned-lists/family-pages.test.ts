import { expect, test } from "vitest";
import { TableContext } from "../../../src/index.ts";
import { openNested, Order } from "./nested-classes.ts";

test("pages of families skip no parent whose key is among the children of another", async () => {
  await using storage = await openNested();
  const w = new TableContext(storage);
  for (const id of ["1", "10", "100", "2", "20"])
    w.create(Order, { tenant: "acme", id, lines: [{ no: "a" }, { no: "b" }] });
  await w.saveChanges();
  for (const size of [1, 2, 3]) {
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const c = new TableContext(storage);
      const page = await c
        .query(Order)
        .where({ tenant: "acme" })
        .include((o) => o.lines, { onOrphan: "error" })
        .page({ size, ...(after && { after }) });
      for (const o of page.entities) seen.push(`${o.id}:${o.lines.map((l) => l.no).join("")}`);
      after = page.next;
    } while (after !== undefined);
    expect.soft(seen).toEqual(["1:ab", "10:ab", "100:ab", "2:ab", "20:ab", "7:12"]);
  }
});
