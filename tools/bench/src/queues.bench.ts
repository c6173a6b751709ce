// What a table queue costs: messages put, and put, received and removed one by one, by one program part and by 16 at once, beside
// the same rows written by hand on the same store.
import { openStorage, type StoredEntity, StorageError, type TableStorage } from "@partita/core";
import { oldestFirst, ulid } from "@partita/core/keys";
import { tableQueues } from "@partita/core/queues";
import { compare } from "./compare.ts";

const messages = 400;
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

/** Lets so many do a piece of work at once, until all pieces are done. */
async function share(workers: number, work: () => Promise<unknown>): Promise<void> {
  let left = messages;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const byPartita = (workers: number, takes: boolean) => async (): Promise<void> => {
  const queue = `bench-${++queueCount}`;
  await queues.createQueue(queue);
  await share(workers, () => queues.put(queue, text));
  if (takes)
    await share(workers, async () => {
      const [message] = await queues.receive(queue, { visibilityMs });
      if (message?.text !== text) throw new Error("A message is missing.");
      await queues.remove(queue, message);
    });
  else await queues.clear(queue);
};

/** The rows that a table queue writes, and the requests that it makes, by somebody who knows that nothing goes wrong. */
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

/** Whether a message was found, claimed and removed; rivals choose among the first ones of a shard. */
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

for (const workers of [1, 16])
  for (const takes of [false, true]) {
    rivals = workers;
    const what = takes ? "put, received and removed" : "put, and the queue cleared";
    await compare({
      name: `queues ${takes ? "take" : "put"} ${workers}`,
      title: `Messages ${what}, one by one, by ${workers} at once, for each message`,
      clock: "process",
      rounds: 15,
      units: messages,
      warmMs: 500,
      floor: { name: "the same rows by hand, same store", run: byHand(workers, takes) },
      ours: { name: "Partita", asked: { atMost: 1.5 }, run: byPartita(workers, takes) },
    });
  }
await storage.close();
