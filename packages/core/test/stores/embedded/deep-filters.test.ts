import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import type { FilterNode } from "../../../src/storage.ts";
import { insert } from "./things.ts";

const inFolder = folderOfEachTest();

const nested = (op: "and" | "or" | "not", depth: number): FilterNode => {
  let node: FilterNode = { op: "eq", name: "n", literal: { edm: "Edm.Int32", value: 3 } };
  for (let i = 0; i < depth; i++) node = op === "not" ? { op, node } : { op, nodes: [node] };
  return node;
};

test.each(["memory", "a file"])(
  "a filter that is nested deeper than 100 levels is refused as such, and not as damage of %s",
  async (where) => {
    const target = where === "memory" ? "memory:" : `file:${inFolder("deep.db")}`;
    await using storage = await openStorage(target);
    await storage.createTable("Things");
    await storage.transact(
      "Things",
      Array.from({ length: 40 }, (_, i) => insert({ n: i % 2 }, `r${i}`)),
    );

    for (const op of ["and", "or", "not"] as const) {
      for (const depth of [100, 500, 5000, 200_000])
        await expect(storage.query("Things", { filter: nested(op, depth) })).rejects.toMatchObject({
          code: "storage.invalid-input",
          status: 400,
          applied: "no",
        });
      const shallow = await storage.query("Things", { filter: nested(op, 98) });
      expect(shallow.entities).toEqual([]);
    }
  },
);
