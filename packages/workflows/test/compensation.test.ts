import { tableQueues } from "@partita/queues";
import { withFaults } from "@partita/testing";
import { expect, test } from "vitest";
import {
  defineWorkflow,
  type StepInfo,
  type Workflow,
  type WorkflowError,
  type WorkflowStatus,
  type WorkflowStep,
  workflowStatus,
} from "../src/index.ts";
import { openWorld, type World } from "./support/world.ts";

/** What was done outside of runs, in order. */
type Done = string[];

const fails = (): never => {
  throw Object.assign(new Error("card declined"), { code: "bank.declined" });
};

/** What a status shows of a step that failed so. */
const failedPay = ["pay", { code: "bank.declined", message: "card declined" }];

/** The commonest saga: what was reserved is released where it cannot be paid. */
const orderFlow = (done: Done, pay: () => unknown): Workflow<undefined> =>
  defineWorkflow(
    "order",
    async (step) => {
      await step.run("reserve", () => void done.push("reserve"));
      try {
        await step.run("pay", () => {
          done.push("pay");
          return pay();
        });
      } catch (error) {
        done.push("caught");
        const { code, details } = error as WorkflowError;
        await step.run("release", () => void done.push("release"));
        return { code, details };
      }
      await step.run("ship", () => void done.push("ship"));
      return "shipped";
    },
    { attempts: 3 },
  );

const flowOf = (handler: (step: WorkflowStep) => Promise<unknown>): Workflow<undefined> =>
  defineWorkflow("order", handler);

/** Runs a workflow until its run has ended. */
async function endOf(world: World, flow: Workflow<undefined>): Promise<WorkflowStatus> {
  await flow.start(world.queues, undefined, { id: "1" });
  world.start({ workflows: [flow] });
  await world.until(() => world.events.some(({ type }) => type === "done" || type === "poisoned"));
  return statusOf(world, flow);
}

const statusOf = async (world: World, flow: Workflow<undefined>): Promise<WorkflowStatus> =>
  (await workflowStatus(world.storage, flow, "1")) as WorkflowStatus;

const stepsOf = ({ steps }: WorkflowStatus): unknown[] =>
  steps.map(({ name, error }) => (error === undefined ? name : [name, error]));

test("a workflow that catches the failure of a step undoes what was done, and the run is done", async () => {
  await using world = await openWorld();
  const done: Done = [];
  const status = await endOf(world, orderFlow(done, fails));

  expect(done).toEqual(["reserve", "pay", "pay", "pay", "caught", "release"]);
  expect(status).toMatchObject({ state: "done", attempts: 0 });
  expect(status).not.toHaveProperty("error");
  expect(stepsOf(status)).toEqual(["reserve", failedPay, "release"]);
  expect(status.output).toEqual({
    code: "workflow.step-failed",
    details: { n: 2, step: "pay", errorCode: "bank.declined", error: "card declined" },
  });
  expect(world.events.some(({ type }) => type === "poisoned")).toBe(false);
});

test("a failure that passes is not seen by the workflow", async () => {
  await using world = await openWorld();
  const done: Done = [];
  let calls = 0;
  const status = await endOf(
    world,
    orderFlow(done, () => (++calls < 3 ? fails() : "paid")),
  );

  expect(done).toEqual(["reserve", "pay", "pay", "pay", "ship"]);
  expect(status).toMatchObject({ state: "done", output: "shipped" });
});

test.each([
  [1, "alone"],
  [2, "alone"],
  [1, "after another one"],
  [2, "after another one"],
] as const)("a step with %s attempts is tried as often: %s", async (maxAttempts, where) => {
  await using world = await openWorld();
  const done: Done = [];
  const flow = flowOf(async (step) => {
    if (where !== "alone") await step.run("before", () => 1);
    const pay = (): never => {
      done.push("pay");
      return fails();
    };
    await step
      .run("pay", pay, { attempts: maxAttempts })
      .catch(() => step.run("release", () => void done.push("release")));
  });
  await endOf(world, flow);

  expect(done).toEqual([...Array.from({ length: maxAttempts }, () => "pay"), "release"]);
});

test("what a workflow catches is the same in each delivery, and the step that failed is not done again", async () => {
  await using world = await openWorld();
  let [pays, releases] = [0, 0];
  const caught: unknown[] = [];
  const flow = flowOf(async (step) => {
    const pay = (): never => {
      pays++;
      return fails();
    };
    await step.run("pay", pay, { attempts: 1 }).catch((error: WorkflowError) => {
      const { name, code, message, details } = error;
      caught.push({ name, code, message, details });
    });
    await step.run("release", () => {
      if (++releases < 3) throw new Error("not yet");
    });
    await step.sleep("a while", 60_000);
    return step.run("after", () => "end");
  });
  const status = await endOf(world, flow);

  expect(status).toMatchObject({ state: "done", output: "end" });
  expect([pays, releases]).toEqual([1, 3]);
  expect(caught.length).toBeGreaterThanOrEqual(4);
  for (const error of caught) expect(error).toEqual(caught[0]);
});

test("a failure that the workflow hides is recorded, also where it does nothing more", async () => {
  await using world = await openWorld();
  const flow = flowOf(async (step) => {
    await step.run("pay", fails, { attempts: 1 }).catch(() => undefined);
    return "ignored";
  });
  const status = await endOf(world, flow);

  expect(status).toMatchObject({ state: "done", output: "ignored" });
  expect(stepsOf(status)).toEqual([failedPay]);
});

test.each<[string, (error: unknown) => unknown, object]>([
  [
    "as it is",
    (error) => error,
    { code: "workflow.step-failed", message: expect.stringContaining("card declined") },
  ],
  ["as a cause", (cause) => new Error("no order", { cause }), { message: "no order" }],
])(
  "a workflow that throws the failure again, %s, has failed at once, and what it undid stays undone",
  async (_, wrap, error) => {
    await using world = await openWorld();
    const flow = flowOf(async (step) => {
      try {
        await step.run("pay", fails, { attempts: 2 });
      } catch (failure) {
        await step.run("release", () => 1);
        throw wrap(failure);
      }
    });
    const status = await endOf(world, flow);

    expect(status).toMatchObject({ state: "failed", error });
    expect(stepsOf(status)).toEqual([failedPay, "release"]);
    // Two attempts, of which the first one ended its delivery.
    expect(world.events.filter(({ type }) => type === "failed")).toHaveLength(1);
    expect(await world.poison("order")).toHaveLength(1);
  },
);

test("a run whose workflow does not catch a failure is retried from the step that failed", async () => {
  await using world = await openWorld();
  const done: Done = [];
  let isBroken = true;
  const flow = flowOf(async (step) => {
    await step.run("reserve", () => void done.push("reserve"));
    const pay = (): string => {
      done.push("pay");
      return isBroken ? fails() : "paid";
    };
    return step.run("pay", pay, { attempts: 1 });
  });
  const failed = await endOf(world, flow);
  expect(failed).toMatchObject({
    state: "failed",
    error: { code: "bank.declined", message: "card declined" },
  });
  expect(stepsOf(failed)).toEqual(["reserve"]);

  isBroken = false;
  await flow.retry(world, "1");
  await world.until(() => world.events.some(({ type }) => type === "done"));
  expect(done).toEqual(["reserve", "pay", "pay"]);
  expect(await statusOf(world, flow)).toMatchObject({ state: "done", output: "paid" });
});

test("a step that undoes something and fails itself fails the run, and a retry goes on with it", async () => {
  await using world = await openWorld();
  const done: Done = [];
  let isBroken = true;
  const flow = flowOf(async (step) => {
    const pay = (): never => {
      done.push("pay");
      return fails();
    };
    const release = (): number => {
      done.push("release");
      return isBroken ? fails() : 1;
    };
    await step.run("pay", pay, { attempts: 1 }).catch(() => step.run("release", release, { attempts: 2 }));
    return "undone";
  });
  expect(await endOf(world, flow)).toMatchObject({ state: "failed" });
  expect(done).toEqual(["pay", "release", "release"]);

  isBroken = false;
  await flow.retry(world, "1");
  await world.until(() => world.events.some(({ type }) => type === "done"));
  expect(done).toEqual(["pay", "release", "release", "release"]);
  expect(await statusOf(world, flow)).toMatchObject({ state: "done", output: "undone" });
});

test.each([1, 3])(
  "a step in which the process ends %s times has failed, and the workflow undoes it",
  async (maxAttempts) => {
    await using world = await openWorld();
    const done: Done = [];
    const lives = Array.from({ length: maxAttempts + 1 }, () => ({ isOver: false }));
    const flowIn = (life: { isOver: boolean }): Workflow<undefined> =>
      flowOf(async (step) => {
        await step.run("reserve", () => void done.push("reserve"));
        const die = (_: unknown, { signal }: StepInfo): Promise<never> => {
          done.push("pay");
          life.isOver = true;
          // So that the test can end.
          return new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
        };
        await step.run("pay", die, { attempts: maxAttempts }).catch(async (error: WorkflowError) => {
          done.push(String(error.details?.["errorCode"]));
          await step.run("release", () => void done.push("release"));
        });
      });
    const flow = flowIn({ isOver: false });
    await flow.start(world.queues, undefined, { id: "1" });
    for (const life of lives) {
      // None of the requests of a process that has ended arrives.
      const storage = withFaults(world.storage, () => (life.isOver ? "unsent" : undefined));
      const queues = tableQueues(storage, { clock: world.clock });
      world.start({ workflows: [flowIn(life)], storage, queues });
      await world.until(() => life.isOver || world.events.some(({ type }) => type === "done"));
    }

    const pays = Array.from({ length: maxAttempts }, () => "pay");
    expect(done).toEqual(["reserve", ...pays, "workflow.exhausted", "release"]);
    expect(await statusOf(world, flow)).toMatchObject({ state: "done" });
  },
);
