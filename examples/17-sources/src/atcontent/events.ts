import { SaveError, TableContext } from "@partita/core";
import { noRetry } from "@partita/core/rest";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { virtualClock, withFaults, writeFaults } from "@partita/testing";
import { defineTask, defineWorkflow, outbox, startWorker, workflowStatus } from "@partita/workflows";
import { type Chapter, codeOf, holds, notBuilt, type Place } from "../item.ts";
import { Users } from "./model.ts";

const queuesOf = ({ storage, name }: Place): QueueStorage => tableQueues(storage, { table: `${name}Queues` });

/** A task that notes its payloads. */
function noted(attempts = 5, fails = 0): { seen: string[]; task: ReturnType<typeof defineTask<string>> } {
  const seen: string[] = [];
  const handler = (payload: string): void => {
    seen.push(payload);
    if (seen.length <= fails) throw new Error("It failed.");
  };
  return { seen, task: defineTask<string>("note", handler, { queue: "notes", attempts }) };
}

export const events: Chapter = {
  title: "Queues and workflows",
  items: [
    holds("A message is put, received, and removed", ["Hello", 0], async (place) => {
      const queues = queuesOf(place);
      await queues.createQueue("notes");
      await queues.put("notes", "Hello");
      const [message] = await queues.receive("notes", { visibilityMs: 30_000 });
      if (message !== undefined) await queues.remove("notes", message);
      return [message?.text, await queues.approximateCount("notes")];
    }),
    holds("A received message is invisible to others", 0, async (place) => {
      const queues = queuesOf(place);
      await queues.createQueue("notes");
      await queues.put("notes", "Hello");
      await queues.receive("notes", { visibilityMs: 30_000 });
      return (await queues.receive("notes", { visibilityMs: 30_000 })).length;
    }),
    holds("A released message is received again, and counted", ["Hello", 2], async (place) => {
      const queues = queuesOf(place);
      await queues.createQueue("notes");
      await queues.put("notes", "Hello");
      const [first] = await queues.receive("notes", { visibilityMs: 30_000 });
      if (first !== undefined) await queues.update("notes", first, { visibilityMs: 0 });
      const [second] = await queues.receive("notes", { visibilityMs: 30_000 });
      return [second?.text, second?.deliveries];
    }),
    holds("A worker handles the messages of a task", ["a"], async (place) => {
      const queues = queuesOf(place);
      const { seen, task } = noted();
      await task.send(queues, "a");
      await using worker = startWorker({ storage: place.storage, queues, tasks: [task] });
      await worker.idle();
      return seen;
    }),
    holds("A failed message moves to a poison queue", 1, async (place) => {
      const queues = queuesOf(place);
      const { task } = noted(1, 9);
      await task.send(queues, "a");
      await using worker = startWorker({ storage: place.storage, queues, tasks: [task] });
      await worker.idle();
      return await queues.approximateCount("notes-poison");
    }),
    holds("An entity and a message about it are stored together", ["ann"], async (place) => {
      const queues = queuesOf(place);
      const { seen, task } = noted();
      await using context = new TableContext(place.storage);
      const user = context.create(Users, { id: place.name });
      outbox(context, queues).send(user, task, "ann");
      await context.saveChanges();
      await using worker = startWorker({ storage: place.storage, queues, tasks: [task] });
      await worker.idle();
      return seen;
    }),
    holds(
      "A message about an entity that is not stored is never handled",
      ["conflict.exists", []],
      async (place) => {
        const queues = queuesOf(place);
        const { seen, task } = noted();
        place.context.create(Users, { id: place.name });
        await place.context.saveChanges();
        await using context = new TableContext(place.storage);
        const user = context.create(Users, { id: place.name });
        outbox(context, queues).send(user, task, "ann");
        const code = await codeOf(() => context.saveChanges());
        context.clear({ discard: true });
        await using worker = startWorker({ storage: place.storage, queues, tasks: [task] });
        await worker.idle();
        return [code, seen];
      },
    ),
    holds("After a lost response, the message proves that both are stored", "committed", async (place) => {
      const storage = withFaults(place.storage, writeFaults("timeout-after"));
      const context = new TableContext(storage, { retry: noRetry, clock: virtualClock() });
      const user = context.create(Users, { id: place.name });
      outbox(context, queuesOf(place)).send(user, noted().task, "ann");
      const results = await context.saveChanges().catch((error: unknown) => {
        if (error instanceof SaveError) return error.results;
        throw error;
      });
      return results[0]?.outcome;
    }),
    holds(
      "A workflow's steps run in order, and are recorded",
      [["first of ann", "second of ann"], "done"],
      async (place) => {
        const queues = queuesOf(place);
        const workflow = defineWorkflow("inOrder", async (step, { user }: { user: string }) => {
          for (const name of ["first", "second"]) await step.run(name, () => `${name} of ${user}`);
        });
        await workflow.start(queues, { user: "ann" }, { id: place.name });
        await using worker = startWorker({ storage: place.storage, queues, workflows: [workflow] });
        await worker.idle();
        const status = await workflowStatus(place.storage, workflow, place.name);
        return [status?.steps.map(({ output }) => output), status?.state];
      },
    ),
    notBuilt(
      "Content and statistics of the service itself",
      "They are the application of the articles, not a library",
    ),
  ],
};
