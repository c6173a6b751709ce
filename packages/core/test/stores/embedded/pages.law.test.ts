import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import type { FilterNode, StoredPage, StoredEntity, StoredQuery } from "../../../src/storage.ts";
import { checksumOfThing } from "./things.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  path = join(folder, "tables.db");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const rowKey = (i: number): string => String(i).padStart(6, "0");

/** Opens a store with `count` rows. */
async function filled(target: string, count: number, text = ""): Promise<TableStorage> {
  const storage = await openStorage(target, { durability: "normal" });
  await storage.createTable("Things");
  for (let from = 0; from < count; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: Math.min(100, count - from) }, (_, i) => ({
        type: "insert",
        entity: { PartitionKey: "p", RowKey: rowKey(from + i), n: from + i, v: 0, text },
      })),
    );
  return storage;
}

const compare = (op: "eq" | "ge" | "lt", name: string, value: number | string): FilterNode => ({
  op,
  name,
  literal: { edm: typeof value === "number" ? "Edm.Int32" : "Edm.String", value },
});

async function pagesOf(storage: TableStorage, query: StoredQuery): Promise<StoredPage[]> {
  const pages: StoredPage[] = [];
  let after: StoredPage["next"];
  do {
    const page = await storage.query("Things", { ...query, ...(after !== undefined && { after }) });
    pages.push(page);
    after = page.next;
  } while (after !== undefined);
  return pages;
}

/** Each chunk takes as long as it should, so that the next one is of the same size, whatever the machine does. */
function measureSteadyTime(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 2));
}

const lengthsOf = (pages: readonly StoredPage[]): number[] => pages.map(({ entities }) => entities.length);

describe.each(["memory:", "file:"])("over %s", (kind) => {
  const target = (): string => (kind === "memory:" ? kind : `file:${path}`);

  test("a page ends after 1000 rows, or after top, with a filter and without", async () => {
    await using storage = await filled(target(), 2500);
    const every = compare("ge", "n", 0);

    for (const filter of [{}, { filter: every }]) {
      expect(lengthsOf(await pagesOf(storage, filter))).toEqual([1000, 1000, 500]);
      expect(lengthsOf(await pagesOf(storage, { ...filter, top: 900 }))).toEqual([900, 900, 700]);
    }
    expect(lengthsOf(await pagesOf(storage, { filter: compare("ge", "n", 1000) }))).toEqual([1000, 500]);
    expect(lengthsOf(await pagesOf(storage, { filter: compare("eq", "n", 2400) }))).toEqual([1]);
  });

  test("a page ends before its text passes 4 MiB, with a filter and without", async () => {
    const text = "x".repeat(30_000);
    await using storage = await filled(target(), 300, text);

    for (const query of [{}, { filter: compare("ge", "n", 0) }]) {
      const pages = await pagesOf(storage, query);

      const bytesOf = (entities: readonly StoredEntity[]): number =>
        entities.reduce((sum, { n, v, text: own }) => sum + JSON.stringify({ n, v, text: own }).length, 0);
      const first = pages[0]?.entities ?? [];
      expect(bytesOf(first)).toBeLessThanOrEqual(4 * 1024 * 1024);
      expect(bytesOf([...first, ...(pages[1]?.entities.slice(0, 1) ?? [])])).toBeGreaterThan(4 * 1024 * 1024);
      expect(pages.flatMap(({ entities }) => entities.map(({ n }) => n))).toEqual(
        Array.from({ length: 300 }, (_, i) => i),
      );
    }
  });

  test("pages are the same on a machine of any speed", async () => {
    await using storage = await filled(target(), 1200, "x".repeat(1000));
    const queries: StoredQuery[] = [
      {},
      { top: 300 },
      { filter: compare("ge", "n", 10) },
      { filter: compare("eq", "v", 0) },
      { filter: compare("eq", "n", 1199) },
    ];
    const read = async (): Promise<StoredPage[][]> =>
      Promise.all(queries.map((query) => pagesOf(storage, query)));
    const expected = await read();
    for (const msPerCall of [0, 10_000]) {
      let now = 0;
      vi.spyOn(performance, "now").mockImplementation(() => (now += msPerCall));

      expect(await read()).toEqual(expected);
    }
  });

  test("a filter is checked once, however long its page is", async () => {
    await using storage = await filled(target(), 100);
    const namesRead = async (top: number): Promise<number> => {
      let count = 0;
      const filter = {
        ...compare("eq", "n", -1),
        get name() {
          count++;
          return "n";
        },
      } as FilterNode;
      // One partition of one row, or the table: no row passes the test, so that nothing else reads the name.
      const partition = { edm: "Edm.String", value: top === 1 ? "none" : "p" } as const;
      const both: FilterNode = {
        op: "and",
        nodes: [{ op: "eq", name: "PartitionKey", literal: partition }, filter],
      };
      await storage.query("Things", { filter: both });
      return count;
    };

    expect(await namesRead(100)).toBe(await namesRead(1));
  });

  test("a scan shows one state of the table, while this process writes between its turns", async () => {
    await using storage = await filled(target(), 9000);
    const sample = [0, 2100, 4200, 6300, 8999];
    const filter: FilterNode = { op: "or", nodes: sample.map((n) => compare("eq", "n", n)) };
    // The first scan of a file checks each row, in smaller steps.
    await storage.query("Things", { filter });
    measureSteadyTime();
    let isRead = false;
    const reading = storage.query("Things", { filter }).finally(() => (isRead = true));
    let version = 0;
    const writing: Promise<unknown>[] = [];
    while (!isRead) {
      version++;
      writing.push(
        storage.transact(
          "Things",
          sample.map((n) => ({
            type: "merge",
            etag: "*",
            entity: { PartitionKey: "p", RowKey: rowKey(n), v: version },
          })),
        ),
      );
      await turn();
    }
    const { entities } = await reading;
    await Promise.all(writing);

    expect(writing.length).toBeGreaterThan(2);
    expect(entities.map(({ n }) => n)).toEqual(sample);
    expect(new Set(entities.map(({ v }) => v)).size).toBe(1);
    const after = await storage.query("Things", { filter });
    expect(after.entities.map(({ v }) => v)).toEqual(sample.map(() => version));
  });

  test("requests that come while a table is scanned are answered before the scan is done", async () => {
    await using storage = await filled(target(), 12_000);
    const order: string[] = [];
    const note = (what: string) => (): void => void order.push(what);
    const key = { partitionKey: "p", rowKey: rowKey(1) };

    const scan = storage.query("Things", { filter: compare("eq", "n", -1) }).then(note("scan"));
    await turn();
    await Promise.all([
      scan,
      storage.get("Things", key).then(note("get")),
      storage.query("Things", { top: 10 }).then(note("query")),
      storage.query("Things", { filter: compare("eq", "n", 3) }).then(note("short scan")),
    ]);

    expect(order.indexOf("scan")).toBeGreaterThan(order.indexOf("get"));
    expect(order.indexOf("scan")).toBeGreaterThan(order.indexOf("query"));
  });

  test("a write is made while tables are scanned without a pause", async () => {
    await using storage = await filled(target(), 2000);
    let isWritten = false;
    let scans = 0;
    const scan = async (): Promise<void> => {
      while (!isWritten && scans < 1000) {
        scans++;
        await storage.query("Things", { filter: compare("eq", "n", -1) });
      }
    };
    const scanning = Promise.all([scan(), scan(), scan()]);
    await turn();
    await storage.write("Things", { type: "insert", entity: { PartitionKey: "q", RowKey: "r" } });
    isWritten = true;
    await scanning;

    expect(scans).toBeLessThan(1000);
  });

  test("a cancelled scan ends at its next turn", async () => {
    await using storage = await filled(target(), 5000);
    const controller = new AbortController();
    const scan = storage.query("Things", { filter: compare("eq", "n", -1) }, { signal: controller.signal });
    controller.abort();

    await expect(scan).rejects.toMatchObject({ code: "storage.cancelled" });
    expect((await storage.query("Things", { filter: compare("eq", "n", 7) })).entities).toHaveLength(1);
  });

  test("closing waits for a scan", async () => {
    const storage = await filled(target(), 5000);
    const scan = storage.query("Things", { filter: compare("eq", "n", 4999) });
    const closing = storage.close();

    expect((await scan).entities).toMatchObject([{ n: 4999 }]);
    await closing;
  });

  test("many scans at once end, each with its own answer", async () => {
    await using storage = await filled(target(), 1000);
    const wanted = Array.from({ length: 20 }, (_, i) => i * 50);

    const pages = await Promise.all(
      wanted.map((n) => storage.query("Things", { filter: compare("eq", "n", n) })),
    );

    expect(pages.map(({ entities }) => entities.map(({ n }) => n))).toEqual(wanted.map((n) => [n]));
  });
});

test("a page ends after 100,000 rows that were passed, possibly empty, and nothing is lost", async () => {
  await using storage = await filled(`file:${path}`, 0);
  const raw = new DatabaseSync(path);
  const insert = raw.prepare(
    "INSERT INTO rows1 (pk, rk, ts, body, crc, ahead) VALUES ('p', ?, ?, CAST(? AS BLOB), ?, 0)",
  );
  raw.exec("BEGIN");
  for (let i = 0; i < 100_500; i++) {
    const body = `{"n":${i}}`;
    insert.run(rowKey(i), i + 1, body, checksumOfThing(rowKey(i), i + 1, body));
  }
  raw.exec("COMMIT");
  raw.close();

  const last = await pagesOf(storage, { filter: compare("eq", "n", 100_499) });
  const first = await pagesOf(storage, { filter: compare("eq", "n", 3) });

  expect(lengthsOf(last)).toEqual([0, 1]);
  expect(lengthsOf(first)).toEqual([1, 0]);
});

test("a scan shows one state of the table, while another process writes between its turns", async () => {
  await using storage = await filled(`file:${path}`, 9000);
  const other = new DatabaseSync(path, { timeout: 5000 });
  const sample = [0, 2100, 4200, 6300, 8999];
  const filter: FilterNode = { op: "or", nodes: sample.map((n) => compare("eq", "n", n)) };
  // The first scan of a file checks each row, in smaller steps.
  await storage.query("Things", { filter });
  measureSteadyTime();
  let isRead = false;
  const reading = storage.query("Things", { filter }).finally(() => (isRead = true));
  let version = 0;
  while (!isRead) {
    other.exec("BEGIN IMMEDIATE");
    version++;
    for (const n of sample) {
      const { ts } = other.prepare("SELECT ts FROM rows1 WHERE rk = ?").get(rowKey(n)) as { ts: number };
      const body = `{"n":${n},"v":${version}}`;
      other
        .prepare("UPDATE rows1 SET body = CAST(? AS BLOB), crc = ? WHERE rk = ?")
        .run(body, checksumOfThing(rowKey(n), ts, body), rowKey(n));
    }
    other.exec("COMMIT");
    await turn();
  }
  other.close();
  const { entities } = await reading;

  expect(version).toBeGreaterThan(2);
  expect(entities.map(({ n }) => n)).toEqual(sample);
  expect(new Set(entities.map(({ v }) => v)).size).toBe(1);
});

test.each([1, -5, 4000, "2 << 61", "'many'"])(
  "a scan finds each row in a file whose count of them was changed to %s",
  async (count) => {
    {
      await using storage = await filled(`file:${path}`, 3000);
      expect(storage.description).toContain(path);
    }
    const raw = new DatabaseSync(path);
    raw.exec(`UPDATE state SET rows = ${count} WHERE id = 1`);
    raw.close();
    await using storage = await openStorage(`file:${path}`);
    const sample = [0, 1023, 1024, 2047, 2048, 2999];
    const filter: FilterNode = { op: "or", nodes: sample.map((n) => compare("eq", "n", n)) };

    const pages = await pagesOf(storage, { filter });

    expect(pages.flatMap(({ entities }) => entities.map(({ n }) => n))).toEqual(sample);
    expect(lengthsOf(await pagesOf(storage, { filter, top: 4 }))).toEqual([4, 2]);
  },
);

test("a scan reports a damaged row whose damage hides it from the filter", async () => {
  {
    await using storage = await filled(`file:${path}`, 500);
    expect((await storage.query("Things", { filter: compare("eq", "n", 300) })).entities).toHaveLength(1);
  }
  const raw = new DatabaseSync(path);
  raw.exec(
    `UPDATE rows1 SET body = CAST(replace(body, '"n":300', '"n":100') AS BLOB) WHERE rk = '${rowKey(300)}'`,
  );
  raw.close();
  await using storage = await openStorage(`file:${path}`);

  await expect(storage.query("Things", { filter: compare("eq", "n", 300) })).rejects.toMatchObject({
    code: "storage.damaged",
  });
});

test("a scan that passes a row for the first time reports damage to it, and one that keys alone decide does not", async () => {
  {
    await using storage = await filled(`file:${path}`, 500);
    expect(storage.description).toContain(path);
  }
  const raw = new DatabaseSync(path);
  raw.exec(`UPDATE rows1 SET body = 'damaged' WHERE rk = '${rowKey(300)}'`);
  raw.close();
  await using storage = await openStorage(`file:${path}`);
  const inFirstHalf: FilterNode[] = [
    compare("eq", "PartitionKey", "p"),
    compare("lt", "RowKey", rowKey(250)),
    compare("eq", "n", 200),
  ];

  expect(
    (await storage.query("Things", { filter: { op: "and", nodes: inFirstHalf } })).entities,
  ).toHaveLength(1);
  expect(
    (await storage.query("Things", { filter: compare("eq", "RowKey", rowKey(7)) })).entities,
  ).toHaveLength(1);
  for (const filter of [compare("eq", "n", 200), compare("lt", "n", 0)])
    await expect(storage.query("Things", { filter })).rejects.toMatchObject({ code: "storage.damaged" });
});

test("rows are checked once, page by page, and those of other bounds by themselves", async () => {
  await using storage = await filled(`file:${path}`, 3000);
  await pagesOf(storage, { filter: compare("ge", "n", 0), top: 400 });
  const raw = new DatabaseSync(path);
  raw.exec(
    `UPDATE rows1 SET body = CAST('{"n":-1}' AS BLOB) WHERE rk IN ('${rowKey(1)}', '${rowKey(2999)}')`,
  );
  raw.close();
  const inPartition: FilterNode = {
    op: "and",
    nodes: [compare("eq", "PartitionKey", "p"), compare("eq", "n", 1500)],
  };

  const passing = await storage.query("Things", { filter: compare("eq", "n", 1500) });

  expect(passing.entities).toHaveLength(1);
  // What is returned is always checked.
  for (const filter of [compare("lt", "n", 0), inPartition])
    await expect(storage.query("Things", { filter })).rejects.toMatchObject({ code: "storage.damaged" });
  const later = Date.now() + 60 * 60 * 1000;
  vi.spyOn(Date, "now").mockImplementation(() => later);
  await expect(storage.query("Things", { filter: compare("eq", "n", 1500) })).rejects.toMatchObject({
    code: "storage.damaged",
  });
});

test("pages go on over many small partitions, and over partitions that end within a chunk", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  const sizes = [1, 1, 1, 2, 15, 16, 17, 300, 1, 80, 1, 1];
  const keys = sizes.flatMap((size, p) =>
    Array.from({ length: size }, (_, r): [string, string] => [`p${p + 10}`, rowKey(r)]),
  );
  await Promise.all(
    keys.map(([PartitionKey, RowKey], n) =>
      storage.write("Things", { type: "insert", entity: { PartitionKey, RowKey, n, v: n % 7 } }),
    ),
  );

  for (const top of [1, 3, 50, 1000]) {
    const pages = await pagesOf(storage, { filter: compare("eq", "v", 3), top });
    expect(pages.flatMap(({ entities }) => entities.map(({ n }) => n))).toEqual(
      keys.flatMap((_, n) => (n % 7 === 3 ? [n] : [])),
    );
  }
});
