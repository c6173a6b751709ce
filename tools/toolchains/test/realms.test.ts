import { conformanceCases, queueCases } from "@partita/testing";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { realmRunners } from "../src/realm-runners.ts";

/** Both stores but for one case that is skipped, the queues, and the tests of the app. */
const passed = 2 * conformanceCases.length - 1 + queueCases.length + 7;

test.concurrent.each(realmRunners.map((runner) => [runner.name, runner] as const))(
  "under %s, stores, queues and an app work as anywhere",
  async (_name, { runSuites }) => {
    await using folder = await temporaryFolder();

    const { numPassedTests, numPendingTests, failures } = await runSuites(folder.path);

    expect(failures).toEqual([]);
    expect([numPassedTests, numPendingTests]).toEqual([passed, 1]);
  },
);
