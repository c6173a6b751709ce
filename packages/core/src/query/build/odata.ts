import { brand, hasBrand } from "../../values/errors/brand.ts";
import { isDate, isUint8Array } from "../../values/errors/built-ins.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { base64Of } from "../../values/edm/base64.ts";
import { storedGuid } from "../../values/edm/guid.ts";
import { isInt32 } from "../../values/edm/int32.ts";
import { isInt64 } from "../../values/edm/int64.ts";
import { Ticks } from "../../values/edm/ticks.ts";
import type { FilterNode, Literal } from "../../values/filter/filter-node.ts";
import { type FilterToken, tokenize } from "../../values/filter/filter-tokens.ts";
import { parseTokens } from "../../values/filter/parse-filter.ts";

/** A filter in OData syntax, with stored names; made by {@link odata}. */
export class RawFilter {
  static {
    brand(this, "RawFilter");
  }

  /** Whether a value is a raw filter, from any copy of this package. */
  static is(value: unknown): value is RawFilter {
    return hasBrand(value, this);
  }

  readonly node: FilterNode;

  /** @internal */
  constructor(node: FilterNode) {
    this.node = node;
  }
}

/** A constant with an EDM type that does not follow from its host type. */
class TypedValue {
  static {
    brand(this, "TypedValue");
  }

  /** Whether a value is a typed value, from any copy of this package. */
  static is(value: unknown): value is TypedValue {
    return hasBrand(value, this);
  }

  readonly literal: Literal;

  constructor(literal: Literal) {
    this.literal = literal;
  }
}

/**
 * The values that a raw filter takes as constants: a text; an integer as Int32 or Int64 by its size; any other number
 * as Double; a bigint as Int64; a boolean; a Date or Ticks as DateTime; bytes as Binary. Use `odata.double(3)` and
 * `odata.guid(id)` for other types.
 */
export type ODataValue = string | number | bigint | boolean | Date | Ticks | Uint8Array | TypedValue;

/** Makes raw filters, and constants of types that do not follow from host values. */
export interface ODataTag {
  (strings: TemplateStringsArray, ...values: readonly ODataValue[]): RawFilter;
  /**
   * A Double, even for a whole number.
   *
   * ```ts
   * const heavy = context.query(Blog).where({ channel }).filter(odata`Weight gt ${odata.double(3)}`);
   * ```
   */
  double(value: number): ODataValue;
  /**
   * An Edm.Guid.
   *
   * ```ts
   * const id = odata.guid("4185404a-5818-48c3-b9be-f217df0dba6f");
   * const found = context.query(Blog).where({ channel }).filter(odata`DeviceId eq ${id}`);
   * ```
   */
  guid(text: string): ODataValue;
}

/**
 * Makes a filter that `where` cannot express, such as one on properties that no class declares. The filter uses stored
 * names. Values become constants, never text, so they cannot change the structure of the filter.
 *
 * ```ts
 * const found = context.query(Blog).where({ channel }).filter(odata`Legacy ge ${3}`);
 * ```
 *
 * @throws QueryError `query.filter-syntax` or `query.odata-value`
 */
export const odata: ODataTag = Object.assign(
  (strings: TemplateStringsArray, ...values: readonly ODataValue[]): RawFilter => {
    const tokens: FilterToken[] = [];
    let start = 0;
    for (const [i, text] of strings.entries()) {
      tokens.push(...tokenize(text, start));
      start += text.length;
      if (i < values.length) tokens.push({ type: "literal", literal: literalOf(values[i]) });
    }
    return new RawFilter(parseTokens(tokens));
  },
  {
    double: (value: number) => new TypedValue({ edm: "Edm.Double", value: finite(value) }),
    guid(text: string) {
      const value = typeof text === "string" ? storedGuid(text) : undefined;
      if (value === undefined) throw wrongValue("a GUID");
      return new TypedValue({ edm: "Edm.Guid", value });
    },
  },
);

/** Chosen by type, never by coercion: an object with its own `toString` is refused. */
function literalOf(value: unknown): Literal {
  if (TypedValue.is(value)) return value.literal;
  if (isDate(value) || Ticks.is(value)) return dateLiteral(value);
  if (isUint8Array(value)) return { edm: "Edm.Binary", value: base64Of(value) };
  switch (typeof value) {
    case "string":
      if (value.isWellFormed()) return { edm: "Edm.String", value };
      break;
    case "boolean":
      return { edm: "Edm.Boolean", value };
    case "bigint":
      if (isInt64(value)) return { edm: "Edm.Int64", value: String(value) };
      break;
    case "number":
      return numberLiteral(value);
    default:
      break;
  }
  throw wrongValue(
    "well-formed text, a finite number, a bigint of 64 bits, a boolean, a valid Date, Ticks or a Uint8Array",
  );
}

/** Whole numbers become integers, since Int64 compares with integers only, but Double with both. */
function numberLiteral(value: number): Literal {
  if (isInt32(value)) return { edm: "Edm.Int32", value: value + 0 };
  return Number.isInteger(value) && isInt64(BigInt(value))
    ? { edm: "Edm.Int64", value: String(BigInt(value)) }
    : { edm: "Edm.Double", value: finite(value) };
}

function dateLiteral(value: Date | Ticks): Literal {
  const date = isDate(value) ? value : value.toDate();
  const year = date.getUTCFullYear();
  if (!(year >= 1601 && year <= 9999)) throw wrongValue("dates of the years 1601 to 9999");
  return { edm: "Edm.DateTime", value: String(isDate(value) ? Ticks.fromDate(value) : value) };
}

function finite(value: number): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw wrongValue("a finite number");
}

function wrongValue(expected: string): QueryError {
  return new QueryError(
    "query.odata-value",
    `A value in odata\`…\` cannot be part of a filter: it takes ${expected}.`,
    {
      expected,
    },
  );
}
