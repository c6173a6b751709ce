import { writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { rowsAsText } from "@partita/transfer";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { fill, rowsOf } from "@partita/test-support/rows";
import { type Run, run } from "../run.ts";

const inFolder = folderOfEachTest();

const target = (name: string): string => `file:${inFolder(name)}`;
const rowOf = (key: string, values: object = {}): StoredEntity => ({
  PartitionKey: "a",
  RowKey: key,
  ...values,
});
const moved = [rowOf("1", { Name: "new" }), rowOf("2", { Name: "new", Count: 5 })];
const stored = rowOf("1", { Name: "old", Size: 7 });

async function fillFile(name: string, table: string, rows: readonly StoredEntity[]): Promise<void> {
  await using storage = await openStorage(target(name));
  await fill(storage, table, rows);
}

async function rowsIn(name: string, table: string = "Rows"): Promise<StoredEntity[]> {
  await using storage = await openStorage(target(name));
  return await rowsOf(storage, table);
}

/** Each command with --existing: moves the rows into the table Rows of target.db. */
const commands: Readonly<Record<string, (...options: readonly string[]) => Promise<Run>>> = {
  copy: async (...options) => {
    await fillFile("source.db", "Rows", moved);
    return run("copy", target("source.db"), target("target.db"), "Rows", ...options);
  },
  "import of jsonl": async (...options) => {
    await writeFile(inFolder("rows.jsonl"), rowsAsText(moved, { format: "jsonl" }));
    return run("import", target("target.db"), "Rows", inFolder("rows.jsonl"), ...options);
  },
  "import of csv": async (...options) => {
    await writeFile(inFolder("rows.csv"), rowsAsText(moved, { format: "csv" }));
    return run("import", target("target.db"), "Rows", inFolder("rows.csv"), ...options);
  },
  restore: async (...options) => {
    await fillFile("source.db", "Rows", moved);
    await run("backup", target("source.db"), inFolder("all.backup"));
    return run("restore", target("target.db"), inFolder("all.backup"), ...options);
  },
};

const refusal =
  /^Rows already has rows\. Nothing was \w+\. With --existing replace, .* With merge, .* With skip, .* unchanged\.$/;
const all = /: (?:2 rows read, 2 written|2 rows restored)\.\n$/;

/** Each mode: the stored rows, the report and the exit code if the table has a row with the same key. */
const modes = [
  [[], [stored], /^$/, refusal, 1],
  [["--existing", "refuse"], [stored], /^$/, refusal, 1],
  [["--existing", "replace"], moved, all, /^$/, 0],
  [["--existing", "merge"], [{ ...stored, Name: "new" }, moved[1]], all, /^$/, 0],
  [
    ["--existing", "skip"],
    [stored, moved[1]],
    /: (?:2 rows read, 1 written|1 row restored), 1 skipped\.\n$/,
    /^$/,
    0,
  ],
  [["--existing", "keep"], [stored], /^$/, /^--existing takes refuse, replace, merge or skip\./, 2],
] as const;

describe.each(Object.entries(commands))("%s", (_name, command) => {
  test.each(modes)("with %j into a table that has rows", async (options, rows, report, message, exitCode) => {
    await fillFile("target.db", "Rows", [stored]);

    const { code, out, errors } = await command(...options);

    expect({ code, rows: await rowsIn("target.db") }).toEqual({ code: exitCode, rows });
    expect(out).toMatch(report);
    expect(errors).toMatch(message);
  });

  test.each(modes)("with %j and --dry-run writes nothing", async (options, _rows, _report, message, code) => {
    await fillFile("target.db", "Rows", [stored]);

    expect(await command(...options, "--dry-run")).toMatchObject({
      code,
      errors: expect.stringMatching(message) as string,
    });
    expect(await rowsIn("target.db")).toEqual([stored]);
  });

  test.each(modes.slice(0, -1))("with %j into a table without rows", async (options) => {
    await fillFile("target.db", "Rows", []);

    expect(await command(...options)).toMatchObject({ code: 0, errors: "" });
    expect(await rowsIn("target.db")).toEqual(moved);
  });

  test("into a storage that does not exist yet", async () => {
    expect(await command()).toMatchObject({ code: 0, errors: "" });
    expect(await rowsIn("target.db")).toEqual(moved);
  });
});

describe("several tables", () => {
  beforeEach(async () => {
    await fillFile("source.db", "First", moved);
    await fillFile("source.db", "Second", moved);
  });
  const copy = (...options: readonly string[]): Promise<Run> =>
    run("copy", target("source.db"), target("target.db"), "First", "Second", ...options);

  test.each([
    ["copied", copy],
    [
      "restored",
      async (): Promise<Run> => {
        await run("backup", target("source.db"), inFolder("all.backup"));
        return run("restore", target("target.db"), inFolder("all.backup"));
      },
    ],
  ])("are not %s if one of them has rows", async (_done, command) => {
    await fillFile("target.db", "Second", [stored]);

    expect(await command()).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Second already has rows\./) as string,
    });

    expect((await run("tables", target("target.db"))).out).toBe("Second\n");
    expect(await rowsIn("target.db", "Second")).toEqual([stored]);
  });

  test("are copied on after a copy that ended between them", async () => {
    await run("copy", target("source.db"), target("target.db"), "First");

    expect(await copy("--verify")).toMatchObject({
      code: 0,
      out: "First: copied before, left unchanged.\nFirst: 2 rows, equal in both.\nSecond: 2 rows read, 2 written.\nSecond: 2 rows, equal in both.\n",
    });
  });

  test("are not copied again unless that is requested", async () => {
    await copy();

    expect(await copy()).toMatchObject({
      code: 1,
      out: "",
      errors: expect.stringMatching(
        /^First, Second: an earlier copy has ended\. Nothing was copied\./,
      ) as string,
    });
    expect(await copy("--existing", "replace")).toMatchObject({
      code: 0,
      out: "First: 2 rows read, 2 written.\nSecond: 2 rows read, 2 written.\n",
    });
  });
});

test("a row of a file that has the key of another one stops the import, with advice", async () => {
  const rows = [rowOf("1", { Name: "secret" }), rowOf("1", { Name: "other" })];
  await writeFile(inFolder("twice.jsonl"), rowsAsText(rows, { format: "jsonl" }));

  const { code, errors } = await run("import", target("target.db"), "Rows", inFolder("twice.jsonl"));

  expect(code).toBe(1);
  expect(errors).toMatch(
    /^transfer\.row-exists: Two different rows have the key \("a", "1"\).* --existing replace/,
  );
  expect(errors).not.toContain("secret");
});
