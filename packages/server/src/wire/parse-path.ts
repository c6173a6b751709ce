import type { EntityKey } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { entityPath } from "@partita/core/protocol";
import { ServiceFault } from "./service-fault.ts";

/** The resource of a URL in the table protocol. */
export type Resource =
  | { readonly type: "service" }
  | { readonly type: "tables" }
  | { readonly type: "table"; readonly table: string }
  | { readonly type: "entities"; readonly table: string }
  | { readonly type: "entity"; readonly table: string; readonly key: EntityKey }
  | { readonly type: "batch" };

/** Quoted text with doubled quotes. */
const quoted = "'((?:[^']|'')*)'";
const tableInList = new RegExp(`^/Tables\\(${quoted}\\)$`, "is");
const entities = /^\/([^/()]+)(?:\(\s*\))?$/;
const entity = new RegExp(
  `^/([^/()]+)\\(\\s*(PartitionKey|RowKey)=${quoted},\\s*(PartitionKey|RowKey)=${quoted}\\s*\\)$`,
  "s",
);

/**
 * Parses the percent-encoded path after the account; one slash at its end is ignored.
 *
 * @throws ServiceFault `InvalidUri`, `InvalidInput`
 */
export function parseResource(encoded: string): Resource {
  const path = decode(encoded.replace(/\/$/, ""));
  if (path === "") return { type: "service" };
  if (path === "/$batch") return { type: "batch" };
  if (/^\/Tables(?:\(\))?$/i.test(path)) return { type: "tables" };
  const listed = tableInList.exec(path);
  if (listed !== null) return { type: "table", table: unquoted(listed[1]) };
  const whole = entities.exec(path);
  if (whole !== null) return { type: "entities", table: whole[1] as string };
  const one = entity.exec(path);
  if (one === null) throw new ServiceFault("InvalidUri");
  const [, table, first, firstKey, second, secondKey] = one;
  if (first === second) throw new ServiceFault("InvalidInput");
  const [partitionKey, rowKey] = first === "PartitionKey" ? [firstKey, secondKey] : [secondKey, firstKey];
  return {
    type: "entity",
    table: table as string,
    key: { partitionKey: unquoted(partitionKey), rowKey: unquoted(rowKey) },
  };
}

/** The path of an entity in links. */
export const entityLink = (
  table: string,
  { PartitionKey: partitionKey, RowKey: rowKey }: Pick<StoredEntity, "PartitionKey" | "RowKey">,
): string => entityPath(table, { partitionKey, rowKey }).slice(1);

const unquoted = (text: string | undefined): string => (text ?? "").replaceAll("''", "'");

/**
 * Parses the parameters of a query. @throws ServiceFault `InvalidUri`, or `InvalidQueryParameterValue` for a repeated
 * one
 */
export function parseQuery(encoded: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const pair of encoded.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    if (query.has(name)) throw new ServiceFault("InvalidQueryParameterValue");
    const value = at < 0 ? "" : pair.slice(at + 1);
    // Some clients do not encode the plus signs of signatures.
    query.set(name, decode(name === "sig" ? value : value.replaceAll("+", " ")));
  }
  return query;
}

/** The path after the account, for the primary and the secondary. */
export const pathInAccount = (path: string, account: string): string =>
  path.replace(`/${account}-secondary/`, "/").replace(`/${account}/`, "/");

/** Checks the name of a queue or a container. @throws ServiceFault `InvalidResourceName`, `OutOfRangeInput` */
export function checkResourceName(name: string): void {
  if (!/^[a-z0-9](?:-?[a-z0-9])*$/.test(name)) throw new ServiceFault("InvalidResourceName");
  if (name.length < 3 || name.length > 63) throw new ServiceFault("OutOfRangeInput");
}

/** @throws ServiceFault `InvalidUri` */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceFault("InvalidUri");
  }
}
