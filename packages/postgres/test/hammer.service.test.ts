// 64 clients write while backends and the server are killed. Each client checks a row of its own after every answer,
// and a ledger checks the rows that all of them write.

import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { TableStorage } from "@partita/core";
import type { ContinuationToken, EntityKey, StoredEntity, WriteOperation } from "@partita/core/storage";
import { hasPostgres, type PostgresServer, startPostgres } from "@partita/test-support/postgres";
import { seedOf } from "@partita/test-support/seed";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initPostgres, openPostgres } from "../src/index.ts";
import { answerOf, Ledger } from "./ledger.ts";

const isLong = process.env["PARTITA_LONG"] !== undefined;
const kills = isLong ? { backend: 50, server: 50 } : { backend: 3, server: 1 };
const clientCount = 64;
const partitions = ["a", "b", "c"];
const sharedRows = ["1", "2", "3", "4"];
const types = ["insert", "merge", "replace", "upsert-merge", "upsert-replace", "delete"] as const;

let state = seedOf("PARTITA_HAMMER_SEED", 20_261_127);
/** From 0 to below 1. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const shuffled = <Item>(items: readonly Item[]): Item[] =>
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
  #own: StoredEntity | undefined;

  constructor(storage: TableStorage, ledger: Ledger, name: string) {
    this.#storage = storage;
    this.#ledger = ledger;
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

describe.runIf(hasPostgres)("a server that is killed", () => {
  let server: PostgresServer;
  let storages: readonly TableStorage[] = [];
  let log = "";
  const readLog = (): void => {
    server.process().stderr?.on("data", (text) => (log += String(text)));
  };
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "on" } });
    readLog();
    await initPostgres(server.target());
    const open = (): Promise<TableStorage> => openPostgres(server.target(), { maxConnections: 16 });
    storages = await Promise.all([open(), open()]);
    await storages[0]?.createTable("Rows");
  });
  afterAll(async () => {
    await Promise.all(storages.map((storage) => storage.close()));
    await server.stop();
  });

  /** The server then ends all other backends too, and starts them again. */
  async function killBackend(): Promise<void> {
    const admin = new pg.Client({ connectionString: server.target() });
    admin.on("error", () => undefined);
    await admin.connect();
    const { rows } = await admin.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'partita' order by state = 'active' desc, random() limit 1",
    );
    if (rows[0] === undefined) throw new Error("No backend to kill");
    process.kill(rows[0].pid, "SIGKILL");
    await admin.end();
  }

  async function killServer(): Promise<void> {
    const ended = once(server.process(), "exit");
    server.process().kill("SIGKILL");
    await ended;
    // A server refuses to start before the last backend of the former one has ended.
    const starts = (): Promise<boolean> =>
      server.start().then(
        () => true,
        () => false,
      );
    while (!(await starts())) await setTimeout(50);
    readLog();
  }

  test("loses no acknowledged write, and every client goes on", async () => {
    const ledger = new Ledger();
    const clients = Array.from(
      { length: clientCount },
      (_, i) => new Client(storages[i % 2] as TableStorage, ledger, `own ${i}`),
    );
    let isOver = false;
    const running = Promise.all(
      clients.map(async (client) => {
        while (!isOver) await client.step();
      }),
    );
    const untilAllGoOn = async (): Promise<void> => {
      const before = clients.map(({ stored }) => stored);
      while (clients.some(({ stored }, i) => stored === before[i]))
        await Promise.race([setTimeout(10), running]);
    };

    const plan = Object.entries(kills).flatMap(([kind, count]) => Array<string>(count).fill(kind));
    for (const kind of shuffled(plan)) {
      await untilAllGoOn();
      await (kind === "server" ? killServer() : killBackend());
      if (isLong) console.info(kind, JSON.stringify(ledger.counts));
    }
    await untilAllGoOn();
    isOver = true;
    await running;
    ledger.checkShared(await allRows(storages[0] as TableStorage));

    expect(ledger.problems).toEqual([]);
    expect(ledger.counts["in doubt"]).toBeGreaterThan(0);
    expect(log).toContain("terminated by signal 9");
    // Refusals are answers, and rows are locked in the order of their keys.
    expect(log.split("\n").filter((line) => /ERROR|deadlock/.test(line))).toEqual([]);
  });
});
