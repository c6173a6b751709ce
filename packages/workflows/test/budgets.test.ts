import { createTables, defineEntity, int32, TableContext, text } from "@partita/core";
import type { Clock } from "@partita/core/rest";
import { type Budget, describeBudgets, type OpenPlace, pages } from "@partita/test-support/budgets";
import {
  defineTask,
  defineWorkflow,
  outbox,
  purgeRuns,
  type RunPlaces,
  type Worker,
  workflowStatus,
  type WorkflowStep,
} from "../src/index.ts";
import { countedQueues } from "./support/counted-queues.ts";
import { openWorld, type World } from "./support/world.ts";

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { n: int32().default(0) },
  outbox: true,
}) {}

const id = "1";

interface Input {
  readonly steps: number;
}

async function takeSteps(step: WorkflowStep, { steps }: Input): Promise<void> {
  for (let n = 1; n <= steps; n++) await step.run(`step ${n}`, () => n);
}

const plain = defineWorkflow("plain", takeSteps);
/** Its run is done. */
const done = defineWorkflow("done", takeSteps);
const sleepy = defineWorkflow("sleepy", async (step, input: Input) => {
  await takeSteps(step, input);
  await step.sleep("a while", 60_000);
});
/** Its run has failed after its steps. */
const failing = defineWorkflow(
  "failing",
  async (step, input: Input) => {
    await takeSteps(step, input);
    await step.run("fail", () => Promise.reject(new Error("no")));
  },
  { attempts: 1 },
);
const ship = defineTask("ship", async () => undefined);

/** Long enough that no message has to be renewed. */
const visibilityMs = 3_600_000;

interface Place extends AsyncDisposable {
  readonly places: RunPlaces;
  readonly world: World;
  readonly input: Input;
  /** Lets a worker do all that is waiting. */
  readonly work: () => Promise<Worker>;
}

const open: OpenPlace<Place> = async (counter, steps) => {
  const world = await openWorld();
  await createTables(world.storage, [Order]);
  // A worker polls its queues, as often as time passes.
  const isCounted = (kind: string): boolean => ["put", "update", "remove"].includes(kind);
  const queues = countedQueues(world.queues, (request, kind) => {
    if (isCounted(kind)) counter.add(kind);
    return request();
  });
  const places = { storage: counter.storage(world.storage), queues };
  const workflows = [plain, done, sleepy, failing];
  const work = async (): Promise<Worker> => {
    const worker = world.start({ ...places, tasks: [ship], workflows, visibilityMs });
    await world.idle(worker);
    return worker;
  };
  const input = { steps };
  for (const workflow of [done, failing]) await workflow.start(world.queues, input, { id });
  await (await work()).stop();
  return { places, world, input, work, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
};

/** Saves a row that sends a task. */
async function saveWithTask({ places: { storage, queues } }: Place): Promise<void> {
  await using context = new TableContext(storage);
  outbox(context, queues).send(context.create(Order, { shop: "s", id: "1" }), ship, undefined);
  await context.saveChanges();
}

const monthsLater = ({ world: { clock } }: Place): Clock => ({
  ...clock,
  now: () => clock.now() + 90 * 86_400_000,
});

const budgets: readonly Budget<Place>[] = [
  ["start a run", "1 put", ({ places, input }) => plain.start(places.queues, input, { id })],
  [
    "start a run unless it is stored",
    "1 get, 1 put",
    ({ places, input }) => plain.start(places, input, { id }),
  ],
  ["find that a run is stored", "1 get", ({ places, input }) => done.start(places, input, { id })],
  [
    // The run is looked for and inserted, and written at its end.
    "execute a run",
    (steps) => ({ put: 1, get: 1, transact: steps, write: 2, remove: 1 }),
    async ({ places, input, work }) => {
      await plain.start(places.queues, input, { id });
      await work();
    },
  ],
  [
    "start a run that is done",
    "1 get, 1 put, 1 remove",
    async ({ places, input, work }) => {
      await done.start(places.queues, input, { id });
      await work();
    },
  ],
  [
    "execute a run that sleeps",
    (steps) => ({
      put: 1,
      get: 2,
      query: pages(steps + 1),
      transact: steps + 1,
      write: 3,
      update: 1,
      remove: 1,
    }),
    async ({ places, world, input, work }) => {
      await sleepy.start(places.queues, input, { id });
      const worker = await work();
      await world.pass(61_000);
      await world.idle(worker);
    },
  ],
  [
    // Its message is put into the poison queue again.
    "retry a run that fails again",
    (steps) => ({ put: 2, get: 3, query: pages(steps), write: 2, remove: 1 }),
    async ({ places, work }) => {
      await failing.retry(places, id);
      await work();
    },
  ],
  [
    "read the status of a run",
    (steps) => ({ get: 1, query: pages(steps) }),
    ({ places }) => workflowStatus(places.storage, done, id),
  ],
  [
    // A transaction deletes 99 steps. The other requests are those of a job.
    "purge a run",
    (steps) => {
      const deletions = Math.ceil(steps / 99);
      return { createTable: 1, get: 6, query: 5 + deletions, transact: 1 + deletions, write: 3 };
    },
    (place) => purgeRuns(place.places.storage, { workflow: done, clock: monthsLater(place), concurrency: 1 }),
  ],
  ["send a task", "1 put", ({ places }) => ship.send(places.queues, undefined)],
  [
    "send a task and do it",
    "1 put, 1 remove",
    async ({ places, work }) => {
      await ship.send(places.queues, undefined);
      await work();
    },
  ],
  ["save a row that sends a task", "1 put, 1 transact, 1 update", saveWithTask],
  [
    // The message is read before its task, and its row is deleted afterwards.
    "save a row that sends a task, and do it",
    "1 get, 1 put, 1 remove, 1 transact, 1 update, 1 write",
    async (place) => {
      await saveWithTask(place);
      await place.work();
    },
  ],
];

describeBudgets([1, 1000], "steps of a run", open, budgets);
