import { openStorage } from "@partita/core";
import { startTableServer } from "@partita/server";
import { expect, test } from "vitest";
import { checkRelease, type CheckReleaseOptions } from "../../src/index.ts";
import { compatible, planted } from "./planted.ts";

test("the same is found over a server on sockets as in memory", async () => {
  await using server = await startTableServer();
  let opened = 0;
  const storage: CheckReleaseOptions["storage"] = () =>
    openStorage(server.connectionString, { tablePrefix: `run${++opened}` });
  const [pair] = planted.filter(({ change }) => change === "an index that is added without a mark");
  const short = { acts: 2, histories: 4 };
  if (pair === undefined) throw new Error("The pair has another name.");

  const overSockets = await checkRelease(pair.old, pair.new, { ...short, storage });
  const inMemory = await checkRelease(pair.old, pair.new, short);

  expect(overSockets).toStrictEqual(inMemory);
  expect(overSockets.isCompatible).toBe(false);
  expect(opened).toBeGreaterThan(4);
});

test("a compatible pair loses nothing over a server on sockets", async () => {
  await using server = await startTableServer();
  let opened = 0;
  const [, pair] = compatible;

  const report = await checkRelease(pair?.old ?? [], pair?.new ?? [], {
    acts: 2,
    histories: 4,
    storage: () => openStorage(server.connectionString, { tablePrefix: `run${++opened}` }),
  });

  expect(report.findings).toStrictEqual([]);
});
