import { currentRow, mayBeOlder } from "../../model/codec/current-row.ts";
import type { EntityModel, PropertyModel } from "../../model/declaration/entity-model.ts";
import { evaluatePredicate } from "../../query/run/evaluate-predicate.ts";
import type { PredicateLeaf } from "../../query/build/predicate-node.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";

/** The property of a class that a context's scope fixes, with its value. */
export class ScopedProperty {
  readonly name: string;
  readonly value: unknown;
  /** The condition that rows of the scope satisfy. */
  readonly condition: PredicateLeaf;
  /** The position among the stored properties; undefined if the key holds the value. */
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

  /** Whether every key of the class shows the scope of its row. */
  get isInKey(): boolean {
    return this.at === undefined;
  }

  /** Whether a value of the property is that of the scope; a value that cannot be stored is not. */
  isSame(value: unknown): boolean {
    try {
      return Object.is(this.#encode(value), this.#encode(this.value));
    } catch {
      return false;
    }
  }

  /** Whether a row is of the scope. A row that cannot be read is so only if it shows the value as it is stored now. */
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
