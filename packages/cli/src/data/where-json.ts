import type { EntityClass, Predicate, Query } from "@partita/core";
import type { Core } from "../modules/load-core.ts";
import { UsageError } from "../session/usage-error.ts";

const operators = ["eq", "ne", "gt", "ge", "lt", "le", "between", "in", "startsWith", "exists"] as const;

type Operator = (typeof operators)[number];

/** A column of a query, of any type. */
type AnyColumn = Readonly<Record<Operator, (...values: unknown[]) => Predicate>>;

const form =
  '--where takes JSON with conditions on properties, which must all hold: {"channel":"Channel9","postedOn":{"ge":"2024-01-01T00:00:00Z"}}. The comparisons are eq, ne, gt, ge, lt, le, between and in (with a list), startsWith and exists (with true).';

/**
 * Adds conditions from JSON on logical properties to a query. Values have the form of `toPlain`.
 *
 * @throws UsageError
 */
export function withConditions<Entity extends object>(
  core: Core,
  entityClass: EntityClass<Entity>,
  query: Query<Entity>,
  json: string | undefined,
): Query<Entity> {
  if (json === undefined) return query;
  const value = valuesOf(core, entityClass);
  return query.where((columns) =>
    Object.entries(objectOf(json)).flatMap(([property, condition]) => {
      const column = (columns as unknown as Readonly<Record<string, AnyColumn>>)[property] as AnyColumn;
      const parts = isObject(condition) ? Object.entries(condition) : [["eq", condition] as const];
      return parts.map(([operator, operand]) =>
        isOperator(operator)
          ? compare(column, operator, operand, (each) => value(property, each))
          : raise(wrongForm()),
      );
    }),
  );
}

function compare(
  column: AnyColumn,
  operator: Operator,
  operand: unknown,
  value: (json: unknown) => unknown,
): Predicate {
  switch (operator) {
    case "exists":
      return operand === false ? column.exists().not() : column.exists();
    case "in":
      return column.in(listOf(operand).map(value));
    case "between": {
      const [low, high, ...more] = listOf(operand);
      if (low === undefined || high === undefined || more.length > 0) throw wrongForm();
      return column.between(value(low), value(high));
    }
    case "startsWith":
      return column.startsWith(operand);
    default:
      return column[operator](value(operand));
  }
}

/** Reads property values like `fromPlain`: dates and big integers are text in JSON. */
function valuesOf(core: Core, entityClass: EntityClass): (property: string, json: unknown) => unknown {
  return (property, json) => {
    try {
      const entity = core.fromPlain(entityClass, { [property]: json }, { hidden: true });
      return (entity as Readonly<Record<string, unknown>>)[property];
    } catch (error) {
      // The base of several kinds has no plain form, so the query checks the value.
      if ((error as { readonly code?: unknown }).code === "plain.wrong-kind") return json;
      throw error;
    }
  };
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(json);
    if (isObject(found)) return found;
  } catch {
    // Reported below, without the text.
  }
  throw wrongForm();
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : raise(wrongForm());
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isOperator = (name: string): name is Operator => operators.some((operator) => operator === name);

const wrongForm = (): UsageError => new UsageError(form);

function raise(error: Error): never {
  throw error;
}
