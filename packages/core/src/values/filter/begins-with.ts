import { successor } from "../keys/text-range.ts";
import { compare, type FilterNode, textLiteral } from "./filter-node.ts";

/** The filter for stored text that starts with a prefix. */
export function beginsWith(name: string, prefix: string): FilterNode {
  const lower = compare("ge", name, textLiteral(prefix));
  const end = successor(prefix);
  return end === undefined ? lower : { op: "and", nodes: [lower, compare("lt", name, textLiteral(end))] };
}
