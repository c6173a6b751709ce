// Clients that write while servers are killed. Each client checks a row of its own after every answer, and a ledger
// checks the rows that all of them write.

import { setTimeout } from "node:timers/promises";
import type { TableStorage } from "@partita/core";
import type { ContinuationToken, EntityKey, StoredEntity, WriteOperation } from "@partita/core/storage";
import { isLong } from "@partita/test-support/effort";
import { seedOf } from "@partita/test-support/seed";
import { answerOf, Ledger } from "./ledger.ts";

const clientCount = isLong ? 64 : 12;
const partitions = ["a", "b", "c"];
const sharedRows = ["1", "2", "3", "4"];
const types = ["insert", "merge", "replace", "upsert-merge", "upsert-replace", "delete"] as const;

/** The clients, and what they were told. */
export class Hammer {
  readonly ledger = new Ledger();
  readonly #storages: readonly TableStorage[];
  readonly #clients: readonly Client[];
  #isOver = false;
  #running: Promise<unknown> | undefined;

  /**
   * @param storages - of the table "Rows", which the clients share
   * @param lateMs - how long the database may take to apply a write whose sender died
   */
  constructor(storages: readonly TableStorage[], lateMs: number = 0) {
    this.#storages = storages;
    this.#clients = Array.from(
      { length: clientCount },
      (_, i) => new Client(storages[i % storages.length] as TableStorage, this.ledger, `own ${i}`, lateMs),
    );
  }

  start(): void {
    this.#running = Promise.all(
      this.#clients.map(async (client) => {
        while (!this.#isOver) await client.step();
      }),
    );
  }

  /** Waits until each client has stored another row. */
  async untilAllGoOn(): Promise<void> {
    const before = this.#clients.map(({ stored }) => stored);
    while (this.#clients.some(({ stored }, i) => stored === before[i]))
      await Promise.race([setTimeout(10), this.#running]);
  }

  /** Stops the clients, and compares the rows with what they were told. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    this.ledger.checkShared(await allRows(this.#storages[0] as TableStorage));
  }
}

let state = seedOf("PARTITA_HAMMER_SEED", 20_261_127);
/** From 0 to below 1. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
export const oneOf = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;
export const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item);

/** Writes its own row, and the shared rows. */
class Client {
  stored = 0;
  readonly #storage: TableStorage;
  readonly #ledger: Ledger;
  readonly #key: EntityKey;
  readonly #lateMs: number;
  #own: StoredEntity | undefined;

  constructor(storage: TableStorage, ledger: Ledger, name: string, lateMs: number) {
    this.#storage = storage;
    this.#ledger = ledger;
    this.#lateMs = lateMs;
    this.#key = { partitionKey: oneOf(partitions), rowKey: name };
  }

  async step(): Promise<void> {
    await this.#writeOwn();
    await this.#writeShared();
    await this.#transact();
  }

  async #writeOwn(): Promise<void> {
    const before = this.#own;
    const operation = this.#operation(this.#key, oneOf(["*", before?.["odata.etag"] ?? "*", 'W/"1-1"']));
    const answer = await answerOf(() => this.#storage.write("Rows", operation));
    if (answer.outcome === "in doubt") await setTimeout(this.#lateMs);
    this.#own = await this.#read(this.#key);
    this.#ledger.checkOwn(operation, answer, before, this.#own);
    if (answer.outcome === "stored") this.stored++;
  }

  async #writeShared(): Promise<void> {
    const key = { partitionKey: oneOf(partitions), rowKey: oneOf(sharedRows) };
    const seen = await this.#read(key);
    const operation = this.#operation(key, oneOf(["*", seen?.["odata.etag"] ?? "*"]));
    const startedAt = performance.now();
    const answer = await answerOf(() => this.#storage.write("Rows", operation));
    this.#ledger.note([operation], startedAt, answer);
  }

  /** Several shared rows, and a row that proves the transaction. */
  async #transact(): Promise<void> {
    const partitionKey = oneOf(partitions);
    const keys = shuffled(sharedRows).slice(0, 1 + Math.floor(random() * 4));
    const allowed = oneOf([types, ["upsert-merge", "upsert-replace"] as const]);
    const operations = keys.map((rowKey) => this.#operation({ partitionKey, rowKey }, "*", allowed));
    const proof = `proof ${this.#ledger.nextMark()}`;
    const insert: WriteOperation = { type: "insert", entity: { PartitionKey: partitionKey, RowKey: proof } };
    const startedAt = performance.now();
    const answer = await answerOf(() => this.#storage.transact("Rows", [...operations, insert]));
    this.#ledger.note(operations, startedAt, answer, proof);
  }

  #operation(
    { partitionKey, rowKey }: EntityKey,
    etag: string,
    allowed: readonly WriteOperation["type"][] = types,
  ): WriteOperation {
    const type = oneOf(allowed);
    const entity = { PartitionKey: partitionKey, RowKey: rowKey, mark: this.#ledger.nextMark() };
    if (type === "delete") return { type, key: { partitionKey, rowKey }, etag };
    return type === "merge" || type === "replace" ? { type, entity, etag } : { type, entity };
  }

  /** Reads until the server answers. */
  async #read(key: EntityKey): Promise<StoredEntity | undefined> {
    for (;;) {
      let row: StoredEntity | undefined;
      const { outcome } = await answerOf(async () => (row = await this.#storage.get("Rows", key)));
      if (outcome === "stored") {
        this.#ledger.see(row);
        return row;
      }
      await setTimeout(20);
    }
  }
}

async function allRows(storage: TableStorage): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let from: { after?: ContinuationToken } | undefined = {};
  while (from !== undefined) {
    const { entities, next } = await storage.query("Rows", from);
    rows.push(...entities);
    from = next === undefined ? undefined : { after: next };
  }
  return rows;
}
