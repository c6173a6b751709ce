import { openStorage, type TableStorage } from "@partita/core";
import { openQueues, type QueueStorage, tableQueues } from "@partita/queues";
import { type Azurite, startAzurite, startAzuriteQueues } from "@partita/test-support/azurite";
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

for (const messageEncoding of ["base64", "text"] as const) {
  let service: Azurite | undefined;
  afterAll(() => service?.stop());
  describeQueues({
    name: `Azurite's queue service, messages as ${messageEncoding},`,
    open: async () =>
      openQueues((service = await startAzuriteQueues()).connectionString, { messageEncoding }),
    runner,
  });
}
