// Saves, upgrades of rows and index jobs call this file. It stores entities in the form of the oldest version that their class
// supports, so that releases of that version read and write the same rows.

import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import {
  keepsOlderForm,
  type EntityModel,
  type PropertyModel,
  type VersionModel,
} from "../declaration/entity-model.ts";
import { perModel } from "../declaration/per-model.ts";
import { rowLowering } from "../upgrade/lower-row.ts";
import { placeSteps } from "../upgrade/place-steps.ts";
import { originsOf } from "../upgrade/step-names.ts";
import type { UpgradeChain } from "../upgrade/upgrade-chain.ts";
import { setVersion, versionOfRow } from "./row-layout.ts";

/** By the version of the stored rows. */
const loweringsOf = perModel((): ReturnType<typeof rowLowering>[] => []);

/**
 * The row to store for one in the present form of its class.
 *
 * @param stored - the row that it takes the place of; undefined for a new row
 * @param presentOf - the row to be, from the stored one in its present form
 * @throws UpgradeError `upgrade.back-failed` naming row, version and step
 */
export function supportedRow(
  model: EntityModel,
  stored: StoredEntity | undefined,
  presentOf: (stored: StoredEntity | undefined) => StoredEntity,
): StoredEntity {
  const { storedName, number, lowest, chain } = model.version as VersionModel;
  const from = stored === undefined ? lowest : versionOfRow(model, stored);
  const form = Math.max(from, lowest);
  if (form >= number) return presentOf(stored);
  const lowering = (loweringsOf(model)[from] ??= rowLowering(chain as UpgradeChain, from, form));
  const row: StoredEntityDraft = { ...lowering({ stored, presentOf, entity: model.name }) };
  if (stored === undefined || form > from) setVersion({ storedName, number: form }, row);
  else for (const name of [storedName, annotationOf(storedName)]) row[name] = stored[name];
  return row;
}

/** Whether a part of a row has only properties that are the same in all supported versions. */
export const isShared = (model: EntityModel, part: StoredEntity): boolean => {
  const { changing } = sharedStepsOf(model);
  for (const name in part) if (changing.has(name)) return false;
  return true;
};

const sharedStepsOf = perModel(({ version }) =>
  placeSteps(version?.chain as UpgradeChain, (version as VersionModel).lowest),
);

/** The properties that differ in two rows, with their types; undefined if the second row lacks one of the first. */
export function differenceOf(from: StoredEntity, to: StoredEntity): StoredEntity | undefined {
  const changed: StoredEntityDraft = { PartitionKey: to.PartitionKey, RowKey: to.RowKey };
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const annotation = annotationOf(name);
    if (isSystemName(name) || (from[name] === to[name] && from[annotation] === to[annotation])) continue;
    if (to[name] === undefined) return undefined;
    if (to[annotation] !== undefined) setMember(changed, annotation, to[annotation]);
    setMember(changed, name, to[name]);
  }
  return changed;
}

/** Whether the members of a row, or of a part of it, hold a property of the class: in its present form, or in that of an older version. */
export function holdsProperty(
  model: EntityModel,
  members: StoredEntity,
  { storedName }: PropertyModel,
): boolean {
  return storedNamesOf(model, storedName).some((name) => members[name] !== undefined);
}

/** The names under which rows may hold a property of the class, by its present stored name. */
export const storedNamesOf = (model: EntityModel, storedName: string): readonly string[] =>
  (keepsOlderForm(model) ? originsIn(model).get(storedName) : undefined) ?? [storedName];

const originsIn = perModel(({ version }) => originsOf(version?.chain as UpgradeChain));
