import { type EntityClass, toPlain } from "@partita/core";
import { modelOf } from "@partita/core/models";
import type { NamedCheck, SimulatedRun } from "./simulation-check.ts";

/** Options of `nothingLost`. */
export interface NothingLostOptions {
  /** The name in the scenario of the actors that upgrade rows. */
  readonly by: string;
}

/**
 * Checks that upgrades lose nothing: after each write of the actors that upgrade rows, reading any row gives the same
 * values as before. Rows of older versions are compared in their upgraded form.
 */
export function nothingLost(entityClass: EntityClass, { by }: NothingLostOptions): NamedCheck {
  const { table, name } = modelOf(entityClass);
  return {
    name: `nothing lost of ${name}`,
    begin(run) {
      let before: ReadonlyMap<string, string> = new Map();
      const read = async (): Promise<ReadonlyMap<string, string>> =>
        (before = await rowsOf(run, entityClass));
      return {
        afterSetup: async () => void (await read()),
        async afterWrite(entry) {
          if (entry.table !== table) return undefined;
          const [old, now] = [before, await read()];
          return entry.actor.replace(/ \d+$/, "") === by ? difference(old, now, entry.actor) : undefined;
        },
      };
    },
  };
}

async function rowsOf(run: SimulatedRun, entityClass: EntityClass): Promise<ReadonlyMap<string, string>> {
  const context = run.openContext();
  const entities: readonly object[] = await context.query(entityClass).scan().toArray();
  return new Map(
    entities.map((entity) => {
      const { key } = context.entry(entity);
      return [`(${key?.partitionKey}, ${key?.rowKey})`, JSON.stringify(toPlain(entity, { hidden: true }))];
    }),
  );
}

function difference(
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  actor: string,
): string | undefined {
  for (const [key, values] of old) {
    const found = now.get(key);
    if (found === undefined) return `${actor} removed ${key}`;
    if (found !== values) return `${actor} changed ${key} from ${values} to ${found}`;
  }
  const added = [...now.keys()].find((key) => !old.has(key));
  return added === undefined ? undefined : `${actor} added ${added}`;
}
