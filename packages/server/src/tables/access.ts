import type { EntityKey } from "@partita/core";
import type { ComparisonOperator, FilterNode } from "@partita/core/storage";
import { compare, textLiteral } from "@partita/core/protocol";
import type { ProtocolHead } from "../wire/protocol-request.ts";
import type { Resource } from "../wire/parse-path.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import {
  type AccountGrant,
  type AccountNeeds,
  requireGrant,
  requireLetters,
} from "../authorization/account-grant.ts";

/** The access that a request's credentials grant. */
export interface Access {
  /** @throws ServiceFault if the operation is not allowed */
  check(request: ProtocolHead): void;
  /** The visible rows of a table; all when absent. */
  readonly range?: KeyRange;
}

/** An account's key allows everything. */
export const fullAccess: Access = { check: () => undefined };

/** An inclusive range of keys. Each RowKey limits rows within its own partition only. */
export interface KeyRange {
  readonly startPartitionKey?: string;
  readonly startRowKey?: string;
  readonly endPartitionKey?: string;
  readonly endRowKey?: string;
}

/** The permissions of a table's signature. */
export interface TableGrant {
  readonly table: string;
  readonly permissions: string;
  readonly range: KeyRange;
}

export function tableAccess({ table, permissions, range }: TableGrant): Access {
  return {
    range,
    check(request) {
      const { resource } = request;
      if (resource.type === "batch") return;
      if (resource.type !== "entities" && resource.type !== "entity")
        throw new ServiceFault("AuthorizationResourceTypeMismatch");
      if (request.query.has("comp") || resource.table.toLowerCase() !== table.toLowerCase())
        throw new ServiceFault("AuthorizationFailure");
      requireLetters(permissions, lettersOf(request), "AuthorizationPermissionMismatch");
      if (resource.type === "entity") checkRange(range, resource.key);
    },
  };
}

/** Source: learn.microsoft.com "Create an account SAS". */
export function accountAccess(grant: AccountGrant): Access {
  return {
    check(request) {
      const { resource, method, query } = request;
      if (resource.type === "batch") return;
      requireGrant(grant, accountNeeds(resource, method, query.has("comp"), request));
    },
  };
}

function accountNeeds(
  resource: Resource,
  method: string,
  hasComp: boolean,
  request: ProtocolHead,
): AccountNeeds {
  switch (resource.type) {
    case "service":
      return ["s", [method === "GET" || method === "HEAD" ? "r" : "w"]];
    case "tables":
      return ["c", [method === "POST" ? "cw" : "l"]];
    case "table":
      return ["c", [method === "DELETE" ? "d" : "l"]];
    case "entities":
    case "entity":
      // Only the account's key may read or write a table's policies.
      return hasComp ? ["c", undefined] : ["o", lettersOf(request)];
    case "batch":
      return ["o", []];
    default:
      return resource satisfies never;
  }
}

/** The permissions that an entity operation needs: one letter of each element. */
function lettersOf({ method, header }: ProtocolHead): readonly string[] {
  switch (method) {
    case "GET":
    case "HEAD":
      return ["r"];
    case "POST":
      return ["a"];
    case "DELETE":
      return ["d"];
    default:
      return header("if-match") === undefined ? ["a", "u"] : ["u"];
  }
}

/** @throws ServiceFault `AuthorizationFailure` for a key outside the range */
export function checkRange(range: KeyRange | undefined, { partitionKey, rowKey }: EntityKey): void {
  if (range === undefined) return;
  const { startPartitionKey: first, endPartitionKey: last, startRowKey, endRowKey } = range;
  const isBefore =
    first !== undefined &&
    (partitionKey < first || (partitionKey === first && startRowKey !== undefined && rowKey < startRowKey));
  const isAfter =
    last !== undefined &&
    (partitionKey > last || (partitionKey === last && endRowKey !== undefined && rowKey > endRowKey));
  if (isBefore || isAfter) throw new ServiceFault("AuthorizationFailure");
}

/** The range as conditions on rows; empty without bounds. */
export function rangeFilter(range: KeyRange | undefined): FilterNode[] {
  if (range === undefined) return [];
  const { startPartitionKey: first, endPartitionKey: last, startRowKey, endRowKey } = range;
  const nodes: FilterNode[] = [];
  if (first !== undefined) nodes.push(...bound("ge", first, startRowKey));
  if (last !== undefined) nodes.push(...bound("le", last, endRowKey));
  return nodes;
}

function bound(op: "ge" | "le", partitionKey: string, rowKey: string | undefined): FilterNode[] {
  const outer = comparison(op, "PartitionKey", partitionKey);
  if (rowKey === undefined) return [outer];
  const inside = [comparison("eq", "PartitionKey", partitionKey), comparison(op, "RowKey", rowKey)];
  const beyond = comparison(op === "ge" ? "gt" : "lt", "PartitionKey", partitionKey);
  return [outer, { op: "or", nodes: [beyond, { op: "and", nodes: inside }] }];
}

const comparison = (op: ComparisonOperator, name: string, value: string): FilterNode =>
  compare(op, name, textLiteral(value));
