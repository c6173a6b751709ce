import type { EntityClass } from "@partita/core";
import type { KeyPart, KeyPattern } from "@partita/core/keys";
import { type EntityModel, modelOf } from "@partita/core/models";

/** A part of a PartitionKey that leads all new entities of a table to one end of it. */
export interface KeyFinding {
  /**
   * `append-only` and `prepend-only`: new partitions come behind or before all others. `counter`: they do so if the
   * numbers are given in order, which the declaration does not show.
   */
  readonly pattern: KeyPattern;
  /** The property that the part is made of. */
  readonly part: string;
  /** What to declare in its place, as a sentence. */
  readonly remedy: string;
}

/**
 * Looks for keys that lead all new entities of a table to one end of it. The service has neighbouring partitions on one
 * server and moves them to others under load, but cannot spread what always goes to the last partition, or to the first:
 * that one server takes all the writes.
 *
 * It judges the declaration alone, by the first part of the PartitionKey that is not constant: times and ULIDs, also where
 * they are cut into calendar slices, are found; `padded` is reported as a counter; GUIDs, text and buckets are not found,
 * and neither is what follows one of them. `watchPartitions` counts what really happens.
 *
 * @param entityClass - declared by `defineEntity`, `defineKind` or decorators
 * @returns the findings; empty for keys that spread, and one at most
 * @throws ModelError where the class is no entity, or declared wrongly
 *
 * @example
 * ```ts
 * console.log(analyzeKeys(Blog).map(({ pattern, part }) => [pattern, part]));
 * ```
 */
export function analyzeKeys(entityClass: EntityClass): readonly KeyFinding[] {
  const model = modelOf(entityClass);
  const part = model.partitionKey.parts.find(({ format }) => format.literal === undefined);
  const pattern = part?.format.pattern;
  if (part?.property === undefined || pattern === undefined) return [];
  return [{ pattern, part: part.property, remedy: remedyFor(model, part, pattern) }];
}

function remedyFor(model: EntityModel, part: KeyPart, pattern: KeyPattern): string {
  const spread = `put ${spreadingPart(model, part)} in front of ${part.property} in the PartitionKey of ${model.name}`;
  if (pattern === "counter")
    return `If the numbers are given in order, ${spread}; numbers without an order need nothing.`;
  return `P${spread.slice(1)}: new entities then go to many places of the table, and a query of a range of ${part.property} reads a range in each.`;
}

/** What entities could be spread by: a part that stands further behind, or a bucket. */
function spreadingPart(model: EntityModel, { property }: KeyPart): string {
  const { parts } = model.partitionKey;
  const behind = parts.find(({ format }) => format.literal === undefined && format.pattern === undefined);
  if (behind?.property !== undefined) return behind.property;
  const source = bucketSources(model).find((name) => parts.every((part) => part.property !== name));
  const another = source ?? `a property other than ${property}, such as a guid()`;
  return `bucket(16) of ${another}`;
}

/** The properties of the RowKey, and the stored ones that often differ and that every entity has. */
function bucketSources({ rowKey, properties }: EntityModel): readonly (string | undefined)[] {
  const inKey = rowKey.parts.filter(({ format }) => format.literal === undefined);
  const stored = properties.filter(
    ({ presence, serializer }) => presence !== "optional" && serializer.isUsualId === true,
  );
  return [...inKey.map(({ property }) => property), ...stored.map(({ name }) => name)].filter(
    (name) => name !== undefined,
  );
}
