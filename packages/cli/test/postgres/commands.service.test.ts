// Each command prints the same over PostgreSQL as over a file, and leaves the same rows and files.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { compareTables } from "@partita/transfer";
import { hasPostgres } from "@partita/test-support/postgres";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extremes } from "../data/every-type.ts";
import { published } from "../published.ts";
import { run } from "../run.ts";

describe.runIf(hasPostgres)("over PostgreSQL and over a file", () => {
  let folder: TemporaryFolder;
  const places = ["file", "postgres"] as const;
  type Place = (typeof places)[number];
  const target = (place: Place, name = "main"): string =>
    place === "file"
      ? `file:${folder.file(`${name}.db`)}`
      : `${process.env["PARTITA_POSTGRES"]}?schema=cli_${name}_${process.pid}`;
  const output = (place: Place, name: string): string => join(folder.path, place, name);

  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const place of places) await mkdir(output(place, ""));
    for (const name of ["main", "restored"])
      expect(await run("postgres", "init", target("postgres", name))).toMatchObject({ code: 0 });
    const lines = extremes.map((row) => `${JSON.stringify(row)}\n`);
    await writeFile(folder.file("rows.jsonl"), lines.join(""));
    await writeFile(folder.file("photo.jpg"), Buffer.alloc(3000, "photo"));
    await writeFile(
      folder.file("model.mjs"),
      `import { defineEntity, int32, text } from ${JSON.stringify(published("core"))};
      const keys = { partitionKey: { p: text() }, rowKey: { r: text() } };
      export class Thing extends defineEntity({ table: "Things", ...keys, properties: { N: int32() } }) {}`,
    );
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  /** Runs a command at both places, and returns what it printed, which is the same. */
  async function bothPrint(command: (place: Place) => readonly string[], code = 0): Promise<string> {
    const printed = async (place: Place): Promise<string> => {
      const { code: exit, out, errors } = await run(...command(place));
      expect([exit, errors]).toEqual([code, errors]);
      return comparable(`${out}${errors}`).replaceAll(output(place, ""), "");
    };
    const [file, postgres] = [await printed("file"), await printed("postgres")];
    expect(postgres).toBe(file);
    return file;
  }

  test("import, tables, put, get, query, count and rm", async () => {
    const row = '{"PartitionKey":"a","RowKey":"new","N":"5","N@odata.type":"Edm.Int64"}';
    await bothPrint((place) => ["import", target(place), "Types", folder.file("rows.jsonl")]);
    expect(await bothPrint((place) => ["tables", target(place), "--count"])).toContain("Types");
    await bothPrint((place) => ["put", target(place), "Types", row]);
    await bothPrint((place) => ["put", target(place), "Types", row], 1);
    await bothPrint(
      (place) => ["put", target(place), "Types", row, "--mode", "merge", "--etag", 'W/"old"'],
      1,
    );
    expect(await bothPrint((place) => ["get", target(place), "Types", "a", "new"])).toContain('["N","5"]');
    const filter = ["--filter", "Int32 lt 0 or N eq 5L"];
    expect(await bothPrint((place) => ["query", target(place), "Types", ...filter, "--scan"])).toMatch(
      /least[^]*new/,
    );
    expect(await bothPrint((place) => ["count", target(place), "Types", ...filter])).toMatch(/^2$/m);
    await bothPrint((place) => ["rm", target(place), "Types", "a", "new", "--force"]);
    await bothPrint((place) => ["get", target(place), "Types", "a", "new"], 1);
    await bothPrint((place) => ["count", target(place), "Missing"], 1);
  });

  test("export, backup, restore and copy", async () => {
    const jsonl = (place: Place): string => output(place, "types.jsonl");
    await bothPrint((place) => ["export", target(place), "Types", "--no-timestamps", "-o", jsonl(place)]);
    const [file, postgres] = await Promise.all(places.map((place) => readFile(jsonl(place), "utf8")));
    expect(comparable(postgres ?? "")).toBe(comparable(file ?? ""));
    const csv = (place: Place): string => output(place, "types.csv");
    await bothPrint((place) => ["export", target(place), "Types", "-o", csv(place)]);
    await bothPrint((place) => ["import", target(place), "FromCsv", csv(place)]);
    await bothPrint((place) => ["backup", target(place), output(place, "backup")]);
    await bothPrint((place) => ["restore", target(place, "restored"), output(place, "backup")]);
    // From a file to PostgreSQL and back.
    const verified = ["Types", "--verify"];
    const copy = async (...args: readonly string[]): Promise<void> =>
      expect(await run("copy", ...args, ...verified)).toMatchObject({ code: 0 });
    await copy(target("file"), target("postgres"), "--as", "Copied");
    await copy(target("postgres"), target("file", "back"));

    await using source = await openStorage(target("file"));
    for (const [place, name, table] of [
      ["postgres", "main", "Types"],
      ["postgres", "main", "FromCsv"],
      ["postgres", "main", "Copied"],
      ["postgres", "restored", "Types"],
      ["file", "back", "Types"],
    ] as const) {
      await using other = await openStorage(target(place, name));
      const { isEqual, second } = await compareTables(source, other, "Types", { as: table });
      expect([isEqual, second]).toEqual([true, extremes.length]);
    }
  });

  test("diff", async () => {
    const rows = [
      '{"PartitionKey":"p","RowKey":"1","N":1,"More":"x"}',
      '{"PartitionKey":"p","RowKey":"2","N":""}',
    ];
    await writeFile(folder.file("things.jsonl"), rows.join("\n"));
    await bothPrint((place) => ["import", target(place), "Things", folder.file("things.jsonl")]);
    const diff = (place: Place): string[] => ["diff", folder.file("model.mjs"), target(place), "--json"];
    expect(await bothPrint(diff, 1)).toContain("Things: 2 rows, 2 differences");
  });

  test("files put, ls, cat, get and rm", async () => {
    const files = (place: Place, ...args: readonly string[]): string[] => ["files", target(place), ...args];
    await bothPrint((place) => files(place, "put", folder.file("photo.jpg"), "/photos/a.jpg"));
    expect(await bothPrint((place) => files(place, "ls", "-l", "/photos/"))).toContain("a.jpg");
    expect((await bothPrint((place) => files(place, "cat", "/photos/a.jpg"))).length).toBe(3000);
    await bothPrint((place) => files(place, "get", "-r", "/photos/", output(place, "photos")));
    for (const place of places)
      expect(await readFile(output(place, "photos/a.jpg"))).toEqual(await readFile(folder.file("photo.jpg")));
    await bothPrint((place) => files(place, "rm", "/photos/a.jpg"));
    await bothPrint((place) => files(place, "cat", "/photos/a.jpg"), 1);
  });
});

/** A text without times and ETags. The members of JSON are sorted, because jsonb does not keep their order. */
const comparable = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line.startsWith("{") ? withSortedMembers(line) : line))
    .join("\n")
    .replaceAll(/W\/\\?"[^"]*"/g, "ETAG")
    .replaceAll(/2\d{3}-\d\d-\d\d[T ][\d:.]+Z?/g, "TIME")
    .replaceAll(/[\d.]+ (?:ms|s)\b|[\d,]+\/s/g, "DURATION");

function withSortedMembers(line: string): string {
  const members = Object.entries(JSON.parse(line) as object);
  return JSON.stringify(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
