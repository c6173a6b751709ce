import {
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { tableQueues } from "@partita/queues";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineTask, outbox, startWorker } from "../../src/index.ts";
import { outboxCases } from "./outbox-cases.ts";

let storage: TableStorage;
beforeAll(async () => void (storage = await openStorage("memory:")));
afterAll(() => storage.close());

describe("over the embedded store", () => {
  outboxCases(() => storage);
});

class Invoice extends defineEntity({
  table: "Invoices",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: {},
  outbox: true,
}) {}

const mail = defineTask("mail", async (_payload: { readonly to: string }) => undefined);

describe("a worker", () => {
  test("handles messages of saves beside others, and puts those that fail into the poison queue", async () => {
    const queues = tableQueues(storage);
    await createTables(storage, [Invoice]);
    const handled: string[] = [];
    const print = defineTask(
      "print",
      async ({ n }: { readonly n: number }, { id }) => {
        if (n === 2) throw new Error("No paper.");
        handled.push(`${id} ${n}`);
      },
      { attempts: 1 },
    );
    await using context = new TableContext(storage);
    const box = outbox(context, queues);
    for (const n of [1, 2, 3])
      box.send(context.add(new Invoice({ shop: "s", id: `${n}` })), print, { n }, { id: `${n}` });
    await context.saveChanges();
    await print.send(queues, { n: 4 }, { id: "4" });

    await using worker = startWorker({ storage, queues, tasks: [print] });
    await worker.idle();

    expect(handled.toSorted()).toEqual(["1 1", "3 3", "4 4"]);
    const [poison] = await queues.peek("print-poison");
    const { poison: found } = JSON.parse(poison?.text ?? "") as {
      readonly poison: { readonly text: string };
    };
    expect(JSON.parse(found.text)).toEqual({ partita: 1, task: "print", id: "2", payload: { n: 2 } });
    const { entities } = await storage.query("Invoices", {});
    expect(entities.map(({ RowKey }) => RowKey)).toEqual(["1", "2", "3"]);
  });

  test("that stops ends the message that its handler has done, so that it is not done again", async () => {
    const queues = tableQueues(storage, { table: "StoppedQueues" });
    await createTables(storage, [Invoice]);
    let calls = 0;
    const slow = defineTask("slow", () => {
      calls++;
      void worker.stop();
    });
    await using context = new TableContext(storage);
    outbox(context, queues).send(context.add(new Invoice({ shop: "stopped", id: "1" })), slow, undefined);
    await context.saveChanges();
    const worker = startWorker({ storage, queues, tasks: [slow] });
    await worker.stopped;

    expect(calls).toBe(1);
    expect(await queues.approximateCount("slow")).toBe(0);
  });
});

describe("misuse is refused where it is made", () => {
  test.each<[code: string, payload: unknown, options: object]>([
    ["workflow.not-json", { to: new Map([[1, 2]]) }, {}],
    ["workflow.not-json", { to: Number.NaN }, {}],
    ["outbox.payload-too-large", { to: "x".repeat(500_000) }, {}],
    ["workflow.option", { to: "x" }, { id: "" }],
    ["workflow.option", { to: "x" }, { visibleAfterMs: 7 * 86_400_000 }],
    ["workflow.option", { to: "x" }, { delay: 5 }],
  ])("%s", async (code, payload, options) => {
    await using context = new TableContext(storage);
    const invoice = context.add(new Invoice({ shop: "s", id: "bad" }));
    const box = outbox(context, tableQueues(storage));

    expect(() => box.send(invoice, mail, payload as never, options)).toThrow(
      expect.objectContaining({ code }),
    );
    context.detach(invoice);
  });

  test("something else than a task, and an entity that is not tracked", async () => {
    await using context = new TableContext(storage);
    const box = outbox(context, tableQueues(storage));
    const invoice = new Invoice({ shop: "s", id: "bad" });

    expect(() => box.send(invoice, "mail" as never, undefined)).toThrow(
      expect.objectContaining({ code: "outbox.task" }),
    );
    expect(() => box.send(invoice, mail, { to: "x" })).toThrow(
      expect.objectContaining({ code: "entity.not-tracked" }),
    );
  });
});
