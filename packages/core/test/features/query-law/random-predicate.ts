import { fc } from "@fast-check/vitest";
import { type Predicate, Ticks } from "../../../src/index.ts";
import type { Field } from "./random-model.ts";

/** A predicate as its test knows it: built with columns, and evaluated once more and simply. */
export type Tree =
  | { readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le"; readonly name: string; readonly value: unknown }
  | { readonly op: "in"; readonly name: string; readonly values: readonly unknown[] }
  | { readonly op: "startsWith"; readonly name: string; readonly value: string }
  | { readonly op: "exists"; readonly name: string }
  | { readonly op: "and" | "or"; readonly nodes: readonly Tree[] }
  | { readonly op: "not"; readonly node: Tree };

export function randomPredicate(fields: readonly Field[]): fc.Arbitrary<Tree> {
  const leaf = fc
    .constantFrom(...fields)
    .chain(({ name, operands, isText, isOrdered }): fc.Arbitrary<Tree> => {
      const compared = fc.record({
        op: isOrdered ? fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le") : fc.constantFrom("eq", "ne"),
        name: fc.constant(name),
        value: operands,
      });
      const listed = fc.record({
        op: fc.constant("in"),
        name: fc.constant(name),
        values: fc.array(operands, { maxLength: 4 }),
      });
      const begun = fc.record({
        op: fc.constant("startsWith"),
        name: fc.constant(name),
        value: fc.constantFrom("", "A", "a", "é", "0", ".", "\u{10000}"),
      });
      return fc.oneof(
        { weight: 6, arbitrary: compared },
        { weight: 2, arbitrary: listed },
        { weight: 1, arbitrary: fc.record({ op: fc.constant("exists"), name: fc.constant(name) }) },
        ...(isText ? [{ weight: 2, arbitrary: begun }] : []),
      ) as fc.Arbitrary<Tree>;
    });
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.record({
        op: fc.constantFrom("and", "and", "or"),
        nodes: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }),
      }) as fc.Arbitrary<Tree>,
      fc.record({ op: fc.constant("not"), node: tie("tree") }) as fc.Arbitrary<Tree>,
    ),
  }));
  return tree;
}

type Row = Readonly<Record<string, unknown>>;

/** What the predicate means: two-valued, absent compares false, a Date means its millisecond. */
export function holds(node: Tree, row: Row): boolean {
  switch (node.op) {
    case "and":
      return node.nodes.every((child) => holds(child, row));
    case "or":
      return node.nodes.some((child) => holds(child, row));
    case "not":
      return !holds(node.node, row);
    default: {
      const value = row[node.name];
      if (value === undefined) return false;
      if (node.op === "exists") return true;
      if (node.op === "startsWith") return (value as string).startsWith(node.value);
      if (node.op === "in") return node.values.some((operand) => compares("eq", value, operand));
      return compares(node.op, value, node.value);
    }
  }
}

function compares(op: "eq" | "ne" | "gt" | "ge" | "lt" | "le", value: unknown, operand: unknown): boolean {
  const [found] = span(value);
  const [first, last] = span(operand);
  switch (op) {
    case "eq":
      return found >= first && found <= last;
    case "ne":
      return !(found >= first && found <= last);
    case "gt":
      return found > last;
    case "ge":
      return found >= first;
    case "lt":
      return found < first;
    case "le":
      return found <= last;
    default:
      return op satisfies never;
  }
}

/** Something `<` compares, from the first to the last of what an operand means. */
function span(value: unknown): [string, string] {
  if (value instanceof Ticks) return [value.value, value.value] as unknown as [string, string];
  if (value instanceof Date) {
    const first = Ticks.fromDate(value).value;
    return [first, first + 9_999n] as unknown as [string, string];
  }
  const plain = value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
  return [plain, plain] as [string, string];
}

interface AnyColumn extends Record<string, (...args: unknown[]) => Predicate> {}

export function build(node: Tree, columns: Readonly<Record<string, AnyColumn>>): Predicate {
  switch (node.op) {
    case "and":
    case "or": {
      const [first, ...others] = node.nodes.map((child) => build(child, columns));
      return (first as Predicate)[node.op](...others);
    }
    case "not":
      return build(node.node, columns).not();
    case "in":
      return columns[node.name]?.["in"]?.(node.values) as Predicate;
    case "exists":
      return columns[node.name]?.["exists"]?.() as Predicate;
    default:
      return columns[node.name]?.[node.op]?.(node.value) as Predicate;
  }
}

export const printTree = (node: Tree): string =>
  JSON.stringify(node, (_name, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
