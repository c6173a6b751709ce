import {
  createTables,
  fromPlain,
  openStorage,
  type SaveError,
  TableContext,
  ValidationError,
} from "@partita/core";
import { definedPlain } from "@partita/test-support/domain/plain-classes";
import { expect, test } from "vitest";
import { isInvalidInput } from "../src/index.ts";

const { Customer } = definedPlain;
const ann = { tenant: "acme", id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", name: "Ann", email: "a@b.no" };

const errorOf = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error("It should have been refused.");
};

test("what a client caused is invalid input", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Customer]);
  const context = new TableContext(storage);
  const stored = context.create(Customer, ann);
  await context.saveChanges();
  const saved = async (values: object): Promise<unknown> => {
    const own = new TableContext(storage);
    own.add(Object.assign(new Customer(), ann, { id: "01ARZ3NDEKTSV4RRFFQ69G5FAW" }, values));
    return errorOf(() => own.saveChanges());
  };

  for (const error of [
    await errorOf(() => fromPlain(Customer, { stars: "many" } as never)),
    await errorOf(() => context.assign(stored, { nope: 1 })),
    await errorOf(() => context.assign(stored, { id: "other" })),
    await errorOf(() => context.create(Customer, { ...ann, id: "no ULID" })),
    await errorOf(() =>
      context.query(Customer).where({ tenant: "acme" }).page({ size: 1, after: "nonsense" }),
    ),
    await saved({ name: undefined }),
    await saved({ name: "x".repeat(40_000) }),
    new ValidationError("A customer", "Customer", [{ property: "name", message: "is too short" }]),
  ])
    expect([(error as SaveError).code, isInvalidInput(error)]).toEqual([(error as SaveError).code, true]);
});

test("conflicts and errors of the program are none", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Customer]);
  const context = new TableContext(storage);
  context.create(Customer, ann);
  await context.saveChanges();
  const again = new TableContext(storage);
  again.create(Customer, ann);

  for (const error of [
    await errorOf(() => again.saveChanges()),
    await errorOf(() => context.query(Customer).where({ name: "Ann" }).toArray()),
    await errorOf(() =>
      context
        .query(Customer)
        .where({ nope: 1 } as never)
        .toArray(),
    ),
    await errorOf(() => new TableContext(storage, { merge: "x" } as never)),
    new TypeError("x"),
    undefined,
  ])
    expect(isInvalidInput(error)).toBe(false);
});
