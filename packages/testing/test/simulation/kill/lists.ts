import { defineEntity, json, type TableContext, text } from "@partita/core";
import type { Observation, StoredLists } from "../../../src/index.ts";

/** A list in a row, which processes append to. */
export class List extends defineEntity({
  table: "Lists",
  partitionKey: { group: text() },
  rowKey: { name: text() },
  properties: { values: json<string[]>() },
  proof: "marker",
}) {}

export const group = "g";

export const readAll = (context: TableContext): Promise<List[]> =>
  context.query(List).where({ group }).toArray();

export const storedLists = async (context: TableContext): Promise<StoredLists> => ({
  [group]: Object.fromEntries((await readAll(context)).map(({ name, values }) => [name, values])),
});

/** What a process writes down of a transaction: when it begins, before it saves, and at its end. */
export type Note = Pick<Observation, "step"> &
  Partial<Pick<Observation, "began" | "ended" | "value" | "outcome">>;

/** Time that all processes of a machine share, in nanoseconds. */
export const sharedTime = (): number => Number(process.hrtime.bigint());
