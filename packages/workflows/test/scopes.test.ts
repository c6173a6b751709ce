import { createTables, defineEntity, int32, TableContext, text } from "@partita/core";
import { expect, test } from "vitest";
import { defineWorkflow } from "../src/index.ts";
import { openWorld } from "./support/world.ts";

class Stock extends defineEntity({
  table: "Stocks",
  partitionKey: { tenant: text() },
  rowKey: { sku: text() },
  properties: { left: int32() },
  scopedBy: "tenant",
}) {}

interface Shipment {
  readonly tenant: string;
  readonly sku: string;
}

const ship = defineWorkflow("ship", async (step, { sku }: Shipment) => {
  await step.run("take from stock", async (context) => {
    await context.modify(Stock, { sku }, (stock) => void stock.left--);
  });
});

async function openStocks(): Promise<Awaited<ReturnType<typeof openWorld>>> {
  const world = await openWorld();
  await createTables(world.storage, [Stock]);
  const context = new TableContext(world.storage, { scope: "all" });
  for (const tenant of ["acme", "beta"]) context.create(Stock, { tenant, sku: "x", left: 5 });
  await context.saveChanges();
  return world;
}

test("the steps of a run work in the scope that its input gives", async () => {
  await using world = await openStocks();
  const workflows: string[] = [];
  await ship.start(world.queues, { tenant: "beta", sku: "x" }, { id: "1" });

  const worker = world.start({
    workflows: [ship],
    scope: (input, workflow) => {
      workflows.push(workflow);
      return { tenant: (input as Shipment).tenant };
    },
  });
  await world.idle(worker);

  const stocks = await new TableContext(world.storage, { scope: "all" }).query(Stock).scan().toArray();
  expect(stocks).toMatchObject([
    { tenant: "acme", left: 5 },
    { tenant: "beta", left: 4 },
  ]);
  expect(workflows).toEqual(["ship"]);
});

test("without a scope, its steps fail and change nothing", async () => {
  await using world = await openStocks();
  await ship.start(world.queues, { tenant: "beta", sku: "x" }, { id: "1" });

  await world.idle(world.start({ workflows: [ship] }));

  expect(world.events.find(({ type }) => type === "failed")).toMatchObject({
    error: { code: "context.scope" },
  });
  const stocks = await new TableContext(world.storage, { scope: "all" }).query(Stock).scan().toArray();
  expect(stocks.map(({ left }) => left)).toEqual([5, 5]);
});
