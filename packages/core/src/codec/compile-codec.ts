import { compileText } from "../edm/compile-text.ts";
import { setOwner } from "../model/ownership.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { absentValue } from "./absent-values.ts";
import { keyCode } from "./compile-key.ts";
import { writerCodeOf, writerHelpers } from "./compile-writer.ts";
import { snapshotCode, snapshotHelpers } from "./compile-changes.ts";
import { ageOf, currentRow } from "./current-row.ts";
import type { EntityCodec } from "./entity-codec.ts";
import { keepInitial } from "./initial-value.ts";
import { modelConstants } from "./model-constants.ts";
import { countLayoutMembers, etagOf, timestampOf } from "./row-layout.ts";
import { type ShortPath, shortPathHelpers, shortPaths } from "./short-paths.ts";
import { undeclaredOf } from "./snapshot.ts";
import { errorOfRow } from "./unreadable-row.ts";

/*
 * Writes the code of a class's codec, and has it compiled. Reading 14 properties under computed names takes several times
 * as long as under names that are written out (docs/benchmarks.md). Names enter the code only as JSON strings, values not
 * at all. Usual values are read and written in place (`short-paths.ts`), any other by its property's serializer.
 *
 * In the code: `w` is the row, `e` the entity, `v` and `a` a stored value and its annotation, `k0`, `k1`, … what the
 * snapshot keeps, `n` the members of the row that belong to the class. Of the property at `i`, `q` is its model, `s` its
 * serializer and `p` its path.
 */

/** Undefined where text may not be compiled. */
export const compileCodec = (model: EntityModel): EntityCodec | undefined =>
  compileText<EntityCodec>(constantsOf(model), codeOf(model));

/** The code of a class's codec, for those who read what is handed to the runtime. */
export const codeOf = (model: EntityModel): string => `"use strict";
function read(row) {
  try {
${indented(readBody(model, false))}
    return e;
  } catch (error) {
    throw errorOfRow(error, model, row);
  }
}
function readTracked(row) {
  try {
${indented(readBody(model, true))}
    const undeclared = undeclaredOf(model, w, n);
    const snapshot = { values: [${listOf(model, "k")}], undeclared, isWhole: true, age: ${model.version === undefined ? "undefined" : "ageOf(model, row)"} };
    return { entity: e, snapshot };
  } catch (error) {
    throw errorOfRow(error, model, row);
  }
}
${writerCodeOf(model)}
${snapshotCode(model)}
${pinBody(model)}
return { read, readTracked, write, print, printMembers, put, changes, restore, size, pinned };`;

/**
 * One instance that is never dropped, with the members of every other: without any, a major collection drops their hidden
 * class, and the compiled machine code with it. Some constructors do not like it; theirs go without.
 */
function pinBody({ keyProperties, properties, etagProperty, timestampProperty }: EntityModel): string {
  const names = [...keyProperties, ...properties].map(({ name }) => name);
  const system = [etagProperty, timestampProperty].filter((name) => name !== undefined);
  const members = [...names.slice(0, keyProperties.length), ...system, ...names.slice(keyProperties.length)];
  const lines = members.map((name) => `    ${member("e", name)} = undefined;`);
  return [
    "function pin() {",
    "  try {",
    "    const e = model.createBlank();",
    ...lines,
    "    setOwner(e, undefined);",
    "    return e;",
    "  } catch {}",
    "}",
    "const pinned = pin();",
  ].join("\n");
}

// A name in the code may hold other line ends, which must stay as they are.
const indented = (code: string): string => `  ${code.replaceAll("\n", "\n  ")}`;

/** What the code names, beside what it declares itself. */
const constantsOf = (model: EntityModel): Record<string, unknown> => ({
  ...modelConstants(model),
  ...shortPathHelpers,
  ...writerHelpers(model),
  ...snapshotHelpers,
  setOwner,
  ageOf,
  currentRow,
  countLayoutMembers,
  etagOf,
  timestampOf,
  undeclaredOf,
  absentValue,
  keepInitial,
  errorOfRow,
});

const member = (object: string, name: string): string => `${object}[${JSON.stringify(name)}]`;

const listOf = ({ properties }: EntityModel, letter: string): string =>
  properties.map((_, i) => `${letter}${i}`).join(", ");

function readBody(model: EntityModel, isTracked: boolean): string {
  const { properties, version, etagProperty, timestampProperty } = model;
  const hasSystemValues = etagProperty !== undefined || timestampProperty !== undefined;
  return [
    version?.chain === undefined ? "  const w = row;" : "  const w = currentRow(model, row);",
    "  const e = model.createBlank();",
    keyCode(model, "PartitionKey", "w.PartitionKey"),
    keyCode(model, "RowKey", "w.RowKey"),
    ...(hasSystemValues ? ["  assignSystemValues(model, e, etagOf(w), timestampOf(w));"] : []),
    "  let v, a, t;",
    ...(isTracked
      ? [`  let n = countLayoutMembers(model, w)${properties.map((_, i) => `, k${i}`).join("")};`]
      : []),
    ...properties.map((property, i) => readLine(property, i, isTracked)),
  ].join("\n");
}

function readLine(property: PropertyModel, i: number, isTracked: boolean): string {
  const { name, storedName, annotationName } = property;
  const target = member("e", name);
  const found = `  v = ${member("w", storedName)}; a = ${member("w", annotationName)};`;
  const none = `if (v === undefined) ${absentCode(property, i, isTracked)}`;
  const other = isTracked
    ? `{ t = s${i}.decode(v, a, p${i}); ${target} = t; k${i} = s${i}.keep(v, t, a); n += a === undefined ? 1 : 2; }`
    : `${target} = s${i}.decode(v, a, p${i});`;
  const short = shortPaths.get(property.serializer)?.read;
  if (short === undefined) return `${found} ${none} else ${other}`;
  return `${found} if (${short.test}) ${shortRead(short, target, i, isTracked)} else ${none} else ${other}`;
}

/** The property keeps what the constructor assigned. It is assigned again, which makes it a member of every instance. */
function absentCode({ name, presence }: PropertyModel, i: number, isTracked: boolean): string {
  const target = member("e", name);
  const value = presence === "optional" ? target : `absentValue(model, q${i}, e)`;
  if (!isTracked) return `${target} = ${value};`;
  return `{ t = ${target} = ${value}; if (t !== undefined) k${i} = keepInitial(q${i}, t); }`;
}

function shortRead(
  { value, kept, members }: ShortPath["read"],
  target: string,
  i: number,
  isTracked: boolean,
): string {
  if (!isTracked) return `${target} = ${value};`;
  const assigned =
    kept === undefined ? `${target} = k${i} = ${value};` : `${target} = ${value}; k${i} = ${kept};`;
  return `{ ${assigned} n += ${members}; }`;
}
