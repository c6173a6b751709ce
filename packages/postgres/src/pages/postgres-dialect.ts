import {
  annotationOf,
  parseDateTime,
  canonicalDateTime,
  parseDouble,
  satisfies,
  toOrderedText,
} from "@partita/core/internal/sql";
import { type SqlDialect, sqlSigns as signs, type SqlValue } from "@partita/core/internal/sql";
import type { Comparison, ComparisonOperator } from "@partita/core/storage";
import { escapedMark } from "../rows/escaped-text.ts";

/*
 * Comparisons over the columns `pk`, `rk`, `at` and `body`. Writers of this package store an Int32 as a number without
 * point and exponent, and no other number without an annotation.
 */

/** Adds a value to the statement, and returns its placeholder. */
type Bind = (value: SqlValue) => string;

/** @param bound - the number of values that the statement already has */
export const postgresDialect = (bound: number): SqlDialect => ({
  unknown: unknown,
  placeholder: (index) => `$${bound + index}`,
  comparison(node, bind) {
    switch (node.name) {
      case "PartitionKey":
        return compareKey("pk", node, bind);
      case "RowKey":
        return compareKey("rk", node, bind);
      case "Timestamp":
        return compareTime(node, bind);
      default:
        return compareProperty(node, bind);
    }
  },
});

const unknown = "null::boolean";

function compareKey(column: "pk" | "rk", { op, literal: { edm, value } }: Comparison, bind: Bind): string {
  if (edm !== "Edm.String") return mismatch(op);
  // Neither keys nor values of a statement can contain U+0000.
  if (String(value).includes("\0")) return unknown;
  return `${column} ${signs[op]} ${bind(toOrderedText(String(value)))}::text collate "C"`;
}

/** In ticks of 100 ns. */
function compareTime({ op, literal: { edm, value } }: Comparison, bind: Bind): string {
  if (edm !== "Edm.DateTime") return mismatch(op);
  const time = parseDateTime(String(value));
  if (time === undefined) return unknown;
  const ticks = BigInt(time.ms) * 10_000n + BigInt(time.subMs);
  return `at * 10 ${signs[op]} ${bind(String(ticks))}::bigint`;
}

/** The parts of a stored property as SQL. */
interface Property {
  readonly isAbsent: string;
  readonly isEscaped: string;
  /** Its annotation, or null. */
  readonly type: string;
  readonly json: string;
  readonly text: string;
}

function propertyOf(name: string, bind: Bind): Property {
  const key = `${bind(name)}::text`;
  return {
    isAbsent: `not body ? ${key}`,
    isEscaped: `body ? (${key} || '${escapedMark}')`,
    type: `body ->> (${key} || '${annotationOf("")}')`,
    json: `(body -> ${key})`,
    text: `(body ->> ${key})`,
  };
}

/** A case of a comparison: the result for rows with this condition. */
type Case = readonly [condition: string, result: string];

function compareProperty(node: Comparison, bind: Bind): string {
  const property = propertyOf(node.name, bind);
  const cases: Case[] = [[property.isAbsent, "false"], ...casesOf(node, property, bind)];
  const whens = cases.map(([condition, result]) => `when ${condition} then ${result}`);
  return `case ${whens.join(" ")} else ${mismatch(node.op)} end`;
}

function casesOf({ op, literal: { edm, value } }: Comparison, property: Property, bind: Bind): Case[] {
  const { type, json, text } = property;
  const sign = signs[op];
  const isInt64 = `${type} = 'Edm.Int64'`;
  switch (edm) {
    case "Edm.String":
      return compareText(op, String(value), property, bind);
    case "Edm.Boolean":
      return [
        [
          `${type} is null and jsonb_typeof(${json}) = 'boolean'`,
          `${json}::boolean ${sign} ${String(value)}`,
        ],
      ];
    case "Edm.Int32": {
      const wanted = `${bind(String(value))}::int8`;
      return [
        [isInt32(property), `${json}::int8 ${sign} ${wanted}`],
        [isInt64, `${text}::int8 ${sign} ${wanted}`],
        ...compareDouble(op, Number(value), property, bind),
      ];
    }
    case "Edm.Int64":
      return [
        [isInt64, `${text}::int8 ${sign} ${bind(String(BigInt(value)))}::int8`],
        ...compareDouble(op, Number(value), property, bind),
      ];
    case "Edm.Double":
      return compareDouble(op, parseDouble(value) ?? Number.NaN, property, bind);
    case "Edm.DateTime": {
      const seconds = `rtrim(${text}, 'Z')`;
      // As many digits as the literal has, so texts compare as times.
      const digits = `rpad(${seconds} || case when length(${seconds}) = 19 then '.' else '' end, 27, '0')`;
      const wanted = canonicalDateTime(String(value));
      const result =
        wanted === undefined ? unknown : `${digits} collate "C" ${sign} ${bind(wanted.slice(0, -1))}::text`;
      return [[`${type} = 'Edm.DateTime'`, result]];
    }
    case "Edm.Guid":
      return [
        [
          `${type} = 'Edm.Guid'`,
          `lower(${text}) collate "C" ${sign} ${bind(String(value).toLowerCase())}::text`,
        ],
      ];
    case "Edm.Binary":
      return [
        [
          `${type} = 'Edm.Binary'`,
          `decode(${text}, 'base64') ${sign} decode(${bind(String(value))}::text, 'base64')`,
        ],
      ];
    default:
      return edm satisfies never;
  }
}

function compareText(
  op: ComparisonOperator,
  wanted: string,
  { isEscaped, type, json, text }: Property,
  bind: Bind,
): Case[] {
  const isText = `${type} is null and jsonb_typeof(${json}) = 'string'`;
  const isEquality = op === "eq" || op === "ne";
  const escaped: Case = [isEscaped, unknown];
  if (wanted.includes("\0")) return [escaped, [isText, isEquality ? String(op === "ne") : unknown]];
  if (isEquality) return [escaped, [isText, `${text} ${signs[op]} ${bind(wanted)}::text collate "C"`]];
  return [
    escaped,
    // Code points sort as UTF-16 units do only below U+E000.
    [`${isText} and ${text} ~ '[\\uE000-\\U0010FFFF]'`, unknown],
    [isText, `${text} collate "C" ${signs[op]} ${bind(toOrderedText(wanted))}::text`],
  ];
}

const isInt32 = ({ type, json, text }: Property): string =>
  `${type} is null and jsonb_typeof(${json}) = 'number' and ${text} ~ '^-?[0-9]+$'`;

/** NaN, the infinities and -0 are stored as text; a client may have written other Doubles as text too. */
function compareDouble(op: ComparisonOperator, wanted: number, property: Property, bind: Bind): Case[] {
  const { type, json, text } = property;
  const isNumber = `jsonb_typeof(${json}) = 'number'`;
  const isDouble = `(${type} = 'Edm.Double' or (${type} is null and ${isNumber} and not (${isInt32(property)})))`;
  return [
    [`${isDouble} and ${isNumber}`, orderOfDoubles(op, `${json}::float8`, wanted, bind)],
    [
      `${isDouble} and ${text} in ('NaN', 'Infinity', '-Infinity', '-0.0')`,
      orderOfDoubles(op, `${text}::float8`, wanted, bind),
    ],
    [isDouble, "null"],
  ];
}

/** PostgreSQL sorts NaN after all numbers, equal to itself; in the service, it is unequal to everything. */
function orderOfDoubles(op: ComparisonOperator, found: string, wanted: number, bind: Bind): string {
  if (Number.isNaN(wanted)) return String(op === "ne");
  const order = `${found} ${signs[op]} ${bind(String(wanted))}::float8`;
  return op === "ne" ? order : `(${found} <> 'NaN' and ${order})`;
}

/** The result if the types differ. */
const mismatch = (op: ComparisonOperator): string => String(satisfies(op, -1));
