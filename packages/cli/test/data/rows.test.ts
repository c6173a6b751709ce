import { writeFile } from "node:fs/promises";
import { openStorage } from "@partita/core";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { run, runInTerminal } from "../run.ts";

let folder: TemporaryFolder;
let target: string;
let number = 0;
beforeAll(async () => {
  folder = await temporaryFolder();
});
beforeEach(async () => {
  target = `file:${folder.file(`rows${number++}.db`)}`;
  await using storage = await openStorage(target);
  await storage.createTable("Blogs");
});
afterAll(() => folder[Symbol.asyncDispose]());

const row = (key: string, values: object = {}): string =>
  JSON.stringify({ PartitionKey: "a", RowKey: key, ...values });

test("a row is put, got, changed under its ETag and removed under it", async () => {
  const put = await run("put", target, "Blogs", row("1", { N: "5", "N@odata.type": "Edm.Int64", T: "t" }));
  expect(put).toMatchObject({ code: 0, errors: "" });
  const { "odata.etag": etag } = JSON.parse(put.out) as { "odata.etag": string };

  expect(await run("put", target, "Blogs", row("1"))).toMatchObject({ code: 1 });
  expect(
    await run("put", target, "Blogs", row("1", { T: "u" }), "--mode", "merge", "--etag", etag),
  ).toMatchObject({
    code: 0,
  });
  expect(await run("put", target, "Blogs", row("1"), "--mode", "replace", "--etag", etag)).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^storage\.update-condition-not-satisfied: /),
  });
  const got = JSON.parse((await run("get", target, "Blogs", "a", "1")).out) as Record<string, string>;
  expect(got).toMatchObject({ N: "5", "N@odata.type": "Edm.Int64", T: "u" });

  expect(await run("rm", target, "Blogs", "a", "1")).toMatchObject({ code: 2 });
  expect(await run("rm", target, "Blogs", "a", "1", "--etag", etag)).toMatchObject({ code: 1 });
  expect(await run("rm", target, "Blogs", "a", "1", "--etag", etag, "--force")).toMatchObject({
    code: 2,
    errors: "--etag deletes one version and --force any version. Remove one of them.",
  });
  expect(await run("rm", target, "Blogs", "a", "1", "--dry-run")).toMatchObject({ code: 0 });
  expect(await run("rm", target, "Blogs", "a", "1", "--etag", got["odata.etag"] ?? "")).toMatchObject({
    code: 0,
  });
  expect(await run("get", target, "Blogs", "a", "1")).toMatchObject({
    code: 1,
    errors: 'Blogs has no row ("a", "1").',
  });
});

test.each([
  ['{"PartitionKey":"a","RowKey":"1","N":12345678901234567890}', "N has more digits than a Double"],
  ['{"PartitionKey":"a","RowKey":"1","N":"x","N@odata.type":"Edm.Int64"}', "N is not a valid Edm.Int64"],
  ['{"PartitionKey":"a"}', "RowKey is missing"],
  ["[]", "put takes one row"],
  ['{"PartitionKey":"a","RowKey":"1"}\n{"PartitionKey":"a","RowKey":"2"}', "The text has several rows"],
  ['[{"PartitionKey":"a","RowKey":"1"},{"PartitionKey":"a","RowKey":"2"}]', "The text has several rows"],
  ["PartitionKey,RowKey,N\na,1,5", "N (Edm.Int32)"],
  ["5", "put takes one row"],
  ["[5]", "but not an object"],
  ['{"PartitionKey":"a","RowKey":"1","my-col":1}', "is not a property name"],
  ["", "put takes one row"],
  ["secret", "put takes one row"],
  ['{"PartitionKey":"secret', "it is not JSON"],
])("put refuses %s, and writes nothing", async (json, message) => {
  const { code, errors } = await run("put", target, "Blogs", json);

  expect(errors).toContain(message);
  expect(errors).not.toMatch(/secret|onBadLine|types \}/);
  expect(code).toBe(2);
  expect((await run("count", target, "Blogs")).out).toBe("0\n");
});

test.each([
  ["one line", '{"PartitionKey":"a","RowKey":"1","N":5}'],
  ["several lines", '{\n  "PartitionKey": "a",\r\n  "RowKey": "1",\n  "N": 5\n}\n'],
  ["a list", '[{"PartitionKey":"a","RowKey":"1","N":5}]'],
  ["a response", '{\n"value":[\n{"PartitionKey":"a","RowKey":"1","N":5}]}'],
  ["CSV", "PartitionKey,RowKey,N,N@type\r\na,1,5,Edm.Int32\r\n"],
])("put takes a row as %s", async (_form, given) => {
  expect(await run("put", target, "Blogs", given, "--dry-run")).toMatchObject({ code: 0 });
  expect(await run("put", target, "Blogs", given)).toMatchObject({ code: 0, errors: "" });
  expect(JSON.parse((await run("get", target, "Blogs", "a", "1")).out)).toMatchObject({ N: 5 });
});

test("a dry run of put refuses a row that tables cannot store", async () => {
  const long = row("1", { T: "x".repeat(40_000) });

  expect(await run("put", target, "Blogs", long, "--dry-run")).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^storage\.property-value-too-large: /),
  });
});

test.each([
  ["get", "a", "1"],
  ["query", "--filter", "PartitionKey eq 'a'"],
  ["export"],
  ["export", "--format", "csv"],
])("put takes what %s prints", async (command, ...options) => {
  const values = {
    Big: "9007199254740993",
    "Big@odata.type": "Edm.Int64",
    Zero: "-0.0",
    "Zero@odata.type": "Edm.Double",
    Text: '\r\n"\u0000',
    Whole: 5,
  };
  await run("put", target, "Blogs", row("1", values));
  const { out } = await run(command, target, "Blogs", ...options);

  await run("rm", target, "Blogs", "a", "1", "--force");
  expect(await run("put", target, "Blogs", out)).toMatchObject({ code: 0, errors: "" });

  const {
    Timestamp: _,
    "odata.etag": __,
    ...stored
  } = JSON.parse((await run("get", target, "Blogs", "a", "1")).out) as Record<string, unknown>;
  expect(stored).toEqual({ PartitionKey: "a", RowKey: "1", ...values });
});

test("a merge with null, which would change nothing, is refused", async () => {
  await run("put", target, "Blogs", row("1", { T: "t" }));
  expect(await run("put", target, "Blogs", row("1", { T: null }), "--mode", "merge")).toMatchObject({
    code: 2,
    errors: expect.stringContaining("T is null"),
  });
  expect(await run("put", target, "Blogs", `[${row("1", { T: null })}]`, "--mode", "merge")).toMatchObject({
    code: 2,
  });
  expect(await run("put", target, "Blogs", row("2", { T: null }))).toMatchObject({ code: 0 });
});

describe("query and count", () => {
  beforeEach(async () => {
    for (const key of ["1", "2", "3"])
      await run("put", target, "Blogs", row(key, { N: Number(key), T: "t" }));
  });

  test("print what matches a filter, as lines of JSON where no terminal reads them", async () => {
    const { out } = await run(
      "query",
      target,
      "Blogs",
      "--filter",
      "N ge 2",
      "--scan",
      "--select",
      "N,RowKey",
      "--top",
      "1",
    );

    expect(JSON.parse(out)).toEqual({ PartitionKey: "a", RowKey: "2", N: 2, Timestamp: expect.any(String) });
    expect(await run("count", target, "Blogs", "--filter", "N ge 2")).toMatchObject({ code: 0, out: "2\n" });
    expect((await run("tables", target, "--count")).out).toBe('{"table":"Blogs","rows":3}\n');
  });

  test("selected names may have spaces around them, and a name that no row has is named", async () => {
    const filter = ["--filter", "PartitionKey eq 'a'"];
    const read = await run("query", target, "Blogs", ...filter, "--top", "1", "--select", "N, T ,n");
    const exported = await run("export", target, "Blogs", ...filter, "--select", "PartitionKey, T");

    expect(JSON.parse(read.out)).toMatchObject({ N: 1, T: "t" });
    expect(read.errors).toBe("No printed row has n. Names are case-sensitive.");
    expect(exported.out).toContain('{"PartitionKey":"a","RowKey":"1","T":"t"}\n');
    for (const command of ["query", "export"])
      expect(await run(command, target, "Blogs", ...filter, "--select", "N,")).toMatchObject({
        code: 2,
        errors: "--select takes names, separated by commas.",
      });
  });

  test.each([
    [["count"], "0\n"],
    [["export"], ""],
    [["query", "--scan"], ""],
    [["set", "N=5", "--scan", "--yes"], "Blogs: 0 rows changed.\n"],
    [["rm", "--scan", "--yes"], "Blogs: 0 rows deleted.\n"],
  ])("%j warns of a key whose name is misspelled in a filter", async ([command = "", ...options], out) => {
    const filter = "partitionKey eq 'rowkey'";

    expect(await run(command, target, "Blogs", ...options, "--filter", filter)).toMatchObject({
      code: 0,
      out,
      errors: expect.stringMatching(
        /^Warning: partitionKey in --filter is not PartitionKey\.(?![^]*Warning: rowkey)/,
      ),
    });
  });

  test("a filter that is none, and options of classes, are wrong calls", async () => {
    expect((await run("count", target, "Blogs", "--filter", "N is 2")).code).not.toBe(0);
    expect(await run("query", target, "Blogs", "--where", "{}")).toMatchObject({ code: 2 });
    expect(await run("query", target, "Blogs", "--top", "0")).toMatchObject({ code: 2 });
    expect(await run("query", target, "Blogs", "--top", "1", "--all")).toMatchObject({ code: 2 });
  });

  test.each([
    [["--filter", "N ge 2"], "table scan (worst)"],
    [["--filter", "N ge 2", "--top", "1"], "table scan (worst)"],
    [["--filter", "PartitionKey eq 'a' or N eq 2"], "table scan (worst)"],
    [[], "table scan (worst)"],
    [["--filter", "PartitionKey eq 'a' and N ge 2", "--scan"], "partition scan (fair)"],
    [["--filter", "PartitionKey eq 'a' and RowKey ge '2'"], "row range scan (good)"],
    [["--filter", "PartitionKey eq 'a' and RowKey eq '2'"], "point (best)"],
    [["--filter", "PartitionKey gt 'b' and PartitionKey lt 'a'"], "nothing can match"],
  ])("a query with %j is %s, and a scan is refused without --scan", async (options, plan) => {
    const { code, errors } = await run("query", target, "Blogs", ...options);
    const explained = await run("query", target, "Blogs", ...options, "--explain");

    expect(code).toBe(plan.startsWith("table scan") ? 2 : 0);
    expect(errors).toMatch(code === 0 ? /^$/ : /^query\.scan-refused: .* Blogs\. .* --scan /);
    expect(explained).toMatchObject({ code: 0, out: "", errors: expect.stringContaining(plan) });
  });

  test("without a filter, the first rows and all rows of --scan are printed", async () => {
    const first = await run("query", target, "Blogs", "--top", "2");
    const all = await run("query", target, "Blogs", "--scan");

    expect([first, all].map(({ out }) => out.trim().split("\n").length)).toEqual([2, 3]);
  });

  test("a terminal shows 100 rows and says so, unless it is told to show others", async () => {
    const rows = Array.from({ length: 150 }, (_, i) => row(`many${i}`)).join("\n");
    await writeFile(folder.file("many.jsonl"), rows);
    await run("import", target, "Many", folder.file("many.jsonl"));
    const shown = async (...options: readonly string[]): Promise<readonly [number, string]> => {
      const { out, errors } = await runInTerminal("query", target, "Many", ...options);
      return [out.trim().split("\n").length - 1, errors];
    };

    expect(await shown()).toEqual([
      100,
      "These are the first 100 rows. Print more with --top <n>, or all with --all.",
    ]);
    expect(await shown("--top", "120")).toEqual([120, "120 rows."]);
    expect(await shown("--all", "--scan")).toEqual([150, "150 rows."]);
    expect(await runInTerminal("query", target, "Many", "--all")).toMatchObject({ code: 2 });
  });

  test("the storage may be left out where PARTITA_STORAGE is set", async () => {
    vi.stubEnv("PARTITA_STORAGE", target);

    expect(await run("count", "Blogs")).toMatchObject({ code: 0, out: "3\n" });
    expect(await run("get", "Blogs", "a", "1")).toMatchObject({ code: 0 });
    expect(await run("get", "Blogs", "--", "-a", "1")).toMatchObject({ code: 1 });

    vi.unstubAllEnvs();
    expect(await run("count", "Blogs")).toMatchObject({ code: 2 });
  });
});

test("a file that is not there is not made, and a table that is not there is named", async () => {
  expect(await run("tables", `file:${folder.file("none.db")}`)).toMatchObject({
    code: 2,
    errors: expect.stringMatching(/^There is no .*none\.db\.$/),
  });
  expect(await run("count", target, "Nothing")).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^storage\.table-not-found: .* partita tables .*\(Nothing\)/),
  });
});

test("what is there already, and what is not there, is said in words of the command", async () => {
  await run("put", target, "Blogs", row("1"));

  expect(await run("put", target, "Blogs", row("1"))).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^storage\.entity-already-exists: .* --mode merge /),
  });
  expect(await run("rm", target, "Blogs", "a", "2", "--force")).toMatchObject({
    code: 1,
    errors: 'Blogs has no row ("a", "2").',
  });
});
