import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { watchPartitions } from "@partita/patterns";
import { describeStorage } from "@partita/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };

describeStorage({ name: "The memory store", create: () => openStorage("memory:"), runner });

describeStorage({
  name: "A store behind a table prefix",
  create: () => openStorage("memory:", { tablePrefix: "Test" }),
  runner,
});

describeStorage({
  name: "A store whose partitions are watched",
  create: async () => watchPartitions(await openStorage("memory:")),
  runner,
});

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterAll(() => rm(folder, { recursive: true }));

describeStorage({
  name: "The embedded file",
  create: () => openStorage(`file:${join(folder, "conformance.db")}`),
  runner,
});

test("refuses a skip that names no case", () => {
  const skip = [{ reason: "none", tests: ["does not exist"] }];

  expect(() => describeStorage({ name: "x", create: () => openStorage("memory:"), skip, runner })).toThrow(
    /does not exist/,
  );
});
