import type { Predicate } from "@partita/core";
import type { AnyKeyFormat } from "@partita/core/keys";
import type { Comparison, FilterNode, Literal } from "@partita/core/storage";
import type { CellType, CellValue } from "../../api/cells.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { fieldsOf, type KnownClass, partNamed } from "../tables/describe-class.ts";
import { hostValues, plainOf } from "./entity-cells.ts";

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
  const part = partNamed(known.model, name);
  if (part !== undefined && isNumeric(field?.type))
    return { op, name, value: partNumber(known, name, part, literal.value) };
  const value = constantFor(field?.type ?? "String", literal);
  return { op, name, value: hostValues(core, known, [{ name, value }]).get(name) };
}

const isNumeric = (type: CellType | undefined): boolean => type === "Int32" || type === "Int64";

/** Any number can be compared with a key part, also one that the part cannot store. */
function partNumber(
  known: KnownClass,
  name: string,
  part: AnyKeyFormat,
  constant: Literal["value"],
): unknown {
  const plain = plainOf(known, name, constant);
  if (typeof plain === "number") return plain;
  if (typeof plain === "string" && /^-?\d+$/.test(plain)) return BigInt(plain);
  throw RequestError.wrongInput(`${known.name}.${name} takes ${part.accepts}.`);
}

/** `5` and `5L` fit every type of number. */
function constantFor(type: CellType, { edm, value }: Literal): CellValue {
  if (type === "Int64" && typeof value === "number") return String(value);
  return edm === "Edm.Int64" && (type === "Double" || type === "Int32") ? Number(value) : value;
}

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
