import { perModel } from "../declaration/per-model.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { UpgradeError } from "../../values/errors/upgrade-error.ts";
import type { EntityModel, VersionModel } from "../declaration/entity-model.ts";
import type { UpgradeChain } from "../upgrade/upgrade-chain.ts";
import { keyOfStored, setVersion, storedVersion, versionOfRow } from "./row-layout.ts";
import { rowUpgrade } from "../upgrade/upgrade-row.ts";
import { errorOfRow } from "./unreadable-row.ts";

/**
 * Whether a row's version is older or newer than its class's: undefined when they are the same, or the class has
 * none.
 */
export type RowAge = "older" | "newer" | undefined;

/**
 * How old a row is: those of versions that are still supported are not older. A row without a version has the first one, if the class has upgrades.
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
  const number = versionOfRow(model, stored);
  if (number > version.number) return "newer";
  return number < version.lowest ? "older" : undefined;
}

/**
 * The row in its class's present form: itself, unless it has the form of an older version of a class with upgrades.
 *
 * @throws UpgradeError naming row, version and step
 */
export function currentRow(model: EntityModel, stored: StoredEntity): StoredEntity {
  if (model.version?.chain === undefined) return stored;
  try {
    const from = versionOfRow(model, stored);
    return from >= model.version.number ? stored : upgrade(model, model.version.chain, from, stored);
  } catch (error) {
    throw errorOfRow(error, model, stored);
  }
}

/** Upgrades of rows, by their version. */
const upgradesOf = perModel((): ReturnType<typeof rowUpgrade>[] => []);

function upgrade(model: EntityModel, chain: UpgradeChain, from: number, stored: StoredEntity): StoredEntity {
  const upgraded = (upgradesOf(model)[from] ??= rowUpgrade(chain, from))(stored, model.name);
  setVersion(model.version as VersionModel, upgraded);
  return upgraded;
}

/** @throws UpgradeError `upgrade.not-clean` for a part of an older row of a table that was declared clean */
export function checkClean(model: EntityModel, stored: StoredEntity): void {
  if (model.version?.chain === undefined || ageOf(model, stored) !== "older") return;
  throw UpgradeError.notClean({ entity: model.name, key: keyOfStored(stored) });
}

/** Whether rows of a class may be of versions that queries have to look for. */
export const mayBeOlder = ({ version }: EntityModel): boolean =>
  version?.chain !== undefined && version.chain.oldest < version.number;
