import type { Field } from "../../api/tables.ts";
import { constantOf, sampleOf } from "./constants.ts";
import { type QueryWord, wordsBefore } from "./query-words.ts";

/** A property that a query can compare, with known values. */
export interface QueryField extends Pick<Field, "name" | "type" | "key"> {
  /** Constants for conditions: those of an enum, or of loaded rows. */
  readonly constants: readonly string[];
}

/** A continuation of a query. */
export interface Completion {
  readonly text: string;
  readonly detail: string;
  /** Places the caret so many characters before the end of the text. */
  readonly caretBack?: number;
}

/** The completions at the caret. They replace the text from `start` to the caret. */
export interface Completions {
  readonly start: number;
  readonly options: readonly Completion[];
}

const maxOptions = 50;

/** @param text - the query up to the caret */
export function completionsOf(text: string, fields: readonly QueryField[]): Completions {
  const { before, current } = wordsBefore(text);
  const wanted = current.toLowerCase();
  const options = optionsAfter(before, fields)
    .filter((option) => option.text.toLowerCase().startsWith(wanted) && option.text !== current)
    .slice(0, maxOptions);
  return { start: text.length - current.length, options };
}

function optionsAfter(before: readonly QueryWord[], fields: readonly QueryField[]): readonly Completion[] {
  const [last, previous, third] = [before.at(-1), before.at(-2), before.at(-3)];
  const list = openList(before);
  if (list !== undefined) return inList(list, last, fields);
  if (isOperator(last) && previous?.type === "name") return constants(fieldNamed(fields, previous.text));
  const isTerm = last?.type === "constant" || last?.type === ")";
  if (isTerm) return joins;
  const isProperty = last?.type === "name" && !isJoin(last) && !(isOperator(last) && third !== undefined);
  return isProperty ? operators(fieldNamed(fields, last.text)) : terms(fields);
}

/** The property and operator before an open parenthesis of `in`, or `startswith`. */
function openList(before: readonly QueryWord[]): readonly QueryWord[] | undefined {
  const open = before.findLastIndex(({ type }) => type === "(");
  if (open < 1 || before.slice(open).some(({ type }) => type === ")")) return undefined;
  const word = before[open - 1]?.text.toLowerCase();
  return word === "startswith" || word === "in" ? before.slice(Math.max(0, open - 2)) : undefined;
}

function inList(
  list: readonly QueryWord[],
  last: QueryWord | undefined,
  fields: readonly QueryField[],
): readonly Completion[] {
  const isFunction = list.some(({ text }) => text.toLowerCase() === "startswith");
  if (last?.type === "constant") return isFunction ? [close] : [comma, close];
  if (!isFunction) return constants(fieldNamed(fields, list[0]?.text ?? ""));
  if (last?.type === "name") return [comma];
  if (last?.type === ",") return [{ text: "''", detail: "first characters", caretBack: 1 }];
  return fields.filter(({ type }) => type === "String").map(property);
}

const terms = (fields: readonly QueryField[]): readonly Completion[] => [
  ...fields.map(property),
  { text: "startswith()", detail: "text that starts with …", caretBack: 1 },
  { text: "not", detail: "the opposite of a condition" },
];

const property = ({ name, type, key }: QueryField): Completion => ({
  text: name,
  detail: key === undefined ? type : `${type}, ${key}`,
});

const orders = [
  ["lt", "less than"],
  ["le", "less than or equal"],
  ["gt", "greater than"],
  ["ge", "greater than or equal"],
] as const;

function operators(field: QueryField | undefined): readonly Completion[] {
  const isOrdered = field?.type !== "Boolean" && field?.type !== "Binary";
  return [
    { text: "eq", detail: "equal" },
    { text: "ne", detail: "not equal" },
    ...(isOrdered ? orders.map(([text, detail]) => ({ text, detail })) : []),
    { text: "in ()", detail: "one of several", caretBack: 1 },
  ];
}

const joins: readonly Completion[] = [
  { text: "and", detail: "both conditions" },
  { text: "or", detail: "one of the conditions" },
];
const comma: Completion = { text: ",", detail: "another value" };
const close: Completion = { text: ")", detail: "end" };

function constants(field: QueryField | undefined): readonly Completion[] {
  if (field === undefined) return [];
  const { type } = field;
  const known = type === "Boolean" ? ["true", "false"] : field.constants;
  if (known.length > 0) return known.map((text) => ({ text, detail: type }));
  const sample = sampleOf(type);
  return [{ text: sample, detail: type, ...(sample.endsWith("'") && { caretBack: 1 }) }];
}

const fieldNamed = (fields: readonly QueryField[], name: string): QueryField | undefined =>
  fields.find((each) => each.name === name);

const isOperator = (word: QueryWord | undefined): boolean =>
  word?.type === "name" && /^(eq|ne|lt|le|gt|ge)$/.test(word.text);

const isJoin = ({ text }: QueryWord): boolean => /^(and|or|not)$/.test(text);

/** The values of loaded rows as constants, each once. */
export function constantsOf(
  type: Field["type"],
  values: readonly Parameters<typeof constantOf>[1][],
): readonly string[] {
  const found = new Set<string>();
  for (const value of values) {
    const text = constantOf(type, value);
    if (text !== undefined && text.length <= maxConstant) found.add(text);
    if (found.size === maxConstants) break;
  }
  return [...found].toSorted();
}

const maxConstants = 20;
const maxConstant = 60;
