import { TableContext } from "@partita/core";
import { expect, test } from "vitest";
import { RunRow, StepRow } from "../src/runs/run-rows.ts";
import { defineWorkflow, purgeRuns, workflowStatus } from "../src/index.ts";
import { openWorld, type World } from "./support/world.ts";

const day = 86_400_000;
const steps = defineWorkflow("steps", async (step, count: number) => {
  for (let i = 0; i < count; i++) await step.run(`step ${i}`, () => i);
});
const failing = defineWorkflow(
  "failing",
  async (step) => step.run("no", () => Promise.reject(new Error("no"))),
  {
    attempts: 1,
  },
);

async function runAll(world: World): Promise<void> {
  const worker = world.start({ workflows: [steps, failing] });
  await world.idle(worker);
  await worker.stop();
}

const rowsLeft = async ({ storage }: World): Promise<number> =>
  (await storage.query("PartitaWorkflows", {})).entities.length;

test("runs that ended long ago are purged with their steps, and no others", async () => {
  await using world = await openWorld();
  const { storage, queues, clock } = world;
  await steps.start(queues, 250, { id: "old" });
  await failing.start(queues, undefined, { id: "old" });
  await runAll(world);
  clock.advance(40 * day);
  await steps.start(queues, 2, { id: "new" });
  await runAll(world);

  expect(await purgeRuns(storage, { clock })).toEqual({ runs: 1, steps: 250 });
  expect(await workflowStatus(storage, steps, "old")).toBeUndefined();
  expect(await workflowStatus(storage, steps, "new")).toMatchObject({ state: "done" });
  expect(await workflowStatus(storage, failing, "old")).toMatchObject({ state: "failed" });
  expect(await purgeRuns(storage, { clock, states: ["done", "failed"] })).toEqual({ runs: 1, steps: 0 });
  expect(await rowsLeft(world)).toBe(3);
  expect(await purgeRuns(storage, { clock, workflow: failing })).toEqual({ runs: 0, steps: 0 });
});

test("what a killed purge has left of a run is purged, and steps of one that was begun anew are not", async () => {
  await using world = await openWorld();
  const { storage, queues, clock } = world;
  for (const id of ["left", "anew"]) await steps.start(queues, 3, { id });
  await runAll(world);
  clock.advance(40 * day);
  const context = new TableContext(storage, { clock });
  for (const run of ["left", "anew"])
    context.remove((await context.find(RunRow, { workflow: "steps", run })) as RunRow);
  context.create(StepRow, {
    workflow: "steps",
    run: "anew",
    n: 4,
    name: "x",
    type: "run",
    recordedAt: new Date(clock.now()),
  });
  await context.saveChanges();
  expect(await purgeRuns(storage, { clock })).toEqual({ runs: 0, steps: 6 });
  expect(await rowsLeft(world)).toBe(1);
});

test("a purge before the first run, and one of runs whose messages may still come, by code", async () => {
  await using world = await openWorld();
  expect(await purgeRuns(world.storage, { workflow: steps })).toEqual({ runs: 0, steps: 0 });
  await expect(purgeRuns(world.storage, { olderThanMs: day })).rejects.toMatchObject({
    code: "workflow.option",
  });
  await expect(purgeRuns(world.storage, { states: ["running"] as never })).rejects.toMatchObject({
    code: "workflow.option",
  });
});
