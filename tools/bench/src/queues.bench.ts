// The cost of a table queue: messages put, and put, received and removed one by one, by one loop and by 16
// concurrently, compared with the same hand-written rows on the same store, in CPU time. Then the same in
// wall time, compared with Azurite's queue service. The table queue runs in this process, Azurite in its own
// process over REST, with the client of `openQueues`.
import { openStorage, StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { oldestFirst, ulid } from "@partita/core/keys";
import { openQueues, type QueueStorage, tableQueues } from "@partita/queues";
import { startAzuriteQueues } from "@partita/test-support/azurite";
import { compare } from "./compare.ts";

const messages = 400;
/** Fewer, because a service is slow. */
const messagesOfService = 100;
const shards = 4;
const visibilityMs = 30_000;
const text = JSON.stringify({
  partita: 1,
  task: "shipOrder",
  id: ulid(),
  payload: { order: "7".repeat(120) },
});

const storage = await openStorage("memory:");
await storage.createTable("ByHand");
const queues = tableQueues(storage);
let queueCount = 0;

/** Runs this many loops concurrently, until all pieces of work are done. */
async function share(workers: number, work: () => Promise<unknown>, pieces = messages): Promise<void> {
  let left = pieces;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** Messages of any queues. */
const through =
  (store: QueueStorage, workers: number, takes: boolean, pieces = messages) =>
  async (): Promise<void> => {
    const queue = `bench-${++queueCount}`;
    await store.createQueue(queue);
    await share(workers, () => store.put(queue, text), pieces);
    const take = async (): Promise<void> => {
      const [message] = await store.receive(queue, { visibilityMs });
      if (message?.text !== text) throw new Error("A message is missing.");
      await store.remove(queue, message);
    };
    if (takes) await share(workers, take, pieces);
    else await store.clear(queue);
  };

/** The rows and requests of a table queue, without error handling. */
const byHand = (workers: number, takes: boolean) => async (): Promise<void> => {
  const queue = `bench-${++queueCount}`;
  await share(workers, () => putByHand(queue));
  if (takes) {
    await share(workers, async () => {
      while (!(await takeByHand(queue)));
    });
  } else await clearByHand(storage, queue);
};

const randomShard = (queue: string): string => `${queue}!${Math.floor(Math.random() * shards)}`;
const keyFrom = (time: number): string => oldestFirst.encode(new Date(time)) as string;

async function putByHand(queue: string): Promise<void> {
  const now = Date.now();
  const id = ulid();
  const entity: StoredEntity = {
    PartitionKey: randomShard(queue),
    RowKey: `${keyFrom(now)}!${id}`,
    Id: id,
    Count: 0,
    "Body@odata.type": "Edm.Binary",
    Body: Buffer.from(text).toString("base64"),
    "Inserted@odata.type": "Edm.DateTime",
    Inserted: new Date(now).toISOString(),
    "Expires@odata.type": "Edm.DateTime",
    Expires: new Date(now + 7 * 24 * 3_600_000).toISOString(),
  };
  await storage.write("ByHand", { type: "insert", entity });
}

const equals = (name: string, value: string) =>
  ({ op: "eq", name, literal: { edm: "Edm.String", value } }) as const;

/**
 * Whether a message was found, claimed and removed. Competing receivers choose among the first messages of a
 * shard.
 */
async function takeByHand(queue: string): Promise<boolean> {
  const PartitionKey = randomShard(queue);
  const now = Date.now();
  const literal = { edm: "Edm.String", value: keyFrom(now + 1) } as const;
  const visible = { op: "lt", name: "RowKey", literal } as const;
  const nodes = [equals("PartitionKey", PartitionKey), visible];
  const { entities } = await storage.query("ByHand", { filter: { op: "and", nodes }, top: rivals });
  const row = entities[Math.floor(Math.random() * entities.length)];
  if (row === undefined) return false;
  const { Timestamp: _time, "odata.etag": etag = "*", ...rest } = row;
  const RowKey = `${keyFrom(now + visibilityMs)}!${ulid()}`;
  try {
    await storage.transact("ByHand", [
      { type: "delete", key: { partitionKey: PartitionKey, rowKey: row.RowKey }, etag },
      { type: "insert", entity: { ...rest, PartitionKey, RowKey, Count: Number(row["Count"]) + 1 } },
    ]);
  } catch (error) {
    if (error instanceof StorageError && error.status !== undefined) return false;
    throw error;
  }
  if (Buffer.from(String(row["Body"]), "base64").toString() !== text)
    throw new Error("A message is missing.");
  const key = { partitionKey: PartitionKey, rowKey: RowKey };
  await storage.write("ByHand", { type: "delete", key, etag: "*" });
  return true;
}

let rivals = 1;

async function clearByHand(store: TableStorage, queue: string): Promise<void> {
  for (let shard = 0; shard < shards; shard++) {
    const filter = equals("PartitionKey", `${queue}!${shard}`);
    const { entities } = await store.query("ByHand", { filter, select: ["Count"] });
    for (let at = 0; at < entities.length; at += 100)
      await store.transact(
        "ByHand",
        entities.slice(at, at + 100).map(({ PartitionKey, RowKey }) => ({
          type: "delete",
          key: { partitionKey: PartitionKey, rowKey: RowKey },
          etag: "*",
        })),
      );
  }
}

const loads = [1, 16].flatMap((workers) => [false, true].map((takes) => ({ workers, takes })));
const whatIsDone = (takes: boolean): string =>
  takes ? "put, received and removed" : "put, and the queue cleared";

for (const { workers, takes } of loads) {
  rivals = workers;
  await compare({
    name: `queues ${takes ? "take" : "put"} ${workers}`,
    title: `Messages ${whatIsDone(takes)}, one by one, by ${workers} at once, for each message`,
    clock: "process",
    rounds: 15,
    units: messages,
    warmMs: 500,
    baseline: { name: "the same rows by hand, same store", run: byHand(workers, takes) },
    ours: { name: "Partita", target: { atMost: 1.5 }, run: through(queues, workers, takes) },
  });
}

const azurite = await startAzuriteQueues();
try {
  await using service = await openQueues(azurite.connectionString);
  for (const { workers, takes } of loads)
    await compare({
      name: `queues beside Azurite ${takes ? "take" : "put"} ${workers}`,
      title: `Messages ${whatIsDone(takes)}, one by one, by ${workers} at once, beside a service, for each message`,
      rounds: 5,
      units: messagesOfService,
      warmMs: 300,
      baseline: {
        name: "Azurite's queue service, over REST",
        run: through(service, workers, takes, messagesOfService),
      },
      ours: {
        name: "a table queue over memory, without REST",
        run: through(queues, workers, takes, messagesOfService),
      },
    });
} finally {
  await azurite.stop();
}
await storage.close();
