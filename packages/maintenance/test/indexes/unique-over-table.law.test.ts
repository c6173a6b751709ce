import { createTables, openStorage, StorageError, TableContext } from "@partita/core";
import { amountOf } from "@partita/test-support/effort";
import { randomFaults, randomNumbers, withFaults } from "@partita/testing";
import { shortWaits } from "@partita/test-support/short-waits";
import { expect, test } from "vitest";
import { buildIndex, verifyIndex } from "../../src/index.ts";
import { OldUser, User } from "./users.ts";

shortWaits();

const seeds = amountOf({ short: 1, full: 3, long: 300 });
const countries = ["FR", "IS", "NO"];

/** A fault may end a call; a later one resumes it. */
async function untilDone<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await call();
    } catch (error) {
      if (!StorageError.is(error)) throw error;
    }
}

test("faults of builds, repairs and saves leave every address with one user, and block none", async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const random = randomNumbers(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    await using inner = await openStorage("memory:");
    await createTables(inner, [OldUser]);
    const old = new TableContext(inner);
    for (let id = 0; id < 30; id++)
      old.create(OldUser, { country: countries[id % 3] as string, id: String(id), email: String(id) });
    await old.saveChanges();
    const flaky = withFaults(inner, randomFaults({ seed, rate: 0.15 }));
    const options = { concurrency: 1, claimTimeoutMs: 100 };

    const saves = Array.from({ length: 20 }, async () => {
      const context = new TableContext(flaky);
      const [id, email] = [`new ${below(10)}`, String(below(40))];
      context.upsert(new User({ country: countries[below(3)] as string, id, email }), "replace");
      await context.saveChanges().catch(() => undefined);
    });
    const builds = [1, 2].map(() => untilDone(() => buildIndex(flaky, User, "email", options)));
    await Promise.all([...saves, ...builds]);
    await flaky.settle();
    await untilDone(() => verifyIndex(flaky, User, "email", { repair: true }));
    await flaky.settle();

    const { duplicates } = await verifyIndex(inner, User, "email", { repair: true });
    const users = await new TableContext(inner).query(User).scan().toArray();
    const holders = Map.groupBy(users, ({ email }) => email ?? "");
    // Only an address that a user of the old release has, too, may be there twice: it was stored before the build came to it.
    for (const [email, of] of holders) expect(of.length, `seed ${seed}: ${email}`).toBeLessThanOrEqual(2);
    expect(duplicates).toHaveLength([...holders.values()].filter(({ length }) => length > 1).length);
    for (let email = 30; email < 40; email++) {
      const context = new TableContext(inner);
      context.create(User, { country: "ZZ", id: String(email), email: String(email) });
      const result = await context.saveChanges().then(
        () => "saved",
        () => "refused",
      );
      expect(result, `seed ${seed}: ${email}`).toBe(holders.has(String(email)) ? "refused" : "saved");
    }
  }
}, 3_600_000);
