import { absentTest } from "./is-absent.ts";
import { sizeOfStored } from "../../values/edm/edm-types.ts";
import { SnapshotForm } from "../../values/edm/snapshot-form.ts";
import type { EntityModel, PropertyModel } from "../declaration/entity-model.ts";
import { sizeOfProperties } from "../../storage/limits.ts";
import { isAsInSnapshot } from "./comparison.ts";
import { valueCode, valueIn } from "./embedded-values.ts";
import { comparable } from "./decode-entity.ts";
import { sizeOfImage } from "./row-layout.ts";
import { isStored, notLoaded } from "./snapshot.ts";

/*
 * Writes the code that finds changes and computes sizes. A save that finds 1 % changed among 10,000 entities spends its time on reading
 * properties under computed names; written out, that takes a quarter (docs/benchmarks.md).
 *
 * In the code: `e` is the entity, `k` the snapshot values, `v` and `x` one value of each, `t` the key the entity is
 * known under; of the property at `i`, `q` is its model and `s` its serializer.
 */

/** The names that the code uses, in addition to those of the rest of a codec. */
export const changesHelpers: Readonly<Record<string, unknown>> = {
  comparable,
  isAsInSnapshot,
  isStored,
  none: [],
  notLoaded,
  SnapshotForm,
  sizeOfProperties,
  sizeOfStored,
  valueIn,
};

/** The functions `changes` and `size`. */
export const changesCode = (model: EntityModel): string => `function changes(e, k, t) {
  let v, x, assigned, cleared, isKeyChanged = false;
${model.properties.map(changeLine).join("\n")}
${model.keyProperties.map((_, i) => keyLine(model, i)).join("\n")}
  if (assigned === undefined && cleared === undefined && !isKeyChanged) return undefined;
  return { assigned: assigned ?? none, cleared: cleared ?? none, isKeyChanged };
}
function size(keyLength, { values: k, undeclared }) {
${sizeHead(model)}
${model.properties.map(sizeLine).join("\n")}
  return { bytes, count };
}`;

const text = (name: string): string => JSON.stringify(name);

function changeLine(property: PropertyModel, i: number): string {
  // Of an object that was not loaded, null is a request.
  const orNull =
    property.place === undefined ? "" : ` if (v === undefined && x === notLoaded) v = valueIn(q${i}, e);`;
  const found = `  v = ${valueCode(property)}; x = k[${i}];${orNull}`;
  const noted = `if (${absentTest(property, i)}) (cleared ??= []).push(${i}); else (assigned ??= []).push(${i});`;
  return `${found} if (${differs(property, i)}) { ${noted} }`;
}

/** Whether `v` differs from the value that `x` represents. */
function differs({ serializer }: PropertyModel, i: number): string {
  const isOther = `!isAsInSnapshot(q${i}, x, v)`;
  switch (serializer.keeping) {
    case "value":
      // Of a serializer without code, the snapshot value may be a form of its own.
      return serializer.code !== undefined
        ? `v !== x && (x !== undefined && typeof x !== "object" && x !== notLoaded || ${isOther})`
        : `v !== x && ${isOther}`;
    case "number":
      return `(v !== x || v === 0) && ${isOther}`;
    case "stored": {
      const other = `typeof x === "number" || typeof x === "string" ? !s${i}.isUnchanged(x, v) : (v !== undefined || x !== undefined) && ${isOther}`;
      const same = serializer.code?.same;
      return same === undefined ? other : `!(${same}) && (${other})`;
    }
    default:
      return serializer.keeping satisfies never;
  }
}

function keyLine({ keyProperties, hasVerbatimKeys }: EntityModel, i: number): string {
  const { name, key } = keyProperties[i] as EntityModel["keyProperties"][number];
  const own = key === "PartitionKey" ? "t.partitionKey" : "t.rowKey";
  const former = hasVerbatimKeys ? own : `t.keyValues[${i}]`;
  return `  v = e[${text(name)}]; if (v !== ${former} && comparable(v) !== ${former}) isKeyChanged = true;`;
}

function sizeHead(model: EntityModel): string {
  const { bytes, count } = sizeOfImage(model);
  return [
    `  let x, bytes = ${bytes} + 2 * keyLength, count = ${count};`,
    "  if (undeclared !== undefined) {",
    "    const more = sizeOfProperties(undeclared, 0);",
    "    // The formula counts the keys, which the image has already.",
    "    bytes += more.bytes - 4;",
    "    count += more.count;",
    "  }",
  ].join("\n");
}

function sizeLine({ overheadBytes, serializer }: PropertyModel, i: number): string {
  const isThere = `x = k[${i}]; if (isStored(x))`;
  return `  ${isThere} { bytes += ${overheadBytes} + ${sizeOfValue(serializer, i)}; count++; }`;
}

function sizeOfValue(serializer: PropertyModel["serializer"], i: number): string {
  const { code, keeping } = serializer;
  const usual = keeping !== "stored" && code !== undefined ? code.toSnapshotValue.bytes("x") : undefined;
  const size =
    usual ?? `s${i}.${serializer.sizeOfSnapshotValue === undefined ? "sizeOf" : "sizeOfSnapshotValue"}(x)`;
  const isAsDeclared = code !== undefined && serializer.widens === undefined;
  return isAsDeclared ? size : `(SnapshotForm.is(x) ? sizeOfStored(x.stored, x.annotation) : ${size})`;
}
