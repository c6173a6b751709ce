import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bool, dateTime, defineEntity, double, openStorage, type TableStorage, text } from "@partita/core";
import { rowsOf, sourceOf } from "@partita/test-support/rows";
import { type ImportOptions, type ImportReport, importTable, readRows } from "../src/index.ts";

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
});
afterEach(() => storage.close());

const load = (csv: string, options: ImportOptions = {}): Promise<ImportReport> =>
  importTable(storage, "Cities", sourceOf(csv), options);

/** CSV with one column without types. */
const column = (...values: readonly string[]): string =>
  ["PartitionKey,RowKey,Value", ...values.map((value, i) => `a,${i},"${value}"`)].join("\n");

async function typeOf(...values: readonly string[]): Promise<string | undefined> {
  return (await load(column(...values), { types: "infer", existing: "replace" })).inferred["Value"];
}

describe("the type of a column without types", () => {
  test.each([
    ["Edm.Boolean", ["true", "FALSE"]],
    ["Edm.Int32", ["0", "-2147483648", "2147483647"]],
    ["Edm.Int64", ["1", "2147483648", "-9223372036854775808"]],
    ["Edm.Double", ["1", "-1.50", "0.1", "1.5E-7", "-0", "123456789012345"]],
    ["Edm.DateTime", ["2026-11-23T10:00:00Z", "2026-11-23T10:00:00.1234567+01:00"]],
    ["Edm.Guid", ["c9da6455-213d-42c9-9a79-3e9149a57833"]],
    ["Edm.String", ["Tokyo"]],
    ["Edm.String", ["1", "x"]],
    ["Edm.String", ["true", "1"]],
    // Something would be lost.
    ["Edm.String", ["007"]],
    ["Edm.String", ["+5"]],
    ["Edm.String", ["1 "]],
    ["Edm.String", ["1,5"]],
    ["Edm.String", ["9223372036854775808"]],
    ["Edm.String", ["0.1", "9007199254740993"]],
    ["Edm.String", ["0.12345678901234567"]],
    ["Edm.String", ["1e999"]],
    ["Edm.String", ["1e-400"]],
    // No program says which time zone.
    ["Edm.String", ["2026-11-23T10:00:00"]],
    ["Edm.String", ["2026-11-23"]],
    ["Edm.String", ["2026-02-30T10:00:00Z"]],
    ["Edm.String", ["1600-01-01T00:00:00Z"]],
  ])("is %s for %j", async (type, values) => {
    expect(await typeOf(...values)).toBe(type);
    expect(await typeOf("", ...values, "")).toBe(type);
  });
});

const cities = "PartitionKey,RowKey,Name,Population,Note\nJP,1,Tokyo,9733276,\nJP,2,Kyoto,1464890,\n";

describe("CSV with columns without types", () => {
  test("is refused before anything is written, with the types that its values have", async () => {
    const columns = { Name: "Edm.String", Population: "Edm.Int32" };
    const onBadLine = (): never => {
      throw new Error("It is not a bad line.");
    };

    await expect(load(cities, { onBadLine })).rejects.toMatchObject({
      code: "transfer.types",
      details: { line: 2, columns },
      message: expect.stringMatching(
        /Name \(Edm\.String\), Population \(Edm\.Int32\)\. Set \{ types \} to "infer" .* "text" .* classes/,
      ) as string,
    });

    expect(await storage.listTables()).toEqual([]);
  });

  test("is imported with the inferred types, which the report has", async () => {
    expect(await load(cities, { types: "infer" })).toMatchObject({
      written: 2,
      inferred: { Name: "Edm.String", Population: "Edm.Int32" },
    });
    expect(await rowsOf(storage, "Cities")).toEqual([
      { PartitionKey: "JP", RowKey: "1", Name: "Tokyo", Population: 9_733_276 },
      { PartitionKey: "JP", RowKey: "2", Name: "Kyoto", Population: 1_464_890 },
    ]);
  });

  test("is imported as text", async () => {
    expect(await load(cities, { types: "text" })).toMatchObject({ written: 2, inferred: {} });
    expect((await rowsOf(storage, "Cities"))[0]).toMatchObject({ Population: "9733276" });
  });

  test("is imported with the types of classes", async () => {
    class City extends defineEntity({
      table: "Cities",
      partitionKey: { country: text() },
      rowKey: { id: text() },
      properties: {
        name: text().named("Name"),
        population: double().named("Population"),
        founded: dateTime().named("Founded").optional(),
      },
      version: 2,
    }) {}
    const csv = "PartitionKey,RowKey,Name,Population,Founded,SchemaVersion\nJP,1,007,5,1457-01-01,2\n";
    const dated = csv.replace("1457", "1657");

    await expect(load(csv, { types: [City] })).rejects.toMatchObject({
      code: "transfer.line",
      details: { property: "Founded" },
    });
    await load(dated, { types: [City] });

    expect(await rowsOf(storage, "Cities")).toEqual([
      {
        PartitionKey: "JP",
        RowKey: "1",
        Name: "007",
        "Population@odata.type": "Edm.Double",
        Population: 5,
        "Founded@odata.type": "Edm.DateTime",
        Founded: "1657-01-01T00:00:00Z",
        SchemaVersion: 2,
      },
    ]);
  });

  test("is refused if a column is in no class, or classes differ", async () => {
    const shape = { table: "Cities", partitionKey: { country: text() }, rowKey: { id: text() } } as const;
    class Named extends defineEntity({ ...shape, properties: { Name: text() } }) {}
    class Flag extends defineEntity({ ...shape, properties: { Name: bool() } }) {}

    await expect(load(cities, { types: [Named] })).rejects.toMatchObject({
      code: "transfer.types",
      details: { columns: { Population: "Edm.Int32" } },
      message: expect.stringContaining("No class declares") as string,
    });
    await expect(load(cities, { types: [Named, Flag] })).rejects.toMatchObject({ code: "transfer.option" });
    await expect(load(cities, { types: [] })).rejects.toMatchObject({ code: "transfer.option" });
  });

  test("is read by readRows in the same way", async () => {
    await expect(readRows(cities)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: "transfer.types",
    });
    const { value } = await readRows(cities, { types: "infer" })[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ Population: 9_733_276 });
  });
});

describe("a column with types", () => {
  test("gives its first type to the values after it that have none", async () => {
    await load("PartitionKey,RowKey,N,N@type\na,1,,\na,2,5,Edm.Int64\na,3,6,\n");

    expect((await rowsOf(storage, "Cities")).map((row) => row["N@odata.type"])).toEqual([
      undefined,
      "Edm.Int64",
      "Edm.Int64",
    ]);
  });

  test("is refused if its first value has none", async () => {
    await expect(load("PartitionKey,RowKey,N,N@type\na,1,7,\na,2,5,Edm.Int64\n")).rejects.toMatchObject({
      code: "transfer.types",
      details: { columns: { N: "Edm.Int32" } },
    });
  });
});

test("values after the sample never lose anything by the inferred type", async () => {
  const filler = `a,x,${"y".repeat(30_000)},1\n`;
  const many = Array.from({ length: 300 }, (_, i) => filler.replace("x", `${i}`));
  const csv = `PartitionKey,RowKey,Text,Code\n${many.join("")}a,last,y,007\n`;

  await expect(load(csv, { types: "infer" })).rejects.toMatchObject({
    code: "transfer.line",
    details: { line: 302, property: "Code" },
    message: expect.stringContaining("inferred") as string,
  });
  expect(await load(csv, { types: "infer", existing: "replace", onBadLine: () => undefined })).toMatchObject({
    bad: 1,
    written: 300,
  });
});

test("a column that has its first value after the sample gets a type of its own", async () => {
  const csv = `PartitionKey,RowKey,Text,Code\n${`a,1,${"y".repeat(30_000)},\n`.repeat(300)}a,last,y,5\n`;

  expect(await load(csv, { types: "infer", existing: "replace" })).toMatchObject({
    inferred: { Text: "Edm.String", Code: "Edm.Int32" },
  });
});
