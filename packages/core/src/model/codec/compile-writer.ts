// `compile-codec.ts` calls this file once for each class, and compiles the returned code with its own.

import { absentTest } from "./is-absent.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { EntityModel, PropertyModel } from "../declaration/entity-model.ts";
import { type ByteWriter, type Constant, constantOf } from "../../values/edm/byte-writer.ts";
import { maxEntityBytes, maxProperties } from "../../storage/limits.ts";
import { printEntity, printJson } from "../../values/edm/print-entity.ts";
import { checkGiven, valueCode } from "./embedded-values.ts";
import { limitPassed } from "./encode-entity.ts";
import { putText } from "../../values/edm/string.ts";
import { snapshotValueOf } from "./row-program.ts";
import { restoreProperty } from "./snapshot.ts";
import { newImage, sizeOfImage } from "./row-layout.ts";

/*
 * The writing half of a class's code, in two steps: `write` turns an entity into snapshot values, which are
 * immutable, and checks them; `print` writes those as JSON, once they are sent. Between the two, a storage may
 * request the row.
 *
 * In the code: `e` is the entity, `v` a value of it or of its snapshot, `k0`, `k1`, … its snapshot values, `o` the
 * writer. Of the property at `i`, `c` is its name as JSON, and `t` the same after its type.
 */

/** The code of `write`, `print` and `printMembers`. */
export const writerCodeOf = (model: EntityModel): string => `function write(e, key) {
${writeBody(model)}
  return { values: [${snapshotValueOf(model)}], bytes };
}
function print(o, key, k) {
  o.constant(beforePartitionKey); putText(o, key.partitionKey);
  o.constant(beforeRowKey); putText(o, key.rowKey);
  printMembers(o, k);
}
function printMembers(o, k) {
${printBody(model)}
}`;

/** The names that the code uses, in addition to those for reading. */
export function writerHelpers(model: EntityModel): Readonly<Record<string, unknown>> {
  const helpers: Record<string, unknown> = {
    limitPassed: (key: EntityKey, bytes: number, count: number) => limitPassed(model, key, { bytes, count }),
    checkGiven,
    putProperty,
    putText,
    beforePartitionKey: constantOf('{"PartitionKey":"'),
    beforeRowKey: constantOf(',"RowKey":"'),
    layout: layoutOf(model),
  };
  for (const [i, property] of model.properties.entries()) {
    const isText = property.serializer.code?.isQuoted === true;
    const name = `,${printJson(property.storedName)}:${isText ? '"' : ""}`;
    helpers[`c${i}`] = constantOf(name);
    helpers[`t${i}`] = constantOf(
      `,${printJson(property.annotationName)}:"${property.serializer.edm}"${name}`,
    );
  }
  return helpers;
}

/** The members that every row of a class has after its keys. */
function layoutOf(model: EntityModel): Constant {
  const { PartitionKey: _, RowKey: _rowKey, ...members } = newImage(model, { partitionKey: "", rowKey: "" });
  const text = printJson(members).slice(1, -1);
  return constantOf(text === "" ? "" : `,${text}`);
}

function writeBody(model: EntityModel): string {
  const { bytes, count } = sizeOfImage(model);
  const { properties } = model;
  return [
    `  let v, t, x, count = ${count}, bytes = ${bytes} + 2 * (key.partitionKey.length + key.rowKey.length)${properties.map((_, i) => `, k${i}`).join("")};`,
    ...properties.map(writeLine),
    `  if (count > ${maxProperties} || bytes > ${maxEntityBytes}) throw limitPassed(key, bytes, count);`,
  ].join("\n");
}

function writeLine(property: PropertyModel, i: number): string {
  const { overheadBytes, presence, serializer } = property;
  const found = `  v = ${valueCode(property)};`;
  const none = presence === "required" ? `checkGiven(q${i}, e);` : ";";
  const other = `{ x = s${i}.encode(v, p${i}); k${i} = s${i}.keep(x, v, s${i}.isAnnotated(x) ? s${i}.edm : undefined); bytes += ${overheadBytes} + s${i}.sizeOf(x); count++; }`;
  const rest = `if (${absentTest(property, i)}) ${none} else ${other}`;
  const short = serializer.code?.toSnapshotValue;
  if (short === undefined) return `${found} ${rest}`;
  const snapshotValue = short.sent?.(`p${i}`) ?? short.snapshotValue;
  return `${found} if (${short.test}) { k${i} = ${snapshotValue}; bytes += ${overheadBytes} + ${short.bytes("v")}; count++; } else ${rest}`;
}

function printBody(model: EntityModel): string {
  return [
    "  let v;",
    ...(hasUnusualKind(model) ? ["  o.mayHaveWireForms = true;"] : []),
    "  o.constant(layout);",
    ...model.properties.map(printLine),
    "  o.byte(125);",
  ].join("\n");
}

/** Whether the name of the kind, which every row has, is printed otherwise on the wire. */
function hasUnusualKind(model: EntityModel): boolean {
  const row = newImage(model, { partitionKey: "", rowKey: "" });
  return printJson(row) !== JSON.stringify(row);
}

function printLine({ serializer: { code, annotation } }: PropertyModel, i: number): string {
  const found = `  v = k[${i}];`;
  const other = `if (v !== undefined) putProperty(o, q${i}, v);`;
  if (code === undefined) return `${found} ${other}`;
  const { test, isTyped, put } = code.toBytes;
  const name =
    isTyped === undefined ? `${annotation === "always" ? "t" : "c"}${i}` : `${isTyped} ? t${i} : c${i}`;
  return `${found} if (${test}) { o.constant(${name}); ${put}; } else ${other}`;
}

/** A complete property with a snapshot value in an unusual form. */
function putProperty(into: ByteWriter, property: PropertyModel, snapshotValue: SnapshotValue): void {
  const row = { PartitionKey: "", RowKey: "" };
  const head = JSON.stringify(row).length - 1;
  restoreProperty(property, snapshotValue, row);
  into.utf8(printEntity(row).slice(head, -1));
}
