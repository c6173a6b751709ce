import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  SaveError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { constant, verbatim } from "@partita/core/keys";
import { allOf, compare, type FilterNode, textLiteral } from "@partita/core/protocol";
import { fixed } from "@partita/core/rest";
import { defineTask, outbox } from "../../src/index.ts";
import { type SmallWorker, takeOne } from "./small-worker.ts";
import { type Actor, World } from "./world.ts";

const settings = {
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { state: text().optional(), total: int32().default(0) },
  outbox: true,
} as const;

class Order extends defineEntity({ ...settings, table: "Orders" }) {}
class Ticket extends defineEntity({ ...settings, table: "Tickets", proof: "marker" }) {}
class Listed extends defineEntity({
  ...settings,
  table: "Listed",
  indexes: { byState: { rowKey: { state: constant("STATE:", verbatim) } } },
}) {}
const classes: readonly OrderClass[] = [Order, Ticket, Listed];
type OrderClass = typeof Order | typeof Ticket | typeof Listed;

const ship = defineTask("ship", async (_payload: { readonly n: number }) => undefined, { queue: "ship" });

export async function openTables(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, classes);
  return storage;
}

/** What one history was to show. */
interface Journal {
  /** How often the message of each id was stored with its entity's change. */
  readonly committed: Map<string, number>;
  /** How often each was handled, or put into the poison queue. */
  readonly handled: Map<string, number>;
}

const count = (counts: Map<string, number>, id: string): void =>
  void counts.set(id, (counts.get(id) ?? 0) + 1);

/** Senders and workers over one store and one queue, and what is left when failures have ended. @throws what is wrong */
export async function runHistory(
  storage: TableStorage,
  seed: number,
): Promise<{ committed: number; sent: number }> {
  const journal: Journal = { committed: new Map(), handled: new Map() };
  const world = new World(storage, seed, 0, (operations) => {
    for (const one of operations) {
      const { entity } = one as { readonly entity?: Readonly<Record<string, unknown>> };
      if (entity !== undefined && String(entity["RowKey"]).startsWith("~o~") && entity["Task"] !== undefined)
        count(journal.committed, String(entity["Id"]));
    }
  });
  const shop = `shop ${seed}`;
  try {
    const Class = world.oneOf(...classes);
    await seedOrders(storage, Class, shop);
    world.faults = world.oneOf(0, 5, 15, 30);
    const senders = [1, 2].map((n) => new Sender(world, Class, shop, n));
    const maxAttempts = world.oneOf(2, 1000);
    const workers = [1, 2].map((n) => work(world, journal, maxAttempts, n));
    await world.run([...senders.map((sender) => sender.start()), ...workers]);
    await quiet(world, journal, senders);
    check(journal, senders);
    await checkEmpty(world, storage, Class, shop);
    const sent = senders.reduce((sum, { sent: ids }) => sum + ids.size, 0);
    return { committed: journal.committed.size, sent };
  } catch (error) {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`Seed ${seed}: ${cause}\n${world.history.join("\n")}`, { cause: error });
  }
}

async function seedOrders(storage: TableStorage, Class: OrderClass, shop: string): Promise<void> {
  await using context = new TableContext(storage);
  for (const id of ["1", "2", "3"]) context.add(new Class({ shop, id, state: "new" }));
  await context.saveChanges();
}

/** One who changes orders and sends messages with them. */
class Sender {
  /** Ids of what was sent. */
  readonly sent = new Set<string>();
  /** Ids that the last save of their entity reported, and how. */
  readonly reported = new Map<string, string>();
  readonly #actor: Actor;
  readonly #world: World;
  readonly #Class: OrderClass;
  readonly #shop: string;
  #context: TableContext | undefined;
  readonly #idsOf = new Map<object, string[]>();
  /** What several saves sent messages with: a result is of the last one, and says nothing of the others. */
  readonly #ofSeveral = new Set<object>();

  constructor(world: World, Class: OrderClass, shop: string, n: number) {
    this.#actor = { name: `sender ${n}`, isKilled: false };
    this.#world = world;
    this.#Class = Class;
    this.#shop = shop;
  }

  start(): { actor: Actor; done: Promise<void> } {
    return { actor: this.#actor, done: this.#work() };
  }

  async #work(): Promise<void> {
    const world = this.#world;
    const context = new TableContext(world.storageOf(this.#actor), {
      clock: world.clock,
      retry: fixed(world.oneOf(1, 3), 100),
    });
    this.#context = context;
    const saves = world.oneOf(1, 1, 2);
    for (let save = 0; save < saves; save++) {
      try {
        await this.#change(context);
      } catch {
        // What cannot be read is not changed.
      }
      await this.#save(context);
    }
  }

  async #change(context: TableContext): Promise<void> {
    const world = this.#world;
    const box = outbox(context, world.queuesOf(this.#actor));
    const earlier = new Set(this.#idsOf.keys());
    const entities = world.oneOf(1, 1, 2, 3);
    for (let n = 0; n < entities; n++) {
      const entity = await this.#changed(context);
      if (entity === undefined || world.chance(20)) continue;
      if (earlier.has(entity)) this.#ofSeveral.add(entity);
      const messages = world.oneOf(1, 1, 2);
      for (let m = 0; m < messages; m++) {
        const { id } = box.send(entity, ship, { n: m }, { id: `${this.#actor.name} ${this.sent.size}` });
        this.sent.add(id);
        this.#idsOf.set(entity, [...(this.#idsOf.get(entity) ?? []), id]);
      }
    }
  }

  async #changed(context: TableContext): Promise<object | undefined> {
    const [world, Class, shop] = [this.#world, this.#Class, this.#shop];
    const key = { shop, id: world.oneOf("1", "2", "3") };
    const kind = world.oneOf("insert", "merge", "remove", "upsert", "touch", "merge");
    if (kind === "insert") {
      const id = `new ${Math.floor(world.random() * 1e9)}`;
      return context.add(new Class({ shop, id, state: "new" }));
    }
    if (kind === "upsert") {
      const order = new Class({ shop, id: `${key.id} of ${this.#actor.name}`, total: 5 });
      try {
        return context.upsert(order, world.oneOf("merge", "replace"));
      } catch {
        return undefined;
      }
    }
    const order = await context.find(Class, key);
    if (order === undefined) return undefined;
    if (kind === "remove") context.remove(order);
    if (kind === "merge") [order.total, order.state] = [order.total + 1, world.oneOf("new", "paid")];
    return order;
  }

  /** Saves, and again after a failure, finds out what became of it, or gives it up. */
  async #save(context: TableContext): Promise<void> {
    const world = this.#world;
    for (let tries = 0; tries < 3; tries++) {
      // What was rejected is sent again.
      for (const [id, outcome] of this.reported) if (outcome !== "committed") this.reported.delete(id);
      try {
        this.#note(await context.saveChanges({ batch: world.oneOf("auto", "auto", "none") }));
        return;
      } catch (error) {
        if (!(error instanceof SaveError)) throw error;
        this.#note(error.results);
      }
      const next = world.oneOf("save", "save", "resolve", "give up");
      if (next === "give up") break;
      if (next === "resolve") this.#note(await context.resolveInDoubt({ wait: world.chance(50) }));
    }
    if (world.chance(50)) context.clear({ discard: true });
  }

  #note(results: readonly { readonly entity: object; readonly outcome: string }[]): void {
    for (const { entity, outcome } of results)
      for (const id of this.#idsOf.get(entity) ?? []) {
        if (this.#ofSeveral.has(entity)) this.reported.delete(id);
        else if (this.reported.get(id) !== "committed") this.reported.set(id, outcome);
      }
  }

  /** When failures have ended: what is still in doubt is found out. */
  async end(): Promise<void> {
    if (this.#actor.isKilled || this.#context === undefined) return;
    this.#note(await this.#context.resolveInDoubt({ wait: true }));
  }
}

function work(
  world: World,
  journal: Journal,
  maxAttempts: number,
  n: number,
): { actor: Actor; done: Promise<void> } {
  const actor: Actor = { name: `worker ${n}`, isKilled: false };
  const worker = workerOf(world, journal, maxAttempts, actor, 20);
  const rounds = 1 + Math.floor(world.random() * 7);
  const run = async (): Promise<void> => {
    for (let round = 0; round < rounds; round++) await takeOne(worker, "ship");
  };
  return { actor, done: run() };
}

const workerOf = (
  world: World,
  { handled }: Journal,
  maxAttempts: number,
  actor: Actor,
  failures: number,
): SmallWorker => ({
  storage: world.storageOf(actor),
  queues: world.queuesOf(actor),
  clock: world.clock,
  maxAttempts,
  handle(id) {
    if (world.chance(failures)) throw new Error("The handler fails.");
    count(handled, id);
  },
  poison(work) {
    const { id } = JSON.parse(work.text ?? "") as { readonly id: string };
    count(handled, id);
  },
});

/** Failures have ended: everything arrives, senders find out what they left, and a worker empties the queue. */
async function quiet(world: World, journal: Journal, senders: readonly Sender[]): Promise<void> {
  world.faults = 0;
  world.history.push("failures have ended");
  const actors = senders.map((sender): { actor: Actor; done: Promise<void> } => ({
    actor: { name: "end", isKilled: false },
    done: sender.end(),
  }));
  await world.run(actors);
  const arriveFirst = world.chance(50);
  if (arriveFirst) await world.arriveAll();
  const actor: Actor = { name: "last worker", isKilled: false };
  const worker = workerOf(world, journal, 1000, actor, 0);
  const empty = async (): Promise<void> => {
    for (let rounds = 0; ; rounds++) {
      if (rounds > 400) throw new Error("The queue is never empty.");
      const left = world.queues.queues.get("ship") ?? [];
      if (left.length === 0) return;
      const next = Math.min(...left.map(({ visibleAt }) => visibleAt));
      world.clock.advance(Math.max(0, next - world.clock.now()));
      await takeOne(worker, "ship");
    }
  };
  await world.run([{ actor, done: empty() }]);
  if (arriveFirst) return;
  // What comes after all has been handled finds the places closed, or nobody closed them: then a pointer is there still.
  await world.arriveAll();
  await world.run([{ actor, done: empty() }]);
}

function check({ committed, handled }: Journal, senders: readonly Sender[]): void {
  for (const [id, times] of committed) {
    if (times > 1) throw new Error(`The message ${id} was stored ${times} times.`);
    if (!handled.has(id)) throw new Error(`The message ${id} was stored, and is not handled.`);
  }
  for (const id of handled.keys())
    if (!committed.has(id)) throw new Error(`The message ${id} was handled, and was never stored.`);
  for (const { reported } of senders)
    for (const [id, outcome] of reported) {
      if (outcome === "committed" && !committed.has(id)) throw new Error(`${id} is reported committed.`);
      if (outcome === "rejected" && committed.has(id)) throw new Error(`${id} is reported rejected.`);
    }
}

async function checkEmpty(
  world: World,
  storage: TableStorage,
  { name }: OrderClass,
  shop: string,
): Promise<void> {
  const table = name === "Listed" ? "Listed" : `${name}s`;
  const filter = allOf([
    compare("eq", "PartitionKey", textLiteral(shop)),
    compare("ge", "RowKey", textLiteral("~o~")),
    compare("lt", "RowKey", textLiteral("~p")),
  ]) as FilterNode;
  const { entities } = await storage.query(table, { filter });
  if (entities.length > 0)
    throw new Error(`Left: ${entities.map(({ RowKey, State }) => `${RowKey} ${String(State)}`).join(", ")}`);
  const messages = world.queues.queues.get("ship") ?? [];
  if (messages.length > 0) throw new Error(`${messages.length} messages are left.`);
}
