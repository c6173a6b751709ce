import { readBoolean } from "../../../values/edm/boolean.ts";
import { compileText } from "../../../values/edm/compile-text.ts";
import { cursor } from "../../../values/edm/cursor.ts";
import { readInt32 } from "../../../values/edm/int32.ts";
import { readText, textFromBytes } from "../../../values/edm/string.ts";
import { type BytesCode, giveUp } from "../../../values/edm/value-code.ts";
import type { EntityModel, PropertyModel } from "../../declaration/entity-model.ts";
import type { RowBody } from "../../../storage/row-reader.ts";
import {
  absentCode,
  absentSnapshotValue,
  constantsOf,
  entityCode,
  placeCode,
  snapshotOf,
  snapshotValueOf,
  targetOf,
} from "../row-program.ts";
import type { SystemMember } from "../row-layout.ts";
import { isRemembered } from "../remembered-values.ts";
import type { OlderLayout } from "../older-layout.ts";
import { type MemberOrder, mayBeTyped, type PropertyMember, type RowMember } from "./member-order.ts";
import { type RowSource, ScannedRow } from "./scanned-row.ts";

/*
 * Writes the code that reads rows of one class, of one order of members, from their bytes. The names between the
 * values are compared four bytes at a time, each value is read as its property's type, and a row with any other byte
 * is given up: it is parsed, and its properties' serializers convert it or throw their typed errors. So the code only
 * has to be right about the rows that it accepts.
 *
 * In the code: `b` are the bytes, `v` a view of them, `p` the position in them, `t` the bytes of the row's texts,
 * `tv` a view of them, `n` how many there are, and `e` the entity. Of the property at `i`, `q` is its model, `s` its
 * serializer and `p` its path; `h` is whether the row has it.
 */

/**
 * Reads rows, from the one at `at` on, for as long as they fit, and adds them to `out`.
 *
 * @returns the first byte after the last row that fits, and after its comma if there is one; `-1 - at` for a row at
 *   `at` that does not fit
 */
export type Scanner = (
  bytes: Buffer,
  view: DataView,
  at: number,
  out: object[],
  source: RowSource | RowBody,
) => number;

/** The inputs of a scanner's code. */
export interface ScannerForm {
  readonly order: MemberOrder;
  readonly isTracked: boolean;
  /** Whether keys and ETag come from the source, which has one row. */
  readonly isBody: boolean;
  /** If the rows keep the form of an older version. */
  readonly layout?: OlderLayout | undefined;
}

/** The texts of one row; longer ones are no part of them. One row is read at a time. */
const texts = Buffer.alloc(64 * 1024);
const textsView = new DataView(texts.buffer, texts.byteOffset, texts.length);

/** Undefined where text may not be compiled. */
export function compileScanner(model: EntityModel, form: ScannerForm): Scanner | undefined {
  const { layout } = form;
  const scanning = { t: texts, tv: textsView, cursor, readText, readBoolean, readInt32, ScannedRow };
  const remembering = layout && { isRemembered: isRemembered(layout) };
  const constants = { ...constantsOf(layout?.rows ?? model), ...scanning, ...remembering, model };
  return compileText<Scanner>(constants, codeOfScanner(layout?.rows ?? model, form));
}

/** The code of a scanner, for readers who want to see the code that is compiled. */
export function codeOfScanner(model: EntityModel, form: ScannerForm): string {
  const members = form.order.map((member, i) => scanOf(model, form, member, i === 0 && !form.isBody));
  const variables = new Set(members.flatMap((member) => member.variables));
  return `"use strict";
return function scan(b, v, p, out, source) {
  let ${form.isBody ? `pk = source.partitionKey, rk = source.rowKey, etag = ${needsEtag(model, form) ? "source.etag" : "undefined"}` : `pk, pkFrom = 0, pkLength = -1, rk, etag`};
  const lastWord = v.byteLength - 4, lastFree = t.length - 4;
  for (;;) {
    const start = p;
    let c = 0, i = 0, n = 0, w = 0, isAnnotated = false${[...variables].map((variable) => `, ${variable}`).join("")};
    cursor.row = start;
    row: {
${members.map(({ code }) => `      ${code}`).join("\n")}
      if (b[p] !== 125 || n > t.length) break row;
      p++;
      const texts = t.toString("latin1", 0, n);
${buildCode(model, form)}
      if (b[p] === 44) { p++; continue; }
      return p;
    }
    return -1 - start;
  }
};`;
}

interface ScannedMember {
  readonly variables: readonly string[];
  readonly code: string;
}

function scanOf(model: EntityModel, form: ScannerForm, member: RowMember, isFirst: boolean): ScannedMember {
  const before = isFirst ? "{" : ",";
  const name = `${before}${JSON.stringify(member.name)}:`;
  switch (member.type) {
    case "label":
      return { variables: [], code: `${ifFound(name + JSON.stringify(member.value), "")} else break row;` };
    case "system":
      return scanOfSystem(model, form, member.part, `${name}"`);
    case "property":
      return scanOfProperty(model, form, member, before);
    default:
      return member satisfies never;
  }
}

function scanOfSystem(
  model: EntityModel,
  form: ScannerForm,
  part: SystemMember,
  found: string,
): ScannedMember {
  if (part === "partitionKey")
    return { variables: [], code: `${ifFound(found, partitionKeyCode)} else break row;` };
  if (part === "timestamp" && model.timestampProperty === undefined)
    return { variables: [], code: ifFound(found, passedTextCode) };
  if (part === "etag" && !needsEtag(model, form))
    return { variables: [], code: ifFound(found, passedEtagCode) };
  const step = part === "etag" ? etagStep(part) : textFromBytes(part);
  const otherwise = part === "rowKey" ? " else break row;" : "";
  return {
    variables: [...step.variables, `h${part} = false`],
    code: ifFound(found, `h${part} = true; ${step.code}`) + otherwise,
  };
}

/** A tracked entity is written under its ETag; a copy in an index does not have that ETag. */
const needsEtag = ({ etagProperty, index }: EntityModel, { isTracked }: ScannerForm): boolean =>
  etagProperty !== undefined || (isTracked && index === undefined);

/** Whether snapshot values are read: to be tracked, or to be compared with those of an older version. */
const isKept = ({ isTracked, layout }: ScannerForm): boolean => isTracked || layout !== undefined;

function scanOfProperty(
  model: EntityModel,
  form: ScannerForm,
  { name, index, annotation }: PropertyMember,
  before: string,
): ScannedMember {
  const property = model.properties[index] as PropertyModel;
  const { serializer } = property;
  const { step, isQuoted } = stepOf(serializer, String(index), annotation);
  const [isRequired, found] = [mustHaveValue(property), `h${index}`];
  const type = annotation ?? (mayBeTyped(serializer) ? serializer.edm : undefined);
  const typed = `${JSON.stringify(`${name}@odata.type`)}:${JSON.stringify(type)},`;
  const value = `${JSON.stringify(name)}:${isQuoted ? '"' : ""}`;
  const code = `${isRequired ? "" : `${found} = true; `}${step.code}${isKept(form) ? (step.keeping ?? "") : ""}`;
  const otherwise = isRequired ? " else break row;" : "";
  const scan =
    type === undefined || annotation !== undefined
      ? ifFound(`${before}${annotation === undefined ? "" : typed}${value}`, code)
      : ifFoundOrAnnotated(`${before}${value}`, `${before}${typed}${value}`, code);
  return {
    variables: [...step.variables, ...(isRequired ? [] : [`${found} = false`])],
    code: scan + otherwise,
  };
}

/** Code that runs if these bytes are found. */
const ifFound = (literal: string, code: string): string =>
  `if (${isAt(literal)}) { p += ${Buffer.byteLength(literal)}; ${code} }`;

/** The same for bytes that may have the type before them. */
const ifFoundOrAnnotated = (literal: string, annotated: string, code: string): string =>
  `isAnnotated = false; if (${isAt(literal)} || (isAnnotated = ${isAt(annotated)})) { p += isAnnotated ? ${Buffer.byteLength(annotated)} : ${Buffer.byteLength(literal)}; ${code} }`;

/** Whether these bytes are found at `p`. The first of them is compared alone: there may be no four left. */
function isAt(literal: string): string {
  const bytes = Buffer.from(literal);
  const tests = [`b[p] === ${bytes[0]}`];
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4)
    tests.push(`v.getInt32(p + ${at}, true) === ${bytes.readInt32LE(at)}`);
  for (; at < bytes.length; at++) tests.push(`b[p + ${at}] === ${bytes[at]}`);
  return tests.join(" && ");
}

/** Makes the entity, the snapshot and the row from the values found. */
function buildCode(model: EntityModel, form: ScannerForm): string {
  const { order, isTracked, isBody, layout } = form;
  const members = new Map(
    order.flatMap((member) => (member.type === "property" ? [[member.index, member] as const] : [])),
  );
  const textOf = (part: SystemMember): string =>
    order.some((member) => member.type === "system" && member.part === part)
      ? `h${part} ? ${textFromBytes(part).value} : undefined`
      : "undefined";
  const keys = `rk = ${textFromBytes("rowKey").value}; etag = ${needsEtag(model, form) ? textOf("etag") : "undefined"};`;
  const lines = [
    ...(isBody ? [] : [keys]),
    entityCode(model, {
      partitionKey: "pk",
      rowKey: "rk",
      etag: "etag",
      timestamp: isBody ? "source.timestamp" : textOf("timestamp"),
      property: (property, i) => propertyCode(property, i, members.get(i), isKept(form)),
    }),
    `${valuesCode(model, form)}${placeCode(model, isTracked)}`,
    `out.push(new ScannedRow(model, pk, rk, etag, e, ${isTracked ? snapshotOf("undefined", "undefined", layout && "{ values, older }") : "undefined"}, source, start));`,
  ];
  return `      ${lines.join("\n").replaceAll("\n", "\n      ")}`;
}

/** The lists of snapshot values. A row that an older release has changed is given up. */
function valuesCode(model: EntityModel, { isTracked, layout }: ScannerForm): string {
  if (layout === undefined) return isTracked ? `const values = [${snapshotValueOf(model)}];` : "";
  const own = `const values = [${snapshotValueOf(model)}], older = [${snapshotValueOf(model, true)}];`;
  return `${own} if (!isRemembered(values, older, pk, rk)) break row;`;
}

/** Whether rows without a value are given up: reading them is an error. */
const mustHaveValue = ({ presence, place, hasInitial }: PropertyModel): boolean =>
  presence === "required" && place === undefined && !hasInitial();

/**
 * A required property that rows of this order lack and new instances lack, too, makes the code throw: the row is
 * given up.
 */
function propertyCode(
  property: PropertyModel,
  i: number,
  member: PropertyMember | undefined,
  isKept: boolean,
): string {
  const target = targetOf(property, i);
  let [value, snapshotValue] = [absentCode(property, i), absentSnapshotValue(property, i)];
  if (member !== undefined) {
    const { step } = stepOf(property.serializer, String(i), member.annotation);
    const found = step.snapshotValue?.replace("@", target) ?? target;
    const isSure = mustHaveValue(property);
    value = isSure ? step.value : `h${i} ? ${step.value} : ${value}`;
    snapshotValue = isSure ? found : `h${i} ? ${found} : ${snapshotValue}`;
  }
  if (isKept && snapshotValue === target) return `const k${i} = ${target} = ${value};`;
  return `${target} = ${value};${isKept ? ` const k${i} = ${snapshotValue};` : ""}`;
}

/** How a property is read from rows with this annotation. */
function stepOf(
  { code, annotation: own, edm }: PropertyModel["serializer"],
  id: string,
  annotation: string | undefined,
): { readonly step: BytesCode; readonly isQuoted: boolean } {
  const isUsual = code !== undefined && annotation === (own === "always" ? edm : undefined);
  return isUsual
    ? { step: code.fromBytes(id), isQuoted: code.isQuoted }
    : { step: otherStep(id, annotation), isQuoted: false };
}

/** Any other serializer decodes the stored value itself. */
function otherStep(id: string, annotation: string | undefined): BytesCode {
  const text = textFromBytes(id);
  const type = annotation === undefined ? "undefined" : JSON.stringify(annotation);
  const stored = `(w${id} === undefined ? ${text.value} : w${id})`;
  return {
    variables: [...text.variables, `w${id}`],
    code: [
      // A placeholder for packed bytes begins with an asterisk, as no base64 does.
      `if (b[p] === 34) { p++; ${annotation === undefined ? "" : "if (b[p] === 42) break row; "}${text.code} }`,
      `else if (b[p] === 116 || b[p] === 102) { w${id} = readBoolean(b, p); ${giveUp} }`,
      `else { w${id} = readInt32(b, p); ${giveUp} }`,
    ].join(" "),
    value: `s${id}.decode(w${id} = ${stored}, ${type}, p${id})`,
    snapshotValue: `s${id}.keep(w${id}, @, ${type})`,
  };
}

/** An ETag with escaped quotes. */
const etagStep = (id: string): BytesCode => ({
  ...textFromBytes(id),
  code: [
    `f${id} = n; for (;;) { c = b[p++]; if (c === 34) break;`,
    "if (c === 92 && b[p] === 34) { c = 34; p++; } else if (!(c >= 32 && c < 128) || c === 92) break row;",
    `t[n++] = c; } l${id} = n;`,
  ].join(" "),
});

/** A PartitionKey: nearly always the same as in the previous row, and then the same string is used. */
const partitionKeyCode: string = [
  "i = 0; while (i < pkLength && b[p + i] === b[pkFrom + i]) i++;",
  "if (i === pkLength && b[p + i] === 34) p += i + 1;",
  `else { pkFrom = p; pk = readText(b, p); ${giveUp} pkLength = p - 1 - pkFrom; }`,
].join(" ");

/** A text that is not needed. */
const passedTextCode: string =
  "for (;;) { c = b[p++]; if (c === 34) break; if (!(c >= 32 && c < 128) || c === 92) break row; }";

/** An ETag that is not needed. */
const passedEtagCode: string =
  "for (;;) { c = b[p++]; if (c === 34) break; if (c === 92 && b[p] === 34) p++; else if (!(c >= 32 && c < 128) || c === 92) break row; }";
