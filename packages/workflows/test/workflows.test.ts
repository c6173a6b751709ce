import { defineEntity, createTables, TableContext, text, bool } from "@partita/core";
import { constant } from "@partita/core/keys";
import { expect, test, vi } from "vitest";
import { defineWorkflow, workflowStatus } from "../src/index.ts";
import { openWorld } from "./support/world.ts";

class Channel extends defineEntity({
  table: "Channels",
  partitionKey: { name: text() },
  rowKey: { row: constant("channel") },
  properties: { isValid: bool() },
}) {}

test("a workflow does its steps once each, in order, and its outputs and its end are recorded", async () => {
  await using world = await openWorld();
  const done: string[] = [];
  const flow = defineWorkflow("countUp", async (step, input: { from: number }) => {
    const one = await step.run("one", () => {
      done.push("one");
      return { n: input.from + 1 };
    });
    const two = await step.run("two", async () => {
      done.push("two");
      return one.n + 1;
    });
    await step.run("nothing", () => undefined);
    return { two };
  });
  await flow.start(world.queues, { from: 5 }, { id: "first" });
  const worker = world.start({ workflows: [flow] });
  await world.idle(worker);

  expect(done).toEqual(["one", "two"]);
  const status = await workflowStatus(world.storage, flow, "first");
  expect(status).toMatchObject({ state: "done", attempts: 0, input: { from: 5 }, output: { two: 7 } });
  expect(status?.steps.map(({ n, name, type, output }) => [n, name, type, output])).toEqual([
    [1, "one", "run", { n: 6 }],
    [2, "two", "run", 7],
    [3, "nothing", "run", undefined],
  ]);
  expect(await world.count("count-up")).toBe(0);
  expect(world.events.map(({ type }) => type)).toEqual(["started", "step", "step", "step", "done"]);
});

test("a run does not read the steps again that it recorded itself", async () => {
  await using world = await openWorld();
  const flow = defineWorkflow("long", async (step) => {
    for (let n = 1; n <= 20; n++) await step.run(`step ${n}`, () => n);
  });
  await flow.start(world.queues, undefined, { id: "1" });
  const read = vi.spyOn(world.storage, "query");
  await world.idle(world.start({ workflows: [flow] }));

  expect(read.mock.calls.filter(([table]) => table === "PartitaWorkflows")).toEqual([]);
  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({ state: "done" });
});

test("a step that fails is done again later, and those before it are not", async () => {
  await using world = await openWorld();
  const done: string[] = [];
  const flow = defineWorkflow("failing", async (step) => {
    const n = await step.run("one", () => done.push("one"));
    await step.run("two", () => {
      done.push(`two after ${n}`);
      if (done.length < 4) throw new Error("not yet");
    });
  });
  await flow.start(world.queues, undefined, { id: "1" });
  const worker = world.start({ workflows: [flow] });
  await world.idle(worker);
  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({
    state: "running",
    attempts: 1,
    error: { message: "not yet" },
  });
  await world.until(() => world.events.some(({ type }) => type === "done"));

  expect(done).toEqual(["one", "two after 1", "two after 1", "two after 1"]);
  expect(await workflowStatus(world.storage, flow, "1")).not.toHaveProperty("error");
});

test("a context of its own is made for each step, and an entity comes back as its properties", async () => {
  await using world = await openWorld();
  await createTables(world.storage, [Channel]);
  const contexts = new Set<object>();
  const flow = defineWorkflow("mark", async (step) => {
    await step.run("add", async (context) => {
      contexts.add(context);
      context.create(Channel, { name: "Football", isValid: true });
      await context.saveChanges();
    });
    const channel = await step.run("mark", (context) => {
      contexts.add(context);
      return context.modify(Channel, { name: "Football" }, (found) => void (found.isValid = false));
    });
    return { isChannel: channel instanceof Channel, channel };
  });
  await flow.start(world.queues, undefined, { id: "1" });
  await world.idle(world.start({ workflows: [flow] }));

  expect(contexts.size).toBe(2);
  expect((await workflowStatus(world.storage, flow, "1"))?.output).toEqual({
    isChannel: false,
    channel: { name: "Football", row: "channel", isValid: false },
  });
  const found = await new TableContext(world.storage).find(Channel, { name: "Football" });
  expect(found?.isValid).toBe(false);
});

test("a sleep holds no worker, and lasts as long as it says, also beyond what a queue can wait", async () => {
  await using world = await openWorld();
  const at: number[] = [];
  const begin = world.clock.now();
  const flow = defineWorkflow("sleepy", async (step) => {
    await step.run("before", () => void at.push(world.clock.now() - begin));
    await step.sleep("a while", 30 * 24 * 3_600_000);
    await step.run("after", () => void at.push(world.clock.now() - begin));
  });
  await flow.start(world.queues, undefined, { id: "1" });
  const worker = world.start({ workflows: [flow] });
  await world.idle(worker);
  for (let day = 0; day < 31; day++) {
    world.clock.advance(24 * 3_600_000 - 6_000);
    await world.idle(worker);
  }

  expect(at).toHaveLength(2);
  expect(at[1]).toBeGreaterThanOrEqual(30 * 24 * 3_600_000);
  expect(at[1]).toBeLessThan(31 * 24 * 3_600_000);
  expect(world.events.filter(({ type }) => type === "released").length).toBeGreaterThan(3);
  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({ state: "done" });
});

test("a run is one run however often it is started, and the first input counts", async () => {
  await using world = await openWorld();
  const done: number[] = [];
  const flow = defineWorkflow("once", async (step, input: { n: number }) => {
    await step.run("one", () => void done.push(input.n));
    await step.sleep("a while", 60_000);
    await step.run("two", () => void done.push(input.n));
  });
  expect(await flow.start(world, { n: 1 }, { id: "1" })).toEqual({ id: "1" });
  const worker = world.start({ workflows: [flow] });
  await world.idle(worker);
  await flow.start(world.queues, { n: 2 }, { id: "1" });
  expect(await flow.start(world, { n: 3 }, { id: "1" })).toEqual({ id: "1", found: "running" });
  await world.until(async () => (await world.count("once")) === 0);
  await flow.start(world.queues, { n: 4 }, { id: "1" });
  await world.idle(worker);

  expect(done).toEqual([1, 1]);
  expect(await world.count("once")).toBe(0);
  const found = world.events.flatMap((event) => (event.type === "duplicate" ? [event.found] : []));
  expect(found[0]).toBe("running");
  expect(found.at(-1)).toBe("done");
  expect(await flow.start(world, { n: 3 }, { id: "1" })).toEqual({ id: "1", found: "done" });
});

test("another start takes the place of a message that was lost", async () => {
  await using world = await openWorld();
  const flow = defineWorkflow("orphan", async (step) => {
    await step.run("one", () => 1);
    await step.sleep("a while", 60_000);
    await step.run("two", () => 2);
  });
  await flow.start(world.queues, undefined, { id: "1" });
  const worker = world.start({ workflows: [flow] });
  await world.idle(worker);
  await world.queues.clear("orphan");
  await flow.start(world.queues, undefined, { id: "1" });
  await world.until(() => world.events.some(({ type }) => type === "done" && world.clock.now() > 0));
  await world.until(async () => (await world.count("orphan")) === 0);

  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({ state: "done" });
});

test("a run that fails too often is in the poison queue with its error, and goes on when it is retried", async () => {
  await using world = await openWorld();
  let isBroken = true;
  const done: string[] = [];
  const flow = defineWorkflow(
    "breaks",
    async (step, input: { order: string }) => {
      await step.run("one", () => void done.push("one"));
      await step.run("two", () => {
        done.push(input.order);
        if (isBroken) throw Object.assign(new Error("no stock"), { code: "shop.no-stock" });
      });
    },
    { attempts: 3 },
  );
  await flow.start(world.queues, { order: "7" }, { id: "1" });
  const worker = world.start({ workflows: [flow] });
  await world.until(() => world.events.some(({ type }) => type === "poisoned"));

  expect(done).toEqual(["one", "7", "7", "7"]);
  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({
    state: "failed",
    error: { code: "shop.no-stock", message: "no stock" },
    steps: [{ name: "one" }],
  });
  const [poison] = await world.poison("breaks");
  expect(poison).toMatchObject({ queue: "breaks", reason: "failed too often", error: "shop.no-stock" });
  expect(JSON.parse(String(poison?.["text"]))).toMatchObject({ workflow: "breaks", id: "1" });
  expect(await world.count("breaks")).toBe(0);

  isBroken = false;
  await flow.retry(world, "1");
  await world.idle(worker);

  expect(done).toEqual(["one", "7", "7", "7", "7"]);
  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({ state: "done" });
  await expect(flow.retry(world, "1")).rejects.toMatchObject({ code: "workflow.not-failed" });
  await expect(flow.retry(world, "2")).rejects.toMatchObject({ code: "workflow.not-found" });
});

test("progress gives a run all its attempts again", async () => {
  await using world = await openWorld();
  let calls = 0;
  const flow = defineWorkflow(
    "slow",
    async (step) => {
      for (let i = 0; i < 4; i++)
        await step.run(`step ${i}`, () => {
          if (++calls % 3 !== 0) throw new Error("not yet");
        });
    },
    { attempts: 3 },
  );
  await flow.start(world.queues, undefined, { id: "1" });
  world.start({ workflows: [flow] });
  await world.until(() => world.events.some(({ type }) => type === "done" || type === "poisoned"));

  expect(calls).toBe(12);
  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({ state: "done" });
});
