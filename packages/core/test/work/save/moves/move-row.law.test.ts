// Every history of small scenarios over the code that moves rows: no committed change is lost, the entity is read once
// in each state, and a mover that comes after everything was killed leaves it once, under its new key.
import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import { type EntityKey, StorageError } from "@partita/core";
import type { StoredEntity, TableStorage } from "@partita/core/storage";
import { isFormerRow } from "../../../../src/model/codec/former-keys.ts";
import { isEntityRow } from "../../../../src/model/codec/row-layout.ts";
import { moveRow, type RowMove } from "../../../../src/work/save/move-row.ts";
import {
  type Actor,
  type Content,
  explore,
  type Log,
  type Port,
  type Scenario,
  type Store,
} from "./explore.ts";

const old: EntityKey = { partitionKey: "month", rowKey: "1" };
const present: EntityKey = { partitionKey: "week", rowKey: "1" };

const moveOf = (to: EntityKey): RowMove => ({
  from: { table: "Posts", key: old },
  to: { table: "Posts", key: to },
  moved: ({ _row: _mark, ...row }) =>
    ({ ...row, PartitionKey: to.partitionKey, RowKey: to.rowKey }) as StoredEntity,
  oldIndexRows: () => [],
  newIndexRows: () => [],
});

/** Moves the row, again where a response was lost. */
async function move(port: Port, to: EntityKey, log?: Log, isRemoved = false): ReturnType<typeof moveRow> {
  const mark = log?.mark() ?? 0;
  // Each round begins with this read, and knows nothing of the rounds before it but what was stored.
  const get: Port["get"] = (table, key) => {
    if (key === to) log?.forget(mark);
    return port.get(table, key);
  };
  for (;;)
    try {
      return await moveRow({ ...port, get } as TableStorage, { ...moveOf(to), isRemoved });
    } catch (error) {
      if (!StorageError.is(error) || error.applied === "no") throw error;
    }
}

const mover = (to: EntityKey, mayLose = false): Actor => ({
  name: "mover",
  mayLose,
  run: async (port, log) => {
    await move(port, to, log);
  },
});

const isConflict = (error: unknown): boolean => StorageError.is(error) && error.applied === "no";

/** A program of the old release: it knows the old key alone, and changes or deletes the entity under its ETag. */
const oldWriter = (change: "edit" | "delete", tries = 2): Actor => ({
  name: `old ${change}`,
  run: async (port, log) => {
    for (let i = 0; i < tries; i++) {
      const row = await port.get("Posts", old);
      if (row === undefined || !isEntityRow(row)) return;
      const etag = row["odata.etag"] as string;
      log.intend((content) => (change === "edit" ? { ...content, old: 1 } : undefined));
      try {
        if (change === "delete") await port.write("Posts", { type: "delete", key: old, etag });
        else await port.write("Posts", { type: "merge", entity: { ...keysOf(old), old: 1 }, etag });
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  },
});

const keysOf = ({ partitionKey, rowKey }: EntityKey) => ({ PartitionKey: partitionKey, RowKey: rowKey });

/** What `find` does: the new key, then the old one, then the new one again. */
async function find(port: Port, to: EntityKey): Promise<StoredEntity | undefined> {
  for (const [key, isWanted] of [
    [to, isEntityRow],
    [old, isFormerRow],
    [to, isEntityRow],
  ] as const) {
    const row = await port.get("Posts", key);
    if (row !== undefined && isWanted(row)) return row;
  }
  return undefined;
}

/** A program of the new release: it finds the entity by both keys, and moves it before it writes. */
const newWriter = (to: EntityKey, change: "edit" | "delete", tries = 2): Actor => ({
  name: `new ${change}`,
  run: async (port: Port, log: Log) => {
    for (let i = 0; i < tries; i++) {
      const row = await find(port, to);
      if (row === undefined) return;
      const moved = await move(port, to, log, change === "delete");
      const read = row["odata.etag"] as string;
      const etag = moved.from.includes(read) ? (moved.etag as string) : read;
      log.intend((content) => (change === "edit" ? { ...content, new: 1 } : undefined));
      try {
        if (change === "delete") await port.write("Posts", { type: "delete", key: to, etag });
        else await port.write("Posts", { type: "merge", entity: { ...keysOf(to), new: 1 }, etag });
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  },
});

const reader = (to: EntityKey): Actor => ({
  name: "reader",
  isReader: true,
  run: async (port) => ({ row: await find(port, to) }),
});

const contentOf = (row: StoredEntity | undefined): Content => {
  if (row === undefined) return undefined;
  const { PartitionKey: _p, RowKey: _r, _row, "odata.etag": _e, ...content } = row;
  return content;
};

const scenario = (to: EntityKey, ...actors: Actor[]): Scenario => ({
  rows: [{ table: "Posts", ...keysOf(old), text: "Hello" } as never],
  content: { text: "Hello" },
  actors,
  check(store: Store, content) {
    const [now, before] = [store.get("Posts", to), store.get("Posts", old)];
    const found =
      now !== undefined && isEntityRow(now)
        ? now
        : before !== undefined && isFormerRow(before)
          ? before
          : undefined;
    expect(contentOf(found)).toEqual(content);
  },
  recover: async (port) => {
    await move(port, to);
  },
  checkEnd(store, content) {
    const left = [...store.rows.values()];
    expect(left.map(contentOf)).toEqual(content === undefined ? [] : [content]);
    expect(left.map(({ PartitionKey }) => PartitionKey)).toEqual(
      content === undefined ? [] : [to.partitionKey],
    );
    expect(left.every(isEntityRow)).toBe(true);
  },
  checkRead(read, contents) {
    expect(contents).toContainEqual(contentOf((read as { row: StoredEntity | undefined }).row));
  },
});

const [one, losing] = [mover(present), mover(present, true)];

const scenarios: Readonly<Record<string, readonly Actor[]>> = {
  "two movers and an old writer": [one, one, oldWriter("edit")],
  "two movers and an old delete": [one, one, oldWriter("delete")],
  "two movers and a reader": [one, one, reader(present)],
  "a mover, a new delete and a reader": [one, newWriter(present, "delete", 1), reader(present)],
  "two movers and a new delete": [one, one, newWriter(present, "delete", 1)],
};

/** These take minutes. */
const longScenarios: typeof scenarios = {
  "two movers and a new writer": [one, one, newWriter(present, "edit", 1)],
  "a mover that loses a response, an old and a new writer": [
    losing,
    oldWriter("edit", 1),
    newWriter(present, "edit", 1),
  ],
  "a mover that loses a response, an old writer and a new delete": [
    losing,
    oldWriter("edit", 1),
    newWriter(present, "delete", 1),
  ],
  "a mover that loses a response, an old delete and a new writer": [
    losing,
    oldWriter("delete", 1),
    newWriter(present, "edit", 1),
  ],
  "two movers, an old and a new writer": [one, one, oldWriter("edit", 1), newWriter(present, "edit", 1)],
};

test.each(Object.entries(isLong ? { ...scenarios, ...longScenarios } : scenarios))(
  "%s lose nothing in any history",
  async (name, actors) => {
    const states = await explore(scenario(present, ...actors));

    expect(states).toBeGreaterThan(300);
    if (isLong) console.log(`${name}: ${states} states`);
  },
  isLong ? 1_800_000 : 120_000,
);

test("within a partition one transaction moves the row", async () => {
  const at = { partitionKey: old.partitionKey, rowKey: "2" };

  for (const change of ["edit", "delete"] as const)
    expect(
      await explore(scenario(at, mover(at, true), oldWriter(change, 1), newWriter(at, change, 1))),
    ).toBeGreaterThan(300);
});

/** The obvious order: insert the row under its new key, then delete it under the old one; again where it has changed. */
const obviousMover: Actor = {
  name: "obvious mover",
  run: async (port) => {
    for (;;) {
      const row = await port.get("Posts", old);
      if (row === undefined) return;
      const { "odata.etag": etag, ...rest } = row;
      const entity = { ...rest, ...keysOf(present) } as StoredEntity;
      await port.write("Posts", { type: "upsert-replace", entity });
      try {
        await port.write("Posts", { type: "delete", key: old, etag: etag as string });
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  },
};

test("the search finds what the obvious order loses", async () => {
  for (const other of [oldWriter("edit", 1), oldWriter("delete", 1), newWriter(present, "delete", 1)])
    await expect(explore(scenario(present, obviousMover, other))).rejects.toThrow(/^After /);
});
