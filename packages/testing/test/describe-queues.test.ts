import { openStorage, type TableStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { describeQueues, manualClock } from "@partita/testing";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };

const folder = await temporaryFolder();
const opened: TableStorage[] = [];
afterAll(async () => {
  for (const storage of opened) await storage.close();
  await folder[Symbol.asyncDispose]();
});

/** A store whose pages come in no order. */
const unordered = (storage: TableStorage): TableStorage =>
  Object.assign(Object.create(null) as object, {
    description: storage.description,
    isUnordered: true,
    query: async (...args: Parameters<TableStorage["query"]>) => {
      const page = await storage.query(...args);
      return { ...page, entities: page.entities.toReversed() };
    },
    get: storage.get.bind(storage),
    write: storage.write.bind(storage),
    transact: storage.transact.bind(storage),
    createTable: storage.createTable.bind(storage),
    deleteTable: storage.deleteTable.bind(storage),
    listTables: storage.listTables.bind(storage),
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
  });

const stores: readonly (readonly [
  name: string,
  target: string,
  around?: (storage: TableStorage) => TableStorage,
])[] = [
  ["A table of the memory store", "memory:"],
  ["A table of the embedded file", `file:${folder.file("queues.db")}`],
  ["A table of a store without order", "memory:", unordered],
];

for (const [name, target, around = (storage: TableStorage) => storage] of stores) {
  const clock = manualClock();
  describeQueues({
    name,
    open: async () => {
      const storage = await openStorage(target, { clock });
      opened.push(storage);
      return tableQueues(around(storage), { clock });
    },
    advance: (ms) => clock.advance(ms),
    runner,
  });
}

test("refuses a skip that names no case", () => {
  const open = async () => tableQueues(await openStorage("memory:"));
  const skip = [{ reason: "none", tests: ["does not exist"] }];

  expect(() => describeQueues({ name: "x", open, skip, runner })).toThrow(/does not exist/);
});
