// The acceptance cases of values that saves set, V6 to V9, and the effects of their decisions. The same in
// all forms.

import { type ContextOptions, TableContext } from "@partita/core";
import { systemClock } from "@partita/core/internal";
import { noRetry } from "@partita/core/rest";
import type { Clock, StoredEntity } from "@partita/core/storage";
import { type Fault, withFaults } from "@partita/testing";
import { expect, test } from "vitest";
import type { FillClasses } from "./fill-classes.ts";
import { type DomainStore, failureOf, type OpenDomain, requestsOf, sentFor, writtenBy } from "./store.ts";

const at = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour));
const text = (hour: number): string => at(hour).toISOString();
const key = { tenant: "acme", id: "1" } as const;
const ann = { ...key, name: "Ann" } as const;

/** A context with a clock that a case sets. */
function timed(
  store: DomainStore,
  options: ContextOptions = {},
): { context: TableContext; clock: { hour: number } } {
  const state = { hour: 10 };
  const clock: Clock = { ...systemClock, now: () => at(state.hour).getTime() };
  return { context: new TableContext(store.storage, { ...options, clock }), clock: state };
}

const stored = ({ inner }: DomainStore, id = "1"): Promise<StoredEntity | undefined> =>
  inner.get("Timed", { partitionKey: "acme", rowKey: id });

const timesOf = async (store: DomainStore, id = "1"): Promise<unknown[]> => {
  const row = await stored(store, id);
  return [row?.["createdAt"], row?.["updatedAt"]].map((time) => new Date(time as string).toISOString());
};

export function saveTimeCases(open: OpenDomain, classes: FillClasses): void {
  const { Timed } = classes;

  test("V6: an insert has both times, and a change moves only updatedAt", async () => {
    await using store = await open();
    const { context, clock } = timed(store);

    const entity = context.create(Timed, ann);
    await context.saveChanges();
    expect([entity.createdAt, entity.updatedAt]).toEqual([at(10), at(10)]);
    expect(await stored(store)).toMatchObject({ editor: "saver" });
    clock.hour = 11;
    entity.name = "Anna";
    await context.saveChanges();

    expect(requestsOf(store)).toEqual([["insert 1"], ["merge 1"]]);
    expect(writtenBy(sentFor(store, "1"))).toEqual(["name", "updatedAt"]);
    expect(await timesOf(store)).toEqual([text(10), text(11)]);
  });

  test("V7: where nothing changed, nothing is sent", async () => {
    await using store = await open();
    const { context, clock } = timed(store);
    const entity = context.create(Timed, ann);
    await context.saveChanges();
    store.reset();
    clock.hour = 11;

    entity.name = "Ann";
    await context.saveChanges();

    expect(store.sent).toEqual([]);
    expect(entity.updatedAt).toEqual(at(10));
  });

  test("V8: a time that the program assigned stays", async () => {
    await using store = await open();
    const { context } = timed(store);

    const entity = context.create(Timed, { ...ann, updatedAt: at(1) });
    await context.saveChanges();
    expect(await timesOf(store)).toEqual([text(10), text(1)]);
    entity.name = "Anna";
    entity.updatedAt = at(2);
    await context.saveChanges();

    expect(await timesOf(store)).toEqual([text(10), text(2)]);
  });

  test("V9: updateAll moves the time of the rows that it changes", async () => {
    await using store = await open();
    const { context, clock } = timed(store);
    for (const id of ["1", "2", "3", "4", "5"]) context.create(Timed, { ...ann, id });
    await context.saveChanges();
    const before = await Promise.all(["3", "4", "5"].map((id) => stored(store, id)));
    store.reset();
    clock.hour = 11;

    await context
      .query(Timed)
      .where({ tenant: "acme" })
      .updateAll((entity) => {
        if (entity.id <= "2") entity.name = "Anna";
      });

    expect(requestsOf(store).flat()).toEqual(["merge 1", "merge 2"]);
    expect(await timesOf(store, "1")).toEqual([text(10), text(11)]);
    expect(await timesOf(store, "2")).toEqual([text(10), text(11)]);
    expect(await Promise.all(["3", "4", "5"].map((id) => stored(store, id)))).toEqual(before);
  });

  test("update(entity) moves updatedAt, and touch does not", async () => {
    await using store = await open();
    const { context, clock } = timed(store);
    const entity = context.create(Timed, ann);
    await context.saveChanges();
    clock.hour = 11;

    context.touch(entity);
    await context.saveChanges();
    expect(await timesOf(store)).toEqual([text(10), text(10)]);
    context.update(entity);
    await context.saveChanges();

    expect(await timesOf(store)).toEqual([text(10), text(11)]);
  });

  test("with explicit tracking, updatedAt goes with the properties that update names", async () => {
    await using store = await open();
    const { context, clock } = timed(store, { tracking: "explicit" });
    const entity = context.create(Timed, ann);
    await context.saveChanges();
    clock.hour = 11;

    entity.name = "Anna";
    context.update(entity, "name");
    await context.saveChanges();

    expect(writtenBy(sentFor(store, "1"))).toEqual(["name", "updatedAt"]);
  });

  test("hooks run before the times are made, and validators see them", async () => {
    await using store = await open();
    const seen: unknown[] = [];
    const { context } = timed(store, {
      hooks: { saving: (entity) => void seen.push((entity as { updatedAt?: Date }).updatedAt) },
      validate: (entity) => {
        seen.push((entity as { updatedAt?: Date }).updatedAt);
        return [];
      },
    });

    context.create(Timed, ann);
    await context.saveChanges();

    expect(seen).toEqual([undefined, at(10)]);
  });

  test("a change that was refused gets the time of the save that stores it", async () => {
    await using store = await open();
    const { context, clock } = timed(store);
    const entity = context.create(Timed, ann);
    await context.saveChanges();
    const entityKey = { PartitionKey: "acme", RowKey: "1" };
    await store.inner.write("Timed", { type: "upsert-merge", entity: { ...entityKey, editor: "another" } });
    clock.hour = 11;
    entity.name = "Anna";

    await failureOf(context.saveChanges());
    expect(entity.updatedAt).toEqual(at(10));
    await context.resolveConflict(entity, "mine");
    expect(context.entry(entity).conflicts).toEqual([]);
    clock.hour = 12;
    await context.saveChanges();

    expect(await timesOf(store)).toEqual([text(10), text(12)]);
  });

  test.each<[string, Fault]>([
    ["not stored", "reset-before"],
    ["stored", "reset-after"],
  ])("a change in doubt that was %s keeps its first time", async (_, fault) => {
    await using store = await open();
    let isLost = true;
    const lossy = withFaults(store.storage, () => (isLost ? fault : undefined));
    const { context, clock } = timed({ ...store, storage: lossy }, { retry: noRetry });
    context.create(Timed, ann);

    const error = await failureOf(context.saveChanges());
    expect(error.results.map(({ outcome }) => outcome)).toEqual(["unknown"]);
    isLost = false;
    clock.hour = 11;
    await context.saveChanges();

    expect(await timesOf(store)).toEqual([text(10), text(10)]);
  });

  test("a time is never in conflict", async () => {
    await using store = await open();
    const { context } = timed(store);
    const entity = context.create(Timed, ann);
    await context.saveChanges();
    const other = timed(store);
    other.clock.hour = 11;
    const theirs = await other.context.query(Timed).where(key).single();
    theirs.name = "Anne";
    await other.context.saveChanges();

    entity.name = "Anna";
    entity.updatedAt = at(3);
    await context.query(Timed).where(key).mergeOption("preserveChanges").single();

    expect(context.entry(entity).conflicts.map(({ property }) => property)).toEqual(["name"]);
  });

  test("a merge without a read needs the time of creation", async () => {
    await using store = await open();
    const { context } = timed(store);
    const make = (values: object): InstanceType<typeof Timed> => Object.assign(new Timed(), ann, values);

    expect(() => context.upsert(make({}), "merge")).toThrow(
      expect.objectContaining({ code: "entity.insert-only" }),
    );
    context.upsert(make({ createdAt: at(1) }), "merge");
    context.upsert(make({ id: "2" }), "replace");
    await context.saveChanges();

    expect(await timesOf(store)).toEqual([text(1), text(10)]);
    expect(await timesOf(store, "2")).toEqual([text(10), text(10)]);
  });
}
