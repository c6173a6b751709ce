import { bool, defineEntity, text } from "@partita/core";
import { constant } from "@partita/core/keys";
import { expect, test } from "vitest";
import { defineWorkflow, type Workflow, type WorkflowStep, workflowStatus } from "../src/index.ts";
import { openWorld } from "./support/world.ts";

class Channel extends defineEntity({
  table: "Channels",
  partitionKey: { name: text() },
  rowKey: { row: constant("channel") },
  properties: { isValid: bool() },
}) {}

type Handler = (step: WorkflowStep) => Promise<unknown>;
const named = (handler: Handler, maxAttempts = 1): Workflow<undefined> =>
  defineWorkflow("flow", handler, { attempts: maxAttempts });

/** Runs a workflow whose only attempt fails. @returns what a status shows of the error */
async function failure(handler: Handler): Promise<object | undefined> {
  await using world = await openWorld();
  const flow = named(handler);
  await flow.start(world.queues, undefined, { id: "1" });
  await world.idle(world.start({ workflows: [flow] }));
  const status = await workflowStatus(world.storage, flow, "1");
  expect(status?.state).toBe("failed");
  return status?.error;
}

test.each<[string, Handler, string, string]>([
  [
    "an output that is not JSON",
    (step) => step.run("mark", () => ({ at: [new Date(0)] })),
    "workflow.not-json",
    'The output of step "mark" is not JSON: at[0] is an object of Date',
  ],
  [
    "an output that is too large",
    (step) => step.run("mark", () => "x".repeat(70_000)),
    "workflow.output-too-large",
    'The output of step "mark" has 70002 bytes',
  ],
  [
    "an output of the workflow that is not JSON",
    () => Promise.resolve(1n),
    "workflow.not-json",
    'The output of workflow "flow" is not JSON',
  ],
  [
    "changes that are not saved",
    (step) =>
      step.run("mark", (context) => {
        context.removeByKey(Channel, { name: "Football" }, "*");
      }),
    "workflow.unsaved-changes",
    "1 unsaved changes in its context",
  ],
  [
    "two steps at once",
    (step) => Promise.all([step.run("one", () => 1), step.run("two", () => 2)]),
    "workflow.parallel-steps",
    "while another one was running",
  ],
  [
    "a step in a step",
    (step) => step.run("one", () => step.run("two", () => 2)),
    "workflow.parallel-steps",
    "while another one was running",
  ],
  [
    "a step that nobody waits for",
    (step) => {
      void step.run("one", () => new Promise((resolve) => setImmediate(resolve, 1)));
      return Promise.resolve();
    },
    "workflow.parallel-steps",
    "ended while its step 1 was running",
  ],
  ["a step without a name", (step) => step.run("", () => 1), "workflow.name", "The name of a step"],
  ["a step without work", (step) => step.run("one", "work" as never), "workflow.option", "takes a function"],
  ["a sleep of no number", (step) => step.sleep("a", Number.NaN), "workflow.option", "step.sleep(name, ms)"],
  [
    "a misuse that the workflow hides",
    async (step) => {
      await Promise.all([step.run("one", () => 1), step.run("two", () => 2)]).catch(() => undefined);
      await step.run("three", () => 3).catch(() => undefined);
    },
    "workflow.parallel-steps",
    "while another one was running",
  ],
  ["something thrown that is no error", () => Promise.reject("hunter2"), undefined as never, "not an Error"],
])("%s ends the delivery", async (_, handler, code, message) => {
  const error = await failure(handler);

  expect(error).toEqual({ ...(code && { code }), message: expect.stringContaining(message) });
});

test.each<[string, Handler, string]>([
  ["another step", (step) => step.run("other", () => 1), 'named "other"'],
  ["another kind of step", (step) => step.sleep("one", 1), "a sleep"],
  ["one step less", () => Promise.resolve(), "ends before it"],
])(
  "a workflow that asks for %s than is recorded goes no further, and may be changed back",
  async (_, other, why) => {
    await using world = await openWorld();
    const before = named(async (step) => {
      await step.run("one", () => 1);
      await step.sleep("a while", 60_000);
      return step.run("two", () => 2);
    });
    await before.start(world.queues, undefined, { id: "1" });
    const worker = world.start({ workflows: [before] });
    await world.idle(worker);
    let isStopped = false;
    void worker.stop().then(() => (isStopped = true));
    await world.until(() => isStopped);
    const changed = named(other);
    const next = world.start({ workflows: [changed] });
    await world.until(() => world.events.some(({ type }) => type === "poisoned"));

    const status = await workflowStatus(world.storage, changed, "1");
    expect(status).toMatchObject({ state: "failed", error: { code: "workflow.changed" } });
    expect(status?.error?.message).toContain(why);
    expect(status?.steps).toMatchObject([{ name: "one", output: 1 }, { name: "a while" }]);

    isStopped = false;
    void next.stop().then(() => (isStopped = true));
    await world.until(() => isStopped);
    await before.retry(world, "1");
    await world.idle(world.start({ workflows: [before] }));
    expect(await workflowStatus(world.storage, before, "1")).toMatchObject({ state: "done", output: 2 });
  },
);

test("inputs and outputs of up to 64 KiB come back whole, also where a character is at the seam", async () => {
  await using world = await openWorld();
  const long = `${"x".repeat(32_766)}\u{1f600}${"y".repeat(30_000)}`;
  const flow = defineWorkflow("long", async (step, input: string) => step.run("one", () => input));
  await flow.start(world.queues, long, { id: "1" });
  await world.idle(world.start({ workflows: [flow] }));

  expect(await workflowStatus(world.storage, flow, "1")).toMatchObject({ input: long, output: long });
});

test("what cannot be started is refused before it is sent", async () => {
  await using world = await openWorld();
  const flow = defineWorkflow<unknown>("flow", () => Promise.resolve());

  await expect(flow.start(world.queues, { at: new Date(0) })).rejects.toMatchObject({
    code: "workflow.not-json",
    message: expect.stringContaining('The input of workflow "flow" is not JSON: at is'),
  });
  await expect(flow.start(world.queues, 1, { id: "" })).rejects.toMatchObject({ code: "workflow.option" });
  await expect(flow.start(world.queues, 1, { id: "/".repeat(200) })).resolves.toBeDefined();
  await expect(flow.start(world.queues, 1, { id: "\u0001".repeat(200) })).rejects.toMatchObject({
    code: "workflow.name",
  });
  await expect(flow.start(world.queues, "x".repeat(70_000))).rejects.toMatchObject({
    code: "queue.text-too-large",
  });
  await expect(workflowStatus(world.storage, flow, "1")).resolves.toBeUndefined();
});
