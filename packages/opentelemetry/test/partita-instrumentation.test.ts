import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Instrumentation } from "@opentelemetry/instrumentation";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { watchPartitions } from "@partita/patterns";
import { fixed } from "@partita/core/rest";
import { tableQueues } from "@partita/queues";
import { withFaults, writeFaults } from "@partita/testing";
import { defineWorkflow, startWorker, workflowStatus } from "@partita/workflows";
import { expect, test } from "vitest";
import { PartitaInstrumentation } from "../src/index.ts";
import { startTelemetry } from "./telemetry.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text(), rating: int32().default(0) },
}) {}

async function seeded(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Blog]);
  const context = new TableContext(storage);
  for (const channel of ["canary-key-1", "canary-key-2"])
    for (const id of ["a", "b", "c"]) context.create(Blog, { channel, id, text: "canary-value" });
  await context.saveChanges();
  return storage;
}

test("a span for each save, query and request, as children of what they are done in", async () => {
  await using storage = await seeded();
  await using telemetry = startTelemetry();
  await telemetry.inSpan("root", async () => {
    const context = new TableContext(storage);
    const blogs = await context
      .query(Blog)
      .where((b) => b.channel.in(["canary-key-1", "canary-key-2"]).and(b.rating.lt(3)))
      .toArray();
    for (const blog of blogs.slice(0, 2)) blog.rating = 5;
    await context.saveChanges();
    await context.find(Blog, { channel: "canary-key-1", id: "z" });
  });

  expect(telemetry.tree()).toEqual([
    "root > read Blogs > query Blogs",
    "root > read Blogs > query Blogs",
    "root > read Blogs",
    "root > save > transact Blogs",
    "root > save",
    "root > get Blogs",
    "root",
  ]);
  const [first, , query, , save, get] = telemetry.spans();
  expect(first).toMatchObject({
    kind: SpanKind.CLIENT,
    attributes: {
      "db.system.name": "sqlite",
      "db.collection.name": "Blogs",
      "db.operation.name": "query",
      "db.response.returned_rows": 3,
    },
  });
  expect(query).toMatchObject({
    kind: SpanKind.INTERNAL,
    attributes: {
      "db.query.summary": "Blog: channel in and rating lt",
      "partita.query.plan": "partition scan",
      "partita.query.rating": "fair",
      "partita.query.planned_requests": 2,
      "partita.query.pages": 2,
      "partita.query.rows": 6,
      "db.response.returned_rows": 6,
    },
  });
  expect(save?.attributes).toMatchObject({
    "partita.save.pending": 2,
    "partita.save.committed": 2,
    "partita.save.unknown": 0,
  });
  expect(get?.attributes).toMatchObject({ "db.response.returned_rows": 0 });
});

test("a streamed query is the parent of its requests, and not of what the loop does", async () => {
  await using storage = await seeded();
  await using telemetry = startTelemetry();
  await telemetry.inSpan("root", async () => {
    const context = new TableContext(storage);
    for await (const blog of context.query(Blog).scan()) {
      await telemetry.inSpan(`loop ${blog.id}`, async () => {});
      if (blog.id === "b") break;
    }
    const page = await context.query(Blog).where({ channel: "canary-key-1" }).page({ size: 2 });
    expect(page.entities).toHaveLength(2);
  });

  expect(telemetry.tree()).toEqual([
    "root > read Blogs > query Blogs",
    "root > loop a",
    "root > loop b",
    "root > read Blogs",
    "root > read Blogs > query Blogs",
    "root > read Blogs",
    "root",
  ]);
  expect(telemetry.spans()[3]?.attributes).toMatchObject({ "partita.query.plan": "table scan" });
  expect(telemetry.spans()[3]?.status.code).toBe(SpanStatusCode.UNSET);
});

test("no span and no metric has a value, a key or the message of an error", async () => {
  await using storage = watchPartitions(await seeded());
  await using telemetry = startTelemetry({ partitionsOf: [storage] });
  const context = new TableContext(storage);
  const key = { channel: "canary-key-1", id: "a" };
  await context.query(Blog).where(key).toArray();
  await context
    .query(Blog)
    .where((b) => b.channel.eq("canary-key-1").and(b.text.eq("canary-value")))
    .count();
  const other = new TableContext(storage);
  other.create(Blog, { ...key, text: "canary-value" });

  await expect(other.saveChanges()).rejects.toThrow("canary-key-1");

  const save = telemetry.spans().find(({ name }) => name === "save");
  expect(save).toMatchObject({
    attributes: { "error.type": "save.failed", "partita.save.rejected": 1 },
    status: { code: SpanStatusCode.ERROR, message: "save.failed" },
  });
  const write = telemetry.spans().find(({ name }) => name === "write Blogs");
  expect(write?.attributes).toMatchObject({
    "error.type": "storage.entity-already-exists",
    "db.response.status_code": "409",
  });
  expect(await telemetry.text()).toContain("partita.partition");
  expect(await telemetry.text()).not.toMatch(/canary/);
});

test("metrics have durations, rows, retries, changes, and the hottest partitions by their hashes", async () => {
  await using storage = watchPartitions(withFaults(await seeded(), writeFaults("throttled")));
  await using telemetry = startTelemetry({ partitionsOf: [storage], hottest: 1 });
  const context = new TableContext(storage, { retry: fixed(3, 0) });
  await context.query(Blog).where({ channel: "canary-key-2" }).toArray();
  context.create(Blog, { channel: "canary-key-2", id: "d", text: "d" });
  await context.saveChanges();

  const durations = await telemetry.points("db.client.operation.duration");
  expect(durations.map(({ attributes, value }) => ({ ...attributes, count: (value as Sum).count }))).toEqual([
    { ...blogs, "db.operation.name": "query", count: 1 },
    {
      ...blogs,
      "db.operation.name": "write",
      "error.type": "storage.too-many-requests",
      "db.response.status_code": "429",
      count: 1,
    },
    { ...blogs, "db.operation.name": "write", count: 1 },
  ]);
  const [rows] = await telemetry.points("db.client.response.returned_rows");
  expect(rows?.value).toMatchObject({ sum: 3, count: 1 });
  expect(await telemetry.points("partita.request.retries")).toMatchObject([{ value: 1 }]);
  expect(await telemetry.points("partita.save.changes")).toMatchObject([
    { attributes: { "partita.save.outcome": "committed" }, value: 1 },
  ]);
  expect(await telemetry.points("partita.queries")).toMatchObject([
    { attributes: { "partita.query.plan": "partition scan" }, value: 1 },
  ]);
  const hottest = await telemetry.points("partita.partition.entities_per_minute");
  expect(hottest).toHaveLength(1);
  expect(hottest[0]?.attributes).toMatchObject({
    "partita.partition": expect.stringMatching(/^[\da-f]{16}$/) as string,
  });
});

interface Sum {
  readonly count: number;
}
const blogs = { "db.system.name": "sqlite", "db.collection.name": "Blogs" };

test("the work of a message holds its steps, and steps hold their requests", async () => {
  await using storage = await seeded();
  await using telemetry = startTelemetry({ requireParentSpan: true });
  const queues = tableQueues(storage);
  const flow = defineWorkflow("bill", async (step, input: { channel: string }) =>
    step.run("count posts", () => new TableContext(storage).query(Blog).where(input).count()),
  );
  await flow.start(queues, { channel: "canary-key-1" }, { id: "canary-run" });
  await using worker = startWorker({ storage, queues, workflows: [flow] });
  await worker.idle();
  await expect.poll(async () => (await workflowStatus(storage, flow, "canary-run"))?.state).toBe("done");
  await worker.stop();

  const tree = telemetry.tree();
  expect(tree).toContain("workflow bill > step bill/count posts > read Blogs > query Blogs");
  // Asked again and again: those without a parent are left out.
  expect(tree.filter((name) => /^(?:receive|query|get|transact|write) /.test(name))).toEqual([]);
  const task = telemetry.spans().find(({ name }) => name === "workflow bill");
  expect(task).toMatchObject({
    kind: SpanKind.CONSUMER,
    attributes: { "messaging.destination.name": "bill", "partita.task.deliveries": 1 },
  });
  expect(await telemetry.points("partita.task.duration")).toMatchObject([{ value: { count: 1 } }]);
  expect(await telemetry.text()).not.toMatch(/canary/);
});

test("is an Instrumentation, which can be ended, begun again and told what to look at", async () => {
  await using storage = await seeded();
  await using telemetry = startTelemetry({ only: ["save"] });
  const instrumentation: Instrumentation = telemetry.instrumentation;
  const read = async (): Promise<unknown> => new TableContext(storage).query(Blog).scan().count();
  await read();
  instrumentation.setConfig({ only: ["query"] } as never);
  await read();
  const begun = new TableContext(storage).query(Blog).scan()[Symbol.asyncIterator]();
  await begun.next();
  instrumentation.disable();
  await read();
  await begun.return?.(undefined);
  instrumentation.enable();
  await read();

  expect(telemetry.tree()).toEqual(["read Blogs", "read Blogs", "read Blogs"]);
  expect(trace.getActiveSpan()).toBeUndefined();
  expect(() => new PartitaInstrumentation({ only: ["queries" as never] })).toThrow("takes query, request");
  expect(() => new PartitaInstrumentation({ hottest: 0 })).toThrow("1 to 100");
  expect(() => new PartitaInstrumentation({ partitionsOf: [storage as never] })).toThrow("watchPartitions");
});
