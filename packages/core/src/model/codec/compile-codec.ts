// `codec-of.ts` calls this file on the first use of a class. It writes JavaScript that reads and writes the
// properties of the class by name, and evaluates it; where evaluating code is forbidden, `loop-codec.ts` does the
// same in a loop.

import { compileText } from "../../values/edm/compile-text.ts";
import { setOwner } from "../declaration/ownership.ts";
import { keepsOlderForm, type EntityModel, type PropertyModel } from "../declaration/entity-model.ts";
import { writerCodeOf, writerHelpers } from "./compile-writer.ts";
import { changesCode, changesHelpers } from "./compile-changes.ts";
import { ageOf, currentRow } from "./current-row.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { DecodedEntity, EntityCodec } from "./entity-codec.ts";
import type { OlderLayout } from "./older-layout.ts";
import { isRemembered } from "./remembered-values.ts";
import { countLayoutMembers, etagOf, timestampOf } from "./row-layout.ts";
import { undeclaredOf } from "./snapshot.ts";
import { errorOfRow } from "./unreadable-row.ts";
import {
  absentCode,
  absentSnapshotValue,
  constantsOf,
  entityCode,
  memberOf,
  placeCode,
  type RowParts,
  snapshotOf,
  snapshotValueOf,
  targetOf,
} from "./row-program.ts";

/*
 * Writes the code of a class's codec, and has it compiled: reading properties under names that are written out takes
 * a fraction of the time of computed ones (docs/benchmarks.md).
 *
 * In the code: `w` is the row, `v` and `a` a stored value and its annotation, `n` the members of the row that belong
 * to the class.
 */

/** Undefined where text may not be compiled. */
export const compileCodec = (model: EntityModel): EntityCodec | undefined =>
  compileText<EntityCodec>(helpersOf(model), codeOf(model));

/** The code of a class's codec, for readers who want to see the code that is compiled. */
export const codeOf = (model: EntityModel): string => `"use strict";
function readTracked(row) {
  try {
${indented(readBody(model))}
    const undeclared = undeclaredOf(model, w, n);
    const values = [${snapshotValueOf(model)}];${placeCode(model, true)}
    return { entity: e, snapshot: ${snapshotOf("undeclared", model.version === undefined ? "undefined" : "ageOf(model, row)", keepsOlderForm(model) ? "row" : undefined)} };
  } catch (error) {
    throw errorOfRow(error, model, row);
  }
}
${writerCodeOf(model)}
${changesCode(model)}
return { readTracked, write, print, printMembers, changes, size };`;

// A name in the code may hold other line ends, which must stay unchanged.
const indented = (code: string): string => `    ${code.replaceAll("\n", "\n    ")}`;

/**
 * Reads rows of a class that keeps an older form, as long as the values of later versions stand in them; undefined for
 * all others, and where text may not be compiled.
 */
export function compileOlderReader(
  model: EntityModel,
  layout: OlderLayout,
): ((row: StoredEntity) => DecodedEntity | undefined) | undefined {
  const { rows } = layout;
  const helpers = {
    ...constantsOf(rows),
    ...readingHelpers,
    rows,
    model,
    isRemembered: isRemembered(layout),
  };
  return compileText(
    helpers,
    `"use strict";
return function readOlder(w) {
${indented(valuesCode(rows, "rows"))}
    const older = [${snapshotValueOf(rows, true)}], values = [${snapshotValueOf(rows)}];
    if (undeclaredOf(rows, w, n) !== undefined || !isRemembered(values, older, w.PartitionKey, w.RowKey)) return undefined;
    ${placeCode(rows, true)}
    return { entity: e, snapshot: ${snapshotOf("undefined", "undefined", "{ values, older }")} };
};`,
  );
}

/** The names that the code uses, in addition to those it declares. */
const helpersOf = (model: EntityModel): Record<string, unknown> => ({
  ...constantsOf(model),
  ...writerHelpers(model),
  ...changesHelpers,
  ...readingHelpers,
});

const readingHelpers = {
  setOwner,
  ageOf,
  currentRow,
  countLayoutMembers,
  etagOf,
  timestampOf,
  undeclaredOf,
  errorOfRow,
};

const readBody = (model: EntityModel): string =>
  `${model.version?.chain === undefined ? "const w = row;" : "const w = currentRow(model, row);"}
${valuesCode(model, "model")}`;

/** @param counted - the name of the model in the code */
function valuesCode(model: EntityModel, counted: "model" | "rows"): string {
  const parts: RowParts = {
    partitionKey: "w.PartitionKey",
    rowKey: "w.RowKey",
    etag: "etagOf(w)",
    timestamp: "timestampOf(w)",
    property: readLine,
  };
  const snapshotValues = model.properties.map((_, i) => `, k${i}`).join("");
  return [
    "let v, a, t;",
    `let n = countLayoutMembers(${counted}, w)${snapshotValues};`,
    entityCode(model, parts),
  ].join("\n");
}

function readLine(property: PropertyModel, i: number): string {
  const { storedName, annotationName, serializer } = property;
  const target = targetOf(property, i);
  const found = `v = ${memberOf(storedName, "w")}; a = ${memberOf(annotationName, "w")};`;
  const none = `if (v === undefined) { ${target} = ${absentCode(property, i)}; k${i} = ${absentSnapshotValue(property, i)}; }`;
  const other = `{ ${target} = t = s${i}.decode(v, a, p${i}); k${i} = s${i}.keep(v, t, a); n += a === undefined ? 1 : 2; }`;
  const usual = serializer.code?.fromValue;
  if (usual === undefined) return `${found} ${none} else ${other}`;
  const { test, value, snapshotValue } = usual;
  const hasType = serializer.annotation === "always";
  const type = hasType ? JSON.stringify(serializer.edm) : "undefined";
  const assigned =
    snapshotValue === undefined
      ? `${target} = k${i} = ${value};`
      : `${target} = ${value}; k${i} = ${snapshotValue};`;
  return `${found} if (a === ${type} && ${test}) { ${assigned} n += ${hasType ? 2 : 1}; } else ${none} else ${other}`;
}
