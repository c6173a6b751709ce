import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FilterNode, openStorage } from "../../../src/index.ts";
import { insert } from "./things.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(() => rm(folder, { recursive: true }));

const nested = (op: "and" | "or" | "not", depth: number): FilterNode => {
  let node: FilterNode = { op: "eq", name: "n", literal: { edm: "Edm.Int32", value: 3 } };
  for (let i = 0; i < depth; i++) node = op === "not" ? { op, node } : { op, nodes: [node] };
  return node;
};

test.each(["memory", "a file"])(
  "a filter that is nested deeper than the stack goes is refused as such, and not as damage of %s",
  async (where) => {
    const target = where === "memory" ? "memory:" : `file:${join(folder, "deep.db")}`;
    await using storage = await openStorage(target);
    await storage.createTable("Things");
    await storage.transact(
      "Things",
      Array.from({ length: 40 }, (_, i) => insert({ n: i % 2 }, `r${i}`)),
    );

    for (const op of ["and", "or", "not"] as const) {
      await expect(storage.query("Things", { filter: nested(op, 200_000) })).rejects.toMatchObject({
        code: "storage.invalid-input",
        status: 400,
        applied: "no",
      });
      const shallow = await storage.query("Things", { filter: nested(op, 400) });
      expect(shallow.entities).toEqual([]);
    }
    // Whatever part of reading a page runs out of stack first.
    const codes = new Set<string>();
    for (let depth = 2000; depth < 12_000; depth += 1000)
      for (const op of ["and", "or", "not"] as const)
        await storage
          .query("Things", { filter: nested(op, depth) })
          .catch(({ code }: { code: string }) => codes.add(code));
    expect([...codes].filter((code) => code !== "storage.invalid-input")).toEqual([]);
  },
);
