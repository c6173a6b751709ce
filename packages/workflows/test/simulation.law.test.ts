import { defineEntity, int32, text } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { fixed } from "@partita/core/rest";
import { amountOf } from "@partita/test-support/effort";
import { type ActorTools, outcomes, scenario, simulate } from "@partita/testing";
import { eventClock } from "@partita/test-support/event-clock";
import { expect, test } from "vitest";
import { defineTask, defineWorkflow, outbox, startWorker } from "../src/index.ts";

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { paid: int32().default(0), packed: int32().default(0) },
  outbox: true,
  proof: "marker",
}) {}

class Parcel extends defineEntity({
  table: "Parcels",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { order: text() },
}) {}

const shop = "s";
const ids = ["1", "2", "3"];

/** However often requests fail, work goes on. */
const often = { attempts: 1000 };

const pack = defineWorkflow(
  "pack",
  async (step, { order }: { order: string }) => {
    await step.run(
      "pack",
      (context) => context.modify(Order, { shop, id: order }, (found) => void (found.packed = 1)),
      often,
    );
    await step.sleep("rest", 5000);
    await step.run(
      "parcel",
      async (context) => {
        context.upsert(new Parcel({ shop, id: `of ${order}`, order }), "replace");
        await context.saveChanges();
      },
      often,
    );
  },
  often,
);

/** Ids of messages that were handled. */
const handled = new Set<string>();
const pay = defineTask(
  "pay",
  async (_payload: { readonly amount: number }, { id }) => void handled.add(id),
  often,
);

const queuesOf = ({ storage, clock }: Pick<ActorTools, "storage" | "clock">) =>
  tableQueues(storage, { clock, shards: 1 });

test("workers of a simulation do what was started, and handle what was stored with a save", async () => {
  /** Messages that were stored with their change, by id. */
  const stored = new Set<string>();
  let messages = 0;
  const started = new Set<string>();
  const work = async (tools: Pick<ActorTools, "storage" | "clock">, isLast: boolean): Promise<void> => {
    const { storage, clock } = tools;
    const queues = queuesOf(tools);
    await using worker = startWorker({
      storage,
      queues,
      workflows: [pack],
      tasks: [pay],
      clock,
      visibilityMs: 10_000,
      retry: fixed(5, 1000),
    });
    const left = async (): Promise<number> => {
      const names = (await queues.listQueues()).filter((name) => !name.endsWith("-poison"));
      return Math.max(0, ...(await Promise.all(names.map((name) => queues.approximateCount(name)))));
    };
    await worker.idle();
    while (isLast && (await left()) > 0) {
      await clock.wait(1000);
      await worker.idle();
    }
  };
  const shopping = scenario({
    classes: [Order, Parcel],
    setup(context) {
      handled.clear();
      stored.clear();
      started.clear();
      for (const id of ids) context.add(new Order({ shop, id }));
    },
    actors: {
      async customer(tools) {
        const { context, random, number, step } = tools;
        const queues = queuesOf(tools);
        const id = `${number}.${step}`;
        await context.modify(Order, { shop, id: random.oneOf(ids) }, (order) => {
          order.paid++;
          outbox(context, queues).send(order, pay, { amount: 1 }, { id });
        });
        stored.add(id);
        const order = random.oneOf(ids);
        await pack.start(queues, { order }, { id: order });
        started.add(order);
      },
      worker: (tools) => work(tools, false),
    },
    check: [
      outcomes(),
      async function everythingIsDone({ storage, openContext }) {
        // What is left is done now that nothing fails: messages of workers that stopped are visible again after a while.
        await work({ storage, clock: eventClock(Date.UTC(2026, 0, 2)) }, true);
        const parcels = await openContext().query(Parcel).where({ shop }).toArray();
        messages += stored.size;
        const packed = new Set(parcels.map(({ order }) => order));
        const lost = [...stored].filter((id) => !handled.has(id)).map((id) => `message ${id}`);
        const left = [...started].filter((id) => !packed.has(id)).map((id) => `order ${id}`);
        return [...lost, ...left].length === 0 || `not done: ${[...lost, ...left].join(", ")}`;
      },
    ],
  });
  const seeds = amountOf({ short: 4, full: 10, long: 500 });
  const report = await simulate(shopping, {
    seeds,
    actors: { customer: 2, worker: 2 },
    steps: 2,
    faults: { rate: 0.1, stops: 0.2 },
  });

  expect(report.runs).toBe(seeds);
  expect(report.lateArrivals).toBeGreaterThan(0);
  expect(messages).toBeGreaterThan(seeds);
});
