import type { EntityModel } from "../model/entity-model.ts";
import { findProperty, propertyNames } from "../model/entity-model.ts";
import type { KeyPartsOf } from "../model/entity-shape.ts";
import { unknownProperty } from "./columns.ts";
import type { PredicateNode } from "./predicate-node.ts";

/** What a projected query returns: the selected properties, and the key parts where the class tells them. */
export type Projected<Entity, Names extends keyof Entity> = Pick<Entity, Names | KeyPartsOf<Entity>>;

/** What a query selects, in the terms of each class it may return. */
export class Projection {
  readonly #models: readonly EntityModel[];
  readonly #names: ReadonlySet<string>;
  readonly #loaded = new Map<EntityModel, readonly boolean[]>();

  /** @throws QueryError `query.unknown-property` */
  constructor(models: readonly EntityModel[], entity: string, names: readonly string[]) {
    for (const model of models)
      for (const name of names)
        if (findProperty(model, name) === undefined)
          throw unknownProperty(entity, name, propertyNames(model));
    this.#models = models;
    this.#names = new Set(names);
  }

  /** Which properties of a class are loaded, by position. */
  loadedOf(model: EntityModel): readonly boolean[] {
    const known = this.#loaded.get(model);
    if (known !== undefined) return known;
    const loaded = model.properties.map(({ name }) => this.#names.has(name));
    this.#loaded.set(model, loaded);
    return loaded;
  }

  /** The stored names to ask for: what is selected, what tells kinds apart, and what predicates are checked on. */
  storedNames(predicates: readonly PredicateNode[]): readonly string[] {
    const wanted = new Set([...this.#names, ...predicates.flatMap(propertiesIn)]);
    const names = new Set(["PartitionKey", "RowKey", "Timestamp"]);
    for (const { properties, options, version } of this.#models) {
      names.add(options.kindProperty);
      if (version !== undefined) names.add(version.storedName);
      for (const { name, storedName } of properties) if (wanted.has(name)) names.add(storedName);
    }
    return [...names];
  }
}

function propertiesIn(node: PredicateNode): string[] {
  switch (node.type) {
    case "and":
    case "or":
      return node.nodes.flatMap(propertiesIn);
    case "not":
      return propertiesIn(node.node);
    default:
      return [node.property];
  }
}
