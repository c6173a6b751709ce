import type { EntityClass } from "@partita/core";
import type { KeyPart, KeyPattern } from "@partita/core/keys";
import { type EntityModel, modelOf } from "@partita/core/models";

/** A PartitionKey part that puts all new entities of a table at one end. */
export interface KeyFinding {
  /**
   * `append-only` and `prepend-only`: new partitions sort after or before all others. `counter`: the same if
   * the numbers are assigned in order, which the declaration does not show.
   */
  readonly pattern: KeyPattern;
  /** The property of the part. */
  readonly part: string;
  /** The recommended declaration, as a sentence. */
  readonly remedy: string;
}

/**
 * Finds append-only keys, which put all new entities at one end of a table. The service stores neighbouring
 * partitions on one server and moves them to others under load. It cannot spread writes that always go to the
 * last or first partition, so a single server receives them all.
 *
 * The analysis uses only the declaration: the first part of the PartitionKey that is not constant. It finds
 * times and ULIDs, including calendar slices, and reports `padded` as a counter. GUIDs, text and buckets are
 * fine, and so are the parts after them. To count real inserts, use `watchPartitions`.
 *
 * @param entityClass - declared by `defineEntity`, `defineKind` or decorators
 * @returns at most one finding; empty for keys that spread
 * @throws ModelError if the class is not an entity, or is declared wrongly
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
    return `If the numbers are assigned in order, ${spread}. Numbers without an order need no change.`;
  return `P${spread.slice(1)}. New entities are then spread over the table, but a query for a range of ${part.property} reads one range in each bucket.`;
}

/** A part that would spread entities: a later part of the key, or a bucket. */
function spreadingPart(model: EntityModel, { property }: KeyPart): string {
  const { parts } = model.partitionKey;
  const behind = parts.find(({ format }) => format.literal === undefined && format.pattern === undefined);
  if (behind?.property !== undefined) return behind.property;
  const source = bucketSources(model).find((name) => parts.every((part) => part.property !== name));
  const another = source ?? `a property other than ${property}, such as a guid()`;
  return `bucket(16) of ${another}`;
}

/** The properties of the RowKey, and stored properties that every entity has and that usually differ. */
function bucketSources({ rowKey, properties }: EntityModel): readonly (string | undefined)[] {
  const inKey = rowKey.parts.filter(({ format }) => format.literal === undefined);
  const stored = properties.filter(
    ({ presence, serializer }) => presence !== "optional" && serializer.isUsualId === true,
  );
  return [...inKey.map(({ property }) => property), ...stored.map(({ name }) => name)].filter(
    (name) => name !== undefined,
  );
}
