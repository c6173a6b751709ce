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

test("pages of families over many partitions, with take and select of both sides", async () => {
  await using storage = await openNested();
  const writer = new TableContext(storage);
  for (const tenant of ["a", "b", "c"])
    for (const id of ["1", "10", "2"])
      writer.create(Order, { tenant, id, lines: [{ no: "a" }, { no: "b" }] });
  await writer.saveChanges();
  const all = ["a1:2", "a10:2", "a2:2", "acme7:2", "b1:2", "b10:2", "b2:2", "c1:2", "c10:2", "c2:2"];

  for (const size of [1, 2, 3, 4])
    for (const take of [3, 5, 20]) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const { entities, next } = await new TableContext(storage)
          .query(Order)
          .scan()
          .select("total")
          .include((o) => o.lines, { onOrphan: "error", select: ["qty"] })
          .take(take)
          .page({ size, ...(after !== undefined && { after }) });
        seen.push(...entities.map(({ tenant, id, lines }) => `${tenant}${id}:${lines.length}`));
        after = next;
      } while (after !== undefined);
      expect(seen).toEqual(all.slice(0, take));
    }
});
