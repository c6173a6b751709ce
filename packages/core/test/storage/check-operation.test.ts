import { expect, test } from "vitest";
import { openStorage, type TableStorage } from "../../src/index.ts";
import type { WriteOperation } from "../../src/storage.ts";

const keys = { PartitionKey: "p", RowKey: "r" };

// Nobody listens at port 1: what is refused with another code was not sent.
test.each<[string, () => Promise<TableStorage>]>([
  ["the embedded store", () => openStorage("memory:")],
  ["the REST client", () => openStorage("https://acct.table.core.windows.net:1?sig=a")],
  [
    "the REST client with Atom",
    () => openStorage("https://acct.table.core.windows.net:1?sig=a", { format: "atom" }),
  ],
])("%s refuses operations that are not of the port's form before it sends anything", async (_name, open) => {
  await using storage = await open();
  const write = (operation: unknown): Promise<unknown> =>
    storage.write("Things", operation as WriteOperation);
  const insert = (values: object): unknown => ({ type: "insert", entity: { ...keys, ...values } });
  const refused = async (promise: Promise<unknown>): Promise<string> => {
    const error = await promise.then(
      () => expect.unreachable("expected a refusal"),
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ name: "StorageError", code: "storage.invalid-input", applied: "no" });
    return (error as Error).message;
  };

  expect(await refused(write(insert({ n: 12_345n })))).toMatch(
    /n holds a bigint, which cannot be stored\. Pass text together with "n@odata\.type": "Edm\.Int64"/,
  );
  expect(await refused(write(insert({ n: 12_345n })))).not.toContain("12345");
  expect(await refused(write(insert({ at: new Date(0) })))).toMatch(
    /at holds an object of Date.*"Edm\.DateTime"/,
  );
  expect(await refused(write(insert({ tags: ["a"] })))).toMatch(
    /tags holds an array.*Pass text, a number or a boolean/,
  );
  expect(await refused(write({ type: "put", entity: keys }))).toMatch(/one of the types insert, merge/);
  expect(await refused(write(undefined))).toMatch(/one of the types insert, merge/);
  expect(await refused(write({ type: "insert" }))).toMatch(/insert needs an entity/);
  expect(await refused(storage.transact("Things", []))).toMatch(/a transaction needs at least one operation/);
  expect(await refused(storage.transact("Things", [insert({ n: 1n }) as WriteOperation]))).toMatch(
    /n holds a bigint/,
  );
});
