import { expect, test } from "vitest";
import type { StoredEntity } from "../../../src/storage.ts";
import { insert, key, memory, read } from "./things.ts";

test("an entity that changes after the call is stored as it was", async () => {
  await using storage = await memory();
  const entity: Record<string, string> = { ...key, A: "before" };
  const writing = storage.write("Things", { type: "insert", entity: entity as never });
  entity["A"] = "after";
  await writing;

  expect((await read(storage))?.["A"]).toBe("before");
});

test("absent values, system values and stray annotations are left out", async () => {
  await using storage = await memory();
  await storage.write(
    "Things",
    insert({ A: undefined, B: null, "odata.x": "y", "C@odata.type": "Edm.Int64", "D@x": 1, E: 1 }),
  );

  const { Timestamp: _t, "odata.etag": _e, ...rest } = (await read(storage)) as StoredEntity;
  expect(rest).toEqual({ ...key, E: 1 });
});

test.each([
  { A: Number.NaN },
  { A: "1e999", "A@odata.type": "Edm.Double" },
  { A: "AAA", "A@odata.type": "Edm.Binary" },
  { A: "9223372036854775808", "A@odata.type": "Edm.Int64" },
])("refuses %j, which could not be read back", async (properties) => {
  await using storage = await memory();

  await expect(storage.write("Things", insert(properties))).rejects.toMatchObject({
    serviceCode: "InvalidInput",
  });
});

test("a transaction is measured by its real bytes", async () => {
  await using storage = await memory();
  const properties = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`P${i}`, "x".repeat(32_000)]));

  await storage.transact(
    "Things",
    Array.from({ length: 8 }, (_, i) => insert(properties, `r${i}`)),
  );
  await expect(
    storage.transact(
      "Things",
      Array.from({ length: 9 }, (_, i) => insert(properties, `s${i}`)),
    ),
  ).rejects.toMatchObject({
    serviceCode: "RequestBodyTooLarge",
  });
});

test("text that is no ETag is malformed; another store's ETag is not the current one", async () => {
  await using storage = await memory();
  const merge = (etag: string): Promise<unknown> =>
    storage.write("Things", { type: "merge", entity: key, etag });

  await expect(merge("nonsense")).rejects.toMatchObject({ status: 400 });
  await storage.write("Things", insert({}));
  await expect(merge('W/"0x5B168C7B6E589D2"')).rejects.toMatchObject({ status: 412 });
});

test("an unknown operation is refused", async () => {
  await using storage = await memory();

  await expect(storage.write("Things", { type: "patch", entity: key } as never)).rejects.toMatchObject({
    status: 400,
  });
  await expect(storage.transact("Things", [null] as never)).rejects.toBeInstanceOf(Error);
});
