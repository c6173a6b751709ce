import { mkdir, readFile, writeFile } from "node:fs/promises";
import { openStorage } from "@partita/core";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkInput, checkOutput } from "../../src/disk/named-file.ts";
import { UsageError } from "../../src/session/usage-error.ts";
import { run } from "../run.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(folder.file("sub"));
  await writeFile(folder.file("text.csv"), "");
  await (await openStorage(`file:${folder.file("tables.db")}`)).close();
});
afterAll(() => folder[Symbol.asyncDispose]());

test.each([
  ["none.csv", /^There is no .*none\.csv\.$/],
  ["sub", /sub is a folder\. Name a file\.$/],
])("%s cannot be read", (name, message) => {
  expect(() => checkInput(folder.file(name))).toThrow(message);
  expect(() => checkInput(folder.file(name))).toThrow(UsageError);
});

test.each([
  ["none/new.csv", /^There is no folder .*none\. Create it first\.$/],
  ["sub", /sub is a folder\. Name a file in it\.$/],
  ["text.csv/new.csv", /text\.csv is not a folder\./],
  ["tables.db", /tables\.db is a database, which is never replaced\./],
])("%s cannot be written, even with --force", (name, message) => {
  expect(() => checkOutput(folder.file(name), true)).toThrow(message);
  expect(() => checkOutput(folder.file(name), true)).toThrow(UsageError);
});

test("a device cannot be replaced", () => {
  expect(() => checkOutput("/dev/null", true)).toThrow(/not a regular file/);
});

test("a new file can be written, and an existing one with --force", () => {
  checkOutput(folder.file("new.csv"), false);
  checkOutput(folder.file("text.csv"), true);
  expect(() => checkOutput(folder.file("text.csv"), false)).toThrow(/already exists\. --force replaces it/);
});

test.each(["rows.xlsx", "rows.jsonl.gz", "rows.tsv"])(
  "an export to %s needs --format, because it would not have this format",
  async (name) => {
    const call = ["export", `file:${folder.file("blogs.db")}`, "Blogs", "-o", folder.file(name)];
    expect(await run("create-table", call[1] ?? "", "Blogs", "--if-missing")).toMatchObject({ code: 0 });

    expect(await run(...call)).toMatchObject({
      code: 2,
      errors: expect.stringContaining("Name a file with .jsonl or .csv, or choose --format"),
    });
    expect(await run(...call, "--format", "csv")).toMatchObject({ code: 0 });
  },
);

test.each([["export", "Blogs", "-o"], ["backup"], ["generate", "-o"]])(
  "%s does not replace the database that it reads",
  async (command, ...rest) => {
    const file = folder.file("tables.db");
    const before = await readFile(file);

    const { code, errors } = await run(command, `file:${file}`, ...rest, file, "--force");

    expect(errors).toMatch(/is a database, which is never replaced/);
    expect(code).toBe(2);
    expect((await readFile(file)).equals(before)).toBe(true);
  },
);
