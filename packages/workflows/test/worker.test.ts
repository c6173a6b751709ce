import { warningsDuring } from "@partita/test-support/warnings";
import { tracingChannel } from "node:diagnostics_channel";
import { StorageError } from "@partita/core";
import type { QueueStorage } from "@partita/queues";
import { expect, onTestFinished, test } from "vitest";
import { defineTask, defineWorkflow, startWorker, type WorkerEvent, workflowStatus } from "../src/index.ts";
import { openWorld, type World } from "./support/world.ts";

const types = ({ events }: World): string[] => events.map(({ type }) => type);
const isType = (world: World, type: WorkerEvent["type"]) => (): boolean => types(world).includes(type);

test("a task is done for each message, with its payload, and the message is removed", async () => {
  await using world = await openWorld();
  const seen: unknown[] = [];
  const ship = defineTask("shipOrder", (payload: { order: string }, { id, queue, deliveries }) => {
    seen.push([payload, id, queue, deliveries]);
  });
  await ship.send(world.queues, { order: "7" }, { id: "a" });
  await ship.send(world.queues, { order: "8" }, { id: "b", visibleAfterMs: 20_000 });
  const worker = world.start({ tasks: [ship] });
  await world.idle(worker);

  expect(seen).toEqual([[{ order: "7" }, "a", "ship-order", 1]]);
  await world.until(() => seen.length === 2);
  await world.idle(worker);
  expect(seen[1]).toEqual([{ order: "8" }, "b", "ship-order", 1]);
  expect(await world.count("ship-order")).toBe(0);
});

test("a task that fails is tried again after growing waits, and then goes to the poison queue", async () => {
  await using world = await openWorld();
  const at: number[] = [];
  const ship = defineTask(
    "ship",
    () => {
      at.push(world.clock.now());
      throw new Error("no truck");
    },
    { attempts: 3, queue: "orders" },
  );
  await ship.send(world.queues, undefined, { id: "a" });
  world.start({ tasks: [ship] });
  await world.until(isType(world, "poisoned"));

  expect(types(world).filter((type) => type !== "started")).toEqual(["failed", "failed", "poisoned"]);
  expect(at).toHaveLength(3);
  expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThan((at[1] ?? 0) - (at[0] ?? 0));
  expect(await world.poison("orders")).toMatchObject([
    { queue: "orders", reason: "failed too often", deliveries: 3, text: expect.stringContaining('"id":"a"') },
  ]);
  expect(await world.count("orders")).toBe(0);
});

test.each([
  ["hello", "workflow.message"],
  ['{"partita":1,"task":"ship"}', "workflow.message"],
  ['{"partita":1,"task":"sail","id":"1"}', "workflow.unknown-name"],
  ['{"partita":1,"workflow":"sail","id":"1"}', "workflow.unknown-name"],
])("%s goes to the poison queue at once, with the original id", async (text, error) => {
  await using world = await openWorld();
  const ship = defineTask("ship", () => undefined, { queue: "orders" });
  await world.queues.createQueue("orders");
  const { id } = await world.queues.put("orders", text);
  const worker = world.start({ tasks: [ship] });
  await world.idle(worker);

  expect(await world.poison("orders")).toEqual([
    { queue: "orders", id, reason: "not understood", error, deliveries: 1, text },
  ]);
  expect(await world.count("orders")).toBe(0);
});

test("a text that leaves no room beside it is in the poison queue in parts, whole", async () => {
  await using world = await openWorld();
  const ship = defineTask("ship", () => undefined, { queue: "orders" });
  await world.queues.createQueue("orders");
  const text = '"\u{1f600}'.repeat(13_000);
  await world.queues.put("orders", text);
  await world.idle(world.start({ tasks: [ship] }));

  const parts = await world.poison("orders");
  expect(parts.length).toBeGreaterThan(1);
  const inOrder = parts.toSorted((a, b) => Number(a["part"]) - Number(b["part"]));
  expect(inOrder.map(({ text: part }) => part).join("")).toBe(text);
});

test("a task that ends its process goes to the poison queue, too", async () => {
  await using world = await openWorld();
  let calls = 0;
  const crash = defineTask("crash", () => void calls++, { attempts: 3 });
  await crash.send(world.queues, undefined, { id: "a" });
  for (let n = 0; n < 3; n++) {
    await world.queues.receive("crash", { visibilityMs: 1000 });
    world.clock.advance(1000);
  }
  const worker = world.start({ tasks: [crash] });
  await world.idle(worker);

  expect(calls).toBe(0);
  expect(await world.poison("crash")).toMatchObject([
    { reason: "failed too often", error: "workflow.exhausted", deliveries: 4 },
  ]);
});

test("a lease is renewed while work takes long, so that nobody else does it", async () => {
  await using world = await openWorld();
  let calls = 0;
  const slow = defineTask("slow", async (_: undefined, { signal }) => {
    calls++;
    await world.clock.wait(60_000, signal);
  });
  await slow.send(world.queues, undefined);
  const workers = [world.start({ tasks: [slow] }), world.start({ tasks: [slow] })];
  await world.until(isType(world, "done"));

  expect(calls).toBe(1);
  expect(workers).toHaveLength(2);
  expect(types(world)).toEqual(["started", "done"]);
});

test("a lease that is not renewed in time aborts the signal before others may take the message", async () => {
  await using world = await openWorld();
  let abortedAt = 0;
  const begin = world.clock.now();
  const slow = defineTask("slow", async (_: undefined, { signal }) => {
    await world.clock.wait(60_000, signal);
    abortedAt ||= world.clock.now() - begin;
    signal.throwIfAborted();
  });
  await slow.send(world.queues, undefined);
  const update = (): Promise<never> => Promise.reject(unreachable());
  world.start({ tasks: [slow], queues: { ...methodsOf(world.queues), update } });
  await world.until(isType(world, "lost"));

  expect(abortedAt).toBeGreaterThanOrEqual(7_500);
  expect(abortedAt).toBeLessThan(10_000);
});

test("a worker that lost its message records nothing, and the step is recorded once", async () => {
  await using world = await openWorld();
  const results: string[] = [];
  let stall = Promise.withResolvers<void>();
  const flow = defineWorkflow("stalls", async (step) => {
    const who = await step.run("one", async () => {
      const me = `worker ${results.push("begun")}`;
      if (me === "worker 1") await stall.promise;
      return me;
    });
    await step.run("two", () => void results.push(`two after ${who}`));
  });
  await flow.start(world.queues, undefined, { id: "1" });
  // Its renewals fail, and its step does not look at the signal.
  const update = (): Promise<never> => Promise.reject(unreachable());
  world.start({ workflows: [flow], queues: { ...methodsOf(world.queues), update } });
  await world.until(() => results.length === 1);
  world.start({ workflows: [flow] });
  await world.until(isType(world, "done"));
  stall.resolve();
  await world.until(isType(world, "lost"));
  stall = Promise.withResolvers();

  expect(results).toEqual(["begun", "begun", "two after worker 2"]);
  expect((await workflowStatus(world.storage, flow, "1"))?.steps).toMatchObject([
    { name: "one", output: "worker 2" },
    { name: "two" },
  ]);
});

test("a worker that stops aborts the signal, lets handlers end, and releases what is not done", async () => {
  await using world = await openWorld();
  const ended: string[] = [];
  const slow = defineTask("slow", async (name: string, { signal }) => {
    await world.clock.wait(60_000, signal);
    ended.push(name);
    if (name === "not done") signal.throwIfAborted();
  });
  await slow.send(world.queues, "done");
  await slow.send(world.queues, "not done");
  const worker = world.start({ tasks: [slow], concurrency: 2 });
  await world.until(() => types(world).length === 2);
  let isStopped = false;
  void worker.stop().then(() => (isStopped = true));
  await world.until(() => isStopped);

  expect(ended.toSorted()).toEqual(["done", "not done"]);
  expect(types(world).toSorted()).toEqual(["done", "released", "started", "started"]);
  const [visible] = await world.queues.peek("slow");
  expect(visible?.text).toContain("not done");
  await expect(worker.stopped).resolves.toBeUndefined();
});

test("a worker survives an outage of its queue, and says so", async () => {
  await using world = await openWorld();
  let isDown = true;
  const done: string[] = [];
  const ship = defineTask("ship", () => void done.push("ship"));
  await ship.send(world.queues, undefined);
  const receive: QueueStorage["receive"] = (...args) =>
    isDown ? Promise.reject(unreachable()) : world.queues.receive(...args);
  const worker = world.start({ tasks: [ship], queues: { ...methodsOf(world.queues), receive } });
  await world.until(() => world.events.length === 4);
  const waits = world.events.map((event) => (event.type === "outage" ? event.againAfterMs : 0));
  isDown = false;
  await world.until(isType(world, "done"));
  await world.idle(worker);

  expect(waits).toEqual([250, 500, 1000, 2000]);
  expect(types(world).slice(4)).toEqual(["recovered", "started", "done"]);
  expect(done).toEqual(["ship"]);
});

test("a removal whose answer was lost is repeated, and found done", async () => {
  await using world = await openWorld();
  let lost = 0;
  const ship = defineTask("ship", () => undefined);
  await ship.send(world.queues, undefined);
  const remove: QueueStorage["remove"] = async (...args) => {
    await world.queues.remove(...args);
    if (lost++ === 0)
      throw new StorageError("storage.connection-lost", "The answer was lost.", { applied: "maybe" });
  };
  const worker = world.start({ tasks: [ship], queues: { ...methodsOf(world.queues), remove } });
  await world.until(isType(world, "done"));
  await world.idle(worker);

  expect(types(world)).toEqual(["started", "done"]);
});

test("what onEvent throws does not stop a worker, and is a warning once", async () => {
  await using world = await openWorld();
  const ship = defineTask("ship", () => undefined);
  await ship.send(world.queues, undefined);
  let calls = 0;
  const onEvent = (): unknown => {
    if (++calls === 1) throw new Error("hunter2");
    return Promise.reject(new Error("hunter2"));
  };
  const warnings = await warningsDuring(() => world.idle(world.start({ tasks: [ship], onEvent })));

  expect(calls).toBe(2);
  expect(warnings.map(({ code }) => code)).toEqual(["PARTITA_ON_EVENT"]);
  expect(warnings[0]?.message).not.toContain("hunter2");
});

test("tasks and workflows of one queue share it, and several messages are handled at once", async () => {
  await using world = await openWorld();
  let now = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++now);
    await world.clock.wait(1000);
    now--;
  };
  const ship = defineTask("ship", work, { queue: "orders" });
  const flow = defineWorkflow("bill", (step) => step.run("bill", work), {
    queue: "orders",
  });
  for (let i = 0; i < 6; i++) {
    await ship.send(world.queues, undefined);
    await flow.start(world.queues, undefined);
  }
  const worker = world.start({ tasks: [ship], workflows: [flow], concurrency: 4 });
  await world.idle(worker);

  expect(most).toBe(4);
  expect(types(world).filter((type) => type === "done")).toHaveLength(12);
});

test("tasks and steps are published to tracing channels, without what they hold", async () => {
  await using world = await openWorld();
  const traced: object[] = [];
  for (const name of ["partita:task", "partita:step"]) {
    const channel = tracingChannel(name);
    const subscriber = { asyncEnd: (event: object) => void traced.push({ ...event }) };
    channel.subscribe(subscriber as never);
    onTestFinished(() => {
      channel.unsubscribe(subscriber as never);
    });
  }
  const flow = defineWorkflow("bill", async (step, input: { secret: string }) =>
    step.run("one", () => input.secret),
  );
  await flow.start(world.queues, { secret: "hunter2" }, { id: "1" });
  await world.idle(world.start({ workflows: [flow] }));

  expect(traced).toMatchObject([
    { workflow: "bill", id: "1", step: "one", n: 1 },
    { kind: "workflow", name: "bill", id: "1", queue: "bill", deliveries: 1 },
  ]);
  expect(JSON.stringify(traced)).not.toContain("hunter2");
  expect(JSON.stringify(world.events)).not.toContain("hunter2");
});

test.each<[object, string]>([
  [{}, "workflow.option"],
  [{ storage: {} }, "workflow.option"],
  [{ tasks: [() => undefined] }, "workflow.option"],
  [{ visibilityMs: 999 }, "workflow.option"],
  [{ concurrency: 0 }, "workflow.option"],
  [{ taks: [] }, "workflow.option"],
  [{ tasks: [defineTask("ship", () => undefined), defineTask("ship", () => undefined)] }, "workflow.name"],
])("case %#: wrong options of a worker are refused", async (options, code) => {
  await using world = await openWorld();
  const { storage, queues } = world;

  expect(() => startWorker({ storage, queues, ...options } as never)).toThrow(
    expect.objectContaining({ code }),
  );
});

const unreachable = (): StorageError =>
  new StorageError("storage.unreachable", "Nobody answers.", { applied: "no" });

/** A copy of queues whose methods may be replaced. */
const methodsOf = (queues: QueueStorage): QueueStorage => ({
  description: queues.description,
  maxTextBytes: queues.maxTextBytes,
  createQueue: queues.createQueue.bind(queues),
  deleteQueue: queues.deleteQueue.bind(queues),
  listQueues: queues.listQueues.bind(queues),
  put: queues.put.bind(queues),
  receive: queues.receive.bind(queues),
  update: queues.update.bind(queues),
  remove: queues.remove.bind(queues),
  peek: queues.peek.bind(queues),
  clear: queues.clear.bind(queues),
  approximateCount: queues.approximateCount.bind(queues),
  close: queues.close.bind(queues),
  [Symbol.asyncDispose]: queues.close.bind(queues),
});
