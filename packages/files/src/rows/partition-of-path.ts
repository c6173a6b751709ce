import { bucket, type DerivedFormat, escaped } from "@partita/core/keys";
import type { Zones } from "../paths/zones.ts";

type Conditions = Parameters<DerivedFormat<string>["texts"]>[0];

/** The partition of a path's name: its bucket, if a zone has several, and its zone. */
export function partitionOfPath(zones: Zones, buckets: number): DerivedFormat<string> {
  const spread = buckets === 1 ? undefined : bucket(buckets);
  const encode = (path: unknown): string | undefined =>
    typeof path === "string" ? `${spread?.encode(path) ?? ""}${escaped.encode(zones.of(path))}` : undefined;
  const prefixes = spread?.texts([]) ?? [""];
  const partitionsOf = (paths: readonly string[]): string[] =>
    prefixes.flatMap((prefix) => paths.map((zone) => `${prefix}${escaped.encode(zone)}`));
  const known = new Set(partitionsOf(zones.paths));
  return {
    format: "partitionOfPath",
    accepts: "a path",
    width: undefined,
    isDerived: true,
    encode,
    decode: (text) => (known.has(text) ? text : undefined),
    accepting: (operand) => typeof operand === "string",
    textsOf: (path) => [encode(path) ?? []].flat(),
    texts(conditions) {
      const { paths, from, to } = rangeOf(conditions);
      if (paths !== undefined) return [...new Set(paths.map((path) => encode(path) as string))].toSorted();
      return partitionsOf(zones.paths.filter((zone) => zones.reaches(zone, from, to)));
    },
    range(operator, operand) {
      const text = operator === "eq" ? encode(operand) : undefined;
      const bound = text === undefined ? undefined : { text, inclusive: true };
      return bound && { lower: bound, upper: bound };
    },
  };
}

/** The paths that conditions list, or else the range that contains all paths which satisfy them. */
function rangeOf(conditions: Conditions): { paths?: readonly string[]; from?: string; to?: string } {
  let [from, to]: (string | undefined)[] = [];
  for (const condition of conditions) {
    if (condition.op === "in") return { paths: condition.operands as readonly string[] };
    const path = condition.operand as string;
    if (condition.op === "eq") return { paths: [path] };
    if (condition.op === "ge" || condition.op === "gt") from = path;
    // The end of a range is exclusive, and the smallest greater text ends with U+0000.
    else to = condition.op === "lt" ? path : `${path}\u0000`;
  }
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
