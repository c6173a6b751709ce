import { expect } from "vitest";
import {
  ConflictError,
  createTables,
  defineEntity,
  type SaveError,
  type SaveResult,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { constant, verbatim } from "../../../src/keys.ts";

class Account extends defineEntity({
  table: "Accounts",
  partitionKey: { tenant: text() },
  rowKey: { id: constant("ID:", verbatim) },
  properties: { mail: text().optional() },
  indexes: { byMail: { rowKey: { mail: constant("MAIL:", verbatim) }, unique: true } },
}) {}

/** How a writer comes to take the value; each gets a context that knows its entity as far as that needs. */
const ways = ["add", "change", "upsert", "attach"] as const;

/** Races at once: their requests mix. */
const width = 20;

/** Lets two writers take one unique value, many times: exactly one commits, and the other learns why it did not. */
export async function race(storage: TableStorage, count: number): Promise<void> {
  await createTables(storage, [Account]);
  for (let from = 0; from < count; from += width) {
    const races = Array.from({ length: Math.min(width, count - from) }, (_, i) =>
      raceOnce(storage, from + i),
    );
    await Promise.all(races);
  }
}

async function raceOnce(storage: TableStorage, number: number): Promise<void> {
  const tenant = `t${number}`;
  const before = new TableContext(storage);
  for (const id of ["a", "b"]) before.create(Account, { tenant, id, mail: `${id}@before` });
  // In every third race, the value was somebody else's a moment ago.
  if (number % 3 === 0) before.create(Account, { tenant, id: "c", mail: "taken" });
  await before.saveChanges();
  if (number % 3 === 0) {
    const holder = await before.find(Account, { tenant, id: "c" });
    if (number % 2 === 0) before.remove(holder as Account);
    else (holder as Account).mail = undefined;
    await before.saveChanges();
  }

  const writers = await Promise.all([
    writer(storage, tenant, "a", ways[number % ways.length] as string),
    writer(storage, tenant, "b", ways[Math.floor(number / ways.length) % ways.length] as string),
  ]);
  const results = await Promise.all(writers.map(save));

  const outcomes = results.map(({ outcome }) => outcome).toSorted();
  expect(outcomes, `race ${number}`).toEqual(["committed", "rejected"]);
  const [lost] = results.filter(({ outcome }) => outcome === "rejected") as [SaveResult];
  expect(lost.error).toBeInstanceOf(ConflictError);
  expect(lost.error).toMatchObject({ reason: "unique", unique: { index: "byMail", properties: ["mail"] } });
  const [won] = results.filter(({ outcome }) => outcome === "committed") as [SaveResult];
  const row = await storage.get("Accounts", { partitionKey: tenant, rowKey: "MAIL:taken" });
  expect(row?.["_k"]).toBe(`ID:${(won.entity as Account).id}`);
  const holders = await new TableContext(storage).query(Account).where({ tenant, mail: "taken" }).toArray();
  expect(holders.map(({ id }) => id)).toEqual([(won.entity as Account).id]);
}

/** A context of which the next save takes the value. */
async function writer(storage: TableStorage, tenant: string, id: string, way: string): Promise<TableContext> {
  const context = new TableContext(storage);
  const values = { tenant, id: way === "add" ? `new ${id}` : id };
  switch (way) {
    case "add":
      context.create(Account, { ...values, mail: "taken" });
      break;
    case "change": {
      const account = await context.find(Account, values);
      (account as Account).mail = "taken";
      break;
    }
    case "upsert":
      context.upsert(new Account({ ...values, mail: "taken" }), "merge");
      break;
    default: {
      const account = context.attach(new Account(values), "*");
      account.mail = "taken";
    }
  }
  return context;
}

const save = async (context: TableContext): Promise<SaveResult> => {
  const results = await context.saveChanges().catch((error: SaveError) => error.results);
  return results[0] as SaveResult;
};
