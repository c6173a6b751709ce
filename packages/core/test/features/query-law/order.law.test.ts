import { fc, test as propertyTest } from "@fast-check/vitest";
import { legalKey } from "@partita/testing/arbitraries";
import { expect } from "vitest";
import { createTables, defineEntity, openStorage, TableContext, text } from "../../../src/index.ts";

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

propertyTest.prop([fc.array(fc.tuple(legalKey(), legalKey()), { maxLength: 60 })], { numRuns: 100 })(
  "entities come in UTF-16 order of their keys",
  async (keys) => {
    class Plain extends defineEntity({
      table: "Plain",
      partitionKey: { pk: text() },
      rowKey: { rk: text() },
      properties: {},
    }) {}
    await using own = await openStorage("memory:");
    await createTables(own, [Plain]);
    const writer = new TableContext(own);
    const unique = [...new Map(keys.map((key) => [key.join("\0"), key])).values()];
    for (const [pk, rk] of unique) writer.add(new Plain({ pk, rk }));
    await writer.saveChanges();

    const found = await new TableContext(own).query(Plain).scan().toArray();

    expect(found.map((row) => [row.pk, row.rk])).toEqual(
      [...unique].sort((a, b) => byUnits(a[0], b[0]) || byUnits(a[1], b[1])),
    );
  },
);
