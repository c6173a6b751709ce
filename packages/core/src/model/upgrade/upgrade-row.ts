import {
  annotationOf,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import {
  addedBy,
  type ChangeContext,
  type ChangeStep,
  type Conversion,
  convertProperties,
  nameTaken,
  sourcesOf,
  type StoredProperty,
  stepsTo,
  type Types,
} from "./convert-values.ts";
import type { NamedStep } from "./step.ts";
import type { UpgradeChain } from "./upgrades.ts";

/**
 * Upgrades rows of one version to what the last version stores, the version itself excepted, change by change. The row itself
 * is not touched; properties that no version declares stay, with their types.
 *
 * @param from - the version the rows have
 * @returns a function that throws UpgradeError naming row, version and step
 */
export function rowUpgrade(
  chain: UpgradeChain,
  from: number,
): (row: StoredEntity, entity: string) => StoredEntityDraft {
  const changes: { readonly version: number; readonly steps: readonly ChangeStep[] }[] = [];
  for (let version = from + 1; version <= chain.version; version++)
    changes.push({ version, steps: stepsTo(chain, version) });
  return (row, entity) => {
    const edit = new RowEdit(row);
    for (const { version, steps } of changes)
      for (const { step, types } of steps) edit.apply(step, types, { row, entity, version });
    return edit.result();
  };
}

/** A row that is changed step by step. */
class RowEdit {
  readonly #row: StoredEntityDraft;

  constructor(row: StoredEntity) {
    this.#row = { ...row };
  }

  apply(step: NamedStep | Conversion, types: Types, context: ChangeContext): void {
    switch (step.op) {
      case "rename":
        this.#give(step, step.to, this.#take(step.from), context);
        break;
      case "add":
        // A row that has the property already was written by somebody who knew of it.
        if (this.#row[step.name] === undefined) this.#put(step.name, addedBy(step, context));
        break;
      case "remove":
        this.#take(step.name);
        break;
      case "retype":
      case "split":
      case "join":
      case "free": {
        const names = sourcesOf(step);
        const made = convertProperties(step, types, names.map(this.#find), context);
        for (const name of names) this.#take(name);
        for (const [name, property] of made) this.#give(step, name, property, context);
        break;
      }
      default:
        step satisfies never;
    }
  }

  /** The row without what was taken away: deleting members one by one would make a slow object. */
  result(): StoredEntityDraft {
    const found = this.#row;
    const row: StoredEntityDraft = { PartitionKey: found.PartitionKey, RowKey: found.RowKey };
    for (const name of Object.keys(found)) if (found[name] !== undefined) setMember(row, name, found[name]);
    return row;
  }

  readonly #find = (name: string): StoredProperty | undefined => {
    const value = this.#row[name];
    return value === undefined ? undefined : { value, annotation: this.#row[annotationOf(name)] };
  };

  #take(name: string): StoredProperty | undefined {
    const found = this.#find(name);
    if (found === undefined) return undefined;
    this.#row[name] = undefined;
    if (found.annotation !== undefined) this.#row[annotationOf(name)] = undefined;
    return found;
  }

  #give(
    step: NamedStep | Conversion,
    name: string,
    property: StoredProperty | undefined,
    context: ChangeContext,
  ): void {
    if (this.#row[name] !== undefined) throw nameTaken(step, name, context);
    this.#put(name, property);
  }

  #put(name: string, property: StoredProperty | undefined): void {
    if (property === undefined) return;
    if (property.annotation !== undefined) setMember(this.#row, annotationOf(name), property.annotation);
    setMember(this.#row, name, property.value);
  }
}
