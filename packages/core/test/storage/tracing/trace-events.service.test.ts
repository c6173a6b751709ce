import { tracingChannel } from "node:diagnostics_channel";
import { startTableServer } from "@partita/server";
import { expect, onTestFinished, test } from "vitest";
import { createTables, openStorage, TableContext } from "../../../src/index.ts";
import type { RequestEvent, QueryEvent } from "../../../src/observe.ts";
import { Note } from "../../features/unit-of-work/store.ts";

/** Collects the events of a channel as they have ended, until the test is over. */
function endedEvents<Event>(name: string): Event[] {
  const events: Event[] = [];
  const subscriber = { asyncEnd: (event: object) => void events.push(event as Event) };
  const channel = tracingChannel(name);
  channel.subscribe(subscriber as never);
  onTestFinished(() => {
    channel.unsubscribe(subscriber as never);
  });
  return events;
}

test("requests to a service are published with status, bytes and the service's id of each", async () => {
  await using server = await startTableServer();
  await using storage = await openStorage(server.connectionString);
  await createTables(storage, [Note]);
  const context = new TableContext(storage);
  for (const id of ["1", "2", "3"]) context.create(Note, { book: "b", id, title: "t".repeat(1000) });
  const [requests, queries] = [
    endedEvents<RequestEvent>("partita:request"),
    endedEvents<QueryEvent>("partita:query"),
  ];
  await context.saveChanges();
  const other = new TableContext(storage);
  for (let after: string | undefined, pages = 0; pages === 0 || after !== undefined; pages++)
    ({ next: after } = await other.query(Note).where({ book: "b" }).page({ size: 2, after }));

  expect(requests).toMatchObject([
    { type: "transact", operations: 3, status: 202 },
    { type: "query", rows: 2, status: 200, sentBytes: 0 },
    { type: "query", rows: 1, status: 200 },
  ]);
  for (const { requestId } of requests) expect(requestId).toMatch(/^[\w-]{8,}$/);
  expect(requests[0]?.sentBytes).toBeGreaterThan(3000);
  expect(requests[1]?.bytes).toBeGreaterThan(2000);
  expect(queries).toMatchObject([
    { type: "partition scan", rating: "fair", pages: 1, rows: 2, entities: 2 },
    { pages: 1, rows: 1, entities: 1 },
  ]);
});

test("a refusal is published with its status", async () => {
  await using server = await startTableServer();
  await using storage = await openStorage(server.connectionString);
  await createTables(storage, [Note]);
  const requests = endedEvents<RequestEvent>("partita:request");
  for (let times = 0; times < 2; times++) {
    const context = new TableContext(storage);
    context.create(Note, { book: "b", id: "1", title: "t" });
    await context.saveChanges().catch(() => undefined);
  }

  expect(requests).toMatchObject([
    { status: 204 },
    { status: 409, error: expect.objectContaining({ code: "storage.entity-already-exists" }) as object },
  ]);
});
