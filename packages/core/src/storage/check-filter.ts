import { isBase64 } from "../edm/binary.ts";
import { canonicalDateTime } from "../edm/date-time-text.ts";
import { parseDouble } from "../edm/double.ts";
import { isInt64Text } from "../edm/int64.ts";
import { StorageError } from "../errors/storage-error.ts";
import type { FilterNode, Literal } from "../filter/filter-node.ts";
import { isGuid } from "../filter/filter-tokens.ts";
import { isPropertyName } from "./limits.ts";

/**
 * Returns the filter. Nodes may be made by hand, of what came from anywhere: a name or a constant that is something
 * else would be filter text of its own once it is printed.
 *
 * @throws StorageError `storage.invalid-input`, without the name or the constant
 */
export function checkFilter(node: FilterNode): FilterNode {
  switch (node.op) {
    case "and":
    case "or":
      if (node.nodes.length === 0) throw invalid("a list of conditions is empty");
      node.nodes.forEach(checkFilter);
      return node;
    case "not":
      checkFilter(node.node);
      return node;
    case "constant":
      if (typeof node.value !== "boolean") throw invalid("a constant is neither true nor false");
      return node;
    case "eq":
    case "ne":
    case "gt":
    case "ge":
    case "lt":
    case "le":
      if (!isStoredName(node.name)) throw invalid("a name is no property's");
      if (!isLiteral(node.literal)) throw invalid("a constant is not of its EDM type");
      return node;
    default:
      node satisfies never;
      throw invalid("an operator is unknown");
  }
}

const systemNames = new Set(["PartitionKey", "RowKey", "Timestamp"]);

const isStoredName = (name: unknown): boolean =>
  typeof name === "string" && (systemNames.has(name) || isPropertyName(name));

function isLiteral({ edm, value }: Literal): boolean {
  switch (edm) {
    case "Edm.String":
      return typeof value === "string" && value.isWellFormed();
    case "Edm.Boolean":
      return typeof value === "boolean";
    case "Edm.Int32":
      // oxlint-disable-next-line no-bitwise -- recognizes Int32
      return typeof value === "number" && (value | 0) === value;
    case "Edm.Int64":
      return typeof value === "string" && isInt64Text(value);
    case "Edm.Double":
      return parseDouble(value) !== undefined;
    case "Edm.DateTime":
      return typeof value === "string" && canonicalDateTime(value) !== undefined;
    case "Edm.Guid":
      return isGuid(value);
    case "Edm.Binary":
      return typeof value === "string" && isBase64(value);
    default:
      edm satisfies never;
      return false;
  }
}

const invalid = (problem: string): StorageError =>
  StorageError.ofService("InvalidInput", `the filter: ${problem}`);
