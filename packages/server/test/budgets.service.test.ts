import diagnostics from "node:diagnostics_channel";
import { openTableService, type TableService } from "@partita/account";
import { openQueues, type QueueStorage, type ReceivedMessage } from "@partita/queues";
import { type Budget, describeBudgets, type OpenPlace, pages } from "@partita/test-support/budgets";
import { fill } from "@partita/test-support/rows";
import type { StoredEntity } from "@partita/core/storage";
import { startQueueServer, startTableServer } from "../src/index.ts";

// Requests in HTTP: each one that a storage is asked for is sent once, without questions before it.

interface Place extends AsyncDisposable {
  readonly service: TableService;
  readonly queues: QueueStorage;
  readonly leased: ReceivedMessage;
  readonly rows: number;
}

const rowOf = (i: number): StoredEntity => ({ PartitionKey: "p", RowKey: String(i).padStart(6, "0"), N: i });
const insertOf = (i: number) => ({ type: "insert", entity: rowOf(i) }) as const;

const open: OpenPlace<Place> = async (counter, rows) => {
  const servers = new AsyncDisposableStack();
  const tableServer = servers.use(await startTableServer());
  const queueServer = servers.use(await startQueueServer());
  const service = servers.use(await openTableService(tableServer.connectionString));
  const queues = servers.use(await openQueues(queueServer.connectionString));
  await fill(
    service,
    "Rows",
    Array.from({ length: rows }, (_, i) => rowOf(i)),
  );
  await queues.createQueue("work");
  await queues.put("work", "text");
  const [leased] = await queues.receive("work", { visibilityMs: 60_000 });
  const count = (message: unknown): void => {
    const { origin, method } = (message as { request: { origin: string | URL; method: string } }).request;
    if ([tableServer.url, queueServer.url].some((url) => url.startsWith(String(origin)))) counter.add(method);
  };
  diagnostics.subscribe("undici:request:create", count);
  servers.defer(() => void diagnostics.unsubscribe("undici:request:create", count));
  return {
    service,
    queues,
    leased: leased as ReceivedMessage,
    rows,
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  };
};

const key = { partitionKey: "p", rowKey: "000000" };

const budgets: readonly Budget<Place>[] = [
  ["get a row", "1 GET", ({ service }) => service.get("Rows", key)],
  ["write a row", "1 POST", ({ service }) => service.write("Rows", insertOf(999_999))],
  [
    "write 100 rows",
    "1 POST",
    ({ service }) =>
      service.transact(
        "Rows",
        Array.from({ length: 100 }, (_, i) => insertOf(900_000 + i)),
      ),
  ],
  [
    "query rows",
    (rows) => `${pages(rows)} GET`,
    async ({ service }) => {
      for (let page = await service.query("Rows", {}); page.next !== undefined;)
        page = await service.query("Rows", { after: page.next });
    },
  ],
  ["list tables", "1 GET", ({ service }) => service.listTables()],
  ["create a table", "1 POST", ({ service }) => service.createTable("Others")],
  ["delete a table", "1 DELETE", ({ service }) => service.deleteTable("Rows")],
  ["get the properties of a service", "1 GET", ({ service }) => service.getProperties()],
  ["set the properties of a service", "1 PUT", ({ service }) => service.setProperties({ cors: [] })],
  ["get access policies", "1 GET", ({ service }) => service.getAccessPolicies("Rows")],
  [
    "set access policies",
    "1 PUT",
    ({ service }) => service.setAccessPolicies("Rows", [{ id: "readers", permissions: "r" }]),
  ],
  ["put a message", "1 POST", ({ queues }) => queues.put("work", "text")],
  ["receive 32 messages", "1 GET", ({ queues }) => queues.receive("work", { max: 32, visibilityMs: 60_000 })],
  ["peek at messages", "1 GET", ({ queues }) => queues.peek("work", { max: 32 })],
  [
    "renew a message",
    "1 PUT",
    ({ queues, leased }) => queues.update("work", leased, { visibilityMs: 60_000 }),
  ],
  [
    "change a message",
    "1 PUT",
    ({ queues, leased }) => queues.update("work", leased, { visibilityMs: 60_000, text: "new" }),
  ],
  ["remove a message", "1 DELETE", ({ queues, leased }) => queues.remove("work", leased)],
  ["count messages", "1 GET", ({ queues }) => queues.approximateCount("work")],
  ["list queues", "1 GET", ({ queues }) => queues.listQueues()],
  ["create a queue", "1 PUT", ({ queues }) => queues.createQueue("other")],
  ["create a queue that exists", "1 PUT", ({ queues }) => queues.createQueue("work")],
  ["clear a queue", "1 DELETE", ({ queues }) => queues.clear("work")],
  ["delete a queue", "1 DELETE", ({ queues }) => queues.deleteQueue("work")],
];

describeBudgets([1, 1500], "rows", open, budgets);
