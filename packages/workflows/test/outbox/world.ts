import { StorageError, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import type { QueueStorage } from "@partita/queues";
import { randomNumbers, type VirtualClock, virtualClock } from "@partita/testing";
import { memoryQueues } from "./memory-queues.ts";

/** One who sends requests. When it is killed, those that it waits for are never answered. */
export interface Actor {
  readonly name: string;
  isKilled: boolean;
}

/** A request that waits for its turn. */
interface Parked {
  readonly actor: Actor;
  readonly what: string;
  readonly isWrite: boolean;
  readonly effect: () => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a request that nobody waits for may be on its way. */
const lateMs = 20 * 60_000;

interface Late {
  readonly what: string;
  readonly effect: () => Promise<unknown>;
  readonly until: number;
}

const fault = (applied: "no" | "maybe"): StorageError =>
  new StorageError(applied === "no" ? "storage.server-busy" : "storage.timeout", "A planned failure.", {
    applied,
    status: applied === "no" ? 503 : 500,
  });

/**
 * A store, a queue and a clock of which one request happens at a time, as a seed says: which one is next, which fails, which
 * arrives when nobody waits for it any more, and who is killed before or after one.
 */
export class World {
  readonly random: () => number;
  readonly clock: VirtualClock = virtualClock(1_700_000_000_000);
  readonly queues = memoryQueues(this.clock);
  readonly history: string[] = [];
  /** How many requests fail, of each 100; 0 when failures have ended. */
  faults: number;
  readonly #storage: TableStorage;
  readonly #onStored: (operations: readonly unknown[]) => void;
  #parked: Parked[] = [];
  #late: Late[] = [];

  constructor(
    storage: TableStorage,
    seed: number,
    faults: number,
    onStored: (operations: readonly unknown[]) => void,
  ) {
    this.#storage = storage;
    this.random = randomNumbers(seed);
    this.faults = faults;
    this.#onStored = onStored;
  }

  chance(percent: number): boolean {
    return this.random() * 100 < percent;
  }

  oneOf<Item>(...items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item;
  }

  /** The store as an actor reaches it. */
  storageOf(actor: Actor): TableStorage {
    const inner = this.#storage;
    const park = this.#parker(actor);
    return forwardStorage(inner, {
      query: (table, query) => park(`query ${table}`, false, () => inner.query(table, query)),
      get: (table, key) => park(`get ${table} ${key.rowKey}`, false, () => inner.get(table, key)),
      write: (table, operation) =>
        park(`${operation.type} ${table} ${rowOf(operation)}`, true, async () => {
          const result = await inner.write(table, operation);
          this.#onStored([operation]);
          return result;
        }),
      transact: (table, operations) =>
        park(
          `transact ${table} ${operations.map((one) => `${one.type} ${rowOf(one)}`).join(", ")}`,
          true,
          async () => {
            const results = await inner.transact(table, operations);
            this.#onStored(operations);
            return results;
          },
        ),
    });
  }

  /** The queues as an actor reaches them. */
  queuesOf(actor: Actor): QueueStorage {
    const inner = this.queues;
    const park = this.#parker(actor);
    return {
      ...inner,
      createQueue: (queue) => park(`create ${queue}`, true, () => inner.createQueue(queue)),
      put: (queue, text, options) =>
        park(`put ${queue} ${text} ${options?.visibleAfterMs ?? 0}`, true, () =>
          inner.put(queue, text, options),
        ),
      receive: (queue, options) => park(`receive ${queue}`, true, () => inner.receive(queue, options)),
      update: (queue, receipt, options) =>
        park(`update ${receipt.id} ${options.visibilityMs} ${options.text ?? ""}`, true, () =>
          inner.update(queue, receipt, options),
        ),
      remove: (queue, receipt) => park(`remove ${receipt.id}`, true, () => inner.remove(queue, receipt)),
    };
  }

  #parker(actor: Actor) {
    return <Result>(what: string, isWrite: boolean, effect: () => Promise<Result>): Promise<Result> =>
      new Promise<Result>((resolve, reject) => {
        if (!actor.isKilled) this.#parked.push({ actor, what, isWrite, effect, resolve, reject });
      });
  }

  /** Lets requests happen until all of these have ended or are killed. */
  async run(work: readonly { readonly actor: Actor; readonly done: Promise<void> }[]): Promise<void> {
    let running = new Set(work.map(({ actor }) => actor));
    const problems: unknown[] = [];
    for (const { actor, done } of work)
      done.then(
        () => running.delete(actor),
        (error: unknown) => {
          problems.push(error);
          running.delete(actor);
        },
      );
    for (let idle = 0; running.size > 0;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (problems.length > 0) throw problems[0];
      this.#parked = this.#parked.filter(({ actor }) => !actor.isKilled);
      running = new Set([...running].filter(({ isKilled }) => !isKilled));
      if (this.#parked.length === 0) {
        // Somebody waits for time, which passes by itself, or for a module that is loaded when it is first used.
        if (++idle > 10_000) await new Promise((resolve) => setTimeout(resolve, 10));
        if (idle > 13_000) throw new Error("Nothing happens any more.");
        continue;
      }
      idle = 0;
      if (this.faults > 0 && this.chance(4)) this.clock.advance(this.random() * 120_000);
      while (this.#late.some(({ until }) => until <= this.clock.now())) await this.#arrive();
      if (this.chance(10)) await this.#arrive();
      const [next] = this.#parked.splice(Math.floor(this.random() * this.#parked.length), 1);
      if (next !== undefined) await this.#happen(next);
    }
  }

  /** Everything that is on its way arrives. */
  async arriveAll(): Promise<void> {
    while (this.#late.length > 0) await this.#arrive();
  }

  /** What is due by now arrives, or else any of what is on its way. */
  async #arrive(): Promise<void> {
    const due = this.#late.findIndex(({ until }) => until <= this.clock.now());
    const at = due >= 0 ? due : Math.floor(this.random() * this.#late.length);
    const [late] = this.#late.splice(at, 1);
    if (late === undefined) return;
    const response = await late.effect().then(
      () => "applied",
      (error: unknown) => `refused ${(error as StorageError).code}`,
    );
    this.history.push(`  late: ${late.what}: ${response}`);
  }

  async #happen({ actor, what, isWrite, effect, resolve, reject }: Parked): Promise<void> {
    const note = (how: string): void => void this.history.push(`${actor.name}: ${what}: ${how}`);
    const kind = this.chance(this.faults)
      ? this.oneOf("refused", "before", "after", "late", "killed")
      : "none";
    switch (isWrite || kind === "refused" ? kind : "none") {
      case "refused":
        note("fails, not applied");
        return reject(fault("no"));
      case "before":
        note("lost, not applied");
        return reject(fault("maybe"));
      case "after":
        note("answer lost");
        await effect().catch(() => undefined);
        return reject(fault("maybe"));
      case "late":
        note("lost, on its way");
        this.#late.push({ what, effect, until: this.clock.now() + this.random() * lateMs });
        return reject(fault("maybe"));
      case "killed":
        note("killed");
        actor.isKilled = true;
        const end = this.oneOf("applied", "late", "never");
        if (end === "applied") await effect().catch(() => undefined);
        if (end === "late")
          this.#late.push({ what, effect, until: this.clock.now() + this.random() * lateMs });
        return;
      default: {
        const response = await effect().then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        note("error" in response ? `refused ${(response.error as StorageError).code}` : "done");
        if ("error" in response) reject(response.error);
        else resolve(response.value as never);
      }
    }
  }
}

const rowOf = (operation: object): string => {
  const { key, entity } = operation as { key?: { rowKey: string }; entity?: { RowKey: string } };
  return key?.rowKey ?? entity?.RowKey ?? "";
};
