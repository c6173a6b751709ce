// The acceptance cases of default functions, V1 to V4, and the effects of their decisions. The same in all
// forms.

import { TableContext } from "@partita/core";
import { fromPlain } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import { entityFactory } from "@partita/testing";
import { beforeEach, expect, test } from "vitest";
import { calls, type FillClasses } from "./fill-classes.ts";
import { type DomainStore, make, type OpenDomain, requestsOf, sentFor, writtenBy } from "./store.ts";

const key = { tenant: "acme", id: "1" } as const;

/** The row with this id in a table. */
const rowIn = ({ inner }: DomainStore, table: string, id: string): Promise<StoredEntity | undefined> =>
  inner.get(table, { partitionKey: "acme", rowKey: id });

/** Another writer stores a row with only a note. */
const putNote = ({ inner }: DomainStore, table: string): Promise<unknown> =>
  inner.write(table, {
    type: "insert",
    entity: { PartitionKey: "acme", RowKey: "1", note: "from another writer" },
  });

export function fillCases(open: OpenDomain, classes: FillClasses): void {
  const { Token, OptionalToken, Numbered, TwiceNumbered } = classes;

  beforeEach(() => {
    calls.count = 0;
  });

  test("V1: a default function is called once for a new entity", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const entity = context.create(Token, key);

    expect([entity.token, entity.token, entity.token]).toEqual(["1", "1", "1"]);
    await context.saveChanges();
    expect(await rowIn(store, "Tokens", "1")).toMatchObject({ token: "1", rating: 5 });
    entity.note = "changed";
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 1"], ["merge 1"]]);
    expect(writtenBy(sentFor(store, "1"))).toEqual(["note"]);
    expect(calls.count).toBe(1);
  });

  test("V2: a given value counts, undefined and null do not", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    const counts: number[] = [];

    for (const [i, token] of ["x", undefined, null].entries()) {
      context.create(Token, { tenant: "acme", id: String(i), token: token as string | undefined });
      counts.push(calls.count);
    }
    await context.saveChanges();

    expect(counts).toEqual([0, 1, 2]);
    const rows = await Promise.all(["0", "1", "2"].map((id) => rowIn(store, "Tokens", id)));
    expect(rows.map((row) => row?.["token"])).toEqual(["x", "1", "2"]);
  });

  test("V3: reading a row calls no default function", async () => {
    await using store = await open();
    await putNote(store, "OptionalTokens");
    const context = new TableContext(store.storage);

    const found = await context.find(OptionalToken, key);

    expect(found).toMatchObject({ rating: 5, note: "from another writer" });
    expect(found?.token).toBeUndefined();
    expect(await context.query(OptionalToken).where(key).select("token", "rating").single()).toMatchObject({
      token: undefined,
      rating: 5,
    });
    expect(
      await context
        .query(OptionalToken)
        .where({ ...key, rating: 5 })
        .count(),
    ).toBe(1);
    expect(
      await context
        .query(OptionalToken)
        .where({ ...key, token: "1" })
        .count(),
    ).toBe(0);
    expect(context.pendingChanges()).toEqual([]);
    expect(calls.count).toBe(0);
  });

  test("V3: a row that lacks a required value is refused, default function or not", async () => {
    await using store = await open();
    await putNote(store, "Tokens");
    const context = new TableContext(store.storage);

    await expect(context.find(Token, key)).rejects.toMatchObject({ code: "property.absent" });

    expect(calls.count).toBe(0);
  });

  test("V4: properties of the base are filled first, in the order of declaration", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const base = context.create(Numbered, key);
    const twice = context.create(TwiceNumbered, { tenant: "acme", id: "2" });
    const added = context.add(make(TwiceNumbered, { tenant: "acme", id: "3" }));

    expect([base.a, twice.a, twice.b, added.a, added.b]).toEqual([0, 1, 2, 3, 4]);
  });

  test("null for a property with a default gives the default immediately", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const entity = context.create(Token, { ...key, rating: null as unknown as number });

    expect(entity.rating).toBe(5);
    await context.saveChanges();
    expect(await rowIn(store, "Tokens", "1")).toMatchObject({ rating: 5 });
  });

  test("add, upsert, fromPlain and a factory of tests fill a new entity, each once", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const added = context.add(make(Token, key));
    const upserted = make(Token, { tenant: "acme", id: "2" });
    context.upsert(upserted, "replace");
    const plain = fromPlain(Token, JSON.parse('{ "tenant": "acme", "id": "3", "token": null }'));
    context.add(plain);
    const built = entityFactory(Token, () => ({ tenant: "acme", id: "4" })).add(context);
    await context.saveChanges();

    expect([added, upserted, plain, built].map(({ token }) => token)).toEqual(["1", "2", "3", "4"]);
    expect(calls.count).toBe(4);
    expect(fromPlain(Token, { tenant: "acme", id: "5", token: "given" }).token).toBe("given");
    expect(calls.count).toBe(4);
  });

  test("an entity that modify creates is filled", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    await context.modify(Token, key, (entity) => void (entity.note = entity.token), { create: () => ({}) });

    expect(await rowIn(store, "Tokens", "1")).toMatchObject({ token: "1", note: "1" });
    expect(calls.count).toBe(1);
  });

  test("a stored row that another context adds again is not filled by reading it", async () => {
    await using store = await open();
    await putNote(store, "OptionalTokens");
    const context = new TableContext(store.storage);
    const found = await context.query(OptionalToken).where(key).single();

    found.note = "changed";
    await context.saveChanges({ update: "replace" });

    expect(await rowIn(store, "OptionalTokens", "1")).not.toHaveProperty("token");
    expect(calls.count).toBe(0);
  });
}
