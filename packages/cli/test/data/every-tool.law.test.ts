import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { startTableServer, type TableServer } from "@partita/server";
import { readRows, rowsAsText } from "@partita/transfer";
import { amountOf } from "@partita/test-support/effort";
import { fill, rowsOf } from "@partita/test-support/rows";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { differentRows, typedRows, typesIn } from "@partita/test-support/typed-rows";
import { run } from "../run.ts";

/** Rows for tools that take many, and for tools that take one row a call. */
const rows: readonly StoredEntity[] = typedRows(amountOf({ short: 400, full: 10_000, long: 50_000 }));
const few = rows.slice(0, amountOf({ short: 15, full: 300, long: 3000 }));
const timeoutMs = 1_800_000;

let folder: TemporaryFolder;
let server: TableServer;
let storage: TableStorage;
beforeAll(async () => {
  folder = await temporaryFolder();
  server = await startTableServer();
  storage = await openStorage(server.connectionString);
  for (const [name, content] of [
    ["All", rows],
    ["Few", few],
  ] as const) {
    await using file = await openStorage(target(`${name}.db`), { durability: "normal" });
    await fill(file, "Rows", content);
  }
}, timeoutMs);
afterAll(async () => {
  await storage.close();
  await server.close();
  await folder[Symbol.asyncDispose]();
});

const target = (name: string): string => `file:${folder.file(name)}`;
let tables = 0;
/** A table or file of its own. */
const newTable = (): string => `Rows${tables++}`;

/** Runs a command that must succeed. */
async function output(...args: readonly string[]): Promise<string> {
  const { code, out, errors } = await run(...args);
  expect(`${code} ${errors}`).toBe("0 ");
  return out;
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Writes rows as text. `asOne` has all of its rows, and `asMany` has a text for each of few rows. */
interface Writer {
  readonly rows: readonly StoredEntity[];
  readonly asOne: () => Promise<string>;
  readonly asMany: () => Promise<readonly string[]>;
}

const exported = async (name: string, format: string): Promise<string> => {
  const file = folder.file(`${newTable()}.${format}`);
  await run("export", target(`${name}.db`), "Rows", "-o", file);
  return readFile(file, "utf8");
};
const query = (name: string): Promise<string> => output("query", target(`${name}.db`), "Rows", "--scan");
const get = ({ PartitionKey, RowKey }: StoredEntity): Promise<string> =>
  output("get", target("All.db"), "Rows", "--", PartitionKey, RowKey);
const getFew = async (): Promise<string[]> => {
  const texts: string[] = [];
  for (const row of few) texts.push(await get(row));
  return texts;
};
const written = (format: "jsonl" | "csv"): Writer => ({
  rows,
  asOne: async () => rowsAsText(rows, { format }),
  asMany: async () => few.map((row) => rowsAsText([row], { format })),
});

const writers: Readonly<Record<string, Writer>> = {
  "export of jsonl": {
    rows,
    asOne: () => exported("All", "jsonl"),
    asMany: async () => linesOf(await exported("Few", "jsonl")),
  },
  "export of csv": {
    rows,
    asOne: () => exported("All", "csv"),
    asMany: async () => {
      const [header = "", ...lines] = (await exported("Few", "csv")).split(
        /(?<=\r\n)(?=(?:[^"]*"[^"]*")*[^"]*$)/,
      );
      return lines.map((line) => header + line);
    },
  },
  query: { rows, asOne: () => query("All"), asMany: async () => linesOf(await query("Few")) },
  get: { rows: few, asOne: async () => (await getFew()).join(""), asMany: getFew },
  "rowsAsText of jsonl": written("jsonl"),
  "rowsAsText of csv": written("csv"),
};

const imported = async (text: string): Promise<StoredEntity[]> => {
  const table = newTable();
  const file = folder.file(table);
  await writeFile(file, text);
  await output("import", server.connectionString, table, file);
  return rowsOf(storage, table);
};

/** Rows that a tool read, and those that it had to read. */
type Read = Promise<readonly [found: readonly StoredEntity[], expected: readonly StoredEntity[]]>;

/** Reads rows from the text of a writer: one text with all rows, or a text for each. */
const readers: Readonly<Record<string, (writer: Writer) => Read>> = {
  import: async ({ asOne, rows: expected }) => [await imported(await asOne()), expected],
  readRows: async ({ asOne, rows: expected }) => {
    const found: StoredEntity[] = [];
    for await (const row of readRows(await asOne())) found.push(row);
    return [found, expected];
  },
  put: async ({ asMany }) => {
    const table = newTable();
    await storage.createTable(table);
    for (const text of await asMany()) await output("put", server.connectionString, table, text);
    return [await rowsOf(storage, table), few];
  },
};

test("the rows have every EDM type", () => {
  expect([...typesIn(rows)].toSorted()).toEqual(
    ["Binary", "Boolean", "DateTime", "Double", "Guid", "Int32", "Int64", "String"].map(
      (type) => `Edm.${type}`,
    ),
  );
});

describe.each(Object.entries(writers))("rows of %s are the same", (_name, writer) => {
  test.each(Object.entries(readers))(
    "after %s",
    async (_reader, read) => {
      const [found, expected] = await read(writer);

      expect(differentRows(found, expected)).toEqual([]);
    },
    timeoutMs,
  );
});

describe("a complete table is the same", () => {
  const moves = {
    "copy of a file to a server": async (): Promise<string> => {
      await output("copy", target("All.db"), server.connectionString, "Rows", "--as", "Copied");
      return "Copied";
    },
    "backup and restore": async (): Promise<string> => {
      const file = folder.file("all.backup");
      await run("backup", target("All.db"), file);
      await output("restore", server.connectionString, file);
      return "Rows";
    },
  };

  test.each(Object.entries(moves))(
    "after %s",
    async (_name, move) => {
      expect(differentRows(await rowsOf(storage, await move()), rows)).toEqual([]);
    },
    timeoutMs,
  );
});

test(
  "every row is the same after it was put and got",
  async () => {
    const all = rows.slice(0, amountOf({ short: 15, full: 2000, long: 10_000 }));
    await storage.createTable("Put");
    const found: StoredEntity[] = [];
    for (const row of all) {
      await output("put", server.connectionString, "Put", rowsAsText([row], { format: "jsonl" }));
      const text = await output("get", server.connectionString, "Put", "--", row.PartitionKey, row.RowKey);
      for await (const each of readRows(text)) found.push(each);
    }
    expect(differentRows(found, all)).toEqual([]);
  },
  timeoutMs,
);
