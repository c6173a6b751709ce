import { beforeEach, describe, expect, test } from "vitest";
import { StorageError, type TableContext } from "../../../src/index.ts";
import { census } from "@partita/maintenance";
import { arrive, blind, contextOf, failure, once, outcomesOf, type Store } from "../unit-of-work/store.ts";
import { close, keyOf, letters, Listed, openOrders, Order, Plain, Post, Ticket } from "./messages.ts";

let store: Store;
let context: TableContext;
let post: Post;
beforeEach(async () => {
  store = await openOrders();
  context = contextOf(store);
  post = new Post();
});

const types = (): (readonly string[])[] => store.sent.map((sent) => sent.map(({ type }) => type));

async function stored(id: number | string = 1): Promise<Order> {
  await using other = contextOf(store);
  other.create(Order, { ...keyOf(id), state: "new" });
  await other.saveChanges();
  const order = (await context.find(Order, keyOf(id))) as Order;
  store.reset();
  return order;
}

describe("a message is stored in the transaction of its entity's change", () => {
  test("of an insert", async () => {
    post.send(context, context.create(Order, keyOf()));
    const [result] = await context.saveChanges();

    expect(result).toMatchObject({ operation: "insert", outcome: "committed", evidence: "response" });
    expect(types()).toEqual([["insert", "insert"]]);
    expect(await letters(store)).toEqual(["hello"]);
    expect(post.places).toMatchObject([{ table: "Orders", partitionKey: "s" }]);
    expect(post.fates).toEqual(["stored"]);
  });

  test("of a merge, with batch none", async () => {
    const order = await stored();
    order.state = "paid";
    context.create(Order, keyOf(2));
    post.send(context, order);
    await context.saveChanges({ batch: "none" });

    expect(types()).toContainEqual(["insert", "merge"]);
    expect(types()).toContainEqual(["insert"]);
  });

  test("of a removal, an upsert, and a removal by key of any version", async () => {
    const order = await stored();
    context.remove(order);
    post.send(context, order, "removed");
    const other = context.upsert(new Order(keyOf(2)), "replace");
    post.send(context, other, "upserted");
    await context.saveChanges();

    expect(types()).toEqual([["insert", "insert", "delete", "upsert-replace"]]);
    expect(await letters(store)).toEqual(["removed", "upserted"]);
    expect(context.size).toBe(1);
  });

  test("of an entity that did not change: its row gets a new ETag, or the save is a conflict", async () => {
    const order = await stored();
    const { etag } = context.entry(order);
    post.send(context, order);
    expect(context.entry(order).state).toBe("modified");
    expect(context.pendingChanges()).toMatchObject([{ entity: order, assigned: [], cleared: [] }]);
    await context.saveChanges();
    expect(types()).toEqual([["insert", "merge"]]);
    expect(context.entry(order)).toMatchObject({ state: "unchanged" });
    expect(context.entry(order).etag).not.toBe(etag);

    await using other = contextOf(store);
    ((await other.find(Order, keyOf())) as Order).state = "other";
    await other.saveChanges();
    post.send(context, order, "again");
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    expect(await letters(store)).toEqual(["hello"]);
    expect(post.fates).toEqual(["stored", "refused"]);
  });

  test("where tracking is explicit", async () => {
    await stored();
    await using own = contextOf(store, { tracking: "explicit" });
    const order = (await own.find(Order, keyOf())) as Order;
    post.send(own, order);
    await own.saveChanges();

    expect(await letters(store)).toEqual(["hello"]);
  });

  test("of an entity with rows in indexes", async () => {
    const listed = context.create(Listed, { ...keyOf(), state: "new" });
    post.send(context, listed);
    await context.saveChanges();
    listed.state = "paid";
    post.send(context, listed, "paid");
    await context.saveChanges();

    expect(types()).toEqual([
      ["insert", "insert", "upsert-replace"],
      ["insert", "merge", "delete", "upsert-replace"],
    ]);
    expect(await letters(store, "ListedOrders")).toEqual(["hello", "paid"]);
    expect(await context.query(Listed).where({ shop: "s" }).toArray()).toHaveLength(1);
  });

  test('in place of the marker, in tables with proof: "marker"', async () => {
    post.send(context, context.create(Ticket, keyOf()));
    await context.saveChanges();
    context.create(Ticket, keyOf(2));
    await context.saveChanges();

    expect(
      store.sent.map((sent) => sent.map((each) => "entity" in each && each.entity.RowKey.slice(0, 3))),
    ).toEqual([
      ["~o~", "1"],
      ["~w~", "2"],
    ]);
  });

  test("two of one entity, in one transaction; and one of each entity", async () => {
    const order = context.create(Order, keyOf());
    post.send(context, order, "one");
    post.send(context, order, "two");
    post.send(context, context.create(Order, keyOf(2)), "three");
    await context.saveChanges({ batch: "atomic" });

    expect(types()).toEqual([["insert", "insert", "insert", "insert", "insert"]]);
    expect(await letters(store)).toEqual(["one", "two", "three"]);
    expect(post.fates).toEqual(["stored", "stored", "stored"]);
  });

  test("of several tables and partitions, each with its own", async () => {
    post.send(context, context.create(Order, keyOf(1, "a")));
    post.send(context, context.create(Order, keyOf(1, "b")));
    post.send(context, context.create(Ticket, keyOf(1, "a")));
    await context.saveChanges();

    expect(post.places.map(({ table, partitionKey }) => `${table} ${partitionKey}`)).toEqual([
      "Orders a",
      "Orders b",
      "OrderTickets a",
    ]);
    expect(types()).toHaveLength(3);
  });

  test("and counts as an operation: 50 entities fit with theirs, 51 do not", async () => {
    const addAll = (count: number): void => {
      for (let n = 0; n < count; n++) post.send(context, context.create(Ticket, keyOf(`${count}-${n}`)));
    };
    addAll(50);
    await context.saveChanges({ batch: "atomic" });
    addAll(51);
    expect(await failure(context.saveChanges({ batch: "atomic" }))).toMatchObject({
      code: "save.not-atomic",
    });
    expect(post.places).toHaveLength(50);
    await context.saveChanges();

    expect(store.sent.map(({ length }) => length)).toEqual([100, 100, 2]);
  });
});

describe("what is not saved sends nothing", () => {
  test("discarded, detached, removed before it was stored, and cleared", async () => {
    const order = await stored();
    post.send(context, order);
    context.discard(order);
    const added = context.create(Order, keyOf(2));
    post.send(context, added);
    context.remove(added);
    post.send(context, order);
    context.detach(order);
    await context.saveChanges();
    post.send(context, context.create(Order, keyOf(3)));
    context.clear({ discard: true });
    await context.saveChanges();

    expect(store.sent).toEqual([]);
    expect(post.places).toEqual([]);
  });

  test("read anew over its edits, as modify does before it tries again", async () => {
    await stored();
    let isFirst = true;
    await context.modify(Order, keyOf(), async (order) => {
      order.total++;
      post.send(context, order, `total ${order.total}`);
      if (!isFirst) return;
      isFirst = false;
      await using other = contextOf(store);
      ((await other.find(Order, keyOf())) as Order).total = 7;
      await other.saveChanges();
    });

    expect(await letters(store)).toEqual(["total 8"]);
  });

  test("not saved yet: what `only` leaves out stays pending with its message", async () => {
    const [first, second] = [context.create(Order, keyOf(1)), context.create(Order, keyOf(2))];
    post.send(context, first, "one");
    post.send(context, second, "two");
    await context.saveChanges({ only: [first] });
    expect(await letters(store)).toEqual(["one"]);
    await context.saveChanges();

    expect(await letters(store)).toEqual(["one", "two"]);
  });

  test("a key that is taken over keeps the message, and a removal that is taken back does", async () => {
    const order = await stored();
    context.remove(order);
    post.send(context, order, "replaced");
    const next = context.create(Order, keyOf());
    await context.saveChanges();
    expect(types()).toEqual([["insert", "replace"]]);

    post.send(context, next, "stays");
    context.remove(next);
    context.add(next);
    await context.saveChanges();
    expect(await letters(store)).toEqual(["replaced", "stays"]);
  });
});

test("what is sent while a save is on its way goes with the next one", async () => {
  const order = context.create(Order, keyOf());
  post.send(context, order, "first");
  post.announcing = async () => {
    if (post.places.length > 0) return;
    post.send(context, order, "second");
  };
  await context.saveChanges();
  expect(await letters(store)).toEqual(["first"]);
  await context.saveChanges();

  expect(await letters(store)).toEqual(["first", "second"]);
});

test("a saving hook may send", async () => {
  const own = contextOf(store, {
    hooks: { saving: (entity) => void post.send(own, entity, "from a hook") },
  });
  own.create(Order, keyOf());
  await own.saveChanges();

  expect(await letters(store)).toEqual(["from a hook"]);
});

describe("an announcement that fails", () => {
  const down = (): StorageError => new StorageError("storage.timeout", "No answer.", { applied: "maybe" });

  test("keeps the whole save from being sent, and those that were made are taken back", async () => {
    const [first, second] = [context.create(Order, keyOf(1)), context.create(Order, keyOf(2))];
    post.send(context, first, "one");
    post.send(context, second, "two");
    post.announcing = async (_place, _attempt, letter) => {
      if (letter === "two") throw down();
    };
    const error = await failure(context.saveChanges({ batch: "none" }));

    expect(error.results).toMatchObject([
      { outcome: "rejected", aborted: true, attempts: 0 },
      { outcome: "rejected", attempts: 0, error: { code: "outbox.queue-unreachable" } },
    ]);
    expect(store.sent).toEqual([]);
    expect(post.fates).toEqual(["refused"]);
    expect(context.entry(first)).toMatchObject({ state: "added", inDoubt: false });

    post.announcing = async () => undefined;
    await context.saveChanges();
    expect(await letters(store)).toEqual(["one", "two"]);
  });

  test("is tried again as the context's policy says", async () => {
    post.send(context, context.create(Order, keyOf()));
    post.announcing = async (_place, attempt) => {
      if (attempt === 1) throw down();
    };
    await context.saveChanges();

    const { entities } = await store.inner.query("Orders", {});
    expect(entities.find(({ RowKey }) => RowKey.startsWith("~o~"))).toMatchObject({ Attempt: 2 });
  });

  test("of a save that was cancelled meanwhile", async () => {
    const controller = new AbortController();
    post.send(context, context.create(Order, keyOf()));
    post.announcing = async () => {
      controller.abort();
      throw down();
    };
    expect(await outcomesOf(context.saveChanges({ signal: controller.signal }))).toEqual([
      "rejected storage.not-sent",
    ]);
  });
});

describe("a place that was closed", () => {
  test("before the transaction came: abandoned, and the next save has another place", async () => {
    const order = context.create(Order, keyOf());
    post.send(context, order);
    post.announcing = async (place) => void (await close(store, place));
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected outbox.abandoned"]);
    expect(post.fates).toEqual(["in doubt"]);
    expect(context.entry(order)).toMatchObject({ state: "added", inDoubt: false });

    post.announcing = async () => undefined;
    await context.saveChanges();
    expect(await letters(store)).toEqual(["(closed)", "hello"]);
  });

  test("of the second message of a transaction: all of it is abandoned", async () => {
    const order = context.create(Order, keyOf());
    post.send(context, order, "one");
    post.send(context, order, "two");
    post.announcing = async (place, _attempt, letter) => {
      if (letter === "two") await close(store, place);
    };

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected outbox.abandoned"]);
    expect(await letters(store)).toEqual(["(closed)", "(closed)"]);
  });

  test("between two tries of which the first did not arrive", async () => {
    post.send(context, context.create(Order, keyOf()));
    let writes = 0;
    store.plan = async ({ type }) => {
      if (type !== "transact" || writes++ > 0) return undefined;
      await close(store, post.places[0] as never);
      return "timeout-before";
    };

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected outbox.abandoned"]);
  });
});

describe("an answer that was lost", () => {
  test.for([Order, Ticket])(
    "of $name: the message itself proves it, also of an upsert and a removal",
    async (Class) => {
      const table = new Class(keyOf()) instanceof Order ? "Orders" : "OrderTickets";
      const entity = context.upsert(new Class(keyOf()), "replace");
      post.send(context, entity);
      let isLost = true;
      store.plan = ({ type }) => {
        if (type !== "transact" || !isLost) return undefined;
        isLost = false;
        return "timeout-after";
      };
      expect(await context.saveChanges()).toMatchObject([{ outcome: "committed", evidence: "marker" }]);
      isLost = true;
      context.remove(entity);
      post.send(context, entity, "removed");
      expect(await context.saveChanges()).toMatchObject([{ outcome: "committed", evidence: "marker" }]);
      expect(await letters(store, table)).toEqual(["hello", "removed"]);
      expect(post.fates).toEqual(["proved", "proved"]);
      expect(context.size).toBe(0);
    },
  );

  test("of a write that is late: closed by the sender, and what arrives then is refused", async () => {
    const own = contextOf(store, once);
    const order = own.create(Order, keyOf());
    post.send(own, order);
    store.plan = blind("timeout-before");
    expect(await outcomesOf(own.saveChanges())).toEqual(["unknown storage.timeout"]);
    store.plan = undefined;

    expect(await outcomesOf(own.resolveInDoubt())).toEqual(["rejected storage.not-stored"]);
    await arrive(store, "Orders");
    expect(await letters(store)).toEqual(["(closed)"]);
    expect(post.fates).toEqual(["in doubt"]);

    await own.saveChanges();
    expect(await letters(store)).toEqual(["(closed)", "hello"]);
  });

  test("of a write that was stored: a later save does not send its message again", async () => {
    const own = contextOf(store, once);
    const order = own.create(Order, keyOf());
    post.send(own, order);
    store.plan = blind("timeout-after");
    expect(await outcomesOf(own.saveChanges())).toEqual(["unknown storage.timeout"]);
    store.plan = undefined;
    post.send(own, order, "later");
    await own.saveChanges();

    expect(await letters(store)).toEqual(["hello", "later"]);
  });

  test("and was handled meanwhile: the row says so for an hour", async () => {
    const own = contextOf(store, once);
    post.send(own, own.create(Order, keyOf()));
    store.plan = blind("timeout-after");
    await failure(own.saveChanges());
    store.plan = undefined;
    const [{ table, ...key }] = post.places as [(typeof post.places)[0]];
    await store.inner.write(table, {
      type: "replace",
      entity: { PartitionKey: key.partitionKey, RowKey: key.rowKey, State: "written" },
      etag: "*",
    });

    expect(await own.resolveInDoubt()).toMatchObject([{ outcome: "committed", evidence: "marker" }]);
  });
});

describe('removeMissing: "ignore"', () => {
  const removedByOthers = async (id: number): Promise<Order> => {
    const order = await stored(id);
    await using other = contextOf(store);
    other.removeByKey(Order, keyOf(id), "*");
    await other.saveChanges();
    context.remove(order);
    return order;
  };

  test("does not count for a removal that sends a message: somebody else's removal is no reason to", async () => {
    post.send(context, await removedByOthers(1));

    expect(await outcomesOf(context.saveChanges({ removeMissing: "ignore" }))).toEqual([
      "rejected conflict.missing",
    ]);
    expect(await letters(store)).toEqual([]);
  });

  test("lets the rest of a transaction go with its messages", async () => {
    await removedByOthers(1);
    post.send(context, context.create(Order, keyOf(2)));

    expect(await outcomesOf(context.saveChanges({ removeMissing: "ignore" }))).toEqual([
      "committed",
      "committed",
    ]);
    expect(await letters(store)).toEqual(["hello"]);
    expect(post.fates).toEqual(["stored"]);
  });
});

test("a group that is not sent, since an earlier one failed, takes its announcement back", async () => {
  const order = await stored();
  await using other = contextOf(store);
  other.removeByKey(Order, keyOf(), "*");
  await other.saveChanges();
  order.total = 2;
  post.send(context, context.create(Order, keyOf(1, "later")));
  await failure(context.saveChanges({ continueOnError: false, concurrency: 1 }));

  expect(post.fates).toEqual(["refused"]);
});

describe("messages are out of sight", () => {
  beforeEach(async () => {
    for (let n = 0; n < 3; n++) post.send(context, context.create(Order, keyOf(n)));
    await context.saveChanges();
  });

  test("of queries, counts, bulk writes and censuses", async () => {
    await using other = contextOf(store);
    expect(await other.query(Order).scan().toArray()).toHaveLength(3);
    expect(await other.query(Order).scan().take(2).toArray()).toHaveLength(2);
    expect(await census(store.storage, [Order])).toMatchObject([{ count: 3 }]);
    expect(await other.query(Order).where({ shop: "s" }).removeAll()).toMatchObject({ written: 3 });
    expect(await letters(store)).toHaveLength(3);
  });

  test("and their keys are nobody else's", () => {
    expect(() => context.create(Order, keyOf("~o~mine"))).toThrow(
      expect.objectContaining({ code: "key.reserved" }),
    );
    expect(() => context.create(Plain, keyOf("~o~mine"))).not.toThrow();
  });
});

test("misuse is refused where it is made", async () => {
  expect(() => post.send(context, context.create(Plain, keyOf()))).toThrow(
    expect.objectContaining({ code: "outbox.not-declared" }),
  );
  expect(() => post.send(context, new Order(keyOf()))).toThrow(
    expect.objectContaining({ code: "entity.not-tracked" }),
  );
  const order = context.create(Order, keyOf());
  for (let n = 0; n < 99; n++) post.send(context, order);
  expect(() => post.send(context, order)).toThrow(
    expect.objectContaining({ code: "outbox.too-many-messages" }),
  );
  await context.saveChanges();
  expect(await letters(store)).toHaveLength(99);
});
