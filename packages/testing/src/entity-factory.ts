import type { EntityClass, NewOf, TableContext } from "@partita/core";
import { newEntity } from "@partita/core/internal";
import { modelOf } from "@partita/core/models";

/** Creates entities of one class for tests. */
export interface EntityFactory<Class extends EntityClass> {
  /** Builds an entity without tracking it. @param values - override the factory's values */
  build(values?: Partial<NewOf<Class>>): InstanceType<Class>;
  /** Builds an entity and adds it to a context. @param values - override the factory's values */
  add(context: TableContext, values?: Partial<NewOf<Class>>): InstanceType<Class>;
  /** Builds `count` entities, adds them to the context and saves it. @param values - override the factory's values */
  store(context: TableContext, count: number, values?: Partial<NewOf<Class>>): Promise<InstanceType<Class>[]>;
}

/**
 * Creates a factory of test entities.
 *
 * @param initial - returns the values of entity number `n`, starting from 1; use `n` to make unique keys
 */
export function entityFactory<const Class extends EntityClass>(
  entityClass: Class,
  initial: (n: number) => NewOf<Class>,
): EntityFactory<Class> {
  let made = 0;
  const build = (values: Partial<NewOf<Class>> = {}): InstanceType<Class> => {
    const all = { ...(initial(++made) as object), ...values };
    return newEntity(modelOf(entityClass), all) as InstanceType<Class>;
  };
  return {
    build,
    add: (context, values) => context.add(build(values)),
    async store(context, count, values) {
      const entities = Array.from({ length: count }, () => context.add(build(values)));
      await context.saveChanges({ only: entities });
      return entities;
    },
  };
}
