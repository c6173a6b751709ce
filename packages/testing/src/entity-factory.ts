import type { EntityClass, NewOf, TableContext } from "@partita/core";
import { newEntity } from "@partita/core/internal";
import { modelOf } from "@partita/core/models";

/** Makes entities of one class for tests. */
export interface EntityFactory<Class extends EntityClass> {
  /** An entity that nobody tracks. @param values - in place of the factory's own */
  build(values?: Partial<NewOf<Class>>): InstanceType<Class>;
  /** One that is added to a context. */
  add(context: TableContext, values?: Partial<NewOf<Class>>): InstanceType<Class>;
  /** So many that are stored, by a save of the context. */
  store(context: TableContext, count: number, values?: Partial<NewOf<Class>>): Promise<InstanceType<Class>[]>;
}

/**
 * A factory of test entities.
 *
 * @param initial - the values of the `n`th entity, counted from 1: keys made of `n` are free
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
