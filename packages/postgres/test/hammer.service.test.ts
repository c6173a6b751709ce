// 64 clients write while backends and the server are killed.

import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { TableStorage } from "@partita/core";
import { isLong } from "@partita/test-support/effort";
import { hasPostgres, type PostgresServer, startPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initPostgres, openPostgres } from "../src/index.ts";
import { Hammer, shuffled } from "./hammer.ts";

const kills = isLong ? { backend: 50, server: 50 } : { backend: 3, server: 1 };

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
    const hammer = new Hammer(storages);
    const { ledger } = hammer;
    hammer.start();

    const plan = Object.entries(kills).flatMap(([kind, count]) => Array<string>(count).fill(kind));
    for (const kind of shuffled(plan)) {
      await hammer.untilAllGoOn();
      await (kind === "server" ? killServer() : killBackend());
      if (isLong) console.info(kind, JSON.stringify(ledger.counts));
    }
    await hammer.untilAllGoOn();
    await hammer.stop();

    expect(ledger.problems).toEqual([]);
    expect(ledger.counts["in doubt"]).toBeGreaterThan(0);
    expect(log).toContain("terminated by signal 9");
    // Refusals are answers, and rows are locked in the order of their keys.
    expect(log.split("\n").filter((line) => /ERROR|deadlock/.test(line))).toEqual([]);
  });
});
