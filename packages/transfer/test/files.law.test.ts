import { compareTables, type ImportReport, importTable } from "../src/index.ts";
import { openStorage, TableError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { isLong } from "@partita/test-support/effort";
import { storedEntity } from "@partita/testing/arbitraries";
import { fc, test } from "@fast-check/vitest";
import { afterEach, beforeEach, expect } from "vitest";
import { fill, rowsOf, sourceOf } from "@partita/test-support/rows";
import { textOf } from "./text-of.ts";

const formats = ["jsonl", "csv"] as const;

/** The short form always runs the same cases, and the long one always others. */
const runs = (short: number, long: number): { numRuns: number; seed?: number } =>
  isLong ? { numRuns: long } : { numRuns: short, seed: 20_261_123 };

let from: TableStorage;
let to: TableStorage;
beforeEach(async () => {
  [from, to] = await Promise.all([openStorage("memory:"), openStorage("memory:")]);
});
afterEach(() => Promise.all([from.close(), to.close()]));

let tables = 0;
const newTable = (): string => `Rows${tables++}`;

/** Entities of all types, of some partitions, so that they fill transactions. */
const entities = (maxLength: number): fc.Arbitrary<StoredEntity[]> =>
  fc.array(
    fc
      .tuple(storedEntity(), fc.constantFrom("", "a", "A", '"', "b,", "é", " ", "'"))
      .map(([entity, partition]) => ({ ...entity, PartitionKey: partition })),
    { maxLength },
  );

test.prop([entities(20), fc.constantFrom(...formats), fc.boolean()], runs(100, 3000))(
  "what is exported, with Timestamps or without, is imported exactly",
  async (rows, format, timestamps) => {
    const table = newTable();
    await fill(from, table, rows);
    const text = await textOf(from, table, { format, timestamps });
    expect(await importTable(to, table, sourceOf(text), { format })).toMatchObject({ refused: 0, bad: 0 });
    expect(await compareTables(from, to, table)).toMatchObject({ isEqual: true });
    // The stored form is the same, too, and so is the next export.
    expect(await rowsOf(to, table)).toEqual(await rowsOf(from, table));
    if (!timestamps) expect(await textOf(to, table, { format, timestamps })).toBe(text);
  },
);

test.prop(
  [
    entities(8),
    fc.constantFrom(...formats),
    fc.array(fc.nat({ max: 4000 }), { maxLength: 30 }),
    fc.boolean(),
    fc.boolean(),
  ],
  runs(100, 3000),
)("a file is read the same, wherever it is cut", async (rows, format, cuts, isBytes, hasMark) => {
  const table = newTable();
  await fill(from, table, rows);
  const text = (hasMark ? "\ufeff" : "") + (await textOf(from, table, { format }));
  const whole = isBytes ? Buffer.from(text) : text;
  const places = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length];
  const chunks = places.slice(1).map((end, i) => whole.slice(places[i], end));
  await importTable(to, table, sourceOf<string | Uint8Array>(...chunks), { format });
  expect(await rowsOf(to, table)).toEqual(await rowsOf(from, table));
});

/** Parts of a file that are exchanged, doubled or lost, and pieces that are put into it. */
const mutations = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat({ max: 12 }),
    piece: fc.oneof(
      fc.constantFrom(
        '"',
        '""',
        ",",
        "\n",
        "\r\n",
        "\r",
        "{",
        "}",
        "null",
        "@odata.type",
        "\0",
        "Edm.Int64",
        "1e999",
      ),
      fc.string({ maxLength: 4 }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

test.prop([entities(6), fc.constantFrom(...formats), mutations, fc.boolean()], runs(400, 20_000))(
  "of a mutated file, nothing is imported that is not in it",
  async (rows, format, changes, skips) => {
    const table = newTable();
    await Promise.all([fill(from, table, rows), to.createTable(table)]);
    let text = await textOf(from, table, { format });
    for (const { at, length, piece } of changes) {
      const place = Math.floor(at * text.length);
      text = text.slice(0, place) + piece + text.slice(place + length);
    }
    const lines: number[] = [];
    const report = await importTable(to, table, sourceOf(text), {
      format,
      ...(skips && { onBadLine: (bad) => void lines.push(bad.details["line"] as number) }),
    }).catch((error: unknown): ImportReport | undefined => {
      if (!(error instanceof TableError)) throw error;
      expect(error.code).toMatch(/^transfer\./);
      return undefined;
    });
    if (report !== undefined) expect(report.bad).toBe(lines.length);
    const isInFile = format === "csv" ? isInCsv(text) : isInJson(text);
    for (const row of await rowsOf(to, table))
      if (!isInFile(row)) throw new Error("a row is not in the file");
  },
);

/** Whether every value of a row is written in CSV. */
function isInCsv(text: string): (row: StoredEntity) => boolean {
  const plain = text.replaceAll('""', '"');
  const numbers = new Set(
    Array.from(text.matchAll(/[-+]?[\d.]+(?:e[-+]?\d+)?/gi), ([number]) => Number(number)),
  );
  const isWritten = (value: unknown): boolean => {
    if (typeof value === "number" || value === "-0.0") return numbers.has(Number(value));
    if (typeof value === "boolean") return text.toLowerCase().includes(String(value));
    return plain.includes(String(value)) || text.includes(String(value)) || /INF/.test(text);
  };
  return (row) =>
    Object.entries(row).every(([name, value]) => name.endsWith("@odata.type") || isWritten(value));
}

/** Whether a row is a line of JSON. */
function isInJson(text: string): (row: StoredEntity) => boolean {
  const lines = text.split("\n").flatMap((line): object[] => {
    try {
      const found: unknown = JSON.parse(line);
      return typeof found === "object" && found !== null ? [found] : [];
    } catch {
      return [];
    }
  });
  return (row) => {
    const members = Object.entries(row);
    return lines.some((line) =>
      members.every(([name, value]) => Object.hasOwn(line, name) && Reflect.get(line, name) === value),
    );
  };
}
