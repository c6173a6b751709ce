import { createTables, openStorage, TableContext, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { expect, test } from "vitest";
import { recordInOneRequest } from "../src/runs/record-in-one-request.ts";
import { runClasses, RunRow, StepRow } from "../src/runs/run-rows.ts";

const key = { workflow: "delete a/channel", run: "Füßball!_1" };
const signal = new AbortController().signal;
const newStep = (n: number): StepRow =>
  new StepRow({
    ...key,
    n,
    name: "bl\u00f6gs",
    type: "run",
    recordedAt: new Date("2026-11-22T10:11:12.345Z"),
    output: '{"removed":3}',
    outputRest: "x",
  });

async function storeWithRun(): Promise<{ storage: TableStorage; context: TableContext; run: RunRow }> {
  const storage = await openStorage("memory:");
  await createTables(storage, runClasses);
  const context = new TableContext(storage);
  const startedAt = new Date("2026-11-22T10:00:00.000Z");
  const values = {
    ...key,
    state: "running",
    owner: "m1",
    delivery: 1,
    attempts: 2,
    steps: 41,
    startedAt,
  } as const;
  const run = context.create(RunRow, values);
  await context.saveChanges();
  return { storage, context, run };
}

const versionOf = ({
  context,
  run,
}: {
  context: TableContext;
  run: RunRow;
}): { partitionKey: string; etag: string } => {
  const { key: stored, etag } = context.entry(run);
  return { partitionKey: stored?.partitionKey as string, etag: etag as string };
};

async function rowsOf(storage: TableStorage): Promise<StoredEntity[]> {
  const { entities } = await storage.query("PartitaWorkflows", {});
  return entities.map(({ Timestamp: _time, "odata.etag": _etag, ...row }) => row as StoredEntity);
}

test("a step that is recorded at once is stored as a save would store it, and so is its run", async () => {
  const [atOnce, bySave] = [await storeWithRun(), await storeWithRun()];
  await recordInOneRequest(atOnce.storage, versionOf(atOnce), newStep(42), signal);

  Object.assign(bySave.run, { steps: 42, attempts: 0 });
  bySave.context.add(newStep(42));
  await bySave.context.saveChanges({ batch: "atomic" });

  expect(await rowsOf(atOnce.storage)).toEqual(await rowsOf(bySave.storage));
});

test("a step is not recorded at once where the run has another version, or the step is there", async () => {
  const store = await storeWithRun();
  const version = versionOf(store);
  const etag = await recordInOneRequest(store.storage, version, newStep(42), signal);

  await expect(recordInOneRequest(store.storage, version, newStep(43), signal)).rejects.toMatchObject({
    status: 412,
    applied: "no",
  });
  const now = { ...version, etag: etag as string };
  await expect(recordInOneRequest(store.storage, now, newStep(42), signal)).rejects.toMatchObject({
    status: 409,
  });
  expect(await rowsOf(store.storage)).toHaveLength(2);
});
