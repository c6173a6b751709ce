import { describe, expect, test } from "vitest";
import type { SaveError, SaveResult, TableContext } from "../../../src/index.ts";
import { fixed } from "../../../src/rest.ts";
import { contextOf, Note, open, read, removedBy, row, seeded, type Store } from "./store.ts";

const modes = ["conflict", "ignore", "error"] as const;
type Mode = (typeof modes)[number];

const gone = { outcome: "committed", evidence: "gone" };
const conflict = { outcome: "rejected", error: { code: "conflict.missing" } };
const unknown = { outcome: "unknown", error: { code: "storage.gone" } };

/** How a row is gone when its removal is saved; by what is asked for, the outcome. */
const histories: readonly {
  readonly name: string;
  readonly happens: (store: Store) => Promise<void> | void;
  readonly expected: Readonly<Record<Mode, object>>;
}[] = [
  {
    name: "another writer removed it, and the store says so",
    happens: async (store) => void (await removedBy(store)),
    expected: { conflict, ignore: gone, error: conflict },
  },
  {
    name: "it was removed, and the response was lost",
    happens: loses("timeout-after"),
    expected: { conflict: gone, ignore: gone, error: unknown },
  },
  {
    name: "another writer removed it after a request that was lost",
    happens(store) {
      let writes = 0;
      store.plan = async ({ operations }) => {
        if (operations.length === 0 || writes++ > 0) return undefined;
        await removedBy(store);
        return "timeout-before";
      };
    },
    expected: { conflict: gone, ignore: gone, error: unknown },
  },
];

function loses(fault: "timeout-after") {
  return (store: Store): void => {
    let writes = 0;
    store.plan = ({ operations }) => (operations.length > 0 && writes++ === 0 ? fault : undefined);
  };
}

const resultsOf = (saving: Promise<readonly SaveResult[]>): Promise<readonly SaveResult[]> =>
  saving.catch((error: SaveError) => error.results);

const cells = histories.flatMap((history) => modes.map((mode) => ({ ...history, mode })));

describe.each(cells)('removeMissing: "$mode", $name', ({ mode, happens, expected }) => {
  test.each(["auto", "none"] as const)("batch: %s", async (batch) => {
    const store = await seeded(open);
    const context = contextOf(store);
    context.remove(await read(context));
    await happens(store);

    expect(await resultsOf(context.saveChanges({ removeMissing: mode, batch }))).toMatchObject([
      expected[mode],
    ]);
    expect(await row(store)).toBeUndefined();
    const isPending = expected[mode] === conflict;
    expect(context.size).toBe(isPending ? 1 : 0);
  });
});

/** Who finds out that the row is gone, where the save could not read it back. */
const later: readonly (readonly [
  string,
  (context: TableContext, mode: Mode) => Promise<readonly SaveResult[]>,
])[] = [
  ["the next save", (context, mode) => context.saveChanges({ removeMissing: mode })],
  ["a save of others' default", (context) => context.saveChanges()],
  ["resolveInDoubt()", (context) => context.resolveInDoubt()],
];

describe.each(later)("%s finds that the row of a removal is gone", (_who, ask) => {
  test.each([
    ["conflict", gone],
    ["ignore", gone],
    ["error", unknown],
  ] as const)('removeMissing: "%s" of the first save decides', async (mode, expected) => {
    const store = await seeded(open);
    const context = contextOf(store, { retry: fixed(1, 0) });
    context.remove(await read(context));
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : "refused");
    expect(await resultsOf(context.saveChanges({ removeMissing: mode }))).toMatchObject([
      { outcome: "unknown", lateUntil: expect.any(Date) as unknown },
    ]);
    store.plan = undefined;

    expect(await resultsOf(ask(context, mode))).toMatchObject([expected]);
    expect(context.size).toBe(0);
  });
});

test.each([
  ["conflict", gone],
  ["ignore", gone],
  ["error", unknown],
] as const)(
  'removeMissing: "%s" of a removal with an edit that equal values prove',
  async (mode, expected) => {
    const store = await seeded(open);
    const context = contextOf(store);
    context.remove(await read(context));
    context.create(Note, { book: "b", id: "another", title: "sent with it" });
    loses("timeout-after")(store);

    const results = await resultsOf(context.saveChanges({ removeMissing: mode }));

    expect(results.find(({ operation }) => operation === "delete")).toMatchObject(expected);
    expect(results.find(({ operation }) => operation === "insert")).toMatchObject({
      outcome: "committed",
      evidence: "content",
    });
  },
);
