import { openStorage, type TableStorage } from "@partita/core";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { startTableServer, type TableServer } from "@partita/server";
import { describeQueues, manualClock } from "@partita/testing";
import { afterAll, beforeAll, describe, test } from "vitest";

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };

const clock = manualClock();
const opened: TableStorage[] = [];
let azurite: Azurite | undefined;
let server: TableServer | undefined;
afterAll(async () => {
  for (const storage of opened) await storage.close();
  await server?.close();
  await azurite?.stop();
});

const open = async (target: string): Promise<QueueStorage> => {
  const storage = await openStorage(target);
  opened.push(storage);
  return tableQueues(storage, { clock });
};

describeQueues({
  name: "A table of Azurite",
  open: async () => open((azurite = await startAzurite()).connectionString),
  advance: (ms) => clock.advance(ms),
  runner,
});

describeQueues({
  name: "A table of the table server",
  open: async () => open((server = await startTableServer()).connectionString),
  advance: (ms) => clock.advance(ms),
  runner,
});
