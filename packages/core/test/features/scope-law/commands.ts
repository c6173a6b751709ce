// The calls of random programs, one command for each way of using a method.

import { odata, type Query, TableContext, type TableStorage, work } from "../../../src/index.ts";
import type { Random } from "./random.ts";
import { Card, Folder, ids, Line, mostOfAcme, Note, Order, OrderRow, Page, secret } from "./world.ts";
import type { Witness } from "./witness.ts";

/** A program that runs. */
export interface Running {
  readonly context: TableContext;
  /** The storage of everybody else. */
  readonly inner: TableStorage;
  readonly storage: TableStorage;
  readonly random: Random;
  readonly witness: Witness;
  /** Entities that the program has. */
  readonly held: object[];
  /** Called after another writer changed rows of beta. */
  readonly onOthersWritten: () => Promise<void>;
}

type Command = (running: Running) => unknown;

export const scope = { tenant: "acme" } as const;

const classes = [OrderRow, Order, Line, Note, Card, Folder, Page] as const;
type AnyClass = (typeof classes)[number];
/** Those with entities of their own. */
const concrete = [Order, Line, Note, Card, Folder, Page] as const;
const tableOf = (entityClass: AnyClass): string => (entityClass.shape as unknown as { table: string }).table;

/** A key, which names a tenant now and then. */
function keyOf({ random }: Running, entityClass: AnyClass): object {
  const inOrders = tableOf(entityClass) === "ScopedOrders";
  return {
    ...(inOrders ? {} : { box: "b" }),
    id: random.pick(ids),
    ...(entityClass === Line || entityClass === Page ? { no: 1 + random.below(3) } : {}),
    ...(random.isOneOf(4) && { tenant: random.pick(["acme", "beta", "beta"]) }),
  };
}

/** The key as its row has it; in tables of tenants, that of another tenant at times. */
function rowOf(
  { random }: Running,
  entityClass: AnyClass,
  key: object,
): { partitionKey: string; rowKey: string } {
  const { id, no } = key as { id: string; no?: number };
  const partitionKey = tableOf(entityClass) === "ScopedOrders" ? random.pick(["acme", "beta"]) : "b";
  return { partitionKey, rowKey: no === undefined ? id : `${id}!000${no}` };
}

const valuesOf = (running: Running, entityClass: AnyClass): object => ({
  ...keyOf(running, entityClass),
  ...(entityClass === Line ? { sku: "mine" } : {}),
  ...(entityClass === Note || entityClass === Card ? { text: "mine", rank: running.random.below(9) } : {}),
  ...(entityClass === Folder || entityClass === Page ? { name: "mine" } : {}),
});

/** An instance of the program's own. */
function instanceOf(running: Running, entityClass: AnyClass): object {
  const entity: object = Object.assign(new entityClass(), valuesOf(running, entityClass));
  if ("tenant" in entity && entity.tenant === "beta") running.witness.named.add(entity);
  return entity;
}

const heldBy = ({ held, random }: Running): object => (held.length === 0 ? {} : random.pick(held));

/** The ETag of a row, whoever it belongs to, or any. */
async function etagOf(running: Running, entityClass: AnyClass, key: object): Promise<string> {
  if (running.random.isOneOf(2)) return "*";
  const row = await running.inner.get(tableOf(entityClass), rowOf(running, entityClass, key));
  return (row?.["odata.etag"] as string | undefined) ?? "*";
}

const findOptions = ({ random }: Running, entityClass: AnyClass): object => ({
  ...(random.isOneOf(4) && {
    mergeOption: random.pick(["noTracking", "overwriteChanges", "preserveChanges"]),
  }),
  ...(random.isOneOf(3) && entityClass === Order && { include: "lines" }),
  ...(random.isOneOf(3) && entityClass === Folder && { include: "pages" }),
});

function change(entity: object, { random, witness }: Running): void {
  const values = entity as Record<string, unknown>;
  const name = random.pick(["text", "note", "name", "sku", "total", "rank", "text", "note", "tenant"]);
  if (!(name in values)) return;
  if (name === "tenant") {
    values["tenant"] = random.pick(["acme", "beta", undefined]);
    witness.named.add(entity);
  } else
    values[name] = name === "rank" || name === "total" ? random.below(9) : random.pick(["mine", "other"]);
}

/** A query with any of its conditions and settings. */
function queryOf(running: Running, entityClass: AnyClass): Query<Record<string, unknown>> {
  const { random, context } = running;
  const asked = random.isOneOf(8) && entityClass === Order ? [Order, Line] : entityClass;
  let query = context.query(asked as never) as unknown as Query<Record<string, unknown>>;
  const isInBox = tableOf(entityClass) !== "ScopedOrders";
  if (isInBox && !random.isOneOf(4)) query = query.where({ box: "b" });
  if (random.isOneOf(4)) query = query.where({ id: random.pick(ids) });
  if (random.isOneOf(8)) query = query.where({ tenant: random.pick(["acme", "beta"]) });
  if (random.isOneOf(8))
    query = query.where((c) => {
      const { tenant } = c as unknown as { tenant: { ne(value: string): never; ge(value: string): never } };
      return random.isOneOf(2) ? tenant.ne("acme") : tenant.ge("beta");
    });
  if (random.isOneOf(8) && entityClass === OrderRow)
    query = query.whereKind(Order as never, (o) =>
      (o as unknown as { total: { ge(n: number): never } }).total.ge(0),
    );
  if (random.isOneOf(8))
    query = query.filter(
      random.pick([odata`PartitionKey eq ${"beta"}`, odata`tenant eq ${"beta"}`, odata`RowKey ge ${"1"}`]),
    );
  if (random.isOneOf(6) && (entityClass === Order || entityClass === Folder))
    query = query.include(
      (all) =>
        entityClass === Order
          ? (all as never as { lines: never }).lines
          : (all as never as { pages: never }).pages,
      {
        onOrphan: (orphan: unknown) => running.witness.see("onOrphan", orphan),
      },
    ) as never;
  if (random.isOneOf(5))
    query = query.mergeOption(
      random.pick(["noTracking", "overwriteChanges", "preserveChanges", "appendOnly"]),
    );
  if (random.isOneOf(5)) query = query.unreadableRows(random.pick(["raw", "skip", "error"]) as "skip");
  if (random.isOneOf(6) && entityClass === Card)
    query = query.via(random.pick(["byRank", "byCode", "primary"]));
  if (random.isOneOf(8)) query = query.fresh();
  if (random.isOneOf(6))
    query = query.select(
      ...(isInBox ? ["id"] : ["id", "tenant"]),
      ...(entityClass === Note ? ["text"] : []),
    ) as never;
  if (random.isOneOf(6)) query = query.take(random.below(5));
  if (random.isOneOf(8)) query = query.inRowKeyOrder();
  if (random.isOneOf(8)) query = query.reverse();
  if (random.isOneOf(8)) query = query.sortBy(random.pick(["id", "rank", "total", "name"]) as never);
  if (random.isOneOf(8))
    query = query.filterInMemory((entity) => {
      running.witness.see("filterInMemory", entity);
      return !random.isOneOf(5);
    });
  if (isInBox && random.isOneOf(2)) query = query.scan();
  return query;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

type Asked = Query<Record<string, unknown>>;

/** Every way of reading a query, or of writing what it finds. */
const endings: readonly ((query: Asked, running: Running, entityClass: AnyClass) => unknown)[] = [
  (query) => query.toArray(),
  (query) => query.toArray(),
  (query) => query.first(),
  (query) => query.single(),
  (query) => query.last(3),
  async (query, { witness, inner }, entityClass) => {
    if ((await query.exists()) && (await mostOfAcme(inner, tableOf(entityClass))) === 0)
      witness.leaks.push("exists() found a row of beta");
  },
  (query) => all(query),
  (query) => all(query.stream()),
  (query) => query.page({ size: 2 }),
  (query) => all(query.pages({ size: 2 })),
  (query) => String(query.explain()),
  async (query, { witness, inner }, entityClass) => {
    const count = await query.count();
    if (count > (await mostOfAcme(inner, tableOf(entityClass))))
      witness.leaks.push("count() counted rows of beta");
    return count;
  },
  (query, running) => query.updateAll((entity) => change(entity, running)),
  (query) => query.removeAll(),
];

/** What `work` and `modify` do to what they find. */
const changed =
  (running: Running) =>
  (entity: object): void => {
    running.witness.see("modify", entity);
    change(entity, running);
  };

export const commands: readonly Command[] = [
  ...Array.from({ length: 6 }, (): Command => (running) => {
    const entityClass = running.random.pick(classes);
    return running.random.pick(endings)(queryOf(running, entityClass), running, entityClass);
  }),
  ...Array.from({ length: 3 }, (): Command => (running) => {
    const entityClass = running.random.pick(concrete);
    return running.context.find(
      entityClass as never,
      keyOf(running, entityClass) as never,
      findOptions(running, entityClass),
    );
  }),
  (running) => {
    const entityClass = running.random.pick(concrete);
    const keys = [1, 2, 3].map(() => keyOf(running, entityClass));
    return running.context.findMany(entityClass as never, keys as never, findOptions(running, entityClass));
  },
  (running) => {
    const entityClass = running.random.pick(concrete);
    const options = running.random.isOneOf(3) ? { create: () => valuesOf(running, entityClass) } : {};
    return running.context.modify(
      entityClass as never,
      keyOf(running, entityClass) as never,
      changed(running) as never,
      options as never,
    );
  },
  (running) => {
    const entityClass = running.random.pick(concrete);
    return running.context.create(entityClass as never, valuesOf(running, entityClass) as never);
  },
  (running) => {
    const { random, context } = running;
    const list = random.pick(["lines", "pages"]);
    const values = {
      no: 1 + random.below(3),
      sku: "mine",
      name: "mine",
      ...(random.isOneOf(6) && { tenant: "beta" }),
    };
    return context.createIn(
      heldBy(running),
      list as never,
      (list === "lines" ? { ...values, name: undefined } : { ...values, sku: undefined }) as never,
    );
  },
  (running) => running.context.add(instanceOf(running, running.random.pick(concrete))),
  ...Array.from({ length: 2 }, (): Command => async (running) => {
    const entityClass = running.random.pick(concrete);
    const entity = instanceOf(running, entityClass);
    const etag = await etagOf(running, entityClass, entity);
    running.context.attach(entity, etag);
    if (running.random.isOneOf(3)) running.context.remove(entity);
    else change(entity, running);
    return entity;
  }),
  ...Array.from({ length: 2 }, (): Command => (running) => {
    const { random, context } = running;
    return context.upsert(instanceOf(running, random.pick(concrete)), random.pick(["merge", "replace"]), {
      idempotent: random.isOneOf(2),
    });
  }),
  ...Array.from({ length: 2 }, (): Command => async (running) => {
    const entityClass = running.random.pick(concrete);
    const key = keyOf(running, entityClass);
    running.context.removeByKey(entityClass as never, key as never, await etagOf(running, entityClass, key));
    if (running.random.isOneOf(3))
      return running.context.add(
        Object.assign(instanceOf(running, entityClass), { ...key, tenant: undefined }),
      );
    return undefined;
  }),
  (running) => running.context.update(heldBy(running)),
  (running) => running.context.touch(heldBy(running)),
  (running) => running.context.remove(heldBy(running)),
  (running) => running.context.detach(heldBy(running)),
  (running) => running.context.discard(heldBy(running)),
  (running) =>
    running.context.assign(
      heldBy(running),
      running.random.pick([
        { text: "mine" },
        { name: "mine" },
        { tenant: "beta" },
        { tenant: "acme", note: "mine" },
      ]),
    ),
  (running) => {
    const entry = running.context.entry(heldBy(running));
    return [entry.state, entry.conflicts, entry.lastError];
  },
  async (running) => {
    const { context, random, witness, inner } = running;
    const entityClass = random.pick(classes);
    const found = await all(context.partitions(entityClass as never));
    const most = await mostOfAcme(inner, tableOf(entityClass));
    if (found.includes("beta") || found.length > most) witness.leaks.push("partitions() found one of beta");
    return found;
  },
  (running) => running.context.pendingChanges(),
  (running) => running.context.size,
  (running) => running.context.clear({ discard: running.random.isOneOf(2) }),
  ...Array.from(
    { length: 2 },
    (): Command => (running) =>
      running.context.reload(heldBy(running), {
        mergeOption: running.random.pick(["overwriteChanges", "preserveChanges"]),
      }),
  ),
  (running) => {
    const seen = (conflict: object): "theirs" => {
      running.witness.see("resolveConflict", conflict);
      return "theirs";
    };
    return running.context.resolveConflict(heldBy(running), running.random.pick(["mine", "theirs", seen]));
  },
  (running) => running.context.resolveInDoubt(),
  (running) => running.context.removeFamily(heldBy(running)),
  ...Array.from({ length: 4 }, (): Command => async (running) => {
    const { context, random } = running;
    try {
      return await context.saveChanges(
        random.pick([undefined, { batch: "none" }, { update: "replace" }, { removeMissing: "ignore" }]),
      );
    } catch (error) {
      if (random.isOneOf(2)) context.clear({ discard: true });
      throw error;
    }
  }),
  ...Array.from({ length: 4 }, (): Command => (running) => change(heldBy(running), running)),
  (running) => {
    const { lines, pages } = heldBy(running) as { lines?: object[]; pages?: object[] };
    const list = lines ?? pages;
    if (running.random.isOneOf(2)) list?.splice(0, 1);
    else list?.push(instanceOf(running, lines === undefined ? Page : Line));
  },
  (running) =>
    work(
      running.storage,
      async (context) => {
        const entityClass = running.random.pick(concrete);
        const found = await context
          .query(entityClass as never)
          .where({ id: running.random.pick(ids) })
          .scan()
          .toArray();
        for (const entity of found) changed(running)(entity);
      },
      { attempts: 2, context: { scope } },
    ),
  // Another writer, who may do anything.
  async ({ inner, random, onOthersWritten }) => {
    const other = new TableContext(inner, { scope: "all", unreadableRows: "skip" });
    const entityClass = random.pick([Note, Card, Folder]);
    const found = (await other
      .query(entityClass as never)
      .where({ id: random.pick(ids) })
      .scan()
      .first()) as Record<string, unknown> | undefined;
    if (found === undefined) return;
    const isMoved = random.isOneOf(2);
    if (isMoved) found["tenant"] = "beta";
    const value = found["tenant"] === "beta" ? secret : "open";
    found["text" in found ? "text" : "name"] = value;
    await other.saveChanges();
    await onOthersWritten();
  },
  async ({ inner, random, onOthersWritten }) => {
    const other = new TableContext(inner, { scope: "all" });
    other.create(random.pick([Note, Card]), {
      box: "b",
      id: random.pick(ids),
      tenant: "beta",
      text: secret,
      rank: 91,
    });
    await other.saveChanges().catch(() => undefined);
    await onOthersWritten();
  },
];
