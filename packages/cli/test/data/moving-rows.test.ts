import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { openStorage } from "@partita/core";
import { compareTables } from "@partita/transfer";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../run.ts";
import { extremes } from "./every-type.ts";

let folder: TemporaryFolder;
const target = (name: string): string => `file:${folder.file(name)}`;
beforeAll(async () => {
  folder = await temporaryFolder();
  await using storage = await openStorage(target("source.db"));
  await storage.createTable("Types");
  await storage.createTable("Empty");
  for (const entity of extremes) await storage.write("Types", { type: "insert", entity });
});
afterAll(() => folder[Symbol.asyncDispose]());

async function expectSameAsSource(name: string, table = "Types"): Promise<void> {
  await using source = await openStorage(target("source.db"));
  await using other = await openStorage(target(name));
  expect(await compareTables(source, other, "Types", { as: table })).toMatchObject({
    isEqual: true,
    second: extremes.length,
  });
}

describe("rows of transactions", () => {
  const rows = [
    { PartitionKey: "s", RowKey: "1", State: "paid" },
    { PartitionKey: "s", RowKey: "~o~1", _row: "outbox", Task: "ship", Id: "1" },
    { PartitionKey: "s", RowKey: "~w~2", _row: "marker", State: "written" },
  ];
  const left =
    /^Left out: 1 waiting message, 1 marker\.\nThe messages of the outbox are handled in their storage/m;
  const rowsIn = async (name: string): Promise<number> => {
    await using storage = await openStorage(target(name));
    return (await storage.query("Orders", {})).entities.length;
  };
  beforeAll(async () => {
    await using storage = await openStorage(target("orders.db"));
    await storage.createTable("Orders");
    for (const entity of rows) await storage.write("Orders", { type: "insert", entity });
    // As an export of another program has them.
    await writeFile(folder.file("all.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  });

  test("are left out where one table is moved, and the command says so", async () => {
    const orders = target("orders.db");
    const exported = await run("export", orders, "Orders", "-o", folder.file("orders.jsonl"));
    expect(exported).toMatchObject({ code: 0, errors: expect.stringMatching(left) });
    expect(exported.errors).toContain("Wrote 1 row, ");
    const copied = await run("copy", orders, target("one.db"), "Orders", "--verify");
    expect(copied).toMatchObject({ code: 0, errors: expect.stringMatching(left) });
    const imported = await run("import", target("in.db"), "Orders", folder.file("all.jsonl"));
    expect(imported).toMatchObject({ code: 0, errors: expect.stringMatching(left) });

    expect([await rowsIn("one.db"), await rowsIn("in.db")]).toEqual([1, 1]);
  });

  test("are moved with a whole storage", async () => {
    const orders = target("orders.db");
    expect(await run("copy", orders, target("all.db"), "--all", "--verify")).toMatchObject({
      code: 0,
      errors: "",
    });
    expect(await run("backup", orders, folder.file("orders.backup"))).toMatchObject({ code: 0 });
    expect(await run("restore", target("back.db"), folder.file("orders.backup"))).toMatchObject({
      code: 0,
      out: "Orders: 3 rows restored.\n",
    });

    expect([await rowsIn("all.db"), await rowsIn("back.db")]).toEqual([3, 3]);
  });

  test("are counted and shown with all others", async () => {
    expect(await run("count", target("orders.db"), "Orders")).toMatchObject({ out: "3\n" });
    expect((await run("query", target("orders.db"), "Orders", "--scan", "--json")).out).toContain("~o~1");
  });
});

describe("every EDM type with its extremes", () => {
  test.each(["jsonl", "csv"])("is the same after an export and an import of %s", async (format) => {
    const file = folder.file(`rows.${format}`);

    expect(await run("export", target("source.db"), "Types", "-o", file)).toMatchObject({
      code: 0,
      errors: expect.stringMatching(/^Wrote 3 rows/),
    });
    expect(await run("import", target(`${format}.db`), "Types", file)).toMatchObject({
      code: 0,
      out: "Types: 3 rows read, 3 written.\n",
    });

    await expectSameAsSource(`${format}.db`);
  });

  test("is the same after a copy under another name", async () => {
    expect(
      await run("copy", target("source.db"), target("copy.db"), "Types", "--as", "Others", "--verify"),
    ).toMatchObject({ code: 0, out: "Types: 3 rows read, 3 written.\nTypes: 3 rows, equal in both.\n" });

    await expectSameAsSource("copy.db", "Others");
  });

  test("is the same after a backup and a restore, and empty tables are there", async () => {
    expect(await run("backup", target("source.db"), folder.file("all.backup"))).toMatchObject({ code: 0 });
    expect(await run("restore", target("restored.db"), folder.file("all.backup"))).toMatchObject({
      code: 0,
      out: "Empty: 0 rows restored.\nTypes: 3 rows restored.\n",
    });

    await expectSameAsSource("restored.db");
    expect((await run("tables", target("restored.db"))).out).toBe("Empty\nTypes\n");
  });
});

test("a file that is there is not replaced, and a dry run writes nothing", async () => {
  const file = folder.file("there.jsonl");
  await writeFile(file, '{"PartitionKey":"a","RowKey":"1"}\n{"PartitionKey":"a"}\n');

  expect(await run("export", target("source.db"), "Types", "-o", file)).toMatchObject({ code: 2 });
  expect(await run("import", target("dry.db"), "Types", file, "--dry-run", "--skip-bad")).toMatchObject({
    code: 1,
    out: "Types: 1 row read, 1 would be written, 1 bad line left out.\n",
    errors: "Line 2 is not a row: RowKey is missing or not a text.",
  });
  expect(await run("import", target("dry.db"), "Types", file, "--dry-run")).toMatchObject({
    code: 1,
    errors: expect.stringContaining(" skip such lines with --skip-bad"),
  });
  expect(await run("copy", target("source.db"), target("dry.db"), "--all", "--dry-run")).toMatchObject({
    code: 0,
    out: "Empty: 0 rows would be copied.\nTypes: 3 rows would be copied.\n",
  });

  expect(await readFile(file, "utf8")).toContain('"RowKey":"1"');
  expect(await readdir(folder.path)).not.toContain("dry.db");
});

test("a table is not copied onto itself, whatever its file is called", async () => {
  await symlink(folder.file("source.db"), folder.file("also.db"));
  expect(await run("copy", target("source.db"), target("also.db"), "Types")).toMatchObject({
    code: 2,
    errors: expect.stringContaining("onto itself"),
  });
});

test("a row that differs is named by --verify", async () => {
  await run("copy", target("source.db"), target("differs.db"), "Types");
  await run(
    "put",
    target("differs.db"),
    "Types",
    '{"PartitionKey":"a","RowKey":"least","Int32":1}',
    "--mode",
    "merge",
  );

  const { code, errors } = await run(
    "copy",
    target("source.db"),
    target("differs.db"),
    "Types",
    "--existing",
    "skip",
    "--verify",
  );

  expect(code).toBe(1);
  expect(errors).toContain('changed: ("a", "least")');
});

describe("a backup that is damaged", () => {
  /** A backup with something else in it. */
  async function damaged(change: (bytes: Buffer) => Buffer): Promise<string> {
    const file = folder.file("damaged.backup");
    await run("backup", target("source.db"), folder.file("sound.backup"), "--force");
    await writeFile(file, change(await readFile(folder.file("sound.backup"))));
    return file;
  }

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["without its last byte but one", (bytes) => bytes.subarray(0, -2)],
    ["without its last line", (bytes) => bytes.subarray(0, bytes.lastIndexOf("\n", -2) + 1)],
    ["without a row", (bytes) => Buffer.from(bytes.toString().replace(/\{"PartitionKey":.*\n/, ""))],
    ["with something behind its end", (bytes) => Buffer.concat([bytes, Buffer.from("{}\n")])],
    ["without anything", () => Buffer.alloc(0)],
    ["of another kind", () => Buffer.from('{"PartitionKey":"a","RowKey":"1"}\n')],
  ])("%s is refused, and nothing is restored", async (_name, change) => {
    const file = await damaged(change);

    const { code, errors } = await run("restore", target("never.db"), file);

    expect(errors).toMatch(new RegExp(`^.*${basename(file)} is (?:damaged: |not a backup of)`));
    expect(code).toBe(1);
    expect(await readdir(folder.path)).not.toContain("never.db");
  });

  test("in one bit of any byte is refused", async () => {
    const { length } = await readFile(await damaged((bytes) => bytes));
    for (let at = 0; at < length; at += Math.ceil(length / 60)) {
      const file = await damagedAt(at);
      expect({ at, ...(await run("restore", target("never.db"), file, "--dry-run")) }).toMatchObject({
        code: 1,
      });
    }
  });

  async function damagedAt(at: number): Promise<string> {
    const bytes = await readFile(folder.file("sound.backup"));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(folder.file("damaged.backup"), bytes);
    return folder.file("damaged.backup");
  }
});

describe("CSV without types", () => {
  const csv = "PartitionKey,RowKey,Name,Count\na,1,x,5\n";
  const imported = async (name: string, ...options: readonly string[]): ReturnType<typeof run> => {
    await writeFile(folder.file("untyped.csv"), csv);
    return run("import", target(name), "Untyped", folder.file("untyped.csv"), ...options);
  };
  const countIn = async (name: string): Promise<unknown> => {
    await using storage = await openStorage(target(name));
    return (await storage.get("Untyped", { partitionKey: "a", rowKey: "1" }))?.["Count"];
  };

  test("is refused with the types that would be inferred, and the options", async () => {
    const { code, out, errors } = await imported("refused.db");

    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(errors).toMatch(
      /^transfer\.types: .*Name \(Edm\.String\), Count \(Edm\.Int32\)\. Add --types infer to import these types, --types text to import all as text, or --types module\.js with the compiled classes/,
    );
  });

  test("is imported with the inferred types, which are printed", async () => {
    expect(await imported("inferred.db", "--types", "infer")).toMatchObject({
      code: 0,
      out: "Untyped: 1 row read, 1 written.\n",
      errors: "Inferred: Name Edm.String, Count Edm.Int32.",
    });
    expect(await countIn("inferred.db")).toBe(5);
  });

  test("is imported as text", async () => {
    expect(await imported("text.db", "--types", "text")).toMatchObject({ code: 0, errors: "" });
    expect(await countIn("text.db")).toBe("5");
  });

  test("is imported with the types of a module's classes, and refused if none has the table", async () => {
    const module = folder.file("model.mjs");
    const classOf = (table: string): string =>
      `import { defineEntity, double, text } from ${JSON.stringify(import.meta.resolve("@partita/core"))};
       export class Row extends defineEntity({ table: "${table}", partitionKey: { p: text() }, rowKey: { r: text() },
         properties: { Name: text(), Count: double() } }) {}`;
    await writeFile(module, classOf("Untyped"));
    const other = folder.file("other.mjs");
    await writeFile(other, classOf("Others"));

    expect(await imported("typed.db", "--types", module)).toMatchObject({ code: 0, errors: "" });
    await using storage = await openStorage(target("typed.db"));
    expect(await storage.get("Untyped", { partitionKey: "a", rowKey: "1" })).toMatchObject({
      "Count@odata.type": "Edm.Double",
      Count: 5,
    });
    expect(await imported("none.db", "--types", other)).toMatchObject({
      code: 2,
      errors: expect.stringContaining(
        "has no class of the table Untyped. It has classes of: Others.",
      ) as string,
    });
    expect(await imported("none.db", "--types", folder.file("missing.mjs"))).toMatchObject({ code: 2 });
  });
});
