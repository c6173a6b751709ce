import type { Predicate } from "@partita/core";
import type { Comparison, FilterNode } from "@partita/core/storage";
import type { CellType, CellValue } from "../../api/cells.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { fieldsOf, type KnownClass } from "../tables/describe-class.ts";
import { hostValues } from "./entity-cells.ts";

/** A condition of a query by class: a comparison with a host value, or a combination of conditions. */
export type ClassCondition =
  | { readonly op: "and" | "or"; readonly of: readonly ClassCondition[] }
  | { readonly op: "not"; readonly of: readonly [ClassCondition] }
  | { readonly op: Comparison["op"]; readonly name: string; readonly value: unknown };

/**
 * Converts a filter of the page to conditions on a class's properties.
 *
 * @throws RequestError for a property that the class does not declare or that cannot be compared;
 * SerializationError for a value that does not fit
 */
export function classCondition(core: StudioCore, known: KnownClass, node: FilterNode): ClassCondition {
  switch (node.op) {
    case "and":
    case "or":
      return { op: node.op, of: node.nodes.map((each) => classCondition(core, known, each)) };
    case "not":
      return { op: "not", of: [classCondition(core, known, node.node)] };
    case "constant":
      throw RequestError.wrongInput(
        "A query by class needs conditions on properties. true and false are not conditions.",
      );
    default:
      return comparison(core, known, node);
  }
}

function comparison(core: StudioCore, known: KnownClass, { op, name, literal }: Comparison): ClassCondition {
  const field = fieldsOf(known.model).find((each) => each.name === name);
  if (field?.type === "Json") throw RequestError.wrongInput(`${name} is JSON, which cannot be compared.`);
  const value = constantFor(field?.type ?? "String", literal.value);
  const values = hostValues(core, known, [{ name, value }]);
  return { op, name, value: values.get(name) };
}

/** A property of 64 bits accepts `5` and `5L`. */
const constantFor = (type: CellType, value: string | number | boolean): CellValue =>
  type === "Int64" && typeof value === "number" ? String(value) : value;

/** A property in conditions. Every property has these comparisons at run time. */
type Column = Readonly<Record<Comparison["op"], (value: unknown) => Predicate>>;

/** The predicate for a query's `where`. @param columns - the argument of `where`'s callback */
export function predicateOf(columns: unknown, condition: ClassCondition): Predicate {
  switch (condition.op) {
    case "and":
    case "or": {
      const [first, ...others] = condition.of.map((each) => predicateOf(columns, each));
      return (first as Predicate)[condition.op](...others);
    }
    case "not":
      return predicateOf(columns, condition.of[0]).not();
    default: {
      const { name, op, value } = condition;
      const column = (columns as Readonly<Record<string, Column>>)[name] as Column;
      return column[op](value);
    }
  }
}
