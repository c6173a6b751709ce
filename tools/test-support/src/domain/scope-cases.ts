// The acceptance cases of scopes, S1 to S9, and the effects of their decisions. The same in all forms, with
// every storage.

import { TableContext, work } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { expect, test } from "vitest";
import type { ScopeClasses } from "./scope-classes.ts";
import { type DomainStore, failureOf, type OpenDomain, refusalOf, requestsOf } from "./store.ts";

const acme = { scope: { tenant: "acme" } } as const;
const beta = { scope: { tenant: "beta" } } as const;

/** A row of a table. */
const rowIn = (
  { inner }: DomainStore,
  table: string,
  partitionKey: string,
  rowKey: string,
): Promise<StoredEntity | undefined> => inner.get(table, { partitionKey, rowKey });

/** All rows of the tenant beta: keys, ETags and values. */
export async function rowsOfBeta({ inner }: Pick<DomainStore, "inner">): Promise<StoredEntity[]> {
  const tables = ["ScopedOrders", "ScopedNotes", "ScopedCards", "ScopedFolders"];
  const pages = await Promise.all(tables.map((table) => inner.query(table, {})));
  return pages
    .flatMap(({ entities }) => entities)
    .filter((row) => row.PartitionKey === "beta" || row["tenant"] === "beta");
}

/** Two tenants with an order and two lines each. Their notes, cards and folders are mixed in one box. */
async function store(open: OpenDomain, classes: ScopeClasses): Promise<DomainStore> {
  const { Order, Note, Card, Folder } = classes;
  const opened = await open();
  const context = new TableContext(opened.inner, { scope: "all" });
  for (const tenant of ["acme", "beta"]) {
    const lines = [1, 2].map((no) => ({ no, sku: `${tenant}${no}` }));
    context.create(Order, { tenant, id: "7", total: 1, lines });
    for (const id of ["1", "2"]) {
      const values = { tenant, box: "b", id: tenant + id, text: `of ${tenant}`, rank: Number(id) };
      context.create(Note, values);
      context.create(Card, { ...values, code: tenant + id });
    }
    context.create(Folder, {
      tenant,
      box: "b",
      id: tenant,
      name: tenant,
      pages: [{ tenant, no: 1, name: tenant }],
    });
  }
  await context.saveChanges();
  opened.reset();
  return opened;
}

const codeOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
};

const noteOf = (tenant: string, n = 1): { readonly box: string; readonly id: string } => ({
  box: "b",
  id: `${tenant}${n}`,
});

export function scopeCases(open: OpenDomain, classes: ScopeClasses): void {
  const { OrderRow, Order, Line, Note, Card, Folder, Country, Currency } = classes;

  test("S1: a query without conditions reads the partition of the scope", async () => {
    await using opened = await store(open, classes);
    const query = new TableContext(opened.storage, acme).query(Order);

    const orders = await query.toArray();

    expect(orders).toMatchObject([{ tenant: "acme", id: "7" }]);
    expect(opened.reads).toEqual(["query"]);
    expect(query.explain()).toMatchObject({ type: "partition scan", partitions: 1, scope: ["tenant"] });
    expect(String(query.explain())).toContain("scope tenant");
  });

  test("S2: create fills the scope in, and refuses another one", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);

    context.create(Order, { id: "9" });
    context.create(Order, { tenant: "acme", id: "10" });
    expect(await codeOf(() => context.create(Order, { tenant: "beta", id: "11" }))).toBe("context.scope");
    context.create(Note, { box: "b", id: "new", text: "t" });
    expect(context.size).toBe(3);
    await context.saveChanges();

    expect(requestsOf(opened).flat()).toEqual(["insert 10", "insert 9", "insert new"]);
    expect(await rowIn(opened, "ScopedOrders", "acme", "9")).toBeDefined();
    expect(await rowIn(opened, "ScopedNotes", "b", "new")).toMatchObject({ tenant: "acme" });
  });

  test("S3: a key may leave the scope out; another one is refused before a request", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);

    expect(await context.find(Order, { id: "7" })).toMatchObject({ tenant: "acme", id: "7" });
    opened.reset();
    expect(await codeOf(() => context.find(Order, { tenant: "beta", id: "7" }))).toBe("context.scope");
    expect(await codeOf(() => context.query(Order).where({ tenant: "beta" }))).toBe("context.scope");
    expect(await codeOf(() => context.query(Order).where((o) => o.tenant.in(["acme", "beta"])))).toBe(
      "context.scope",
    );
    expect(opened.reads).toEqual([]);
  });

  test("S4: a row of another scope is not found, and nothing of it is tracked", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);

    expect(await context.find(Note, noteOf("beta"))).toBeUndefined();
    expect(await context.findMany(Note, [noteOf("beta"), noteOf("beta", 2)])).toEqual([undefined, undefined]);
    expect(context.size).toBe(0);
    expect(await context.query(Note).where({ box: "b" }).toArray()).toMatchObject([
      { id: "acme1" },
      { id: "acme2" },
    ]);
    expect(await context.find(Note, noteOf("acme"))).toMatchObject({ tenant: "acme" });
  });

  test("S5: a class that says nothing is refused in a scope, and an unscoped one works", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);
    const key = { continent: "eu", code: "no" };

    for (const call of [
      () => context.query(Country),
      () => context.create(Country, key),
      () => context.find(Country, key),
      () => context.removeByKey(Country, key, "*"),
    ]) {
      const error = await failureOf((async () => call())());
      expect(error).toMatchObject({ code: "context.scope" });
      expect(error.message).toMatch(/scopedBy.*unscoped/);
    }
    context.create(Currency, key);
    await context.saveChanges();
    expect(await context.query(Currency).where({ continent: "eu" }).toArray()).toHaveLength(1);
    expect(await new TableContext(opened.storage).find(Country, key)).toBeUndefined();
  });

  test("S6: a class with a scope is refused without one; an administrator sees all", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage);

    expect(await codeOf(() => context.query(Order))).toBe("context.scope");
    expect(await codeOf(() => context.find(Order, { tenant: "acme", id: "7" }))).toBe("context.scope");
    expect(await codeOf(() => context.create(Order, { tenant: "acme", id: "8" }))).toBe("context.scope");
    expect(opened.reads).toEqual([]);
    const all = new TableContext(opened.storage, { scope: "all" });
    expect(await codeOf(() => all.query(Order).toArray())).toBe("query.scan-refused");
    expect(await all.query(Order).scan().toArray()).toMatchObject([{ tenant: "acme" }, { tenant: "beta" }]);
  });

  const values = [undefined, null, "", ["a", "b"], {}, Number.NaN].map((tenant) => ({ tenant }));

  test.each(values)("S7: $tenant is no value of a scope", async ({ tenant }) => {
    await using opened = await open();

    const make = (scope: unknown) => () => new TableContext(opened.storage, { scope } as object);

    expect(await codeOf(make({ tenant }))).toBe("context.option");
    for (const scope of [tenant ?? null, {}, ["acme"]])
      expect(await codeOf(make(scope))).toBe("context.option");
  });

  test("S8: every way of reading gives rows of the scope only", async () => {
    await using opened = await store(open, classes);
    const fresh = (): TableContext => new TableContext(opened.storage, acme);
    const boxes = { box: "b" } as const;

    expect(await fresh().query(OrderRow).toArray()).toHaveLength(3);
    expect(await fresh().query([Order, Line]).count()).toBe(3);
    expect(
      await fresh()
        .query(OrderRow)
        .whereKind(Order, (o) => o.total.ge(0))
        .count(),
    ).toBe(3);
    expect(
      await fresh()
        .query(Order)
        .include((o) => o.lines)
        .toArray(),
    ).toMatchObject([{ tenant: "acme", lines: [{ sku: "acme1" }, { sku: "acme2" }] }]);
    expect(
      await fresh()
        .query(Folder)
        .where(boxes)
        .include((f) => f.pages)
        .toArray(),
    ).toMatchObject([{ tenant: "acme", pages: [{ name: "acme" }] }]);
    for (const name of ["byRank", "byCode"] as const)
      expect(await fresh().query(Card).where(boxes).via(name).toArray()).toMatchObject([
        { id: "acme1" },
        { id: "acme2" },
      ]);
    expect(await fresh().query(Card).where({ box: "b", code: "beta1" }).toArray()).toEqual([]);
    expect(await fresh().query(Note).where(boxes).count()).toBe(2);
    expect((await fresh().query(Note).where(boxes).page({ size: 1 })).entities).toMatchObject([
      { id: "acme1" },
    ]);
    expect(await fresh().query(Note).where(boxes).mergeOption("noTracking").toArray()).toHaveLength(2);
    expect(
      await fresh().query(Note).where(boxes).select("text").mergeOption("noTracking").toArray(),
    ).toMatchObject([{ text: "of acme" }, { text: "of acme" }]);
    expect(await fresh().query(Note).scan().count()).toBe(2);
  });

  test("S8: rows of others keep their ETags", async () => {
    await using opened = await store(open, classes);
    const before = await rowsOfBeta(opened);
    const context = new TableContext(opened.storage, acme);

    expect(
      (
        await context
          .query(Note)
          .where({ box: "b" })
          .updateAll((note) => void (note.text = "changed"))
      ).written,
    ).toBe(2);
    expect((await context.query(OrderRow).removeAll()).written).toBe(3);
    expect(
      await context.modify(Note, noteOf("beta"), (note) => void (note.text = "changed")),
    ).toBeUndefined();
    await work(
      opened.storage,
      async (inner) => {
        for (const note of await inner.query(Note).where({ box: "b" }).toArray()) note.text = "again";
      },
      { context: acme },
    );
    expect((await context.query(Card).where({ box: "b" }).removeAll()).written).toBe(2);

    expect(await rowsOfBeta(opened)).toEqual(before);
    expect(before).toHaveLength(11);
  });

  test("S9: a page token of one scope is foreign in another", async () => {
    await using opened = await store(open, classes);
    const pageOf = (options: object, after?: string): Promise<{ readonly next?: string | undefined }> =>
      new TableContext(opened.storage, options)
        .query(Note)
        .where({ box: "b" })
        .page({ size: 1, ...(after !== undefined && { after: after as never }) });

    const { next } = await pageOf(acme);

    expect(await codeOf(() => pageOf(beta, next))).toBe("query.foreign-token");
    expect(await codeOf(() => pageOf({ scope: "all" }, next))).toBe("query.foreign-token");
    expect(await codeOf(() => pageOf(acme, next))).toBeUndefined();
  });

  test("writes that read nothing read first where the key does not show the scope", async () => {
    await using opened = await store(open, classes);
    const before = await rowsOfBeta(opened);
    const { "odata.etag": etag } = (await rowIn(opened, "ScopedNotes", "b", "beta1")) ?? {};
    const make = (values: object): InstanceType<typeof Note> => Object.assign(new Note(), values);
    const attempts: ((context: TableContext) => unknown)[] = [
      (context) => context.upsert(make({ ...noteOf("beta"), text: "x" }), "merge"),
      (context) => context.upsert(make({ ...noteOf("beta"), text: "x" }), "replace"),
      (context) => (context.attach(make({ ...noteOf("beta"), text: "x" }), "*").text = "y"),
      (context) => (context.attach(make({ ...noteOf("beta"), text: "x" }), etag as string).text = "y"),
      (context) => context.removeByKey(Note, noteOf("beta"), "*"),
      (context) => context.removeByKey(Note, noteOf("beta"), etag as string),
      (context) => {
        context.removeByKey(Note, noteOf("beta"), etag as string);
        context.add(make({ ...noteOf("beta"), text: "x" }));
      },
    ];

    for (const attempt of attempts) {
      const context = new TableContext(opened.storage, acme);
      attempt(context);
      const error = await failureOf(context.saveChanges());
      expect(error.results).toMatchObject([
        {
          outcome: "rejected",
          error: { code: expect.stringMatching(/^conflict\.(missing|exists)$/) as string },
        },
      ]);
      expect(error.message).not.toContain("of beta");
    }
    expect(await rowsOfBeta(opened)).toEqual(before);
  });

  test("the same writes work within the scope, under the ETag that was read", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);
    const make = (values: object): InstanceType<typeof Note> => Object.assign(new Note(), values);

    context.upsert(make({ ...noteOf("acme"), text: "upserted" }), "merge");
    context.removeByKey(Note, noteOf("acme", 2), "*");
    context.upsert(make({ box: "b", id: "new", text: "inserted" }), "replace");
    await context.saveChanges();

    expect(requestsOf(opened)).toEqual([["merge acme1", "delete acme2", "insert new"]]);
    expect(opened.reads).toEqual(["get", "get", "get"]);
    expect(await rowIn(opened, "ScopedNotes", "b", "acme1")).toMatchObject({
      text: "upserted",
      tenant: "acme",
    });
    expect(await rowIn(opened, "ScopedNotes", "b", "new")).toMatchObject({ tenant: "acme" });
  });

  test("where the key shows the scope, such writes read nothing", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);

    context.upsert(Object.assign(new Order(), { id: "9" }), "merge");
    context.removeByKey(Line, { id: "7", no: 1 }, "*");
    await context.saveChanges();

    expect(opened.reads).toEqual([]);
    expect(await rowIn(opened, "ScopedOrders", "acme", "9")).toBeDefined();
    expect(await rowIn(opened, "ScopedOrders", "beta", "7!0001")).toBeDefined();
  });

  test("an assignment of another scope is refused by the save", async () => {
    await using opened = await store(open, classes);
    const before = await rowsOfBeta(opened);

    for (const assign of ["beta", undefined] as const) {
      const context = new TableContext(opened.storage, acme);
      const note = await context.find(Note, noteOf("acme"));
      const order = await context.find(Order, { id: "7" });
      for (const entity of [note, order]) (entity as { tenant?: string | undefined }).tenant = assign;
      expect(await refusalOf(context.saveChanges())).toMatchObject({ code: "context.scope" });
    }
    expect(opened.sent).toEqual([]);
    expect(await rowsOfBeta(opened)).toEqual(before);
  });

  test("assign may only repeat the scope", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);
    const note = (await context.find(Note, noteOf("acme"))) as InstanceType<typeof Note>;

    context.assign(note, { tenant: "acme", text: "new" });
    expect(await codeOf(() => context.assign(note, { tenant: "beta" }))).toBe("plain.read-only");
    expect(note).toMatchObject({ tenant: "acme", text: "new" });
  });

  test("a row that moved to another scope counts as removed", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);
    const note = (await context.find(Note, noteOf("acme"))) as InstanceType<typeof Note>;
    const admin = new TableContext(opened.inner, { scope: "all" });
    await admin.modify(
      Note,
      noteOf("acme"),
      (other) => void Object.assign(other, { tenant: "beta", text: "secret" }),
    );

    note.text = "mine";
    expect((await failureOf(context.saveChanges())).results).toMatchObject([
      { error: { code: "conflict.etag" } },
    ]);
    await context.reload(note);

    expect(context.entry(note).state).toBe("detached");
    expect(note.text).toBe("mine");
  });

  test("members of lists are of the scope of their parent", async () => {
    await using opened = await store(open, classes);
    const context = new TableContext(opened.storage, acme);
    const order = (await context.find(Order, { id: "7" }, { include: "lines" })) as InstanceType<
      typeof Order
    >;
    const folder = context.create(Folder, { box: "b", id: "new", name: "n", pages: [{ no: 1, name: "p" }] });

    context.createIn(order, "lines", { no: 3, sku: "C" });
    context.createIn(folder, "pages", { no: 2, name: "q" });
    expect(await codeOf(() => context.createIn(folder, "pages", { no: 3, name: "q", tenant: "beta" }))).toBe(
      "context.scope",
    );
    await context.saveChanges();

    expect(await rowIn(opened, "ScopedOrders", "acme", "7!0003")).toBeDefined();
    expect(await rowIn(opened, "ScopedFolders", "b", "new!0002")).toMatchObject({ tenant: "acme" });
  });

  test("removeFamily leaves the children of others", async () => {
    await using opened = await store(open, classes);
    const row = { PartitionKey: "b", RowKey: "acme!0002", Kind: "Page", tenant: "beta", name: "secret" };
    await opened.inner.write("ScopedFolders", { type: "insert", entity: row });
    const context = new TableContext(opened.storage, acme);
    const folder = (await context.find(Folder, { box: "b", id: "acme" })) as InstanceType<typeof Folder>;

    expect(await context.removeFamily(folder)).toBe(2);
    await context.saveChanges();

    expect(await rowIn(opened, "ScopedFolders", "b", "acme!0002")).toBeDefined();
    expect(await rowIn(opened, "ScopedFolders", "b", "acme")).toBeUndefined();
  });
}
