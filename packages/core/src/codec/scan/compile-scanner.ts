import { latin1Of } from "../../edm/base64.ts";
import { compileText } from "../../edm/compile-text.ts";
import { doubleSerializer } from "../../edm/double.ts";
import { keepTicks } from "../../edm/kept-date.ts";
import type { EntityModel, PropertyModel } from "../../model/entity-model.ts";
import { absentValue } from "../absent-values.ts";
import { codecOf } from "../codec-of.ts";
import { keyCode } from "../compile-key.ts";
import { keepInitial } from "../initial-value.ts";
import { modelConstants } from "../model-constants.ts";
import type { SystemMember } from "../row-layout.ts";
import type { MemberOrder, PropertyMember, RowMember } from "./member-order.ts";
import {
  etagStep,
  partitionKeyCode,
  passedEtagCode,
  passedTextCode,
  stepOf,
  textStep,
} from "./scan-steps.ts";
import { type RowSource, ScannedRow } from "./scanned-row.ts";
import type { RowBody } from "../../storage/row-reader.ts";
import * as dates from "./scan-dates.ts";
import * as values from "./scan-values.ts";

/*
 * Writes the code that reads rows of one class, of one order of members, from their bytes. The names between the values
 * are compared four bytes at a time, each value is read as its property's type, and a row that has anything else, in any
 * byte, is given up: it is parsed, and its properties' serializers convert it or throw their typed errors. So the code has
 * to be right only about what it accepts.
 *
 * In the code: `b` are the bytes, `v` a view of them, `p` the place in them, `t` the bytes of the row's texts, `n` how
 * many there are, and `e` the entity. Of the property at `i`, `q` is its model, `s` its serializer and `p` its path; `h`
 * is whether the row has it.
 */

/**
 * Reads rows, from the one at `at` on, for as long as they fit, and adds them to `out`.
 *
 * @returns the first byte behind the last row that fits, and behind its comma if there is one; `-1 - at` for a row at `at`
 *   that does not fit
 */
export type Scanner = (
  bytes: Buffer,
  view: DataView,
  texts: Buffer,
  at: number,
  out: object[],
  source: RowSource | RowBody,
) => number;

/** What a scanner is made for. */
export interface ScannerForm {
  readonly order: MemberOrder;
  readonly isTracked: boolean;
  /** Whether keys and ETag are those of the source, which has one row. */
  readonly isBody: boolean;
}

/** Undefined where text may not be compiled. */
export function compileScanner(model: EntityModel, form: ScannerForm): Scanner | undefined {
  const constants = {
    ...modelConstants(model),
    ...values,
    ...dates,
    keepTicks,
    latin1Of,
    ScannedRow,
    absentValue,
    keepInitial,
  };
  // Its pinned instance has the hidden class of those that are made here.
  codecOf(model);
  return compileText<Scanner>(constants, codeOfScanner(model, form));
}

/** The code of a scanner, for those who read what is handed to the runtime. */
export function codeOfScanner(model: EntityModel, form: ScannerForm): string {
  const members = form.order.map((member, i) => scanOf(model, form, member, i === 0 && !form.isBody));
  const variables = new Set(members.flatMap((member) => member.variables));
  return `"use strict";
return function scan(b, v, t, p, out, source) {
  let ${form.isBody ? `pk = source.partitionKey, rk = source.rowKey, etag = ${needsEtag(model, form) ? "source.etag" : "undefined"}` : `pk, pkFrom = 0, pkLength = -1, rk, etag`};
  for (;;) {
    const start = p;
    let c = 0, i = 0, n = 0, isTold = false${[...variables].map((variable) => `, ${variable}`).join("")};
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
  const step = part === "etag" ? etagStep(part) : textStep(part);
  const otherwise = part === "rowKey" ? " else break row;" : "";
  return {
    variables: [...step.variables, `h${part} = false`],
    code: ifFound(found, `h${part} = true; ${step.code}`) + otherwise,
  };
}

/** The ETag is what a tracked entity is written under, which no copy of it is. */
const needsEtag = ({ etagProperty, index }: EntityModel, { isTracked }: ScannerForm): boolean =>
  etagProperty !== undefined || (isTracked && index === undefined);

function scanOfProperty(
  model: EntityModel,
  { isTracked }: ScannerForm,
  { name, index, annotation }: PropertyMember,
  before: string,
): ScannedMember {
  const property = model.properties[index] as PropertyModel;
  const { serializer } = property;
  const step = stepOf(serializer, String(index), annotation);
  const [isRequired, found] = [mustHaveValue(property), `h${index}`];
  const type = annotation ?? (serializer === doubleSerializer ? serializer.edm : undefined);
  const typed = `${JSON.stringify(`${name}@odata.type`)}:${JSON.stringify(type)},`;
  const value = `${JSON.stringify(name)}:${step.isQuoted ? '"' : ""}`;
  const code = `${isRequired ? "" : `${found} = true; `}${step.code}${isTracked ? (step.keeping ?? "") : ""}`;
  const otherwise = isRequired ? " else break row;" : "";
  const scan =
    type === undefined || annotation !== undefined
      ? ifFound(`${before}${annotation === undefined ? "" : typed}${value}`, code)
      : ifFoundOrTold(`${before}${value}`, `${before}${typed}${value}`, code);
  return {
    variables: [...step.variables, ...(isRequired ? [] : [`${found} = false`])],
    code: scan + otherwise,
  };
}

/** Code for where these bytes stand. */
const ifFound = (literal: string, code: string): string =>
  `if (${isAt(literal)}) { p += ${Buffer.byteLength(literal)}; ${code} }`;

/** The same for bytes that may have the type before them. */
const ifFoundOrTold = (literal: string, told: string, code: string): string =>
  `isTold = false; if (${isAt(literal)} || (isTold = ${isAt(told)})) { p += isTold ? ${Buffer.byteLength(told)} : ${Buffer.byteLength(literal)}; ${code} }`;

/** Whether these bytes stand at `p`. The first of them alone is compared first: there may be no four left. */
function isAt(literal: string): string {
  const bytes = Buffer.from(literal);
  const tests = [`b[p] === ${bytes[0]}`];
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4)
    tests.push(`v.getInt32(p + ${at}, true) === ${bytes.readInt32LE(at)}`);
  for (; at < bytes.length; at++) tests.push(`b[p + ${at}] === ${bytes[at]}`);
  return tests.join(" && ");
}

/** Makes the entity, the snapshot and the row of what was found. */
function buildCode(model: EntityModel, form: ScannerForm): string {
  const { order, isTracked, isBody } = form;
  const { properties, etagProperty, timestampProperty } = model;
  const steps = new Map(
    order.flatMap((member) => (member.type === "property" ? [[member.index, member] as const] : [])),
  );
  const valuesOf = (i: number): PropertyValues =>
    propertyValues(properties[i] as PropertyModel, i, steps.get(i));
  const has = (part: SystemMember): boolean =>
    order.some((member) => member.type === "system" && member.part === part);
  const textOf = (part: SystemMember): string =>
    has(part) ? `h${part} ? ${textStep(part).value} : undefined` : "undefined";
  const hasSystemValues = etagProperty !== undefined || timestampProperty !== undefined;
  const timestamp = isBody
    ? "source.timestamp"
    : timestampProperty === undefined
      ? "undefined"
      : textOf("timestamp");
  const lines = [
    ...(isBody
      ? []
      : [
          `rk = ${textStep("rowKey").value}; etag = ${needsEtag(model, form) ? textOf("etag") : "undefined"};`,
        ]),
    "const e = model.createBlank();",
    keyCode(model, "PartitionKey", "pk"),
    keyCode(model, "RowKey", "rk"),
    ...(hasSystemValues ? [`assignSystemValues(model, e, etag, ${timestamp});`] : []),
    ...properties.map(({ name }, i) => `e[${JSON.stringify(name)}] = ${valuesOf(i).value};`),
  ];
  const snapshot = isTracked
    ? `{ values: [${properties.map((_, i) => valuesOf(i).kept).join(", ")}], undeclared: undefined, isWhole: true, age: undefined }`
    : "undefined";
  lines.push(`out.push(new ScannedRow(model, pk, rk, etag, e, ${snapshot}, source, start));`);
  return lines.map((line) => `      ${line}`).join("\n");
}

/** Whether rows without a value are given up: reading them is an error. */
const mustHaveValue = ({ presence, hasInitial }: PropertyModel): boolean =>
  presence === "required" && !hasInitial();

interface PropertyValues {
  readonly value: string;
  readonly kept: string;
}

function propertyValues(
  property: PropertyModel,
  i: number,
  member: PropertyMember | undefined,
): PropertyValues {
  const value = `e[${JSON.stringify(property.name)}]`;
  // A required property that rows of this order lack and new instances lack, too, makes the code throw: they are given up.
  const isAbsent = property.hasInitial() || property.presence === "required";
  const absent = isAbsent ? `absentValue(model, q${i}, e)` : "undefined";
  const initial = isAbsent ? `keepInitial(q${i}, ${value})` : "undefined";
  if (member === undefined) return { value: absent, kept: initial };
  const step = stepOf(property.serializer, String(i), member.annotation);
  const kept = (step.kept ?? value).replace("@", value);
  if (mustHaveValue(property)) return { value: step.value, kept };
  return { value: `h${i} ? ${step.value} : ${absent}`, kept: `h${i} ? ${kept} : ${initial}` };
}
