import { toOrderedText } from "../../values/keys/key-rules.ts";
import { canonicalDateTime, parseDateTime } from "../../values/edm/date-time-text.ts";
import { parseDouble } from "../../values/edm/double.ts";
import { annotationOf, type EdmType } from "../../values/edm/stored-entity.ts";
import { satisfies } from "../../values/filter/evaluate-filter.ts";
import type { Comparison, ComparisonOperator } from "../../values/filter/filter-node.ts";
import { type SqlDialect, sqlSigns as signs, type SqlValue } from "../../values/filter/filter-sql.ts";

/*
 * Comparisons over the columns `pk`, `rk`, `ts`, `ahead` and `body`. Values are found in the bytes of a body: it is
 * the output of `JSON.stringify` for the properties, so there are no spaces, each value has one form only, and an
 * annotation comes right before its value. Quotation marks within texts are escaped and names have none, so `"n":`
 * occurs nowhere else. This takes a half to a third of the time of SQLite's JSON functions, which parse the complete
 * row, and it cannot fail.
 *
 * After the JSON of a row with packed bytes, any bytes can occur by chance: such a row is evaluated in JavaScript,
 * unless it does not contain the searched bytes at all.
 */

/** Adds a value to the statement, and returns its placeholder. */
type Bind = (value: SqlValue) => string;

export const sqliteDialect: SqlDialect = {
  unknown: "NULL",
  placeholder: () => "?",
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
};

function compareKey(column: "pk" | "rk", { op, literal: { edm, value } }: Comparison, bind: Bind): string {
  // The sign keeps SQLite from choosing another index for this condition.
  return edm === "Edm.String"
    ? `+${column} ${signs[op]} ${bind(toOrderedText(String(value)))}`
    : mismatch(op);
}

/** In ticks of 100 ns. */
function compareTime({ op, literal: { edm, value } }: Comparison, bind: Bind): string {
  if (edm !== "Edm.DateTime") return mismatch(op);
  const time = parseDateTime(String(value));
  if (time === undefined) return "NULL";
  return `(ts - ahead) * 10 ${signs[op]} ${bind(BigInt(time.ms) * 10_000n + BigInt(time.subMs))}`;
}

function compareProperty(node: Comparison, bind: Bind): string {
  const token = tokenOf(node);
  if (node.op === "eq" && token !== undefined) return equals(node, token, bind);
  const most = node.literal.edm === "Edm.Int32" ? compareNumber(node, bind) : undefined;
  const isAbsent = `NOT ${has(member(node.name))}`;
  const any = `CASE WHEN ${isAbsent} THEN FALSE WHEN ${isPlain} THEN ${comparePresent(node, bind)} END`;
  if (most === undefined) return any;
  return `CASE ${most} WHEN FALSE THEN FALSE WHEN TRUE THEN CASE WHEN ${isPlain} THEN TRUE END ELSE ${any} END`;
}

function comparePresent(node: Comparison, bind: Bind): string {
  const { op, name, literal } = node;
  const { edm, value } = literal;
  switch (edm) {
    case "Edm.String":
    case "Edm.Boolean": {
      const token = tokenOf(node);
      if (op === "ne" && token !== undefined) return `NOT ${equals(node, token, bind)}`;
      return edm === "Edm.String" ? compareText(name, op, String(value), bind) : "NULL";
    }
    case "Edm.Int32":
      return compareInt32(name, op, value as number, bind);
    case "Edm.Int64":
      return `ifnull(${int64Of(name)} ${signs[op]} ${bind(BigInt(value))}, CASE WHEN ${isInt32(name)} THEN ${mismatch(op)} END)`;
    case "Edm.Double":
      return compareDouble(name, op, parseDouble(value) ?? Number.NaN, bind);
    case "Edm.DateTime":
      return compareSeconds(name, op, String(value), bind);
    case "Edm.Guid": {
      const guid = bytes(String(value).toLowerCase());
      return `${annotated(name, edm, '"', guid.length)} ${signs[op]} ${bind(guid)}`;
    }
    case "Edm.Binary":
      // The order of base64 differs from that of its bytes, and its last character may have unused bits.
      return "NULL";
    default:
      return edm satisfies never;
  }
}

/** The only form of a stored property that equals a text or a Boolean; undefined for other types. */
function tokenOf({ literal: { edm, value } }: Comparison): Buffer | undefined {
  return edm === "Edm.String" || edm === "Edm.Boolean" ? bytes(JSON.stringify(value)) : undefined;
}

/**
 * Times, Guids and others are also texts, but have an annotation. The discriminator is the first member: it has no
 * annotation and is never packed, so this comparison is certain.
 */
function equals({ name }: Comparison, token: Buffer, bind: Bind): string {
  const isToken = `${after(member(name), bind(token.length))} = ${bind(token)}`;
  const isFirst = `instr(body, x'${bytes(member(name)).toString("hex")}') = 2`;
  const isOfType = `NOT ${has(member(annotationOf(name)))}`;
  return `CASE WHEN ${isToken} THEN CASE WHEN ${isFirst} THEN TRUE WHEN ${isPlain} THEN ${isOfType} END ELSE FALSE END`;
}

/**
 * Compares the order of texts by their bytes. It differs from UTF-16 order for characters from U+D800 on, and escaped
 * characters sort differently; those are evaluated in JavaScript.
 */
function compareText(name: string, op: ComparisonOperator, text: string, bind: Bind): string {
  if (/[\ud800-\uffff]/.test(text)) return "NULL";
  const quoted = JSON.stringify(text);
  if (quoted.includes("\\")) return "NULL";
  const [wanted, whole] = [bytes(text), bytes(quoted)];
  // The stored text, cut to the relevant length; a shorter text is followed by its quotation mark.
  const found = (): string => after(`${member(name)}"`, bind(wanted.length));
  const cases = [
    `WHEN ${after(member(name), "1")} <> x'22' OR ${has(member(annotationOf(name)))} THEN ${mismatch(op)}`,
    `WHEN instr(${found()}, x'5c') THEN NULL`,
  ];
  // The only characters that sort before a quotation mark and are not escaped.
  if (/[ !]/.test(text)) cases.push(`WHEN instr(${found()}, x'22') THEN NULL`);
  const isLess = `${found()} < ${bind(wanted)}`;
  const isEqual = (): string => `${after(member(name), bind(whole.length))} = ${bind(whole)}`;
  const order = op === "lt" || op === "ge" ? isLess : `(${isLess} OR ${isEqual()})`;
  return `CASE ${cases.join(" ")} ELSE ${op === "lt" || op === "le" ? order : `NOT ${order}`} END`;
}

/**
 * A number is an Int32 or a Double; both compare with an Int32 in the same way. This decides most of them. Exceptions
 * are zero, since other types are read as zero, and the wanted number itself, since a fraction could be rounded to it.
 */
function compareNumber({ op, name, literal: { value } }: Comparison, bind: Bind): string {
  const wanted = value as number;
  return `nullif(nullif(${numberOf(name)}, 0), ${bind(wanted)}) ${signs[op]} ${bind(wanted)}`;
}

/** The result for other numbers. */
const compareInt32 = (name: string, op: ComparisonOperator, number: number, bind: Bind): string =>
  `CASE ${isNumber(name, number, bind)} THEN ${constant(op, 0)} ${isNumber(name, 0, bind)} THEN ${constant(op, 0 - number)}
    ELSE ${int64Of(name)} ${signs[op]} ${bind(number)} END`;

/** An integer without an annotation is an Int32, which never equals a Double. SQLite reads fractions nearly exactly. */
function compareDouble(name: string, op: ComparisonOperator, number: number, bind: Bind): string {
  if (!Number.isFinite(number)) return "NULL";
  const margin = Math.abs(number) * 2 ** -50 + Number.MIN_VALUE;
  const found = `nullif(${numberOf(name)}, 0)`;
  return `CASE WHEN ${isInt32(name)} THEN ${mismatch(op)} ${isNumber(name, 0, bind)} THEN ${constant(op, 0 - number)}
    WHEN ${found} < ${bind(number - margin)} THEN ${constant(op, -1)}
    WHEN ${found} > ${bind(number + margin)} THEN ${constant(op, 1)} END`;
}

/** Within a second, the number of digits differs. */
function compareSeconds(name: string, op: ComparisonOperator, text: string, bind: Bind): string {
  const second = canonicalDateTime(text)?.slice(0, 19);
  if (second === undefined) return "NULL";
  const found = annotated(name, "Edm.DateTime", '"', second.length);
  return `nullif(${found}, ${bind(bytes(second))}) ${signs[op]} ${bind(bytes(second))}`;
}

/** Whether the body contains this text. This is faster than `instr`, and stops at the first zero of packed bytes. */
const has = (text: string): string => `CAST(body AS TEXT) GLOB '*${text}*'`;

/** The given number of bytes after a text in the body; null if the text is not found. */
function after(text: string, length: string): string {
  const found = bytes(text);
  return `substr(body, nullif(instr(body, x'${found.toString("hex")}'), 0) + ${found.length}, ${length})`;
}

/** Reads a number up to the comma or brace after it; anything else becomes 0. */
const numberOf = (name: string): string => `CAST(${after(member(name), "25")} AS NUMERIC)`;

/** The case for a row with exactly this number. */
function isNumber(name: string, number: number, bind: Bind): string {
  const token = JSON.stringify(number);
  const found = after(member(name), bind(token.length + 1));
  return `WHEN ${found} IN (${bind(bytes(`${token},`))}, ${bind(bytes(`${token}}`))})`;
}

/**
 * Whether the value is an integer without an annotation. This is also true for a Boolean, which is no other number
 * either.
 */
const isInt32 = (name: string): string =>
  `typeof(${numberOf(name)}) = 'integer' AND ${after(member(name), "1")} > x'22' AND NOT ${has(member(annotationOf(name)))}`;

const int64Of = (name: string): string => `CAST(${annotated(name, "Edm.Int64", '"', 20)} AS INTEGER)`;

/** The given number of bytes of an annotated value, after this character. */
const annotated = (name: string, edm: EdmType, behind: string, length: number): string =>
  after(annotation(name, edm) + member(name) + behind, String(length));

/** Whether the row has no packed bytes. */
const isPlain = "substr(body, -1) <> x'00'";

const member = (name: string): string => `${JSON.stringify(name)}:`;
const annotation = (name: string, edm: EdmType): string => `${member(annotationOf(name))}"${edm}",`;
const bytes = (text: string): Buffer => Buffer.from(text);

/** The result of a comparison with this order. */
const constant = (op: ComparisonOperator, order: number): string =>
  String(satisfies(op, order)).toUpperCase();

/** The result if the types differ. */
const mismatch = (op: ComparisonOperator): string =>
  op === "ne" || op === "lt" || op === "le" ? "TRUE" : "FALSE";
