// How a release that reads a complete table sees rows that the other inserts, including those of classes that it lacks.

import type { TableContext, TableStorage } from "@partita/core";
import { UnreadableRow } from "@partita/core";
import { type EntityClass, type EntityModel, modelOf } from "@partita/core/models";
import type { ReleaseAct, ReleaseName } from "../release-report.ts";
import { identitiesOf } from "../sides/identities.ts";
import type { ClassPair } from "../sides/pair-classes.ts";
import { propertyGroups } from "../sides/property-groups.ts";
import { type Classes, clearTables, openContext } from "./lab.ts";
import type { Findings, Found } from "./findings.ts";
import { otherOf, releases, settingGroup } from "./pair-setting.ts";
import { usualValues } from "./baselines.ts";
import { Side } from "./side.ts";
import { statusOfError } from "./status-of-error.ts";
import type { GivenValues, PlainValues } from "../sides/value-pools.ts";

/** The data for probing a table. */
export interface TableProbe {
  readonly classes: Classes;
  readonly storage: TableStorage;
  readonly findings: Findings;
  readonly seed: number;
  readonly given: (entity: string) => GivenValues;
}

/** Inserts a row of each class, and reads the table with the other release. @returns the number of histories */
export async function probeTables(probe: TableProbe, pairs: readonly ClassPair[]): Promise<number> {
  let count = 0;
  for (const pair of pairs)
    for (const writer of releases) {
      const model = pair[writer];
      if (model === undefined) continue;
      count++;
      await probeClass(probe, model, writer, pair[otherOf(writer)]);
    }
  return count;
}

async function probeClass(
  { classes, storage, findings, seed, given }: TableProbe,
  model: EntityModel,
  writer: ReleaseName,
  other: EntityModel | undefined,
): Promise<void> {
  const reader = otherOf(writer);
  const row = usualRow(model, given(model.name), seed);
  if (row === undefined) return;
  const written = await new Side(writer, model).insert(openContext(storage), row.key, row.values);
  const history: ReleaseAct[] = [{ release: writer, act: "inserts", row: 1, values: row.values }];
  const readers = classes[reader].filter(
    (each) => modelOf(each).table.toLowerCase() === model.table.toLowerCase(),
  );
  if (written === "done") {
    for (const entityClass of readers) {
      const found = await read(openContext(storage), entityClass, {
        reader,
        table: model.table,
        model,
        other,
      });
      if (found !== undefined) findings.add(found, history);
    }
    if (other === undefined && writer === "old")
      findings.add({ table: model.table, entity: model.name, reader, status: "never read" }, history);
  }
  await clearTables(storage, [model.table]);
}

interface Reading {
  readonly reader: ReleaseName;
  readonly table: string;
  /** The class of the inserted row. */
  readonly model: EntityModel;
  /** The same class in the reading release. */
  readonly other: EntityModel | undefined;
}

/** Reads the table as one class; only rows of its pair may be returned. */
async function read(
  context: TableContext,
  entityClass: EntityClass,
  { reader, table, model, other }: Reading,
): Promise<Found | undefined> {
  const asked = modelOf(entityClass);
  const isOwn = other !== undefined && (asked === other || isBase(entityClass, other.entityClass));
  const found = { table, entity: asked.name, reader };
  const rows = await context.query(entityClass).scan().unreadableRows("raw").toArray();
  for (const row of rows) {
    if (!UnreadableRow.is(row)) {
      if (!isOwn) return { ...found, status: "not an entity" };
      continue;
    }
    const { code } = row.error;
    const status = statusOfError(code);
    if (status === "unknown kind") return { ...found, entity: model.name, status, code };
    if (!isOwn) return { ...found, status: "not an entity", code };
  }
  return undefined;
}

const isBase = (base: EntityClass, entityClass: EntityClass): boolean =>
  (base.prototype as object).isPrototypeOf(entityClass.prototype as object);

/** A row of a class with the first values of all properties. */
function usualRow(
  model: EntityModel,
  given: GivenValues,
  seed: number,
): { readonly key: PlainValues; readonly values: PlainValues } | undefined {
  const [identity] = identitiesOf(model, model, given, seed) ?? [];
  if (identity === undefined) return undefined;
  const groups = propertyGroups(model, model).map((group) =>
    settingGroup(group, { old: given, new: given }, seed),
  );
  const side = new Side("old", model);
  const setting = { table: model.table, sides: { old: side, new: side }, rows: [identity], groups };
  return { key: identity.old, values: usualValues(setting, "old") };
}
