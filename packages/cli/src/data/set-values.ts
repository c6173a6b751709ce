import { keyOfStored } from "@partita/core/internal";
import { annotationOf, edmTypeOf, setTyped, type TypedValue } from "@partita/core/protocol";
import type { StoredEntity } from "@partita/core/storage";
import type { Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";
import { type Assignment, assignmentsOf, valueFor } from "./assignments.ts";
import { changeMatching } from "./change-matching.ts";
import type { RowChange } from "./change-rows.ts";
import type { FilterOptions } from "./matching-rows.ts";

/** `partita set`: sets properties of the rows of a filter. */
export async function set(args: readonly string[], options: FilterOptions): Promise<number> {
  const [storage = "", table = "", ...texts] = args;
  const assignments = assignmentsOf(texts);
  return changeMatching({
    storage,
    table,
    options,
    columns: assignments.map(({ name }) => name),
    done: "changed",
    check: (rows, session) => toChange(rows, assignments, session),
    changeOf: (row) => changeOf(row, valuesFor(row, assignments)),
  });
}

/** The rows that have other values. @throws UsageError if a value does not fit a row */
function toChange(
  rows: readonly StoredEntity[],
  assignments: readonly Assignment[],
  { say }: Session,
): readonly StoredEntity[] {
  const wanted = rows.filter((row) => !hasAll(row, valuesFor(row, assignments)));
  for (const each of assignments) say(typesOf(rows, each));
  const same = rows.length - wanted.length;
  if (same > 0) say(`${counted(same, "row")} already ${same === 1 ? "has" : "have"} these values.`);
  return wanted;
}

const valuesFor = (row: StoredEntity, assignments: readonly Assignment[]): Values =>
  assignments.map((each) => [each.name, valueFor(row, each)] as const);

type Values = readonly (readonly [name: string, value: TypedValue])[];

function changeOf(row: StoredEntity, values: Values): RowChange {
  const [key, etag] = [keyOfStored(row), row["odata.etag"] ?? ""];
  const entity: StoredEntity = { PartitionKey: key.partitionKey, RowKey: key.rowKey };
  for (const [name, value] of values) setTyped(entity, name, value);
  return {
    key,
    etag,
    operation: { type: "merge", entity, etag },
    isDone: (found) => found !== undefined && hasAll(found, values),
  };
}

const hasAll = (row: StoredEntity, values: Values): boolean =>
  values.every(
    ([name, { value, annotation }]) => row[name] === value && row[annotationOf(name)] === annotation,
  );

/** `Rating: Int32, as stored in 200 rows; String, as stored in 3 rows`. */
function typesOf(rows: readonly StoredEntity[], { name, edm }: Assignment): string {
  if (edm !== undefined) return `${name}: ${edm.replace("Edm.", "")}.`;
  const counts = new Map<string, number>();
  for (const row of rows) {
    const type = edmTypeOf(row[name] ?? "", row[annotationOf(name)]).replace("Edm.", "");
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return `${name}: ${[...counts].map(([type, count]) => `${type}, as stored in ${counted(count, "row")}`).join("; ")}.`;
}
