// Deletes a channel and its posts, which are in two tables, with a worker that is killed at random points.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTables, openStorage, TableContext } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { workflowStatus } from "@partita/workflows";
import { Blog, Channel, deleteChannel } from "./delete-channel.ts";

const folder = await mkdtemp(join(tmpdir(), "delete-channel-"));
const target = `file:${join(folder, "channels.db")}`;
const storage = await openStorage(target);
await createTables(storage, [Channel, Blog]);
await fill("Football", 2000);
await fill("Chess", 3);
await print("Before");

const queues = tableQueues(storage);
await deleteChannel.start(queues, { channel: "Football" }, { id: "Football" });
// Four workers are killed at random points. The last one may finish.
for (let kills = 0; kills < 5; kills++) await runWorker(kills < 4 ? Math.random() * 400 : undefined);

await print("After");
const status = await workflowStatus(storage, deleteChannel, "Football");
console.log(
  `The run is ${status?.state}. Recorded steps: ${status?.steps.map(({ name }) => name).join(", ")}.`,
);
console.log(`Messages left: ${await queues.approximateCount(deleteChannel.queue)}.`);
await storage.close();
await rm(folder, { recursive: true, force: true });

/** Starts a worker, and kills it after this many milliseconds of work. */
async function runWorker(killAfterMs: number | undefined): Promise<void> {
  const child = fork(join(import.meta.dirname, "worker.js"), [target]);
  let last = "nothing";
  child.on("message", (what) => {
    if (what === "started" && killAfterMs !== undefined)
      setTimeout(() => child.kill("SIGKILL"), killAfterMs).unref();
    last = what as string;
  });
  const [, signal] = await once(child, "exit");
  console.log(
    signal === null ? "A worker came to its end." : `A worker was killed; the last it said: ${last}.`,
  );
}

async function fill(channel: string, posts: number): Promise<void> {
  await using context = new TableContext(storage);
  context.create(Channel, { name: channel, isValid: true });
  for (let id = 1; id <= posts; id++) context.create(Blog, { channel, id, text: `Post ${id}` });
  await context.saveChanges();
}

async function print(when: string): Promise<void> {
  await using context = new TableContext(storage);
  for (const name of ["Football", "Chess"]) {
    const channel = await context.find(Channel, { name });
    const posts = await context.query(Blog).where({ channel: name }).count();
    console.log(`${when}: ${name} is ${channel === undefined ? "gone" : "there"}, with ${posts} posts.`);
  }
}
