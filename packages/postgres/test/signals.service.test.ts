import { openStorage, type TableStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { hasPostgres } from "@partita/test-support/postgres";
import { defineTask, startWorker } from "@partita/workflows";
import { afterEach, describe, expect, test } from "vitest";
import { freshSchema, sql } from "./fresh-schema.ts";

const opened: TableStorage[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

/** Two storages over one schema, as two programs have. */
async function twoPrograms(): Promise<{ schema: string; one: TableStorage; other: TableStorage }> {
  const target = await freshSchema();
  const [one, other] = [await openStorage(target), await openStorage(target)];
  opened.push(one, other);
  return { schema: new URL(target).searchParams.get("schema") ?? "", one, other };
}

/** Listens to a name, and resolves when hints arrive. */
async function listening(storage: TableStorage, name: string): Promise<{ next: () => Promise<void> }> {
  let wake = (): void => {};
  const next = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const { promise: began, resolve } = Promise.withResolvers<void>();
  wake = resolve;
  storage.signals?.listen(name, () => wake());
  const asking = setInterval(() => storage.signals?.announce(name), 20);
  await began;
  clearInterval(asking);
  return { next };
}

describe.runIf(hasPostgres)("hints between programs", () => {
  test("reach the listeners of their name in every program", async () => {
    const { one, other } = await twoPrograms();
    const [a, b] = [await listening(one, "a"), await listening(other, "a")];
    let others = 0;
    other.signals?.listen("other", () => others++);

    const both = Promise.all([a.next(), b.next()]);
    one.signals?.announce("a");
    await both;

    expect(others).toBe(0);
  });

  test("reach nobody after the end of listening", async () => {
    const { one } = await twoPrograms();
    let calls = 0;
    const a = await listening(one, "a");
    const end = one.signals?.listen("a", () => calls++);
    end?.();

    const next = a.next();
    one.signals?.announce("a");
    await next;

    expect(calls).toBe(0);
  });

  test("arrive again after the listening connection was lost", async () => {
    const { schema, one, other } = await twoPrograms();
    const a = await listening(one, "a");

    const again = a.next();
    const ended = await sql("select pg_terminate_backend(pid) from pg_stat_activity where query = $1", [
      `listen partita_${schema}`,
    ]);
    expect(ended).toEqual([[true]]);
    await again;
    const next = a.next();
    other.signals?.announce("a");
    await next;
  });

  test("wake a worker that would otherwise wait for its next poll", async () => {
    const { one, other } = await twoPrograms();
    const { promise: handled, resolve } = Promise.withResolvers<unknown>();
    const greet = defineTask<object>("greet", (payload) => resolve(payload));
    // Its waits end by a hint, or never.
    const clock = {
      now: () => Date.now(),
      wait: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((end) => signal?.addEventListener("abort", () => end(), { once: true })),
    };
    await using worker = startWorker({ storage: one, queues: tableQueues(one), tasks: [greet], clock });
    await worker.idle();

    await greet.send(tableQueues(other), { name: "Ada" });

    expect(await handled).toEqual({ name: "Ada" });
  });
});
