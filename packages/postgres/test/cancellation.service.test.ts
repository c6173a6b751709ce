import { setTimeout } from "node:timers/promises";
import { StorageError, type TableStorage } from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { hasPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres, openPostgresPool } from "../src/index.ts";
import { freshSchema, server, sql } from "./fresh-schema.ts";
import { tcpProxy } from "./tcp-proxy.ts";

const upsert = (rowKey: string): WriteOperation => ({
  type: "upsert-replace",
  entity: { PartitionKey: "p", RowKey: rowKey },
});

/** Code and `applied` of the failure of a call. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return StorageError.is(error) ? [error.code, error.applied] : error;
}

describe.runIf(hasPostgres)("an interrupted request", () => {
  let target = "";
  let schema = "";
  let storage: TableStorage;
  beforeAll(async () => {
    target = await freshSchema();
    schema = new URL(target).searchParams.get("schema") ?? "";
    storage = await openPostgres(target, { maxConnections: 2 });
    await storage.createTable("Rows");
  });
  afterAll(() => storage.close());

  /** Runs a function while another session holds a row or a table. */
  async function whileLocked(statement: string, use: () => Promise<void>): Promise<void> {
    const other = new pg.Client({ connectionString: server() });
    await other.connect();
    await other.query("begin");
    await other.query(statement);
    try {
      await use();
    } finally {
      await other.query("rollback");
      await other.end();
    }
  }

  const untilWaiting = async (): Promise<void> => {
    const text = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1";
    while ((await sql(text, [`%${schema}%`])).length === 0) await setTimeout(5);
  };

  test("is not stored if the server cancels it while it waits for a row", async () => {
    await storage.write("Rows", upsert("held"));

    await whileLocked(`select * from ${schema}.rows where rk = 'held' for update`, async () => {
      for (const send of [
        (signal: AbortSignal) => storage.write("Rows", upsert("held"), { signal }),
        (signal: AbortSignal) => storage.transact("Rows", [upsert("a"), upsert("held")], { signal }),
      ]) {
        const controller = new AbortController();
        const running = outcomeOf(send(controller.signal));
        await untilWaiting();
        controller.abort();
        expect(await running).toEqual(["storage.cancelled", "no"]);
      }
    });

    expect(await storage.get("Rows", { partitionKey: "p", rowKey: "a" })).toBeUndefined();
  });

  test("ends a read that waits, and its connection serves no other request", async () => {
    await whileLocked(`lock table ${schema}.rows`, async () => {
      const controller = new AbortController();
      const reads = Array.from({ length: 2 }, () =>
        outcomeOf(storage.query("Rows", {}, { signal: controller.signal })),
      );
      await untilWaiting();
      controller.abort();
      expect(await Promise.all(reads)).toEqual(Array(2).fill(["storage.cancelled", "no"]));
    });

    // A late cancellation would end one of these.
    await Promise.all(Array.from({ length: 50 }, () => storage.query("Rows", {})));
  });

  test("ends a scan", async () => {
    const text = `insert into ${schema}.rows (t, pk, rk, version, at, body, bytes)
      select 1, 'big', i::text, i, i, jsonb_build_object('text', repeat('x', 1000) || i), 1000 from generate_series(1, 10000) i`;
    await sql(text);
    const literal = { edm: "Edm.String", value: "absent" } as const;
    const filter = { name: "text", op: "eq", literal } as const;

    for (let delay = 0; delay < 30; delay += 3) {
      const signal = AbortSignal.timeout(delay);
      const outcome = await outcomeOf(storage.query("Rows", { filter }, { signal }));
      expect([undefined, ["storage.cancelled", "no"]]).toContainEqual(outcome);
      expect((await storage.query("Rows", {})).entities.length).toBeGreaterThan(0);
    }
  });

  test("ends no other request if its cancellation is late", async () => {
    await storage.transact("Rows", [upsert("first"), upsert("second")]);
    const lock = (rowKey: string): string => `select * from ${schema}.rows where rk = '${rowKey}' for update`;
    await using proxy = await tcpProxy(Number(new URL(target).port));
    const url = new URL(target);
    url.port = String(proxy.port);
    await using far = await openPostgres(url.href, { maxConnections: 1 });
    const controller = new AbortController();
    let first: Promise<unknown> | undefined;
    await whileLocked(lock("first"), async () => {
      first = outcomeOf(far.write("Rows", upsert("first"), { signal: controller.signal }));
      await untilWaiting();
      proxy.delay(300);
      controller.abort();
    });
    expect(await first).toBeUndefined();

    let second: Promise<unknown> | undefined;
    await whileLocked(lock("second"), async () => {
      second = outcomeOf(far.write("Rows", upsert("second")));
      await setTimeout(600);
    });
    expect(await second).toBeUndefined();
  });

  test("leaves the queue for a connection", async () => {
    await storage.write("Rows", upsert("queue"));
    await whileLocked(`select * from ${schema}.rows where rk = 'queue' for update`, async () => {
      const controllers = [new AbortController(), new AbortController()];
      const running = controllers.map(({ signal }) =>
        outcomeOf(storage.write("Rows", upsert("queue"), { signal })),
      );
      await untilWaiting();
      await setTimeout(50);
      const queued = outcomeOf(
        storage.get("Rows", { partitionKey: "p", rowKey: "queue" }, { signal: AbortSignal.timeout(50) }),
      );

      expect(await queued).toEqual(["storage.cancelled", "no"]);
      for (const controller of controllers) controller.abort();
      await Promise.all(running);
    });
    await Promise.all(Array.from({ length: 10 }, () => storage.write("Rows", upsert("queue"))));
  });

  test.each([
    ["a signal", {}, "storage.cancelled"],
    ["timeoutMs", { timeoutMs: 200 }, "storage.timeout"],
  ])("over a network that hangs ends by %s, and a write may be stored", async (_, options, code) => {
    const { port } = new URL(target);
    await using proxy = await tcpProxy(Number(port));
    const url = new URL(target);
    url.port = String(proxy.port);
    const far = await openPostgres(url.href, { maxConnections: 4, waitMs: 500, ...options });
    await far.get("Rows", { partitionKey: "p", rowKey: "a" });
    // Its sweep and its hints hang too.
    const { signals } = far;
    signals?.listen("queue", () => undefined);
    await far.createTable("Swept");
    await far.deleteTable("Swept");
    proxy.freeze();
    signals?.announce("queue");
    const startedAt = performance.now();
    const signal = (): AbortSignal => AbortSignal.timeout(code === "storage.timeout" ? 60_000 : 200);

    const outcomes = await Promise.all([
      outcomeOf(far.write("Rows", upsert("far"), { signal: signal() })),
      outcomeOf(far.get("Rows", { partitionKey: "p", rowKey: "a" }, { signal: signal() })),
    ]);
    await far.close();

    expect(outcomes[0]).toEqual([code, "maybe"]);
    // A connection that was just being made is no longer waited for.
    expect([
      [code, "no"],
      ["storage.server-busy", "no"],
    ]).toContainEqual(outcomes[1]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test("does not end the process if a connection of a used pool is lost", async () => {
    await using proxy = await tcpProxy(Number(new URL(server()).port));
    const url = new URL(server());
    url.port = String(proxy.port);
    const pool = new pg.Pool({ connectionString: url.href });
    (await pool.connect()).release();
    const own = await openPostgresPool(pool, { schema });
    await own.write("Rows", upsert("lost"));

    await whileLocked(`select * from ${schema}.rows where rk = 'lost' for update`, async () => {
      const running = outcomeOf(own.write("Rows", upsert("lost")));
      await untilWaiting();
      proxy.cut();
      expect(await running).toEqual(["storage.connection-lost", "maybe"]);
    });

    await own.write("Rows", upsert("lost"));
    await own.close();
    await pool.end();
  });
});
