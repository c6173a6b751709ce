// Clients write through a load balancer to three table servers over one database, while servers are killed.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import { isLong } from "@partita/test-support/effort";
import { hasPostgres, type PostgresServer, startPostgres } from "@partita/test-support/postgres";
import { roundRobin } from "@partita/test-support/round-robin";
import { afterAll, beforeAll, expect, test } from "vitest";
import { initPostgres } from "../src/index.ts";
import { Hammer, oneOf } from "./hammer.ts";

const kills = isLong ? 50 : 2;
const key = Buffer.alloc(32).toString("base64");

/** A table server: a process of its own. */
class Server {
  port = 0;
  #process: ChildProcess | undefined;
  readonly #target: string;

  constructor(target: string) {
    this.#target = target;
  }

  async start(): Promise<void> {
    const program = join(import.meta.dirname, "server-process.ts");
    const args = ["--conditions=@partita/source", program, this.#target, key, String(this.port)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#process = child;
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    this.port = Number(port);
  }

  async kill(): Promise<void> {
    if (this.#process === undefined) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}

let postgres: PostgresServer;
let servers: readonly Server[] = [];
const ends = new AsyncDisposableStack();
beforeAll(async () => {
  if (!hasPostgres) return;
  postgres = await startPostgres();
  ends.defer(() => postgres.stop());
  await initPostgres(postgres.target());
  servers = Array.from({ length: 3 }, () => new Server(postgres.target()));
  ends.defer(async () => void (await Promise.all(servers.map((server) => server.kill()))));
  await Promise.all(servers.map((server) => server.start()));
});
afterAll(() => ends.disposeAsync());

test.runIf(hasPostgres)("loses no acknowledged write while table servers are killed", async () => {
  const { port, requests } = await roundRobin(
    () => servers.map((server) => server.port),
    (end) => ends.defer(end),
  );
  const endpoint = `http://127.0.0.1:${port}/devstoreaccount1`;
  const storage: TableStorage = await openStorage(
    `AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=${endpoint}`,
  );
  ends.defer(() => storage.close());
  await storage.createTable("Rows");
  // A killed server's last statements may still run.
  const hammer = new Hammer([storage], 300);
  const { ledger } = hammer;
  hammer.start();

  await hammer.untilAllGoOn();
  for (let n = 1; n <= kills; n++) {
    const server = oneOf(servers);
    await server.kill();
    // The others serve all clients.
    await hammer.untilAllGoOn();
    await server.start();
    if (isLong) console.info(n, JSON.stringify(ledger.counts));
  }
  await hammer.untilAllGoOn();
  await hammer.stop();

  expect(ledger.problems).toEqual([]);
  expect(ledger.counts["in doubt"]).toBeGreaterThan(0);
  expect(servers.map((server) => requests.get(server.port) ?? 0)).not.toContain(0);
});
