// The cost of a recorded step: a run of many steps on a file, compared with the same hand-written rows on the
// same file.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { ulid } from "@partita/core/keys";
import { tableQueues } from "@partita/queues";
import { defineWorkflow, startWorker, workflowStatus } from "@partita/workflows";
import { compare } from "./compare.ts";

const steps = 1000;
const folder = await mkdtemp(join(tmpdir(), "partita-bench-"));
const storage = await openStorage(`file:${join(folder, "workflows.db")}`);
await storage.createTable("ByHand");
const queues = tableQueues(storage, { shards: 1 });

const flow = defineWorkflow("count", async (step) => {
  for (let n = 1; n <= steps; n++) await step.run(`step ${n}`, () => ({ n, text: "done" }));
});
const worker = startWorker({ storage, queues, workflows: [flow] });
let runs = 0;
let runsByHand = 0;

async function byPartita(): Promise<void> {
  const id = String(++runs);
  await flow.start(queues, undefined, { id });
  await worker.idle();
}

/** The rows of a run, written without error handling. */
async function byHand(): Promise<void> {
  const PartitionKey = `count!${++runsByHand}`;
  const row = { PartitionKey, RowKey: "!", Kind: "run" };
  const time = (): string => new Date().toISOString();
  const first = { ...row, State: "running", Owner: ulid(), Delivery: 1, Attempts: 1, Steps: 0 };
  const entity = { ...first, "StartedAt@odata.type": "Edm.DateTime" as const, StartedAt: time() };
  let { etag = "*" } = await storage.write("ByHand", { type: "insert", entity });
  for (let n = 1; n <= steps; n++) {
    const [merged] = await storage.transact("ByHand", [
      { type: "merge", entity: { ...row, Steps: n, Attempts: 0 }, etag },
      {
        type: "insert",
        entity: {
          PartitionKey,
          RowKey: `s!${String(n).padStart(6, "0")}`,
          Kind: "step",
          Name: `step ${n}`,
          Type: "run",
          "RecordedAt@odata.type": "Edm.DateTime",
          RecordedAt: time(),
          Output: JSON.stringify({ n, text: "done" }),
        },
      },
    ]);
    etag = merged?.etag ?? "*";
  }
  await storage.write("ByHand", { type: "merge", entity: { ...row, State: "done" }, etag });
}

await compare({
  name: "workflows",
  title: `Recorded steps of a run of ${steps}, started and received, on a file, for each step`,
  rounds: 11,
  units: steps,
  warmMs: 500,
  baseline: { name: "the same rows by hand, same file", run: byHand },
  ours: { name: "Partita", target: { atMost: 1.3 }, run: byPartita },
});
const status = await workflowStatus(storage, flow, "1");
if (status?.state !== "done" || status.steps.length !== steps) throw new Error("The run is not done.");
await worker.stop();
await storage.close();
await rm(folder, { recursive: true, force: true });
