import { QueryError } from "../../values/errors/query-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { memberNameOf, propertyNames } from "../../model/declaration/entity-model.ts";
import type { KeyPartsOf } from "../../model/declaration/entity-shape.ts";
import { alwaysRead, notQueried } from "./queried-names.ts";

/** The result of a projected query: the selected properties, and the key parts if the class declares them. */
export type Projected<Entity, Names extends keyof Entity> = Pick<Entity, Names | KeyPartsOf<Entity>>;

/** The selection of a query, for each class that it may return. */
export class Projection {
  readonly names: ReadonlySet<string>;
  readonly #loaded = new Map<EntityModel, readonly boolean[]>();

  /** @throws QueryError `query.unknown-property`, `query.system-property` or `query.select` */
  constructor(models: readonly EntityModel[], entity: string, names: readonly string[]) {
    for (const name of names) {
      if (typeof name !== "string") throw notAName(name);
      for (const model of models)
        if (!propertyNames(model).includes(name))
          throw alwaysRead(entity, name, model) ?? notQueried(entity, name, [model]);
    }
    this.names = new Set(names);
  }

  /** Which properties of a class are loaded, by position. */
  loadedOf(model: EntityModel): readonly boolean[] {
    const known = this.#loaded.get(model);
    if (known !== undefined) return known;
    const loaded = model.properties.map((property) => this.names.has(memberNameOf(property)));
    this.#loaded.set(model, loaded);
    return loaded;
  }
}

function notAName(value: unknown): QueryError {
  const remedy = Array.isArray(value) ? "Spread the array: select(...names)." : "Name declared properties.";
  return new QueryError(
    "query.select",
    `select() takes names one by one, as in select("text", "rating"), but got ${describeType(value)}. ${remedy}`,
    { found: describeType(value) },
  );
}
