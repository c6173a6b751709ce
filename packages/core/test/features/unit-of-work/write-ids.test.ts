import { type Fault, virtualClock, withFaults, writeFaults } from "@partita/testing";
import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type StoredEntity,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { noRetry } from "../../../src/rest.ts";

class Claim extends defineEntity({
  table: "Claims",
  partitionKey: { queue: text() },
  rowKey: { job: text() },
  properties: { n: int32(), owner: text().optional() },
  proof: "id",
}) {}

const stored = { partitionKey: "q", rowKey: "1" };
const key = { queue: "q", job: "1" };

interface Setting {
  readonly inner: TableStorage;
  readonly context: TableContext;
  readonly claim: Claim;
  readonly clock: ReturnType<typeof virtualClock>;
}

/** A stored claim, tracked; its next write fails so, and reading it back fails too until `see` is called. */
async function claimed(fault: Fault): Promise<Setting & { readonly see: () => void }> {
  const inner = await openStorage("memory:");
  await createTables(inner, [Claim]);
  const first = new TableContext(inner);
  first.add(new Claim({ ...key, n: 0 }));
  await first.saveChanges();
  const clock = virtualClock();
  let isBlind = false;
  const plan = writeFaults(fault);
  const storage = withFaults(inner, (request) =>
    request.type === "get" && isBlind ? "refused" : plan(request),
  );
  const context = new TableContext(storage, { clock, retry: noRetry });
  const claim = (await context.find(Claim, key)) as Claim;
  claim.n = 1;
  isBlind = true;
  await expect(context.saveChanges()).rejects.toMatchObject({ results: [{ outcome: "unknown" }] });
  return { inner, context, claim, clock, see: () => (isBlind = false) };
}

/** Another program of ours that changes the claim. */
async function changeAsAnother(inner: TableStorage, owner: string): Promise<void> {
  const context = new TableContext(inner);
  ((await context.find(Claim, key)) as Claim).owner = owner;
  await context.saveChanges();
}

describe("the writes before the last one", () => {
  test("are kept with a row, eight of them", async () => {
    const { inner } = await claimed("reset-before");
    for (let i = 0; i < 12; i++) await changeAsAnother(inner, `w${i}`);

    const row = await inner.get("Claims", stored);
    const ids = [row?.["_m"], ...String(row?.["_h"]).split(" ")];
    expect(new Set(ids).size).toBe(9);
    for (const id of ids) expect(id).toMatch(/^[\w-]{16}$/);
  });

  test("prove a write that others have written over since", async () => {
    const { inner, context, see } = await claimed("reset-after");
    for (let i = 0; i < 5; i++) await changeAsAnother(inner, `w${i}`);
    see();

    expect(await context.resolveInDoubt()).toMatchObject([{ outcome: "committed" }]);
  });

  test("prove that another took its place, without any wait", async () => {
    const { inner, context, claim, see, clock } = await claimed("reset-before");
    await changeAsAnother(inner, "somebody");
    see();

    expect(await context.resolveInDoubt()).toMatchObject([{ outcome: "rejected" }]);
    expect(clock.waits).toEqual([]);
    expect(context.entry(claim).state).toBe("modified");
    await expect(context.saveChanges()).rejects.toMatchObject({
      results: [{ outcome: "rejected", error: { code: "conflict.etag" } }],
    });
  });

  test("prove nothing once more than eight have come since", async () => {
    const { inner, context, see } = await claimed("reset-after");
    for (let i = 0; i < 12; i++) await changeAsAnother(inner, `w${i}`);
    see();

    expect(await context.resolveInDoubt({ wait: true })).toMatchObject([{ outcome: "unknown" }]);
  });

  test("prove nothing against ours when a program copies the row it read before over it", async () => {
    const { inner, context, see } = await claimed("reset-after");
    const { _h: history, ...row } = (await inner.get("Claims", stored)) as StoredEntity;
    const copy = { ...row, PartitionKey: "q", RowKey: "1", n: 0, _m: String(history) };
    await inner.write("Claims", { type: "replace", entity: copy, etag: "*" });
    see();

    expect(await context.resolveInDoubt({ wait: true })).toMatchObject([{ outcome: "unknown" }]);
  });

  test("are forgotten by a write without a condition, which cannot know them", async () => {
    const { inner } = await claimed("reset-before");
    await changeAsAnother(inner, "a");
    const context = new TableContext(inner);
    const claim = context.attach(new Claim({ ...key, n: 0 }), "*");
    claim.n = 5;
    await context.saveChanges();

    expect(await inner.get("Claims", stored)).toMatchObject({ n: 5, _h: "" });
  });
});

test("a claim whose version is not known is saved when its row is as it was", async () => {
  const inner = await openStorage("memory:");
  await createTables(inner, [Claim]);
  const first = new TableContext(inner);
  first.add(new Claim({ ...key, n: 0 }));
  await first.saveChanges();
  const withoutETags = {
    ...withFaults(inner, () => undefined),
    query: async (...values: Parameters<TableStorage["query"]>) => {
      const page = await inner.query(...values);
      return {
        ...page,
        entities: page.entities.map(
          ({ "odata.etag": _etag, ...row }) => row as (typeof page.entities)[number],
        ),
      };
    },
  };
  const context = new TableContext(withoutETags);
  const [claim] = await context.query(Claim).where({ queue: "q" }).toArray();
  (claim as Claim).n = 2;

  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
  expect(await inner.get("Claims", stored)).toMatchObject({ n: 2 });
});
