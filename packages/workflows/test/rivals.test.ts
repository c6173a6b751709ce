import type { QueueStorage } from "@partita/queues";
import { expect, test } from "vitest";
import { defineWorkflow, workflowStatus } from "../src/index.ts";
import { openWorld, type World } from "./support/world.ts";

const isType = (world: World, type: string) => (): boolean =>
  world.events.some((event) => event.type === type);

test("a second start does not take the place of a step that takes long", async () => {
  await using world = await openWorld();
  const begun: number[] = [];
  const flow = defineWorkflow("long", async (step) => {
    await step.run("one", async (_context, { signal }) => {
      begun.push(world.clock.now());
      await world.clock.wait(600_000, signal);
    });
    await step.run("two", () => 2);
  });
  await flow.start(world.queues, undefined, { id: "1" });
  world.start({ workflows: [flow], concurrency: 2 });
  await world.until(() => begun.length === 1);
  await flow.start(world.queues, undefined, { id: "1" });
  await world.until(async () => (await world.count("long")) === 0);

  expect(begun).toHaveLength(1);
  expect(world.events.map(({ type }) => type)).not.toContain("failed");
  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({
    state: "done",
    steps: [{ name: "one" }, { name: "two" }],
  });
});

test("an earlier delivery of a message that still takes itself for its holder records nothing", async () => {
  await using world = await openWorld();
  const begun: string[] = [];
  const stalled = Promise.withResolvers<void>();
  const flow = defineWorkflow("sleepy", async (step) => {
    await step.run("one", async () => {
      if (begun.push("one") === 1) await stalled.promise;
    });
    await step.run("two", () => void begun.push("two"));
  });
  await flow.start(world.queues, undefined, { id: "1" });
  // Its machine stands still, and with it the time by which it measures its lease; then the step ends.
  let isStill = false;
  let from = 0;
  const clock = {
    now: () => world.clock.now(),
    monotonic: () => (isStill ? from : (from = world.clock.now())),
    wait: (ms: number, signal?: AbortSignal) => world.clock.wait(ms, signal),
  };
  const update = (): Promise<never> => Promise.reject(new Error("Not sent."));
  world.start({ workflows: [flow], clock, queues: without(world.queues, { update }) });
  await world.until(() => begun.length === 1);
  isStill = true;
  await world.pass(11_000);
  const second = Promise.withResolvers<void>();
  const held = defineWorkflow("sleepy", async (step) => {
    await step.run("one", async () => {
      begun.push("one again");
      await second.promise;
    });
    await step.run("two", () => void begun.push("two again"));
  });
  world.start({ workflows: [held] });
  await world.until(() => begun.includes("one again"));
  stalled.resolve();
  await world.pass(1000);
  expect((await workflowStatus(world.storage, flow, "1"))?.steps).toEqual([]);
  second.resolve();
  await world.until(isType(world, "done"));

  expect(begun).toEqual(["one", "one again", "two again"]);
});

const without = (queues: QueueStorage, others: Partial<QueueStorage>): QueueStorage =>
  new Proxy(queues, {
    get(target, name) {
      const value: unknown = Reflect.get(others, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

test.each([
  ["an id that is too long", { id: "x".repeat(300) }],
  ["an id that is no text of Unicode", { id: "\ud800" }],
  ["a retry that is too long", { id: "1", retry: "x".repeat(40_000) }],
  ["an input that is nested too deep", { id: "1", input: nested(600) }],
  ["an input that is longer as it is stored", { id: "1", input: `[${"1e20,".repeat(10_000)}1]` }],
])(
  "a workflow's message of another program, with %s, goes to the poison queue at once",
  async (_, message) => {
    await using world = await openWorld();
    const flow = defineWorkflow("flow", () => Promise.resolve());
    await world.queues.createQueue("flow");
    const { input = "null", ...rest } = message as { readonly input?: string };
    const text = `${JSON.stringify({ partita: 1, workflow: "flow", ...rest }).slice(0, -1)},"input":${input}}`;
    const { id } = await world.queues.put("flow", text);
    const worker = world.start({ workflows: [flow] });
    await world.idle(worker);

    expect(await world.poison("flow")).toMatchObject([{ id, error: "workflow.message", deliveries: 1 }]);
    expect(await world.count("flow")).toBe(0);
  },
);

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}
