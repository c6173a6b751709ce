import { tableQueues } from "@partita/queues";
import { withFaults } from "@partita/testing";
import { expect, test } from "vitest";
import {
  defineWorkflow,
  type Workflow,
  type WorkflowError,
  type WorkflowStatus,
  workflowStatus,
} from "../src/index.ts";
import { openWorld } from "./support/world.ts";

// A worker ends before or after each of its requests: the next one ends the run as if nothing had happened.

const maxAttempts = 2;
const requests = 40;

const orderFlow = (done: string[]): Workflow<undefined> =>
  defineWorkflow(
    "order",
    async (step) => {
      await step.run("reserve", () => void done.push("reserve"));
      try {
        await step.run("pay", () => {
          done.push("pay");
          throw new Error("card declined");
        });
        await step.run("ship", () => void done.push("ship"));
      } catch (error) {
        const { code, details } = error as WorkflowError;
        await step.run("release", () => void done.push("release"));
        await step.sleep("a while", 1000);
        await step.run("tell", () => void done.push("tell"));
        return { code, n: details?.["n"] };
      }
      return "shipped";
    },
    { attempts: maxAttempts },
  );

/** What came of a run whose first worker ended. */
interface Ended {
  readonly done: readonly string[];
  readonly status: WorkflowStatus | undefined;
  /** Whether it had so many requests to make. */
  readonly wasKilled: boolean;
}

/** Runs the saga with a worker that ends at one of its requests, and then with another one. */
async function runKilled(request: number, isCarriedOut: boolean): Promise<Ended> {
  await using world = await openWorld();
  const done: string[] = [];
  const flow = orderFlow(done);
  await flow.start(world.queues, undefined, { id: "1" });
  let made = 0;
  const storage = withFaults(world.storage, () => {
    made++;
    if (made < request) return undefined;
    return made === request && isCarriedOut ? "reset-after" : "unsent";
  });
  const isOver = (): boolean => world.events.some(({ type }) => type === "done" || type === "poisoned");
  const queues = tableQueues(storage, { clock: world.clock, random: () => 0 });
  world.start({ workflows: [flow], storage, queues });
  await world.until(() => made >= request || isOver());
  world.start({ workflows: [flow] });
  await world.until(isOver);
  const status = await workflowStatus(world.storage, flow, "1");
  return { done, status, wasKilled: made >= request };
}

test("a saga ends as it should wherever its worker is killed", async () => {
  let kills = 0;
  for (const isCarriedOut of [false, true])
    for (let request = 1; request <= requests; request++) {
      const { done, status, wasKilled } = await runKilled(request, isCarriedOut);
      if (wasKilled) kills++;
      const where = `request ${request}, carried out: ${isCarriedOut}`;

      expect(status, where).toMatchObject({ state: "done", output: { code: "workflow.step-failed", n: 2 } });
      expect(
        status?.steps.map(({ name, error }) => (error === undefined ? name : `${name} failed`)),
        where,
      ).toEqual(["reserve", "pay failed", "release", "a while", "tell"]);
      // Each is done at least once, and nothing before what it follows.
      expect([...new Set(done)], where).toEqual(["reserve", "pay", "release", "tell"]);
      expect(done.filter((one) => one === "pay").length, where).toBeLessThanOrEqual(maxAttempts + 1);
    }
  expect(kills).toBeGreaterThan(requests);
});
