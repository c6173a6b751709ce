import { currentRow, mayBeOlder } from "../../model/codec/current-row.ts";
import type { EntityModel, PropertyModel } from "../../model/declaration/entity-model.ts";
import { evaluatePredicate } from "../../query/run/evaluate-predicate.ts";
import type { PredicateLeaf } from "../../query/build/predicate-node.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";

/** The property of a class that a context's scope fixes, with its value. */
export class ScopedProperty {
  readonly name: string;
  readonly value: unknown;
  /** The condition for rows of the scope. */
  readonly condition: PredicateLeaf;
  /** The position among the stored properties; undefined if the value is in the key. */
  readonly at: number | undefined;
  readonly #model: EntityModel;
  readonly #encode: (value: unknown) => unknown;

  constructor(model: EntityModel, name: string, value: unknown) {
    this.name = name;
    this.value = value;
    this.condition = { type: "compare", property: name, op: "eq", value };
    this.#model = model;
    const at = model.properties.findIndex((property) => property.name === name);
    this.at = at < 0 ? undefined : at;
    this.#encode = encoderOf(model, name, model.properties[at]);
  }

  /** Whether every key of the class contains its row's scope. */
  get isInKey(): boolean {
    return this.at === undefined;
  }

  /** Whether a value equals the scope's; false for a value that cannot be stored. */
  isSame(value: unknown): boolean {
    try {
      return Object.is(this.#encode(value), this.#encode(this.value));
    } catch {
      return false;
    }
  }

  /**
   * Whether a row belongs to the scope. An unreadable row does only if it contains the value in today's stored form.
   */
  holds(row: StoredEntity): boolean {
    const model = this.#model;
    const isOf = (stored: StoredEntity): boolean => evaluatePredicate(model, this.condition, stored);
    try {
      return isOf(mayBeOlder(model) ? currentOr(model, row) : row);
    } catch {
      return false;
    }
  }
}

function encoderOf(
  model: EntityModel,
  name: string,
  property: PropertyModel | undefined,
): (value: unknown) => unknown {
  if (property !== undefined) return (value) => property.serializer.encode(value, property.path);
  const part = [...model.partitionKey.parts, ...model.rowKey.parts].find((each) => each.property === name);
  return (value) => part?.format.encode(value);
}

function currentOr(model: EntityModel, row: StoredEntity): StoredEntity {
  try {
    return currentRow(model, row);
  } catch {
    return row;
  }
}
