import { openStorage } from "@partita/core";
import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import { startTableServer } from "@partita/server";
import { faultKinds, randomFaults, withFaults } from "../../src/index.ts";
import { clockOverFaults } from "./clock-over-faults.ts";
import { contradictions } from "./check-history.ts";
import { openAccounts, runWorkload } from "./workload.ts";

/** Contexts work side by side here: a limit that ended one's request would end those of the others. */
const unlimited = faultKinds.filter((kind) => kind !== "timeout");
const noLimits = { readMs: Number.POSITIVE_INFINITY, writeMs: Number.POSITIVE_INFINITY };

test("updates over sockets under 15 % faults: none lost, doubled or torn", async () => {
  const inner = await openStorage("memory:");
  await openAccounts(inner);
  await using server = await startTableServer({ storage: inner });
  const log = withFaults(server, randomFaults({ seed: 3, rate: 0.15, kinds: unlimited }));
  await using storage = await openStorage(server.connectionString, { timeouts: noLimits });
  const history = await runWorkload({
    storage,
    clock: clockOverFaults(log),
    seed: 3,
    contexts: 8,
    updates: isLong ? 10_000 : 500,
  });
  await log.settle();

  expect((await contradictions(inner, history)).join("\n")).toBe("");
});
