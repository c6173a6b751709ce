import type { AreaPages } from "../error-page.ts";

/** Runs a workflow of the example to its end and prints the code of its error. */
const printed = `
await flow.start(queues, {}, { id: "1" });
await using worker = startWorker({ storage, queues, workflows: [flow] });
await worker.idle();
console.log((await workflowStatus(storage, flow, "1"))?.error?.code);`;

const orders = `
@Table("Orders", { outbox: true })
class Order {
  @PartitionKey() shop!: Key<string>;
  @RowKey() id!: Key<string>;
}

await createTables(storage, [Order]);
const queues = tableQueues(storage);
const shipOrder = defineTask("shipOrder", async () => undefined);`;

export const workflowPages: AreaPages = {
  "workflow.changed": {
    cause:
      "The code of a workflow changed while a run was under way: the recorded steps of the run are not those that the workflow asks for now.",
    remedy: "Change the workflow back and retry the run, or give the changed workflow another name.",
    example: `
const queues = tableQueues(storage);
const before = defineWorkflow("flow", async (step) => {
  await step.run("first", () => undefined);
  await step.run("fails", () => Promise.reject(new Error("Not yet.")), { attempts: 1 });
});
await before.start(queues, {}, { id: "1" });
await using firstWorker = startWorker({ storage, queues, workflows: [before] });
await firstWorker.idle();
await firstWorker[Symbol.asyncDispose]();

const flow = defineWorkflow("flow", async (step) => {
  await step.run("renamed", () => undefined);
});
await flow.retry({ storage, queues }, "1");
await using worker = startWorker({ storage, queues, workflows: [flow] });
await worker.idle();
console.log((await workflowStatus(storage, flow, "1"))?.error?.code);`,
  },
  "workflow.exhausted": {
    cause:
      "A message was delivered as often as allowed, and no delivery ended. Its handler ends the process or takes too long.",
    remedy: "Correct the handler. Then call `retry()` for a run, or send the message of a task again.",
    needs: "a handler that ends its process",
    example: `
await flow.retry({ storage, queues }, "order-7");`,
  },
  "workflow.lease-lost": {
    cause:
      "The worker lost its lease on the message of a run: the step took longer than the message was held. Nothing was recorded, and the step is repeated.",
    remedy:
      "Increase `visibilityMs` of the worker, and stop long work when the `signal` of the step is aborted.",
    needs: "a step that takes longer than its lease",
    example: `
startWorker({ storage, queues, workflows: [flow], visibilityMs: 5 * 60_000 });`,
  },
  "workflow.message": {
    cause:
      "A worker received a message that no task, workflow or outbox has sent. It moves such messages to the poison queue.",
    remedy:
      "Send messages with `send()`, `start()` or `outbox()`, and use a queue of its own for other programs.",
    needs: "a message of another program",
    example: `
await shipOrder.send(queues, { order: "7" }); // instead of queues.put("orders", "7")`,
  },
  "workflow.name": {
    cause:
      "The name of a task, a workflow or a run is not valid or not unique, or no queue can be named after it.",
    remedy: 'Choose another name, or name the queue: `{ queue: "orders" }`.',
    example: `
defineTask("", async () => undefined);`,
  },
  "workflow.not-failed": {
    cause: "`retry()` retries failed runs only, and this run has not failed.",
    remedy: "Check the state with `workflowStatus()` first.",
    example: `
const queues = tableQueues(storage);
const flow = defineWorkflow("flow", async () => undefined);
await flow.start(queues, {}, { id: "1" });
await using worker = startWorker({ storage, queues, workflows: [flow] });
await worker.idle();
await flow.retry({ storage, queues }, "1"); // it is done`,
  },
  "workflow.not-found": {
    cause: "No run has this id.",
    remedy: "Start the run, or check the id and the name of the workflow.",
    example: `
const queues = tableQueues(storage);
const flow = defineWorkflow("flow", async () => undefined);
await flow.start({ storage, queues }, {}, { id: "1" });
await flow.retry({ storage, queues }, "2");`,
  },
  "workflow.not-json": {
    cause:
      "An input or the result of a step is not plain JSON data: it has a Date, a bigint, a class, or NaN.",
    remedy:
      "Pass and return texts, finite numbers, booleans, null, arrays and objects. Convert dates with `toISOString()`.",
    example: `
const flow = defineWorkflow("flow", async (_step, _input: { at: Date }) => undefined);
await flow.start(tableQueues(storage), { at: new Date() });`,
  },
  "workflow.option": {
    cause: "A task, a workflow, a worker or the outbox got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
defineTask("shipOrder", async () => undefined, { attempts: 0 });`,
  },
  "workflow.output-too-large": {
    cause: "An input or the result of a step is larger than 65,536 bytes as JSON.",
    remedy: "Store the data in entities or files, and pass their keys.",
    example: `
const queues = tableQueues(storage);
const flow = defineWorkflow("flow", async (step) => {
  await step.run("large", () => "a".repeat(2_000_000), { attempts: 1 });
});
${printed}`,
  },
  "workflow.parallel-steps": {
    cause:
      "A workflow started a step while another one ran, or ended before its step. The order of steps must be the same each time.",
    remedy: "Write `await` before each step. To do work in parallel, use `Promise.all` inside one step.",
    example: `
const queues = tableQueues(storage);
const flow = defineWorkflow("flow", async (step) => {
  await Promise.all([step.run("a", () => undefined), step.run("b", () => undefined)]);
});
${printed}`,
  },
  "workflow.step-failed": {
    cause:
      "A step failed in its last attempt. The workflow receives this error and may catch it, for example to undo earlier steps.",
    remedy: "Read the quoted error and correct its cause. Then call `retry()` for the run.",
    example: `
const queues = tableQueues(storage);
const flow = defineWorkflow("flow", async (step) => {
  try {
    await step.run("pay", () => Promise.reject(new Error("The card was declined.")), { attempts: 1 });
  } catch (error) {
    console.log((error as WorkflowError).code);
  }
});
await flow.start(queues, {}, { id: "1" });
await using worker = startWorker({ storage, queues, workflows: [flow] });
await worker.idle();`,
  },
  "workflow.too-many-steps": {
    cause: "A run has more than 999,999 steps. This often comes from a loop without an end.",
    remedy: "Start another workflow in a step, or do several pieces of work in one step.",
    needs: "a workflow with a million steps",
    example: `
const flow = defineWorkflow("flow", async (step, { from }: { from: number }) => {
  await step.run("a part", () => undefined);
  await step.run("next", () => flow.start(queues, { from: from + 1_000 }, { id: \`part-\${from + 1_000}\` }));
});`,
  },
  "workflow.unknown-name": {
    cause: "A worker received a message of a task or workflow that it was not given.",
    remedy: "Pass the task or workflow to `startWorker()`, and send the message from the poison queue again.",
    needs: "a message in a queue that two programs share",
    example: `
startWorker({ storage, queues, tasks: [shipOrder, cancelOrder] });`,
  },
  "workflow.unsaved-changes": {
    cause: "A step ended and its context has changes that are not saved. They would be lost.",
    remedy: "Call `await context.saveChanges()` at the end of the step, or `discard()` the changes.",
    example: `
const queues = tableQueues(storage);
const flow = defineWorkflow(
  "flow",
  async (step) => {
    await step.run("create", (inner) => void inner.create(Blog, { channel: "news", slug: "new", title: "New" }));
  },
  { attempts: 1 },
);
${printed}`,
  },
};

export const outboxPages: AreaPages = {
  "outbox.abandoned": {
    cause:
      "A save with a message took so long that the worker which waited for the message gave up. Or another program saved the same unique value. Nothing was stored.",
    remedy: "Save again.",
    needs: "a save that takes longer than a worker waits for it",
    example: `
const { rejected } = error as SaveError;
if (rejected.some((result) => (result.error as TableError).code === "outbox.abandoned")) await context.saveChanges();`,
  },
  "outbox.not-declared": {
    cause: "You send a message with an entity, and its table does not declare that it may contain messages.",
    remedy: "Declare the table with `outbox: true` in every program that uses it.",
    example: `
const queues = tableQueues(storage);
const shipOrder = defineTask("shipOrder", async () => undefined);
outbox(context, queues).send(blog, shipOrder, {});
await context.saveChanges();`,
  },
  "outbox.payload-too-large": {
    cause:
      "The payload of a message takes more than 491,520 characters as JSON, the most for a message with a save.",
    remedy: "Store the data in an entity or a blob, and send its key.",
    example: `${orders}
const order = context.create(Order, { shop: "s", id: "7" });
outbox(context, queues).send(order, shipOrder as never, { text: "a".repeat(500_000) });`,
  },
  "outbox.queue-unreachable": {
    cause:
      "The queue of a message could not be written, so nothing of the save was sent: without it no worker would handle the message.",
    remedy: "Check the queue service, and save again.",
    example: `${orders}
const order = context.create(Order, { shop: "s", id: "7" });
const broken = withFaults(queues, () => "refused");
outbox(context, broken).send(order, shipOrder, {});
await context.saveChanges({ retry: noRetry });`,
  },
  "outbox.row": {
    cause: "The row of a message in the outbox is not as Partita wrote it: another program changed it.",
    remedy:
      "Delete the row, and send the message again. Don't change rows with a RowKey that starts with `~o~`.",
    needs: "a row that another program changed",
    example: `
outbox(context, queues).send(order, shipOrder, { order: "7" });
await context.saveChanges();`,
  },
  "outbox.task": {
    cause: "`send()` of the outbox got something other than a task.",
    remedy: "Pass what `defineTask()` returned.",
    example: `${orders}
const order = context.create(Order, { shop: "s", id: "7" });
outbox(context, queues).send(order, "shipOrder" as never, {});`,
  },
  "outbox.too-late": {
    cause:
      "The program paused for more than half an hour between the announcement of a message and its transaction. Nothing was sent.",
    remedy: "Save again.",
    needs: "a program that pauses, such as a computer that sleeps",
    example: `
await context.saveChanges(); // the changes are still pending`,
  },
  "outbox.too-many-messages": {
    cause: "One entity has more messages for its next change than one transaction can hold.",
    remedy: "Save in between, or send one message that names several things.",
    example: `${orders}
const order = context.create(Order, { shop: "s", id: "7" });
for (let no = 0; no < 200; no++) outbox(context, queues).send(order, shipOrder, {});`,
  },
};
