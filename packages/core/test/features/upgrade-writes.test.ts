import { withFaults, writeFaults } from "@partita/testing";
import { expect, test } from "vitest";
import {
  defineEntity,
  json,
  type Query,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import { forwardStorage } from "../../src/storage/forward-storage.ts";
import { upgrades } from "../../src/upgrades.ts";
import { upgradeTable } from "@partita/maintenance";
import { chain, get, keys, Order, properties, store } from "./upgraded-orders.ts";

test("a part of a row never takes the place of the row, be its table declared clean", async () => {
  class Clean extends defineEntity({ ...keys, version: chain.clean(), properties }) {}
  await using storage = await store(Clean, { A: 3, Note: "n", Extra: "keep" });
  const before = await get(storage);

  const parts = new TableContext(storage, { upgrade: "write" })
    .query(Clean)
    .where({ shop: "s" })
    .select("Note");

  await expect(parts.toArray()).rejects.toMatchObject({ code: "upgrade.not-clean" });
  expect(await get(storage)).toEqual(before);
});

test("writes that read nothing are refused where rows may be older, since they would mix versions", async () => {
  await using storage = await store(Order, { SchemaVersion: 3, Cents: 500 }, { A: 3 });
  const context = new TableContext(storage);
  const one = new Order({ shop: "s", id: "0", B: 7 });

  expect(() => context.upsert(one, "merge")).toThrow(
    expect.objectContaining({ code: "entity.version-unknown" }) as Error,
  );
  expect(() => context.attach(one, "*")).toThrow(
    expect.objectContaining({ code: "entity.version-unknown" }) as Error,
  );
  class Clean extends defineEntity({ ...keys, version: chain.clean(), properties }) {}
  context.attach(new Clean({ shop: "s", id: "1", B: 7 }), "*");
});

test("a newer row is not replaced by another instance under its key either", async () => {
  await using storage = await store(Order, { SchemaVersion: 9, B: 1, Extra: "x" });
  const context = new TableContext(storage);
  context.remove((await context.find(Order, { shop: "s", id: "0" })) as Order);
  context.create(Order, { shop: "s", id: "0", B: 2 });

  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [{ error: { code: "entity.newer-version" } }],
  });
  expect(await get(storage)).toMatchObject({ SchemaVersion: 9, Extra: "x" });
});

test("an upgrade at once leaves tracked entities their version, and reading goes on when it cannot be written", async () => {
  await using inner = await store(Order, { A: 1 }, { A: 2 });
  const context = new TableContext(inner, { upgrade: "write" });
  const plain = new TableContext(inner);
  const [mine] = await plain.query(Order).where({ shop: "s" }).toArray();
  (mine as Order).B = 9;
  await plain.query(Order).where({ shop: "s" }).toArray();
  await plain.saveChanges();
  expect(await context.query(Order).where({ shop: "s" }).count()).toBe(2);

  for (const fault of ["throttled", "reset-before", "reset-after", "timeout-after", "refused"] as const) {
    await using storage = await store(Order, { A: 1 });
    const flaky = withFaults(storage, writeFaults(fault));
    const found = await new TableContext(flaky, { upgrade: "write" })
      .query(Order)
      .where({ shop: "s" })
      .toArray();
    expect(found.map(({ B }) => B)).toEqual([1]);
  }
});

test("a row that its upgrade makes too large is read, and left as it is", async () => {
  const big = upgrades({ A: text() }).to(2, { A: text(), B: json<string[]>() }, ({ A }) => ({
    A,
    B: Array.from({ length: 40 }, () => A.slice(0, 700)),
  }));
  class Item extends defineEntity({
    ...keys,
    version: big,
    properties: { A: text(), B: json<string[]>() },
  }) {}
  await using storage = await store(Item, {
    A: "x".repeat(30_000),
    ...Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`P${i}`, "y".repeat(32_000)])),
  });

  const [item] = await new TableContext(storage, { upgrade: "write" })
    .query(Item)
    .where({ shop: "s" })
    .toArray();

  expect(item?.B).toHaveLength(40);
  expect(await get(storage)).not.toHaveProperty("SchemaVersion");
});

test("a part that happens to be all declared properties is completed by find, and then saved", async () => {
  await using storage = await store(Order, { A: 1, Extra: "x" });
  const context = new TableContext(storage);
  const [part] = await context.query(Order).where({ shop: "s" }).select("B", "Note").toArray();
  (part as Order).B = 5;

  await context.find(Order, { shop: "s", id: "0" });
  await context.saveChanges();

  expect(await get(storage)).toMatchObject({ B: 5, Extra: "x", SchemaVersion: 2 });
});

test("a row that was changed in between is upgraded, also where a proxy takes the code from the refusal", async () => {
  await using inner = await store(Order, { A: 3 });
  let isFirst = true;
  const storage = forwardStorage(inner, {
    write: (table, operation, options) => {
      if (table !== "Orders" || !isFirst) return inner.write(table, operation, options);
      isFirst = false;
      return Promise.reject(
        new StorageError("storage.status412", "The service answered 412.", { applied: "no", status: 412 }),
      );
    },
  });

  expect(await upgradeTable(storage, [Order])).toMatchObject({ isClean: true, upgraded: 1, changed: 1 });
});

test("first() and take() are filled by later rows where a row is removed while its upgrade is written", async () => {
  const open = async (): Promise<TableStorage> => {
    const inner = await store(Order, { A: 0 }, { A: 1 }, { A: 2 }, { A: 3 });
    let isRemoved = false;
    const removing = async (): Promise<void> => {
      if (isRemoved) return;
      isRemoved = true;
      const key = { partitionKey: "s", rowKey: "0" };
      await inner.write("Orders", { type: "delete", key, etag: "*" });
    };
    return forwardStorage(inner, {
      // Small pages: what is filled up comes from the rest of a page, and from the pages behind it.
      query: (table, query, options) => inner.query(table, { ...query, top: 3 }, options),
      write: async (table, operation, options) => {
        await removing();
        return inner.write(table, operation, options);
      },
      transact: async (table, operations, options) => {
        await removing();
        return inner.transact(table, operations, options);
      },
    });
  };
  const orders = async (): Promise<Query<Order>> =>
    new TableContext(await open(), { upgrade: "write" }).query(Order).where({ shop: "s" });
  const ids = (found: readonly Order[]): string[] => found.map(({ id }) => id);

  expect((await (await orders()).first())?.id).toBe("1");
  expect(ids(await (await orders()).take(2).toArray())).toEqual(["1", "2"]);
  expect(ids(await (await orders()).take(3).toArray())).toEqual(["1", "2", "3"]);
  expect(ids(await (await orders()).take(4).toArray())).toEqual(["1", "2", "3"]);
  expect(ids(await (await orders()).toArray())).toEqual(["1", "2", "3"]);
  expect((await (await orders()).where({ B: 1 }).single()).id).toBe("1");
});
