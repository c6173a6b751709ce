import { defineEntity, int32, type TableStorage, text } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { constant, padded, verbatim } from "@partita/core/keys";
import type { IndexState } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";

/** The states of the indexes, where the class declares them; one that is not named is ready. */
export type States = Partial<Record<"byAge" | "byClub" | "byEmail", IndexState>>;

// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is the declaration itself
export const runnerWith = ({ byAge, byClub, byEmail }: States) =>
  class Runner extends defineEntity({
    table: "Races",
    indexStates: (byAge ?? byClub ?? byEmail) ? "declared" : "recorded",
    separator: "__",
    partitionKey: { race: text() },
    rowKey: { bib: constant("BIB:", padded(5)) },
    properties: { age: int32(), club: text().optional(), email: text().optional() },
    indexes: {
      byAge: { rowKey: { age: constant("AGE:", padded(3)), bib: padded(5) }, ...(byAge && { state: byAge }) },
      byClub: {
        rowKey: { club: constant("CLUB:", verbatim) },
        copy: ["age"],
        ...(byClub && { state: byClub }),
      },
      byEmail: {
        rowKey: { email: constant("MAIL:", verbatim) },
        unique: true,
        ...(byEmail && { state: byEmail }),
      },
    },
  }) {};

/** Whose indexes are as storage records them. */
export class Runner extends runnerWith({}) {}
/** Whose indexes are all building. */
export class BuildingRunner extends runnerWith({
  byAge: "building",
  byClub: "building",
  byEmail: "building",
}) {}
/** Whose indexes are all retired. */
export class RetiredRunner extends runnerWith({ byAge: "retired", byClub: "retired", byEmail: "retired" }) {}

/** A runner's row as a program without indexes stores it. */
export const runnerRow = (race: string, bib: number, age: number): StoredEntity => ({
  PartitionKey: race,
  RowKey: `BIB:${String(bib).padStart(5, "0")}`,
  age,
  ...(bib % 3 > 0 && { club: `Club ${bib % 7}` }),
  ...(bib % 5 > 0 && { email: `runner${bib}@example.org` }),
});

const pad = (value: unknown, width: number): string => String(value).padStart(width, "0");

/** The rows in indexes that the rows of runners should have, as text: made without the library. */
export function expectedRows(rows: readonly StoredEntity[]): string[] {
  const expected: StoredEntity[] = [];
  for (const { PartitionKey, RowKey, Timestamp: _timestamp, ...row } of rows.filter(isMain)) {
    const { "odata.etag": _etag, ...values } = row;
    const bib = RowKey.slice("BIB:".length);
    expected.push({
      PartitionKey,
      RowKey: `AGE:${pad(row["age"], 3)}__${bib}`,
      _row: "index:byAge",
      ...values,
    });
    if (row["club"] !== undefined)
      expected.push({
        PartitionKey,
        RowKey: `CLUB:${String(row["club"])}__${RowKey}`,
        _row: "index:byClub",
        ...(row["age"] !== undefined && { age: row["age"] }),
      });
    if (row["email"] !== undefined)
      expected.push({
        PartitionKey,
        RowKey: `MAIL:${String(row["email"])}`,
        _row: "index:byEmail",
        _k: RowKey,
      });
  }
  return expected.map(textOf).toSorted();
}

/** The rows in indexes that are stored, as text. */
export const indexRows = (rows: readonly StoredEntity[], prefix: string = ""): string[] =>
  rows
    .filter((row) => !isMain(row) && row.RowKey.startsWith(prefix))
    .map(textOf)
    .toSorted();

export const isMain = ({ RowKey }: StoredEntity): boolean => RowKey.startsWith("BIB:");

function textOf({ Timestamp: _timestamp, "odata.etag": _etag, ...row }: StoredEntity): string {
  return JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Every row of the runners' table. */
export async function allRows(storage: TableStorage, table = "Races"): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let after: Awaited<ReturnType<TableStorage["query"]>>["next"];
  do {
    const page = await storage.query(table, after === undefined ? {} : { after });
    rows.push(...page.entities);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

/** Stores runners without rows in indexes, half of them in each of two races. */
export async function fill(storage: TableStorage, count: number): Promise<void> {
  for (const race of ["R1", "R2"])
    for (let from = 0; from < count / 2; from += 100) {
      const bibs = Array.from({ length: Math.min(100, count / 2 - from) }, (_, i) => from + i);
      await storage.transact(
        "Races",
        bibs.map((bib) => ({ type: "insert", entity: runnerRow(race, bib, 18 + ((bib * 7) % 70)) })),
      );
    }
}

/** The same storage, whose pages have 50 rows at most. */
export const withSmallPages = (storage: TableStorage): TableStorage =>
  forwardStorage(storage, {
    query: (table, query, options) => storage.query(table, { ...query, top: 50 }, options),
  });
