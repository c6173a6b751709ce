import { openStorage } from "@partita/core";
import { watchPartitions } from "@partita/patterns";
import { type ConformanceSkip, describeStorage } from "@partita/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };

/** Faults of Azurite 3.35: the service behaves as the cases say. */
const skip: readonly ConformanceSkip[] = [
  {
    reason: "Azurite finds tables only in the case they were created in",
    tests: ["finds a table under its name in any case"],
  },
  {
    reason: "Azurite answers InvalidInput where the service answers PropertyValueTooLarge or OutOfRangeInput",
    tests: [
      "refuses a key of more than 1 KiB and stores one of exactly that",
      "refuses characters that are not allowed in keys",
    ],
  },
  {
    reason: "Azurite counts neither properties nor the service's bytes",
    tests: [
      "refuses more than 252 properties, also as the result of a merge",
      "refuses an entity of more than 1 MiB",
    ],
  },
  {
    reason: "Azurite drops properties that are members of every JavaScript object",
    tests: ["keeps properties named like members of every object"],
  },
  {
    reason: "Azurite compares as JavaScript does",
    tests: ["compares a property of another type by the service's rules"],
  },
  {
    reason: "Azurite stores a transaction over two partitions",
    tests: ["refuses a transaction over two partitions"],
  },
];

let azurite: Azurite;
beforeAll(async () => {
  azurite = await startAzurite();
});
afterAll(() => azurite.stop());

for (const signature of ["SharedKeyLite", "SharedKey"] as const)
  describeStorage({
    name: `Azurite, signed with ${signature},`,
    create: () => openStorage(azurite.connectionString, { signature }),
    skip,
    runner,
  });

describeStorage({
  name: "Azurite, watched,",
  create: async () => watchPartitions(await openStorage(azurite.connectionString)),
  skip,
  runner,
});

test("a wrong key is refused with the service's own code", async () => {
  const wrong = azurite.connectionString.replace(
    /AccountKey=[^;]+/,
    `AccountKey=${Buffer.from("wrong").toString("base64")}`,
  );
  await using storage = await openStorage(wrong);

  await expect(storage.listTables()).rejects.toMatchObject({
    status: 403,
    applied: "no",
    code: /^storage\.auth/,
  });
});
