import { openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { run } from "../run.ts";

let folder: TemporaryFolder;
let target: string;
let number = 0;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const int64 = (text: string): object => ({ Big: text, "Big@odata.type": "Edm.Int64" });
const ofPartita = ["index:byDay", "marker", "outbox", "moved"];

beforeEach(async () => {
  target = `file:${folder.file(`rows${number++}.db`)}`;
  await using storage = await openStorage(target);
  await storage.createTable("Blogs");
  const insert = (entity: StoredEntity) => ({ type: "insert", entity }) as const;
  const ofA = Array.from({ length: 130 }, (_, i) =>
    insert({ PartitionKey: "a", RowKey: `${i}`, N: i, T: "t", ...int64("5") }),
  );
  await storage.transact("Blogs", ofA.slice(0, 65));
  await storage.transact("Blogs", [
    ...ofA.slice(65),
    ...ofPartita.map((_row, i) => insert({ PartitionKey: "a", RowKey: `~${i}`, N: i, _row })),
  ]);
  await storage.transact("Blogs", [
    insert({ PartitionKey: "b", RowKey: "1", N: "text" }),
    insert({ PartitionKey: "b", RowKey: "2", N: 2.5 }),
  ]);
});

async function stored(): Promise<readonly StoredEntity[]> {
  await using storage = await openStorage(target);
  return (await storage.query("Blogs", {})).entities;
}
const filter = "PartitionKey eq 'a'";

describe("rm --filter", () => {
  test("deletes the rows that match after it showed plan and count, and leaves the rows of Partita", async () => {
    const { code, out, errors } = await run("rm", target, "Blogs", "--filter", filter, "--yes");

    expect(errors).toBe(
      `Plan: partition scan (fair) · table Blogs · ${filter}
130 rows of Blogs match.
4 rows of Partita itself (indexes, markers, messages) will not change.`,
    );
    expect({ code, out }).toEqual({ code: 0, out: "Blogs: 130 rows deleted.\n" });
    expect((await stored()).map((row) => row["_row"] ?? row.RowKey)).toEqual([...ofPartita, "1", "2"]);
  });

  test.each([
    [["--filter", "N ge 5", "--yes"], /^query\.scan-refused: /],
    [["--filter", filter], /130 rows of Blogs will be deleted\. Nothing was changed\. Confirm with --yes/],
    [["--filter", "N is 5", "--yes"], /^query\.filter-syntax: /],
    [["a", "1", "--filter", filter, "--yes"], /keys or --filter, but not both/],
    [["--filter", filter, "--force"], /--etag and --force apply to one row/],
    [["a", "1", "--force", "--yes"], /--scan and --yes apply to --filter/],
    [["a"], /needs the PartitionKey and the RowKey of a row, or --filter/],
    [["--filter", `${filter} and N gt 500`, "--dry-run"], /0 rows of Blogs match/],
    [["--filter", "N ge 5", "--scan", "--dry-run"], /125 rows of Blogs match/],
  ])("%j changes nothing", async (args, message) => {
    const { code, errors } = await run("rm", target, "Blogs", ...args);

    expect(errors).toMatch(message);
    expect(code).toBe(args.includes("--dry-run") ? 0 : 2);
    expect(await stored()).toHaveLength(136);
  });

  test("the storage may be left out where PARTITA_STORAGE is set", async () => {
    vi.stubEnv("PARTITA_STORAGE", target);

    expect(await run("rm", "Blogs", "--filter", filter, "--dry-run")).toMatchObject({ code: 0 });
    expect(await run("rm", "Blogs", "a", "1", "--dry-run")).toMatchObject({ code: 0 });
    expect(await run("set", "Blogs", "N=1", "--filter", filter, "--dry-run")).toMatchObject({ code: 0 });
    vi.unstubAllEnvs();
  });
});

describe("set", () => {
  test("changes the named properties in rows that need it, with the types that they have", async () => {
    const { code, out, errors } = await run(
      "set",
      target,
      "Blogs",
      "Big=5",
      "N=7",
      "T:Double=1",
      "Day:DateTime=2024-01-01T00:00:00Z",
      "--filter",
      `${filter} and N lt 10`,
      "--yes",
    );
    const again = await run("set", target, "Blogs", "N=7", "--filter", `${filter} and N eq 7`, "--yes");

    expect(errors).toContain(
      "Big: Int64, as stored in 10 rows.\nN: Int32, as stored in 10 rows.\nT: Double.\n",
    );
    expect({ code, out }).toEqual({ code: 0, out: "Blogs: 10 rows changed.\n" });
    expect(again).toMatchObject({ code: 0, out: "Blogs: 0 rows changed.\n" });
    expect(again.errors).toContain("10 rows already have these values.");
    expect((await stored()).find(({ RowKey }) => RowKey === "3")).toMatchObject({
      N: 7,
      T: 1,
      "T@odata.type": "Edm.Double",
      ...int64("5"),
      Day: "2024-01-01T00:00:00Z",
      "Day@odata.type": "Edm.DateTime",
    });
    expect((await stored()).filter((row) => row["_row"] !== undefined).map((row) => row["N"])).toEqual([
      0, 1, 2, 3,
    ]);
  });

  test("rows with different types keep their own, and the types are printed", async () => {
    const { code, errors } = await run(
      "set",
      target,
      "Blogs",
      "N=4.5",
      "--filter",
      "PartitionKey eq 'b'",
      "--yes",
    );

    expect(errors).toContain("N: String, as stored in 1 row; Double, as stored in 1 row.");
    expect(code).toBe(0);
    expect((await stored()).slice(-2).map((row) => row["N"])).toEqual(["4.5", 4.5]);
  });

  test.each([
    [["Missing=5"], /Some of the rows have no Missing, so its type is not known\. .* Nothing was changed/],
    [["N=abc-secret"], /The value for N is not a valid Int32\. Nothing was changed/],
    [["N:Int32=2147483648"], /not a valid Int32/],
    [["N:Boolean=yes"], /not a valid Boolean/],
    [["Day:DateTime=1500-01-01T00:00:00Z"], /not a valid DateTime/],
    [["N:Number=5"], /N has the type Number, which tables don't have/],
    [["N=5", "N=6"], /N is set twice/],
    [["RowKey=5"], /RowKey is not a property that you can set/],
    [["Timestamp=5"], /Timestamp is not a property that you can set/],
    [["_row:String=marker"], /_row is not a property that you can set/],
    [["odata.etag=5"], /odata\.etag is not a property/],
    [["N"], /takes assignments: name=value/],
  ])("%j is refused before anything is written", async (assignments, message) => {
    const before = await stored();

    const { code, errors } = await run("set", target, "Blogs", ...assignments, "--filter", filter, "--yes");

    expect(errors).toMatch(message);
    expect(errors).not.toContain("secret");
    expect(code).toBe(2);
    expect(await stored()).toEqual(before);
  });

  test("needs a filter, and leaves the tables of Partita", async () => {
    expect(await run("set", target, "Blogs", "N=5", "--yes")).toMatchObject({ code: 2 });
    expect(await run("set", target, "PartitaSchema", "State=x", "--filter", filter, "--yes")).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^PartitaSchema belongs to Partita/),
    });
  });
});

test("a table with indexes is named, because they are not updated", async () => {
  {
    await using storage = await openStorage(target);
    await storage.createTable("PartitaSchema");
    const entity = { PartitionKey: "blogs", RowKey: "index!1", State: "ready", Definition: "byDay" };
    await storage.write("PartitaSchema", { type: "insert", entity });
  }

  const { code, errors } = await run("rm", target, "Blogs", "--filter", `${filter} and N eq 5`, "--yes");

  expect(errors).toContain("Blogs has indexes, which this command does not update. Run partita index verify");
  expect(code).toBe(0);
});

test("a table is created once, and dropped by its name in any case", async () => {
  expect(await run("create-table", target, "Posts")).toMatchObject({ code: 0, errors: "Created Posts." });
  expect(await run("create-table", target, "Posts")).toMatchObject({ code: 1 });
  expect(await run("create-table", target, "posts", "--if-missing")).toMatchObject({ code: 0 });
  expect(await run("create-table", target, "no-name")).toMatchObject({ code: 2 });

  expect(await run("drop-table", target, "Posts")).toMatchObject({
    code: 2,
    errors: expect.stringMatching(
      /^This deletes Posts of file:.* with all its rows\. Nothing was changed\. Confirm with --yes/,
    ),
  });
  expect(await run("drop-table", target, "pOSTS", "--yes")).toMatchObject({
    code: 0,
    errors: "Deleted Posts.",
  });
  expect(await run("drop-table", target, "Posts", "--yes")).toMatchObject({ code: 1 });
  expect((await run("tables", target)).out).toBe("Blogs\n");
});
