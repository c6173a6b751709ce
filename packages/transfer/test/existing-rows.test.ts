import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStorage, StorageError, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import type { StoredEntity } from "@partita/core/storage";
import { type FaultPlan, withFaults } from "@partita/testing";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { fill, rowsOf, sourceOf } from "@partita/test-support/rows";
import {
  copyState,
  copyTable,
  type CopyTableOptions,
  type ExistingRows,
  importTable,
  rowsAsText,
} from "../src/index.ts";

let from: TableStorage;
let to: TableStorage;
beforeEach(async () => {
  [from, to] = await Promise.all([openStorage("memory:"), openStorage("memory:")]);
});
afterEach(() => Promise.all([from.close(), to.close()]));

const rowOf = (key: string, values: object = {}): StoredEntity => ({
  PartitionKey: "a",
  RowKey: key,
  ...values,
});
const own = rowOf("1", { Name: "own", Other: 5, "Other@odata.type": "Edm.Double" });
const moved = [rowOf("1", { Name: "new" }), rowOf("2", { Name: "new" })];

/** Each way to move rows into a table. */
const ways = {
  copyTable: async (rows: readonly StoredEntity[], existing?: ExistingRows): Promise<object> => {
    if ((await from.listTables()).length === 0) await fill(from, "Rows", rows);
    return copyTable(from, to, "Rows", { existing });
  },
  importTable: (rows: readonly StoredEntity[], existing?: ExistingRows): Promise<object> =>
    importTable(to, "Rows", sourceOf(rowsAsText(rows, { format: "jsonl" })), { existing }),
};

describe.each(Object.entries(ways))("%s", (_name, move) => {
  test.each([
    ["replace", { written: 2, skipped: 0 }, rowOf("1", { Name: "new" })],
    ["merge", { written: 2, skipped: 0 }, { ...own, Name: "new" }],
    ["skip", { written: 1, skipped: 1 }, own],
  ] as const)("treats stored rows with %s", async (existing, report, first) => {
    await fill(to, "Rows", [own]);

    expect(await move(moved, existing)).toMatchObject({ read: 2, refused: 0, ...report });

    expect(await rowsOf(to, "Rows")).toEqual([first, moved[1]]);
  });

  test("skips stored rows that have more than a page of others between them", async () => {
    const stored = Array.from({ length: 1200 }, (_, i) => rowOf(String(i).padStart(4, "0")));
    await fill(to, "Rows", stored);
    const rows = [rowOf("0000"), rowOf("0600 new"), rowOf("1199"), rowOf("2000")];

    expect(await move(rows, "skip")).toMatchObject({ read: 4, written: 2, skipped: 2, refused: 0 });

    expect(await rowsOf(to, "Rows")).toHaveLength(1202);
  });

  test("writes nothing into a table that has rows, by default", async () => {
    await fill(to, "Rows", [rowOf("other")]);

    for (const existing of [undefined, "refuse"] as const)
      await expect(move(moved, existing)).rejects.toMatchObject({
        code: "transfer.table-not-empty",
        details: { table: "Rows" },
      });

    expect(await rowsOf(to, "Rows")).toEqual([rowOf("other")]);
    expect(await to.listTables()).toEqual(["Rows"]);
  });

  test("writes into a table that has no rows", async () => {
    await to.createTable("Rows");

    expect(await move(moved)).toMatchObject({ written: 2, skipped: 0 });
  });

  test("stops at a row that another program inserted meanwhile, and names its key", async () => {
    const open = to;
    to = forwardStorage(open, {
      transact: async (table, ...others) => {
        if (table === "Rows") await open.write(table, { type: "upsert-replace", entity: own });
        return open.transact(table, ...others);
      },
    });

    await expect(move(moved)).rejects.toMatchObject({
      code: "transfer.row-exists",
      message: expect.stringContaining('("a", "1")') as string,
      details: { table: "Rows", partitionKey: "a", rowKey: "1" },
    });

    expect(await rowsOf(open, "Rows")).toEqual([own]);
  });

  test.each(["refuse", "replace", "merge"] as const)(
    "counts a write whose response was lost once, with %s",
    async (existing) => {
      to = withFaults(to, lostOnce("Rows"));

      expect(await move(moved, existing)).toMatchObject({ read: 2, written: 2, skipped: 0, refused: 0 });

      expect(await rowsOf(to, "Rows")).toEqual(moved);
    },
  );
});

/** Loses the first response to a write of a table. */
function lostOnce(table: string): FaultPlan {
  let count = 0;
  return (request) =>
    request.table === table && request.operations.length > 0 && count++ === 0 ? "reset-after" : undefined;
}

describe("rows of a file with one key", () => {
  const values = {
    first: { Name: "first", Only: 1 },
    last: { Name: "last", Late: 5, "Late@odata.type": "Edm.Double" },
  };
  const fileOf = (between: number): AsyncIterable<string> => {
    const others = Array.from({ length: between }, (_, i) => rowOf(`other ${i}`));
    return sourceOf(
      rowsAsText([rowOf("1", values.first), ...others, rowOf("1", values.last)], { format: "jsonl" }),
    );
  };
  const stored = (): Promise<StoredEntity | undefined> => to.get("Rows", { partitionKey: "a", rowKey: "1" });

  // Rows that are buffered together are compared there, and others by the store.
  describe.each([0, 10_000])("with %i others between them", (between) => {
    test.each([
      ["replace", values.last],
      ["merge", { ...values.first, ...values.last }],
      ["skip", values.first],
    ] as const)("are treated like stored rows: %s", async (existing, expected) => {
      await importTable(to, "Rows", fileOf(between), { existing });

      const { "odata.etag": _, Timestamp: __, ...row } = (await stored()) as StoredEntity;
      expect(row).toEqual({ PartitionKey: "a", RowKey: "1", ...expected });
    });

    test("stop the import by default", async () => {
      await expect(importTable(to, "Rows", fileOf(between))).rejects.toMatchObject({
        code: "transfer.row-exists",
        details: { partitionKey: "a", rowKey: "1" },
      });
    });
  });

  test("may be equal", async () => {
    const text = rowsAsText([own, moved[1] as StoredEntity, own], { format: "csv" });

    expect(await importTable(to, "Rows", sourceOf(text))).toMatchObject({ read: 3, written: 2, repeated: 1 });
  });
});

describe("a copy", () => {
  const many = Array.from({ length: 3000 }, (_, i) => rowOf(String(i).padStart(5, "0"), { Count: i }));

  /** Copies until some rows were read. */
  async function stopped(options: CopyTableOptions = {}, after = 1000): Promise<void> {
    const stop = new AbortController();
    const copying = copyTable(from, to, "Rows", {
      ...options,
      concurrency: 1,
      signal: stop.signal,
      onProgress: ({ read }) => {
        if (read >= after) stop.abort();
      },
    });
    await expect(copying).rejects.toMatchObject({ code: "storage.cancelled" });
  }

  test("that was stopped goes on among its own rows", async () => {
    await fill(from, "Rows", many);
    await stopped();
    expect(await copyState(from, to, "Rows")).toBe("started");

    expect(await copyTable(from, to, "Rows")).toMatchObject({ refused: 0, skipped: 0 });

    expect(await rowsOf(to, "Rows")).toEqual(many);
  });

  test("that has ended is refused, and copied again with another mode", async () => {
    await fill(from, "Rows", moved);
    expect(await copyState(from, to, "Rows")).toBe("empty");
    await copyTable(from, to, "Rows");
    await from.write("Rows", { type: "upsert-replace", entity: rowOf("1", { Name: "newer" }) });

    expect(await copyState(from, to, "Rows")).toBe("ended");
    await expect(copyTable(from, to, "Rows")).rejects.toMatchObject({ code: "transfer.already-copied" });
    expect(await copyTable(from, to, "Rows", { existing: "replace" })).toMatchObject({ written: 2 });
    expect(await rowsOf(to, "Rows")).toEqual(await rowsOf(from, "Rows"));
  });

  test("of another storage does not go on among the rows of the first", async () => {
    await fill(from, "Rows", many);
    await stopped();
    await using folder = await temporaryFolder();
    await using other = await openStorage(`file:${folder.file("other.db")}`);
    await fill(other, "Rows", moved);

    expect(await copyState(other, to, "Rows")).toBe("other");
    await expect(copyTable(other, to, "Rows")).rejects.toMatchObject({ code: "transfer.table-not-empty" });
  });

  test("whose target was deleted meanwhile starts again", async () => {
    await fill(from, "Rows", many);
    await stopped();
    await to.deleteTable("Rows");

    expect(await copyTable(from, to, "Rows")).toMatchObject({ read: 3000, written: 3000 });
  });

  test("names a row of the source that was changed after it was copied", async () => {
    await fill(from, "Rows", many);
    const open = to;
    let writes = 0;
    to = forwardStorage(open, {
      // The page was written, but the copy was killed before it could record that.
      transact: async (table, ...others) => {
        const written = await open.transact(table, ...others);
        if (table === "Rows" && ++writes === 2)
          throw new StorageError("storage.failed", "It failed.", { applied: "no", status: 403 });
        return written;
      },
    });
    await expect(copyTable(from, to, "Rows", { concurrency: 1 })).rejects.toMatchObject({
      code: "storage.failed",
    });
    await from.write("Rows", { type: "upsert-replace", entity: rowOf("00007", { Name: "changed" }) });

    await expect(copyTable(from, to, "Rows")).rejects.toMatchObject({
      code: "transfer.row-exists",
      details: { table: "Rows", partitionKey: "a", rowKey: "00007" },
    });
    await copyTable(from, to, "Rows", { existing: "replace" });
    expect(await rowsOf(to, "Rows")).toEqual(await rowsOf(from, "Rows"));
  });
});
