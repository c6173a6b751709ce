import type { RowKey } from "../../api/cells.ts";
import { idOf } from "./row-keys.ts";
import { type View, views } from "./shown-parts.ts";

/** The part of the page that the address bar holds: enough to find the same rows again. */
export interface Address {
  readonly table: string | undefined;
  readonly className: string | undefined;
  readonly view: View;
  /** The conditions of the query that ran. */
  readonly text: string;
  readonly isScanAllowed: boolean;
  /** The first visible line. */
  readonly line: number;
  /** The keys of selected rows, if they are few. */
  readonly selected: readonly RowKey[];
}

/** The part of an address that decides which rows are shown. */
export type QueryAddress = Pick<Address, "table" | "className" | "text" | "isScanAllowed">;

/** Maximum selected rows in an address. */
const maxSelected = 20;

/** Parses the query part of a URL. Members that are missing or wrong have their defaults. */
export function addressOf(search: string): Address {
  const given = new URLSearchParams(search);
  const line = Number(given.get("line") ?? 0);
  return {
    table: given.get("table") ?? undefined,
    className: given.get("class") ?? undefined,
    view: views.find((view) => view === given.get("view")) ?? "rows",
    text: given.get("where") ?? "",
    isScanAllowed: given.get("scan") === "1",
    line: Number.isSafeInteger(line) && line > 0 ? line : 0,
    selected: given.getAll("row").flatMap(keyIn).slice(0, maxSelected),
  };
}

/** The query part of a URL: `?table=Blogs&class=Blog`. */
export function searchOf({ table, className, view, text, isScanAllowed, line, selected }: Address): string {
  const search = new URLSearchParams();
  if (table !== undefined) search.set("table", table);
  if (className !== undefined) search.set("class", className);
  if (view !== "rows") search.set("view", view);
  if (text !== "") search.set("where", text);
  if (isScanAllowed) search.set("scan", "1");
  if (line > 0) search.set("line", String(line));
  if (selected.length <= maxSelected) for (const row of selected) search.append("row", idOf(row));
  return `?${search.toString()}`;
}

/** Whether two addresses are one entry of the history, with another position or selection. */
export const isSamePlace = (a: Address, b: Address): boolean => a.view === b.view && isSameQuery(a, b);

/** Whether two addresses show the same rows. */
export const isSameQuery = (a: QueryAddress, b: QueryAddress): boolean =>
  a.table === b.table &&
  a.className === b.className &&
  a.text === b.text &&
  a.isScanAllowed === b.isScanAllowed;

function keyIn(text: string): RowKey[] {
  try {
    const [partitionKey, rowKey] = JSON.parse(text) as readonly unknown[];
    return typeof partitionKey === "string" && typeof rowKey === "string" ? [{ partitionKey, rowKey }] : [];
  } catch {
    return [];
  }
}
