import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  text,
} from "../../../src/index.ts";

const keys = { table: "Notes", partitionKey: { box: text() }, rowKey: { id: text() } } as const;

/** Classes that share a table and say different things about scopes. */
class ByTenant extends defineEntity({
  ...keys,
  kind: "ByTenant",
  properties: { tenant: text() },
  scopedBy: "tenant",
}) {}
class ByRegion extends defineEntity({
  ...keys,
  kind: "ByRegion",
  properties: { region: int32() },
  scopedBy: "region",
}) {}
class Shared extends defineEntity({ ...keys, kind: "Shared", properties: {}, unscoped: true }) {}
class Child extends defineKind(ByTenant, { kind: "Child" }) {}

test("each class of a query is narrowed by its own property, and an unscoped one by none", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [ByTenant, ByRegion, Shared, Child]);
  const admin = new TableContext(storage, { scope: "all" });
  for (const [i, tenant] of ["acme", "beta"].entries()) {
    admin.create(ByTenant, { box: "b", id: `t${i}`, tenant });
    admin.create(Child, { box: "b", id: `u${i}`, tenant });
    admin.create(ByRegion, { box: "b", id: `r${i}`, region: i });
    admin.create(Shared, { box: "b", id: `s${i}` });
  }
  await admin.saveChanges();
  const context = new TableContext(storage, { scope: { tenant: "acme", region: 1 } });

  const query = context.query([ByTenant, ByRegion, Shared]).where({ box: "b" });

  expect((await query.toArray()).map(({ id }) => id)).toEqual(["r1", "s0", "s1", "t0", "u0"]);
  expect(await query.count()).toBe(5);
  expect(query.explain().scope).toEqual(["tenant", "region"]);
  expect(await context.query(Child).where({ box: "b" }).count()).toBe(1);
});

test("a scope without a value for the property of a class refuses the class", async () => {
  await using storage = await openStorage("memory:");
  const context = new TableContext(storage, { scope: { tenant: "acme" } });

  expect(() => context.query(ByRegion)).toThrow(expect.objectContaining({ code: "context.scope" }));
});

test("a scope that the program changes later stays what it was", async () => {
  await using storage = await openStorage("memory:");
  const scope = { tenant: "acme" };
  const context = new TableContext(storage, { scope });
  scope.tenant = "beta";

  expect(context.create(ByTenant, { box: "b", id: "1" }).tenant).toBe("acme");
});

test("a hook that assigns another scope is refused", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [ByTenant]);
  const saving = (entity: object): void => void Object.assign(entity, { tenant: "beta" });
  const context = new TableContext(storage, { scope: { tenant: "acme" }, hooks: { saving } });
  context.create(ByTenant, { box: "b", id: "1" });

  await expect(context.saveChanges()).rejects.toMatchObject({
    code: "save.invalid",
    results: [{ error: { code: "context.scope" } }],
  });
  expect((await storage.query("Notes", {})).entities).toEqual([]);
});
