import type { StoredEntity } from "../edm/stored-entity.ts";
import { UpgradeError } from "../errors/upgrade-error.ts";
import type { EntityModel, VersionModel } from "../model/entity-model.ts";
import { type CompiledUpgrade, compileUpgrade } from "../upgrade/compile-upgrade.ts";
import type { UpgradeChain } from "../upgrade/upgrades.ts";
import {
  keyOfStored,
  layoutNames,
  storedVersion,
  systemNames,
  versionOfRow,
  withVersion,
} from "./row-layout.ts";
import { upgradeRow } from "../upgrade/upgrade-row.ts";
import { errorOfRow } from "./unreadable-row.ts";

/** How a row's version stands to its class's: undefined when they are the same, or the class has none. */
export type RowAge = "older" | "newer" | undefined;

/**
 * How old a row is. A row without a version is of the first one, where the class has upgrades.
 *
 * @throws UpgradeError `upgrade.version` for something else than a version, where the class has upgrades
 */
export function ageOf(model: EntityModel, stored: StoredEntity): RowAge {
  const { version } = model;
  if (version === undefined) return undefined;
  const found = storedVersion(version, stored);
  if (found === version.number) return undefined;
  if (version.chain === undefined)
    return typeof found === "number" && found > version.number ? "newer" : undefined;
  return versionOfRow(model, stored) < version.number ? "older" : "newer";
}

/** Rows of a query are looked at before they are read: each of those is upgraded once. */
const upgraded = new WeakMap<StoredEntity, { readonly model: EntityModel; readonly row: StoredEntity }>();

/**
 * The row in its class's present form: itself, unless it is of an older version of a class with upgrades.
 *
 * @param isReadAgain - whether the row will be asked for again, so that what it is upgraded to is remembered
 * @throws UpgradeError naming row, version and step
 */
export function currentRow(model: EntityModel, stored: StoredEntity, isReadAgain = false): StoredEntity {
  if (model.version?.chain === undefined) return stored;
  try {
    if (ageOf(model, stored) !== "older") return stored;
    const known = upgraded.get(stored);
    if (known?.model === model) return known.row;
    const row = upgrade(model, model.version, model.version.chain, stored);
    if (isReadAgain) upgraded.set(stored, { model, row });
    return row;
  } catch (error) {
    throw errorOfRow(error, model, stored);
  }
}

/** What upgrades rows of each version; null where code is not compiled. */
const compiled = new WeakMap<EntityModel, (CompiledUpgrade | null | undefined)[]>();

function upgrade(
  model: EntityModel,
  version: VersionModel,
  chain: UpgradeChain,
  stored: StoredEntity,
): StoredEntity {
  const from = versionOfRow(model, stored);
  let upgrades = compiled.get(model);
  if (upgrades === undefined) compiled.set(model, (upgrades = []));
  let work = upgrades[from];
  if (work === undefined) {
    const members = { system: systemNames, version: version.storedName, others: layoutNames(model) };
    upgrades[from] = work = compileUpgrade(chain, from, members) ?? null;
  }
  return work?.(stored, model.name) ?? withVersion(version, upgradeRow(chain, stored, from, model.name));
}

/** @throws UpgradeError `upgrade.not-clean` for a part of an older row of a table that was declared clean */
export function checkClean(model: EntityModel, stored: StoredEntity): void {
  if (model.version?.chain === undefined || ageOf(model, stored) !== "older") return;
  throw UpgradeError.notClean({ entity: model.name, key: keyOfStored(stored) });
}

/** Whether rows of a class may be of versions that queries have to look for. */
export const mayBeOlder = ({ version }: EntityModel): boolean =>
  version?.chain !== undefined && version.chain.oldest < version.number;
