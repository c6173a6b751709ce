import { withFaults } from "@partita/testing";
import { expect, test } from "vitest";
import { SaveError, type SaveOptions, TableContext, type TableStorage } from "../../../src/index.ts";
import { loadOrder, openNested, Order, storedKeys } from "./nested-classes.ts";

// A write whose response is lost may be stored or not: until that is known, no member is stored whose parent may be
// missing, and no parent is removed whose members may still be stored.

const retry = { attempts: 1, delayMs: 0 } as const;

/** The storage, in which writes of some rows are lost, and nothing can be read, while it is down. */
function losing(inner: TableStorage, isLost: (keys: readonly string[]) => boolean) {
  const state = { isDown: true, sent: [] as string[] };
  const storage = withFaults(inner, async ({ type, operations }) => {
    const keys = operations.map((each) => ("entity" in each ? each.entity.RowKey : each.key.rowKey));
    if (keys.length > 0) state.sent.push(keys.join());
    if (!state.isDown) return undefined;
    if (isLost(keys)) return "timeout-before";
    return type === "get" || type === "query" ? "refused" : undefined;
  });
  return { storage, state };
}

async function outcomesOf(context: TableContext, options: SaveOptions = {}): Promise<string[]> {
  const error: unknown = await context.saveChanges(options).catch((thrown: unknown) => thrown);
  return SaveError.is(error) ? error.results.map(({ operation, outcome }) => `${operation} ${outcome}`) : [];
}

test("a member waits while the insert of its parent is in doubt", async () => {
  await using inner = await openNested();
  const { storage, state } = losing(inner, (keys) => keys.includes("8"));
  const context = new TableContext(storage, { retry });
  const order = context.create(Order, { tenant: "acme", id: "8" });
  expect(await outcomesOf(context)).toEqual(["insert unknown"]);

  context.createIn(order, "lines", { no: "1" });

  expect(await outcomesOf(context)).toEqual(["insert unknown", "insert rejected"]);
  expect(await storedKeys(inner)).not.toContain("8_1");
  state.isDown = false;
  await context.saveChanges();
  expect(await storedKeys(inner)).toEqual(expect.arrayContaining(["8", "8_1"]));
});

test("a parent waits while the removal of a member is in doubt", async () => {
  await using inner = await openNested();
  const { storage, state } = losing(inner, (keys) => keys.includes("7_1_a"));
  state.isDown = false;
  const context = new TableContext(storage, { retry });
  context.remove(await loadOrder(context));
  state.isDown = true;
  const options = { batch: "none", continueOnError: true } as const;
  await outcomesOf(context, options);

  expect(await outcomesOf(context, options)).toEqual([
    "delete unknown",
    "delete rejected",
    "delete rejected",
  ]);

  expect(await storedKeys(inner)).toEqual(["7", "7_1", "7_1_a"]);
  state.isDown = false;
  await context.saveChanges();
  expect(await storedKeys(inner)).toEqual([]);
});

test("an atomic group that is sent again is stored before the members that wait for it", async () => {
  await using inner = await openNested();
  const { storage, state } = losing(inner, (keys) => keys.includes("8"));
  const context = new TableContext(storage, { retry });
  const order = context.create(Order, { tenant: "acme", id: "8" });
  context.create(Order, { tenant: "acme", id: "9" });
  expect(await outcomesOf(context, { batch: "atomic" })).toEqual(["insert unknown", "insert unknown"]);
  state.isDown = false;

  context.createIn(order, "lines", { no: "1" });
  await context.saveChanges({ batch: "none", concurrency: 1 });

  expect(state.sent).toEqual(["8,9", "8,9", "8_1"]);
});
