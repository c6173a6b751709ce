import type { EntityClass } from "@partita/core";
import { modelOf } from "@partita/core/models";
import type { JournalEntry } from "../history/journal.ts";
import { type Finding, findingOf, type NamedCheck, type SimulatedRun } from "./simulation-check.ts";

/** Checks a partition. Returns true, or a sentence that describes the problem; it may also throw. */
export type PartitionInvariant<Entity extends object> = (
  entities: readonly Entity[],
  partitionKey: string,
) => Finding | Promise<Finding>;

/**
 * A condition on the entities of one class in each partition, checked after every write that the store applies:
 * `invariant(Account, (accounts) => sum(accounts) === 100)`.
 */
export function invariant<Entity extends object>(
  entityClass: EntityClass<Entity>,
  holds: PartitionInvariant<Entity>,
): NamedCheck {
  const { table, name } = modelOf(entityClass as EntityClass);
  const label = `invariant of ${name}`;
  return {
    name: label,
    begin(run) {
      const check = async (partitions?: ReadonlySet<string>): Promise<Finding> => {
        for (const [partitionKey, entities] of await byPartition(run, entityClass)) {
          if (partitions?.has(partitionKey) === false) continue;
          const finding = await findingOf(() => holds(entities, partitionKey));
          if (finding !== undefined) return `partition "${partitionKey}": ${finding.message}`;
        }
        return undefined;
      };
      return {
        afterSetup: () => check(),
        afterWrite: (entry) => (entry.table === table ? check(partitionsOf(entry)) : undefined),
      };
    },
  };
}

async function byPartition<Entity extends object>(
  run: SimulatedRun,
  entityClass: EntityClass<Entity>,
): Promise<ReadonlyMap<string, Entity[]>> {
  const context = run.openContext();
  const entities = await context.query(entityClass).scan().toArray();
  return Map.groupBy(entities, (entity) => context.entry(entity).key?.partitionKey ?? "");
}

const partitionsOf = ({ operations }: JournalEntry): ReadonlySet<string> =>
  new Set(
    operations.map((operation) =>
      operation.type === "delete" ? operation.key.partitionKey : operation.entity.PartitionKey,
    ),
  );
